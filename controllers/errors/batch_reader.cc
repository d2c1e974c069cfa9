#include "controllers/errors/batch_reader.h"

#include <algorithm>

#include "domain/values/ascii.h"

namespace auth_errors::controllers {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The position after the closing quote of the string that opens at `quote`, or npos.
std::size_t behindString(std::string_view text, std::size_t quote) {
  std::size_t at = quote + 1;
  // Searching for quotes only takes a tenth of the time: strings make up nearly all of a batch.
  while ((at = text.find('"', at)) != std::string_view::npos) {
    std::size_t backslashes = 0;
    while (text[at - 1 - backslashes] == '\\') {
      ++backslashes;
    }
    ++at;
    if (backslashes % 2 == 0) {
      return at;
    }
  }
  return std::string_view::npos;
}

// The end of the element that starts at `at`: a comma or bracket outside of it, or npos. Whether
// its own brackets match is checked when the entry is parsed.
std::size_t elementEnd(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while ((at = text.find_first_of("\"[]{},", at)) != std::string_view::npos) {
    switch (text[at]) {
      case '"':
        at = behindString(text, at);
        if (at == std::string_view::npos) {
          return at;
        }
        continue;
      case '[':
      case '{':
        ++depth;
        break;
      case ',':
        if (depth == 0) {
          return at;
        }
        break;
      default:
        if (depth == 0) {
          return at;
        }
        --depth;
    }
    ++at;
  }
  return at;
}

}  // namespace

std::expected<std::vector<std::string_view>, std::string> splitJsonArray(std::string_view text,
                                                                         std::size_t most) {
  text = domain::trimmed(text, kBlanks);
  if (!text.starts_with('[')) {
    return std::unexpected("must be a JSON array");
  }
  std::vector<std::string_view> elements;
  if (text.ends_with(']') && domain::trimmed(text.substr(1, text.size() - 2), kBlanks).empty()) {
    return elements;
  }
  std::size_t at = 1;
  while (elements.size() <= most) {
    const std::size_t end = elementEnd(text, at);
    if (end == std::string_view::npos) {
      return std::unexpected("is an unterminated JSON array");
    }
    elements.push_back(domain::trimmed(text.substr(at, end - at), kBlanks));
    at = end + 1;
    if (text[end] == ',') {
      continue;
    }
    if (text[end] != ']' || at != text.size()) {
      return std::unexpected("must be a single JSON array");
    }
    break;
  }
  return elements;
}

std::vector<std::string_view> splitLines(std::string_view text, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() <= most) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = domain::trimmed(text.substr(0, end), kBlanks);
    if (!line.empty()) {
      lines.push_back(line);
    }
    text = end < text.size() ? text.substr(end + 1) : std::string_view{};
  }
  return lines;
}

}  // namespace auth_errors::controllers
