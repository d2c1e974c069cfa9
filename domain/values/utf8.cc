#include "domain/values/utf8.h"

#include <cstdint>
#include <cstring>

namespace auth_errors::domain {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;

// Stack traces are nearly all ASCII: eight bytes at a time until one of them is not.
std::size_t skipAscii(std::string_view text, std::size_t at) {
  while (at + kWord <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, kWord);
    if ((word & kHighBits) != 0) {
      break;
    }
    at += kWord;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) {
    ++at;
  }
  return at;
}

}  // namespace

std::size_t utf8SequenceLength(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) -> unsigned {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  const auto continues = [&](std::size_t offset) { return (byte(offset) & 0xC0U) == 0x80U; };
  if (at >= text.size()) {
    return 0;
  }
  const unsigned lead = byte(0);
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead <= 0xDF) {
    return continues(1) ? 2 : 0;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    // E0 80–9F would be overlong, ED A0–BF would be a surrogate.
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    // F0 80–8F would be overlong, F4 90–BF would lie above U+10FFFF.
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

bool isValidUtf8(std::string_view text) {
  std::size_t at = skipAscii(text, 0);
  while (at < text.size()) {
    const std::size_t length = utf8SequenceLength(text, at);
    if (length == 0) {
      return false;
    }
    at = skipAscii(text, at + length);
  }
  return true;
}

std::size_t countCodePoints(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) {
    count += isContinuationByte(c) ? 0U : 1U;
  }
  return count;
}

std::string_view firstCodePoints(std::string_view text, std::size_t maxCodePoints) {
  if (text.size() <= maxCodePoints) {
    return text;
  }
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (isContinuationByte(text[at])) {
      continue;
    }
    if (count == maxCodePoints) {
      return text.substr(0, at);
    }
    ++count;
  }
  return text;
}

}  // namespace auth_errors::domain
