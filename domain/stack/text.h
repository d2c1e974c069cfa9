// Small text readers shared by the parts of the stack hash. Pure functions on views: any thread,
// each linear in its input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "domain/scrub/text.h"

namespace auth_errors::domain {

constexpr std::string_view withoutIndent(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : line.substr(begin);
}

constexpr std::string_view trimmedLine(std::string_view line) {
  line = withoutIndent(line);
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

constexpr bool isAllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, isDigit);
}

constexpr bool isAllHex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return isOf(c, kHexChar); });
}

// A hash of a build or of generated code: hexadecimal, and not a word because it contains a digit.
constexpr bool isHexHash(std::string_view text, std::size_t minLength) {
  return text.size() >= minLength && isAllHex(text) && std::ranges::any_of(text, isDigit);
}

// Removes `prefix` from the front of `text` if it is there.
constexpr bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// The text before the first `mark`, or all of it.
constexpr std::string_view before(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark));
}

// `word` followed by a number, as compilers and runtimes number what they generate.
constexpr bool isCounted(std::string_view text, std::string_view word) {
  return consume(text, word) && isAllDigits(text);
}

// Removes the ":42" or ":42:7" of a line and column from the end.
constexpr std::string_view withoutPosition(std::string_view place) {
  for (int round = 0; round < 2; ++round) {
    std::size_t end = place.size();
    while (end > 0 && isDigit(place[end - 1])) {
      --end;
    }
    if (end == place.size() || end == 0 || place[end - 1] != ':') {
      break;
    }
    place = place.substr(0, end - 1);
  }
  return place;
}

// Calls `visit` for each blank outside of brackets, until it returns false.
template <typename Visit>
void forEachOuterBlank(std::string_view text, Visit visit) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view read = text.substr(0, i);
    const bool arrow = c == '>' && read.ends_with('-');
    const bool sign =
        (c == '<' || c == '>') && (read.ends_with("operator") || read.ends_with("operator<"));
    if (arrow || sign) {
      continue;
    }
    if (c == '(' || c == '<' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == '>' || c == ']' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == ' ' && depth == 0 && !visit(i)) {
      return;
    }
  }
}

// Skips "0x000055d0c0de " and an optional word between it and the following text.
inline bool consumeAddress(std::string_view& text) {
  if (!text.starts_with("0x")) {
    return false;
  }
  text = withoutIndent(text.substr(runEnd(text, 2, kHexChar)));
  for (const std::string_view joint : {"in ", "- ", ": "}) {
    if (consume(text, joint)) {
      break;
    }
  }
  text = withoutIndent(text);
  return true;
}

}  // namespace auth_errors::domain
