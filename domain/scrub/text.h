// Shared by all secret detectors: the scan position, the result, and the reading of quotes, escapes
// and unquoted values. Pure functions over views: any thread. Every function reads each byte a
// bounded number of times, so that a scan stays linear.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/scrub/kinds.h"
#include "domain/values/ascii.h"

namespace auth_errors::domain {

// The bytes [begin, end) are to be replaced by the marker of `kind`.
struct Match {
  std::size_t begin;
  std::size_t end;
  RedactionKind kind;
};

// The trigger of a detector: a run of letters and digits, or one mark such as '@'.
struct Spot {
  std::size_t begin;
  std::size_t end;
};

// A text under scan. Text before `floor` is already written and must not be read.
struct Scan {
  std::string_view text;
  std::size_t floor = 0;

  [[nodiscard]] char at(std::size_t i) const { return i < text.size() ? text[i] : '\0'; }
  [[nodiscard]] char before(std::size_t i) const { return i > floor ? text[i - 1] : '\0'; }
};

// The common signature of all detectors.
using Detector = std::optional<Match> (*)(const Scan& scan, Spot spot);

// End of the run of `classes` that starts at `at`, at most `limit` bytes long.
inline std::size_t runEnd(std::string_view text, std::size_t at, unsigned classes,
                          std::size_t limit = std::string_view::npos) {
  if (at >= text.size()) {
    return at;
  }
  const char* const begin = text.data() + at;
  const char* const end = begin + std::min(limit, text.size() - at);
  const char* next = begin;
  while (next != end && isOf(*next, classes)) {
    ++next;
  }
  return at + static_cast<std::size_t>(next - begin);
}

// Length of a multi-byte blank: no-break, ideographic and other Unicode spaces. 0 if there is none.
std::size_t wideBlankLengthAt(std::string_view text, std::size_t at);

// Skips blanks of any width, up to a bound.
std::size_t skipBlanks(std::string_view text, std::size_t at);

namespace detail {
std::size_t afterMark(const Scan& scan, std::size_t runBegin);
}  // namespace detail

// The real start of a token whose run follows an escape: "%3D", "\n" and "\u003d" leave their
// letters at the front of the run.
inline std::size_t afterEscape(const Scan& scan, std::size_t runBegin) {
  const char mark = scan.before(runBegin);
  return mark == '%' || mark == '\\' ? detail::afterMark(scan, runBegin) : runBegin;
}

// Length of a blank in any notation: " ", "%20", "+", "\u0020". 0 if there is none.
std::size_t blankLengthAt(std::string_view text, std::size_t at);

// Length of an opening quote, or 0: ", ' or ` after any number of backslashes, %22, %27, &quot;, …
std::size_t quoteLengthAt(std::string_view text, std::size_t at);

// End of a quoted value: the quote of the same escaping level, or else the end of the line (a
// truncated text must not leak what its missing quote would have closed).
std::size_t quotedValueEnd(std::string_view text, std::size_t quoteAt, std::size_t quoteLength);

// End of an unquoted value. `percentEncoded`: its separator was %3D, so %26 ends it.
std::size_t unquotedValueEnd(std::string_view text, std::size_t at, bool percentEncoded);

// Visits the bytes of a Base64 text, in either alphabet, up to the first other character. Stops and
// returns false when `visit` does.
template <typename Visit>
bool eachBase64Byte(std::string_view text, Visit visit) {
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : text) {
    unsigned digit = 0;
    if (isOf(c, kUpperChar)) {
      digit = static_cast<unsigned>(c - 'A');
    } else if (isOf(c, kLowerChar)) {
      digit = static_cast<unsigned>(c - 'a') + 26;
    } else if (isDigit(c)) {
      digit = static_cast<unsigned>(c - '0') + 52;
    } else if (c == '+' || c == '-') {
      digit = 62;
    } else if (c == '/' || c == '_') {
      digit = 63;
    } else {
      break;
    }
    held = ((held << 6U) | digit) & 0xFFFFU;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      if (!visit((held >> bits) & 0xFFU)) {
        return false;
      }
    }
  }
  return true;
}

// Digits among letters, or many digits: typical of a generated value, unlike prose.
bool looksRandom(std::string_view value, std::size_t minLength = 6);

}  // namespace auth_errors::domain
