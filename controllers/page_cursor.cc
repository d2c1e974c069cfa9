#include "controllers/page_cursor.h"

#include <array>
#include <cstddef>
#include <limits>

#include "security/digest.h"

namespace auth_errors::controllers {
namespace {

// Lists that are sorted by something else will need another one.
constexpr std::byte kVersion{1};
// The version and the id, the most significant byte first.
constexpr std::size_t kCursorBytes = 1 + sizeof(std::int64_t);

}  // namespace

std::string encodeCursor(std::int64_t lastId) {
  std::array<std::byte, kCursorBytes> bytes{kVersion};
  auto rest = static_cast<std::uint64_t>(lastId);
  for (std::size_t at = bytes.size() - 1; at > 0; --at) {
    bytes.at(at) = static_cast<std::byte>(rest & 0xFFU);
    rest >>= 8U;
  }
  return security::toBase64Url(bytes);
}

std::optional<std::int64_t> decodeCursor(std::string_view text) {
  // Four signs hold three bytes; a longer text is not worth decoding.
  if (text.size() != kCursorBytes / 3 * 4) {
    return std::nullopt;
  }
  const auto bytes = security::fromBase64Url(text);
  if (!bytes || bytes->size() != kCursorBytes || bytes->front() != kVersion) {
    return std::nullopt;
  }
  std::uint64_t id = 0;
  for (std::size_t at = 1; at < bytes->size(); ++at) {
    id = (id << 8U) | std::to_integer<std::uint64_t>(bytes->at(at));
  }
  if (id == 0 || id > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(id);
}

}  // namespace auth_errors::controllers
