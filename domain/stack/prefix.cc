#include "domain/stack/prefix.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "domain/stack/frames.h"
#include "domain/stack/text.h"

namespace auth_errors::domain {
namespace {

// Whether a text begins with this pattern, in which 0 stands for any digit and A for any letter.
bool beginsLike(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) {
    return false;
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool there = shape[i] == '0'   ? isDigit(text[i])
                       : shape[i] == 'A' ? isOf(text[i], kLowerChar | kUpperChar)
                                         : text[i] == shape[i];
    if (!there) {
      return false;
    }
  }
  return true;
}

// The length of "2026-01-02 03:04:05,678", including brackets around it and their other content; 0
// if the line begins differently.
std::size_t timestampLength(std::string_view line) {
  constexpr auto kShapes = std::to_array<std::string_view>(
      {"0000-00-00 00:00:00", "0000-00-00T00:00:00", "0000/00/00 00:00:00", "00-AAA-0000 00:00:00",
       "00:00:00.", "00:00:00,"});
  const std::size_t begin = line.starts_with('[') ? 1 : 0;
  const std::string_view time = line.substr(begin);
  if (time.empty() || !isDigit(time.front())) {
    return 0;
  }
  for (const std::string_view shape : kShapes) {
    if (beginsLike(time, shape)) {
      const std::size_t end = time.find_first_not_of("0123456789.,:+-Z", shape.size());
      const std::size_t bracket = begin == 0 ? std::string_view::npos : time.find(']');
      return begin + (bracket == std::string_view::npos ? std::min(end, time.size()) : bracket + 1);
    }
  }
  return 0;
}

// syslog's "Jan  2 03:04:05 host shop[17]: ", Compose's "shop-1  | ".
std::string_view withoutProgram(std::string_view line) {
  constexpr std::size_t kDate = 7;   // "Jan  2 "
  constexpr std::size_t kTime = 16;  // "Jan  2 03:04:05 "
  constexpr std::size_t kMaxName = 64;
  if (line.empty() || !isOf(line.front(), kLowerChar | kUpperChar)) {
    return line;
  }
  const std::size_t name = line.substr(0, kMaxName).find(' ');
  if (name == std::string_view::npos) {
    return line;
  }
  if (name == 3 && line.size() > kDate && beginsLike(line.substr(kDate), "00:00:00 ")) {
    const std::size_t colon = line.find(": ", kTime);
    return colon == std::string_view::npos ? line : line.substr(colon + 2);
  }
  std::string_view rest = withoutIndent(line.substr(name));
  return consume(rest, "| ") ? rest : line;
}

}  // namespace

std::string_view withoutLogPrefix(std::string_view line) {
  constexpr auto kWords = std::to_array<std::string_view>({"ERROR", "WARN", "WARNING", "INFO",
                                                           "DEBUG", "TRACE", "FATAL", "CRITICAL",
                                                           "SEVERE", "stderr", "stdout", "F", "P"});
  const std::size_t time = timestampLength(line);
  if (time == 0) {
    return withoutProgram(line);
  }
  line.remove_prefix(time);
  while (consume(line, " ")) {
    const std::string_view word = before(line, " ");
    const std::string_view level = word.ends_with(':') ? word.substr(0, word.size() - 1) : word;
    const bool bracketed = word.starts_with('[') && word.ends_with(']');
    if (!bracketed && !std::ranges::contains(kWords, level)) {
      break;
    }
    line.remove_prefix(word.size());
  }
  return line;
}

std::string_view prefixOfFrame(std::string_view line) {
  constexpr std::size_t kShortest = 8;  // "x:\tat a.b"
  if (line.size() < kShortest) {
    return {};
  }
  for (const std::string_view indented : {"\tat ", "   at ", "  File \""}) {
    const std::string_view prefix = before(line, indented);
    if (prefix.size() < line.size() && !trimmedLine(prefix).empty() &&
        parseFrame(trimmedLine(line.substr(prefix.size())), {})) {
      return prefix;
    }
  }
  return {};
}

std::string_view withoutPrefix(std::string_view line, std::string_view prefix) {
  const auto alike = [](char one, char other) {
    return one == other || (isDigit(one) && isDigit(other));
  };
  return std::ranges::equal(line.substr(0, prefix.size()), prefix, alike)
             ? line.substr(prefix.size())
             : line;
}

bool consumeBars(std::string_view& line) {
  const std::string_view whole = line;
  for (std::string_view rest = withoutIndent(line); consume(rest, "|");
       rest = withoutIndent(line)) {
    if (!rest.empty() && !isBlank(rest.front())) {
      break;
    }
    consume(rest, " ");
    line = rest;
  }
  return line.size() < whole.size();
}

}  // namespace auth_errors::domain
