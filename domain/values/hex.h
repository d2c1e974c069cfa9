// Hexadecimal digits and texts. Pure functions, usable from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/values/ascii.h"

namespace auth_errors::domain {

// The value of a digit in either case.
constexpr std::optional<unsigned> hexDigit(char c) {
  if (isDigit(c)) {
    return static_cast<unsigned>(c - '0');
  }
  return isOf(c, kHexChar) ? std::optional(static_cast<unsigned>(toLower(c) - 'a') + 10)
                           : std::nullopt;
}

constexpr bool isLowerHex(char c) { return isDigit(c) || (c >= 'a' && c <= 'f'); }

// Whether a text is a SHA-256 as toHex() writes it.
constexpr bool isHash(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits && std::ranges::all_of(text, isLowerHex);
}

inline std::string toHex(std::span<const std::byte> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
    text += kDigits[std::to_integer<unsigned>(byte) & 0xFU];
  }
  return text;
}

}  // namespace auth_errors::domain
