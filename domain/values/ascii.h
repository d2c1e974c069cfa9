// Classes of ASCII characters and texts made of them, independent of the locale. Pure functions
// over views, usable from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace auth_errors::domain {

inline constexpr unsigned kDigitChar = 1U << 0U;
inline constexpr unsigned kUpperChar = 1U << 1U;
inline constexpr unsigned kLowerChar = 1U << 2U;
inline constexpr unsigned kHexChar = 1U << 3U;
inline constexpr unsigned kBase64Char = 1U << 4U;     // letters, digits, '+', '/', '='
inline constexpr unsigned kBase64UrlChar = 1U << 5U;  // letters, digits, '-', '_'
inline constexpr unsigned kToken68Char = 1U << 6U;    // RFC 9110: both of the above, '.', '~'
inline constexpr unsigned kSpaceChar = 1U << 7U;      // blank, controls
inline constexpr unsigned kQuoteChar = 1U << 8U;
inline constexpr unsigned kAlnumChar = kDigitChar | kUpperChar | kLowerChar;

namespace detail {
constexpr std::array<std::uint16_t, 256> makeCharClasses() {
  std::array<std::uint16_t, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    unsigned bits = 0;
    const bool digit = c >= '0' && c <= '9';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = c >= 'a' && c <= 'z';
    bits |= digit ? kDigitChar : 0U;
    bits |= upper ? kUpperChar : 0U;
    bits |= lower ? kLowerChar : 0U;
    bits |= digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? kHexChar : 0U;
    const bool alnum = digit || upper || lower;
    const bool base64 = alnum || c == '+' || c == '/' || c == '=';
    const bool base64Url = alnum || c == '-' || c == '_';
    bits |= base64 ? kBase64Char : 0U;
    bits |= base64Url ? kBase64UrlChar : 0U;
    bits |= base64 || base64Url || c == '.' || c == '~' ? kToken68Char : 0U;
    bits |= c <= ' ' ? kSpaceChar : 0U;
    bits |= c == '"' || c == '\'' || c == '`' ? kQuoteChar : 0U;
    classes[c] = static_cast<std::uint16_t>(bits);
  }
  return classes;
}
}  // namespace detail

inline constexpr std::array<std::uint16_t, 256> kCharClasses = detail::makeCharClasses();

constexpr bool isOf(char c, unsigned classes) {
  return (kCharClasses[static_cast<unsigned char>(c)] & classes) != 0;
}
constexpr bool isAlnum(char c) { return isOf(c, kAlnumChar); }
constexpr bool isDigit(char c) { return isOf(c, kDigitChar); }
constexpr bool isLetter(char c) { return isOf(c, kUpperChar | kLowerChar); }
constexpr bool isBlank(char c) { return c == ' ' || c == '\t'; }
constexpr char toLower(char c) { return isOf(c, kUpperChar) ? static_cast<char>(c | 0x20) : c; }

constexpr char toUpper(char c) { return isOf(c, kLowerChar) ? static_cast<char>(c & ~0x20) : c; }

constexpr bool allOf(std::string_view text, unsigned classes) {
  return std::ranges::all_of(text, [&](char c) { return isOf(c, classes); });
}

// `word` is lower case.
constexpr bool startsWithWord(std::string_view text, std::size_t at, std::string_view word) {
  if (at > text.size() || text.size() - at < word.size()) {
    return false;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (toLower(text[at + i]) != word[i]) {
      return false;
    }
  }
  return true;
}

constexpr bool equalsWord(std::string_view text, std::string_view word) {
  return text.size() == word.size() && startsWithWord(text, 0, word);
}

// The whitespace around values of HTTP headers.
inline constexpr std::string_view kBlanks = " \t";

constexpr std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos
             ? std::string_view{}
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

inline constexpr std::size_t kMaxPlainName = 64;

// A name of letters, digits, '.', '_' and '-', as keys, rules and prefixes have.
constexpr bool isPlainName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxPlainName && std::ranges::all_of(text, [](char c) {
    return isAlnum(c) || c == '.' || c == '_' || c == '-';
  });
}

}  // namespace auth_errors::domain
