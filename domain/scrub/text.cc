#include "domain/scrub/text.h"

#include <algorithm>

namespace auth_errors::domain {
namespace {

constexpr std::size_t kKeyLookahead = 64;

constexpr std::array<std::string_view, 8> kEncodedQuotes = {"%22",   "%27",   "%2522",   "&quot;",
                                                            "&#34;", "&#39;", "\\u0022", "\\u0027"};

std::size_t encodedQuoteLength(std::string_view rest) {
  for (const std::string_view quote : kEncodedQuotes) {
    if (rest.starts_with(quote)) {
      return quote.size();
    }
  }
  return 0;
}

// `key=`, `key:` or `"key"` after a comma or an ampersand: the start of the next pair.
bool startsNextPair(std::string_view text, std::size_t at) {
  std::size_t end = at;
  const std::size_t limit = std::min(text.size(), at + kKeyLookahead);
  while (end < limit && (isAlnum(text[end]) || text[end] == '_' || text[end] == '-' ||
                         text[end] == '.' || text[end] == '[' || text[end] == ']')) {
    ++end;
  }
  return end > at && end < text.size() && (text[end] == '=' || text[end] == ':');
}

bool delimiterEndsValue(std::string_view text, std::size_t at) {
  const std::size_t next = at + 1;
  if (next >= text.size()) {
    return true;
  }
  const char c = text[next];
  if (isOf(c, kSpaceChar | kQuoteChar) || c == '\\' || c == '{' || c == '[') {
    return true;
  }
  if (text[at] == '&') {
    for (const std::string_view entity : {"amp;", "quot;", "lt;", "gt;", "#3"}) {
      if (text.substr(next).starts_with(entity)) {
        return true;
      }
    }
  }
  return startsNextPair(text, next);
}

// Backslashes end a value if they escape a quote, a newline, or an encoded delimiter.
bool escapeEndsValue(std::string_view text, std::size_t afterBackslashes) {
  if (afterBackslashes >= text.size()) {
    return false;
  }
  const char c = text[afterBackslashes];
  if (isOf(c, kQuoteChar) || c == 'n' || c == 'r' || c == 't') {
    return true;
  }
  const std::string_view rest = text.substr(afterBackslashes);
  return std::ranges::any_of(
      std::array<std::string_view, 5>{"u0026", "u0022", "u0027", "u003c", "u003e"},
      [&](std::string_view code) { return startsWithWord(rest, 0, code); });
}

}  // namespace

std::size_t wideBlankLengthAt(std::string_view text, std::size_t at) {
  if (at >= text.size() || static_cast<unsigned char>(text[at]) < 0xC2) {
    return 0;
  }
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  switch (byte(0)) {
    case 0xC2:
      return byte(1) == 0xA0 || byte(1) == 0x85 ? 2 : 0;
    case 0xE1:
      return byte(1) == 0x9A && byte(2) == 0x80 ? 3 : 0;
    case 0xE2: {
      const bool spaces = byte(1) == 0x80 && (byte(2) <= 0x8F || byte(2) == 0xA8 ||
                                              byte(2) == 0xA9 || byte(2) == 0xAF);
      const bool rare = byte(1) == 0x81 && (byte(2) == 0x9F || byte(2) == 0xA0);
      return spaces || rare ? 3 : 0;
    }
    case 0xE3:
      return byte(1) == 0x80 && byte(2) == 0x80 ? 3 : 0;
    case 0xEF:
      return byte(1) == 0xBB && byte(2) == 0xBF ? 3 : 0;
    default:
      return 0;
  }
}

std::size_t skipBlanks(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxBlanks = 64;
  const std::size_t last = std::min(text.size(), at + kMaxBlanks);
  while (at < last) {
    const std::size_t length = isBlank(text[at]) ? 1 : wideBlankLengthAt(text, at);
    if (length == 0) {
      break;
    }
    at += length;
  }
  return at;
}

std::size_t detail::afterMark(const Scan& scan, std::size_t runBegin) {
  const char mark = scan.before(runBegin);
  const char first = scan.at(runBegin);
  if (mark == '%' && isOf(first, kHexChar) && isOf(scan.at(runBegin + 1), kHexChar)) {
    // %253D: a percent sign that was itself encoded.
    const bool twice = first == '2' && scan.at(runBegin + 1) == '5' &&
                       isOf(scan.at(runBegin + 2), kHexChar) &&
                       isOf(scan.at(runBegin + 3), kHexChar);
    return runBegin + (twice ? 4 : 2);
  }
  if (mark == '\\') {
    if (first == 'n' || first == 'r' || first == 't') {
      return runBegin + 1;
    }
    if (first == 'u' && runEnd(scan.text, runBegin + 1, kHexChar, 4) == runBegin + 5) {
      return runBegin + 5;
    }
  }
  return runBegin;
}

std::size_t blankLengthAt(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return 0;
  }
  if (text[at] == '+') {
    return 1;
  }
  if (isBlank(text[at])) {
    return skipBlanks(text, at) - at;
  }
  for (const std::string_view encoded : {"%20", "\\u0020"}) {
    if (text.substr(at).starts_with(encoded)) {
      return encoded.size();
    }
  }
  return 0;
}

std::size_t quoteLengthAt(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return 0;
  }
  switch (text[at]) {
    case '"':
    case '\'':
    case '`':
      return 1;
    case '%':
    case '&':
      return encodedQuoteLength(text.substr(at));
    case '\\': {
      if (const std::size_t length = encodedQuoteLength(text.substr(at)); length != 0) {
        return length;
      }
      constexpr std::size_t kMaxBackslashes = 31;
      std::size_t end = at;
      while (end < text.size() && end - at < kMaxBackslashes && text[end] == '\\') {
        ++end;
      }
      return end < text.size() && isOf(text[end], kQuoteChar) ? end + 1 - at : 0;
    }
    default:
      return 0;
  }
}

std::size_t quotedValueEnd(std::string_view text, std::size_t quoteAt, std::size_t quoteLength) {
  const std::string_view quote = text.substr(quoteAt, quoteLength);
  const char mark = quote.back();
  std::size_t at = quoteAt + quoteLength;
  if (!isOf(mark, kQuoteChar)) {
    while (at < text.size() && text[at] != '\n' && !text.substr(at).starts_with(quote)) {
      ++at;
    }
    return at;
  }
  // A quote that is escaped k times has 2^k - 1 backslashes, 2^k more if it is inside its value,
  // and twice 2^k more after a backslash that ends the value.
  const std::size_t level = quoteLength - 1;
  const std::size_t unit = quoteLength;
  while (at < text.size() && text[at] != '\n') {
    std::size_t end = at;
    while (end < text.size() && text[end] == '\\') {
      ++end;
    }
    const std::size_t backslashes = end - at;
    // O'Brien99: an apostrophe.
    const bool inner = mark == '\'' && level == 0 && backslashes == 0 && at > quoteAt + 1 &&
                       isAlnum(text[at - 1]) && end + 1 < text.size() && isAlnum(text[end + 1]);
    // it''s: an escaped quote in SQL and YAML.
    if (mark == '\'' && end + 2 < text.size() && text[end] == mark && text[end + 1] == mark &&
        isAlnum(text[end + 2]) && backslashes == 0 && at > quoteAt + 1) {
      at = end + 2;
      continue;
    }
    if (end < text.size() && text[end] == mark && !inner) {
      if (backslashes <= level) {
        return at;
      }
      if ((backslashes - level) % (2 * unit) == 0) {
        return end - level;
      }
    }
    if (end < text.size() && text[end] == '\n') {
      return end;
    }
    at = std::min(end + 1, text.size());
  }
  return at;
}

std::size_t unquotedValueEnd(std::string_view text, std::size_t at, bool percentEncoded) {
  std::size_t open = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (isOf(c, kSpaceChar)) {
      return at;
    }
    switch (c) {
      case '"':
      case '`':
      case '>':
        return at;
      case '\'':
        if (!isAlnum(next) && static_cast<unsigned char>(next) < 0x80) {
          return at;
        }
        break;
      case '<':
        if (next == '/' || isAlnum(next)) {
          return at;
        }
        break;
      case '\\': {
        std::size_t end = at;
        while (end < text.size() && text[end] == '\\') {
          ++end;
        }
        if (escapeEndsValue(text, end)) {
          return at;
        }
        at = end - 1;
        break;
      }
      case '[':
        // HTTP clients log the end of a line as [\r][\n].
        if (next == '\\' || markerLengthAt(text, at) != 0) {
          return at;
        }
        ++open;
        break;
      case '(':
      case '{':
        ++open;
        break;
      case ')':
      case ']':
      case '}':
        if (open > 0) {
          --open;
        } else if (!isAlnum(next)) {
          return at;
        }
        break;
      case ',':
      case ';':
      case '&':
        if (delimiterEndsValue(text, at)) {
          return at;
        }
        break;
      case '%':
        if (percentEncoded &&
            (text.substr(at).starts_with("%26") || text.substr(at).starts_with("%2526") ||
             encodedQuoteLength(text.substr(at)) != 0)) {
          return at;
        }
        break;
      default:
        break;
    }
  }
  return at;
}

bool looksRandom(std::string_view value, std::size_t minLength) {
  // Only the front is examined, so that repeated calls for a long value stay cheap; anything longer
  // is not a word.
  constexpr std::size_t kFront = 128;
  if (value.size() > kFront) {
    return true;
  }
  return value.size() >= minLength && std::ranges::any_of(value, isDigit);
}

}  // namespace auth_errors::domain
