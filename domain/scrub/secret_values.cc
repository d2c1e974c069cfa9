#include "domain/scrub/secret_values.h"

#include <algorithm>
#include <string_view>

namespace auth_errors::domain {
namespace {

// The inside of [a, b], or the rest of the line if the list is truncated.
std::optional<Value> listAt(std::string_view text, std::size_t at, Style style) {
  if (markerLengthAt(text, at + 1) != 0) {
    return std::nullopt;
  }
  // Limit without a sign before the list. After a sign a long list is always redacted, so it is
  // read only once.
  constexpr std::size_t kMaxList = 512;
  const bool stated = style == Style::assigned || style == Style::stated;
  const std::string_view near = text.substr(0, stated ? text.size() : at + kMaxList);
  const std::size_t close = std::min(near.find_first_of("]\n", at), near.size());
  // UsernamePasswordAuthenticationToken [Principal=…]: an object, whose fields are examined
  // separately.
  if (style == Style::following &&
      (close == near.size() || near.substr(at, close - at).contains('='))) {
    return std::nullopt;
  }
  return Value{.begin = at + 1, .end = close, .quoted = true};
}

std::size_t elementEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '<' && !text.substr(at).starts_with("&lt;")) {
    ++at;
  }
  return at;
}

// The text of the cell, without surrounding blanks.
Value cellAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] != '|' && text[end] != '\n' &&
         cellBorderLengthAt(text, end) == 0) {
    ++end;
  }
  while (end > at && isBlank(text[end - 1])) {
    --end;
  }
  return {.begin = at, .end = end, .quoted = true};
}

Value lineAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] != '\n' && text[end] != '\r' &&
         !text.substr(end).starts_with("\\r") && !text.substr(end).starts_with("\\n")) {
    ++end;
  }
  return {.begin = at, .end = end, .quoted = true};
}

// Skips the wrapper that a language prints around a string: Some("x"), []string{"x"}, string(7)
// "x", (string) (len=7) "x". Returns the position of the quote, or `at` itself.
std::size_t skipWrapper(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxWrapper = 40;
  constexpr std::string_view kSigns = "_.:=&*()[]{}";
  const std::size_t last = std::min(text.size(), at + kMaxWrapper);
  int open = 0;
  for (std::size_t end = at; end < last; ++end) {
    const char c = text[end];
    if (quoteLengthAt(text, end) != 0) {
      const std::string_view before = text.substr(at, end - at);
      const char opening = before.empty() ? '\0' : before.back();
      const bool wraps = opening == '(' || opening == '{' || opening == '[' || opening == ' ';
      return wraps ? end : at;
    }
    open += c == '(' ? 1 : 0;
    open -= c == ')' ? 1 : 0;
    // (using password: YES) {"…": the bracket was opened before the value.
    if (open < 0) {
      return at;
    }
    const bool betweenBrackets = c == ' ' && end > at && text[end - 1] == ')';
    if (!isAlnum(c) && !kSigns.contains(c) && !betweenBrackets) {
      return at;
    }
  }
  return at;
}

std::optional<Value> bracedValue(std::string_view text, std::size_t open) {
  constexpr std::size_t kMaxBraced = 128;
  const std::string_view near = text.substr(0, open + kMaxBraced);
  for (std::size_t at = open + 1; at < near.size() && near[at] != '\n'; ++at) {
    if (near[at] != '}') {
      continue;
    }
    if (at + 1 < near.size() && near[at + 1] == '}') {
      ++at;
      continue;
    }
    const bool pair = at + 1 == near.size() || near[at + 1] == ';';
    return pair && at > open + 1
               ? std::optional(Value{.begin = open + 1, .end = at, .quoted = true})
               : std::nullopt;
  }
  return std::nullopt;
}

// The value of YAML's `password: |`: the following lines with deeper indentation. `at` is the
// position of the sign. An empty value if there is no such line, nullopt if the sign is another
// one.
std::optional<Value> blockScalar(const Scan& scan, std::size_t at) {
  constexpr std::size_t kMaxTag = 24;
  constexpr std::size_t kMaxLabelLine = 128;
  const std::string_view text = scan.text;
  const std::size_t labelled = at;
  if (scan.at(at) == '!') {
    at = skipBlanks(text, runEnd(text, at + 1, kBase64UrlChar, kMaxTag));
  }
  if (scan.at(at) != '|' && scan.at(at) != '>') {
    return std::nullopt;
  }
  at += 1;
  while (scan.at(at) == '-' || scan.at(at) == '+' || isDigit(scan.at(at))) {
    ++at;
  }
  at = skipBlanks(text, at);
  if (at < text.size() && text[at] != '\n') {
    return std::nullopt;
  }
  std::size_t lineBegin = labelled;
  while (labelled - lineBegin < kMaxLabelLine && lineBegin > scan.floor &&
         scan.before(lineBegin) != '\n') {
    --lineBegin;
  }
  const auto blanksFrom = [&](std::size_t from) {
    const std::size_t end = text.find_first_not_of(' ', from);
    return std::min(end, text.size()) - from;
  };
  const std::size_t indentation = blanksFrom(lineBegin);
  Value value{.begin = at, .end = at, .quoted = true};
  while (at < text.size()) {
    const std::size_t line = at + 1;
    const std::size_t blanks = blanksFrom(line);
    const std::size_t lineEnd = std::min(text.find('\n', line + blanks), text.size());
    if (lineEnd > line + blanks) {
      if (blanks <= indentation) {
        break;
      }
      value.begin = value.end == value.begin ? line + blanks : value.begin;
      value.end = lineEnd;
    }
    at = lineEnd;
  }
  return value;
}

}  // namespace

std::optional<Value> valueOf(const Scan& scan, const Separator& separator) {
  std::string_view text = scan.text;
  std::size_t at = separator.valueAt;
  if (separator.style == Style::cell) {
    return cellAt(text, at);
  }
  if (separator.wholeLine) {
    return lineAt(text, at);
  }
  if (separator.element) {
    constexpr std::string_view kRaw = "<![CDATA[";
    constexpr std::size_t kMaxRaw = 4096;
    std::size_t end = elementEnd(text, at);
    if (text.substr(std::min(at, text.size())).starts_with(kRaw)) {
      at += kRaw.size();
      end = text.substr(0, at + kMaxRaw).find("]]>", at);
      end = std::min({end, text.find('\n', at), text.size()});
    }
    while (at < end && isOf(text[at], kSpaceChar)) {
      ++at;
    }
    while (end > at && isOf(text[end - 1], kSpaceChar)) {
      --end;
    }
    return Value{.begin = at, .end = end, .quoted = true};
  }
  if (markerLengthAt(text, at) != 0) {
    return std::nullopt;
  }
  // Elixir's ~c"x".
  if (scan.at(at) == '~' && isOf(scan.at(at + 1), kLowerChar) && quoteLengthAt(text, at + 2) != 0) {
    at += 2;
  }
  // Erlang's <<"x">>.
  if (text.substr(std::min(at, text.size())).starts_with("<<\"")) {
    at += 2;
  }
  // A debugger's 0x602030 "x".
  if (scan.at(at) == '0' && scan.at(at + 1) == 'x') {
    constexpr std::size_t kMaxAddress = 18;
    const std::size_t address = runEnd(text, at, kHexChar | kLowerChar, kMaxAddress);
    const std::size_t next = skipBlanks(text, address);
    at = next > address && quoteLengthAt(text, next) != 0 ? next : at;
  }
  // ODBC's {x}, in which closing braces are doubled.
  if (separator.style == Style::assigned && scan.at(at) == '{' && scan.at(at + 1) != '"' &&
      scan.at(at + 1) != '\'' && !separator.labelQuoted) {
    if (const auto braced = bracedValue(text, at)) {
      return braced;
    }
  }
  // Python's b'…' and u'…'.
  if ((scan.at(at) == 'b' || scan.at(at) == 'u') && isOf(scan.at(at + 1), kQuoteChar)) {
    ++at;
  }
  if (separator.style == Style::stated) {
    if (auto block = blockScalar(scan, at)) {
      return block;
    }
  }
  const bool list = scan.at(at) == '[' && scan.at(at + 1) != ']';
  if (!list && scan.at(at) != '{' &&
      (separator.style == Style::assigned || separator.style == Style::stated)) {
    at = skipWrapper(text, at);
  }
  if (const std::size_t quote = quoteLengthAt(text, at); quote != 0) {
    if (markerLengthAt(text, at + quote) != 0) {
      return std::nullopt;
    }
    if (separator.style == Style::adjacent) {
      // Requires a closing quote nearby: "token 'x" is ambiguous.
      constexpr std::size_t kMaxAdjacent = 512;
      text = text.substr(0, at + kMaxAdjacent);
    }
    const std::size_t end = quotedValueEnd(text, at, quote);
    if (separator.style == Style::adjacent && end == text.size()) {
      return std::nullopt;
    }
    return Value{.begin = at + quote, .end = end, .quoted = true};
  }
  if (list) {
    return listAt(text, at, separator.style);
  }
  if (scan.at(at) == '(' && separator.style == Style::following) {
    constexpr std::size_t kMaxBracketed = 128;
    const std::size_t close = text.substr(0, at + kMaxBracketed).find_first_of(") \n", at);
    if (close != std::string_view::npos && text[close] == ')') {
      return Value{.begin = at + 1, .end = close, .quoted = false};
    }
  }
  if (scan.at(at) == '{' && !isAlnum(scan.at(at + 1))) {
    return std::nullopt;
  }
  // -AccountPassword (ConvertTo-SecureString "x")
  if (scan.at(at) == '(' && separator.style == Style::argument) {
    return std::nullopt;
  }
  Value value{
      .begin = at, .end = unquotedValueEnd(text, at, separator.percentEncoded), .quoted = false};
  // $argon2id$v=19$m=65536,t=3,p=4$…: the commas belong to the value.
  if (scan.at(at) == '$' && isAlnum(scan.at(at + 1)) && text.substr(at, 24).find('$', 1) < 16) {
    std::size_t end = at;
    while (end < text.size() &&
           (isOf(text[end], kToken68Char) || text[end] == '$' || text[end] == ',')) {
      ++end;
    }
    value.end = std::max(value.end, end);
  }
  const std::string_view trimmed = separator.style == Style::assigned ? ".,;:" : ".,;:!?";
  while (value.end > value.begin && trimmed.contains(text[value.end - 1])) {
    --value.end;
  }
  return value;
}

}  // namespace auth_errors::domain
