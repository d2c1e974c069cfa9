#include "domain/stack_hash.h"

#include <algorithm>
#include <array>

namespace auth_errors::domain {
namespace {

constexpr std::string_view kVersion = "stack-hash-1";

// How frames begin in Java, JavaScript and C#; Python; Ruby; PHP.
constexpr std::array<std::string_view, 4> kFrameStarts = {"at ", "File ", "from ", "#"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    return {};
  }
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

// Every run of digits becomes one sign: line numbers, addresses, counters of generated names.
void appendWithoutNumbers(std::string& out, std::string_view text) {
  bool inNumber = false;
  for (const char c : text) {
    if (!isDigit(c)) {
      out += c;
    } else if (!inNumber) {
      out += '#';
    }
    inNumber = isDigit(c);
  }
}

}  // namespace

std::string stackHashContent(const FaultTexts& fault) {
  std::string content(kVersion);
  for (const std::string_view name : {fault.exceptionClass, fault.rootCauseClass}) {
    content += '\n';
    content += name;
  }
  std::size_t frames = 0;
  for (std::string_view rest = fault.stacktrace; !rest.empty() && frames < kMaxHashedFrames;) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (std::ranges::any_of(kFrameStarts,
                            [line](std::string_view start) { return line.starts_with(start); })) {
      ++frames;
      content += '\n';
      appendWithoutNumbers(content, line);
    }
  }
  if (frames == 0) {
    content += '\n';
    appendWithoutNumbers(content, fault.exceptionMessage);
  }
  return content;
}

}  // namespace auth_errors::domain
