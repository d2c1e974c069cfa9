#include "platform/messaging/frame_guard.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "platform/messaging/header_table.h"
#include "platform/messaging/wire_reader.h"

namespace auth_errors::messaging {
namespace {

constexpr std::size_t kHeadSize = 7;  // type, channel, size
constexpr std::size_t kFrameOverhead = kHeadSize + 1;
constexpr std::uint32_t kLargestFrame = std::uint32_t{16} * 1024 * 1024;
constexpr std::uint32_t kSmallestNegotiable = 4096;
// RabbitMQ itself never accepts a larger one.
constexpr std::uint64_t kLargestBody = std::uint64_t{512} * 1024 * 1024;

constexpr std::uint8_t kMethodFrame = 1;
constexpr std::uint8_t kContentHeaderFrame = 2;
constexpr std::uint16_t kConnectionClass = 10;
constexpr std::uint16_t kTuneMethod = 30;

constexpr unsigned kHasContentType = 1U << 15U;
constexpr unsigned kHasContentEncoding = 1U << 14U;
constexpr unsigned kHasHeaders = 1U << 13U;

FrameGuard::Next stopReading(const char* problem) {
  return {.verdict = FrameGuard::Verdict::refuse, .size = 0, .frame = {}, .problem = problem};
}

// With a frame size below the minimum of AMQP, AMQP-CPP would split bodies into empty pieces.
bool tunesTooSmall(std::string_view frame) {
  WireReader reader(frame.substr(kHeadSize));
  if (reader.number<std::uint16_t>() != kConnectionClass ||
      reader.number<std::uint16_t>() != kTuneMethod) {
    return false;
  }
  reader.number<std::uint16_t>();  // channels
  const auto frameMax = reader.number<std::uint32_t>();
  return frameMax != 0 && frameMax < kSmallestNegotiable;
}

}  // namespace

FrameGuard::Next FrameGuard::next(std::string_view bytes, std::uint32_t maxFrame) {
  if (bytes.starts_with("AMQP")) {
    return stopReading("the broker uses another version of AMQP");
  }
  if (bytes.size() < kHeadSize) {
    return {};
  }
  WireReader reader(bytes);
  const auto type = reader.number<std::uint8_t>();
  reader.number<std::uint16_t>();  // channel
  const std::size_t payload = reader.number<std::uint32_t>();
  const std::uint32_t limit = maxFrame == 0 ? kLargestFrame : std::min(maxFrame, kLargestFrame);
  if (payload + kFrameOverhead > limit) {
    return stopReading("the broker sent a frame larger than agreed, or something that is not AMQP");
  }
  const std::size_t size = payload + kFrameOverhead;
  if (bytes.size() < size) {
    return {};
  }
  const auto frame = bytes.substr(0, size);
  if (type == kMethodFrame && tunesTooSmall(frame)) {
    return stopReading("the broker requires smaller frames than AMQP allows");
  }
  if (type == kContentHeaderFrame) {
    return passContentHeader(frame);
  }
  return {.verdict = Verdict::pass, .size = size, .frame = frame, .problem = ""};
}

FrameGuard::Next FrameGuard::passContentHeader(std::string_view frame) {
  const auto payload = frame.substr(kHeadSize, frame.size() - kFrameOverhead);
  WireReader reader(payload);
  reader.bytes(4);  // class, weight
  const auto bodySize = reader.number<std::uint64_t>();
  const std::size_t flagsAt = kHeadSize + payload.size() - reader.left();
  const unsigned flags = reader.number<std::uint16_t>();
  if ((flags & kHasContentType) != 0) {
    reader.shortString();
  }
  if ((flags & kHasContentEncoding) != 0) {
    reader.shortString();
  }
  const std::size_t tableAt = kHeadSize + payload.size() - reader.left();
  const auto table = (flags & kHasHeaders) != 0 ? reader.longString() : std::string_view();
  if (reader.failed() || bodySize > kLargestBody) {
    return stopReading("the broker sent a malformed content header");
  }
  auto headers = decodeHeaders(table);
  if (!headers) {
    return stopReading("the broker sent malformed message headers");
  }
  headers_ = std::move(*headers);
  if ((flags & kHasHeaders) == 0) {
    return {.verdict = Verdict::pass, .size = frame.size(), .frame = frame, .problem = ""};
  }

  const std::size_t cut = sizeof(std::uint32_t) + table.size();
  rewritten_.assign(frame);
  rewritten_.erase(tableAt, cut);
  rewritten_[flagsAt] = static_cast<char>((flags & ~kHasHeaders) >> 8U);
  auto length = static_cast<std::uint32_t>(payload.size() - cut);
  if constexpr (std::endian::native == std::endian::little) {
    length = std::byteswap(length);
  }
  std::memcpy(rewritten_.data() + kHeadSize - sizeof length, &length, sizeof length);
  return {.verdict = Verdict::pass, .size = frame.size(), .frame = rewritten_, .problem = ""};
}

Headers FrameGuard::takeHeaders() { return std::exchange(headers_, {}); }

}  // namespace auth_errors::messaging
