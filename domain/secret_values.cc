#include "domain/secret_values.h"

#include <algorithm>
#include <array>

namespace auth_errors::domain {
namespace {

// '<' or '<prefix:' stands before the label.
bool isElementName(const Scan& scan, std::size_t begin) {
  constexpr std::size_t kMaxPrefix = 16;
  std::size_t at = begin;
  if (scan.before(at) == ':') {
    --at;
    while (begin - at < kMaxPrefix && isAlnum(scan.before(at))) {
      --at;
    }
  }
  return scan.before(at) == '<' ||
         (scan.before(at) == ';' && at >= scan.floor + 4 && scan.text.substr(at - 4, 4) == "&lt;");
}

std::optional<Separator> elementOpening(const Scan& scan, std::size_t labelAt, std::size_t at) {
  const bool escaped = scan.text.substr(at).starts_with("&gt;");
  if (!escaped && scan.at(at) != '>' && !isBlank(scan.at(at))) {
    return std::nullopt;
  }
  if (!isElementName(scan, labelAt)) {
    return std::nullopt;
  }
  constexpr std::size_t kMaxAttributes = 256;
  const std::size_t last = std::min(scan.text.size(), at + kMaxAttributes);
  for (std::size_t i = at; i < last; ++i) {
    if (scan.text[i] == '>') {
      return scan.before(i) == '/'
                 ? std::nullopt
                 : std::optional(
                       Separator{.style = Style::assigned, .valueAt = i + 1, .element = true});
    }
    if (scan.text[i] == '<' || (scan.text[i] == '[' && markerLengthAt(scan.text, i) != 0)) {
      return std::nullopt;
    }
    if (scan.text.substr(i).starts_with("&gt;")) {
      return Separator{.style = Style::assigned, .valueAt = i + 4, .element = true};
    }
  }
  return std::nullopt;
}

// {name: DB_PASSWORD, value: x}, also with the value on the next line.
std::optional<Separator> namedValue(std::string_view text, std::size_t at) {
  constexpr std::string_view kValue = "value:";
  constexpr std::size_t kMaxIndentation = 32;
  const std::size_t last = std::min(text.size(), at + kMaxIndentation);
  while (at < last && isBlank(text[at])) {
    ++at;
  }
  if (!text.substr(std::min(at, text.size())).starts_with(kValue)) {
    return std::nullopt;
  }
  return Separator{.style = Style::assigned, .valueAt = skipBlanks(text, at + kValue.size())};
}

// A form's field, behind name="password": an empty line, real or escaped.
std::optional<Separator> formField(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(std::min(at, text.size()));
  for (const std::string_view gap : {"\n\n", "\r\n\r\n", "\\r\\n\\r\\n", "\\n\\n"}) {
    if (rest.starts_with(gap)) {
      return Separator{.style = Style::assigned,
                       .valueAt = at + gap.size(),
                       .labelQuoted = true,
                       .wholeLine = true};
    }
  }
  return std::nullopt;
}

// {"name":"password","value":"x"}, <property name="password" value="x"/> with one attribute or two
// between them, and <param name="password">x</param>.
std::optional<Separator> attributeValue(const Scan& scan, std::size_t at) {
  constexpr int kMaxBetween = 2;
  constexpr std::size_t kMaxName = 24;
  constexpr std::size_t kMaxAttribute = 64;
  const std::string_view text = scan.text;
  if (scan.at(at) == '>') {
    return Separator{
        .style = Style::assigned, .valueAt = at + 1, .labelQuoted = true, .element = true};
  }
  for (int between = 0; between <= kMaxBetween; ++between) {
    at = skipBlanks(text, at);
    if (scan.at(at) == ',') {
      at = skipBlanks(text, at + 1);
    }
    at += quoteLengthAt(text, at);
    const std::size_t nameEnd = runEnd(text, at, kAlnumChar, kMaxName);
    const bool found = equalsWord(text.substr(std::min(at, text.size()), nameEnd - at), "value");
    at = skipBlanks(text, nameEnd + quoteLengthAt(text, nameEnd));
    if (scan.at(at) != ':' && scan.at(at) != '=') {
      return std::nullopt;
    }
    at = skipBlanks(text, at + 1);
    if (found) {
      return Separator{.style = Style::assigned, .valueAt = at, .labelQuoted = true};
    }
    const std::size_t quote = quoteLengthAt(text, at);
    if (quote == 0) {
      return std::nullopt;
    }
    const std::string_view near = text.substr(0, at + quote + kMaxAttribute);
    at = quotedValueEnd(near, at, quote);
    const std::size_t close = quoteLengthAt(near, at);
    if (close == 0) {
      return std::nullopt;
    }
    at += close;
  }
  return std::nullopt;
}

// Borders of a table's cells beside '|'.
constexpr auto kCellBorders = std::to_array<std::string_view>({"│", "║", "┃"});

// The signs between a label and its value. `at` is behind blanks.
std::optional<Separator> separatorSign(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(std::min(at, text.size()));
  const auto found = [&](Style style, std::size_t length, bool percentEncoded = false) {
    return Separator{
        .style = style, .valueAt = skipBlanks(text, at + length), .percentEncoded = percentEncoded};
  };
  if (rest.starts_with("==") || rest.starts_with("::") || rest.starts_with("://")) {
    return std::nullopt;
  }
  if (rest.starts_with("=>") || rest.starts_with(":=")) {
    return found(Style::assigned, 2);
  }
  if (rest.starts_with('=')) {
    return found(Style::assigned, 1);
  }
  if (rest.starts_with(':')) {
    return found(Style::stated, 1);
  }
  if (rest.starts_with("->")) {
    return found(Style::stated, 2);
  }
  if (rest.starts_with('|') && !rest.starts_with("||")) {
    return found(Style::cell, 1);
  }
  if (startsWithWord(rest, 0, "%3d")) {
    return found(Style::assigned, 3, true);
  }
  if (startsWithWord(rest, 0, "%253d")) {
    return found(Style::assigned, 5, true);
  }
  if (startsWithWord(rest, 0, "%3a")) {
    return found(Style::stated, 3, true);
  }
  if (startsWithWord(rest, 0, "\\u003d")) {
    return found(Style::assigned, 6);
  }
  if (startsWithWord(rest, 0, "&#61;")) {
    return found(Style::assigned, 5);
  }
  for (const std::string_view sign : {"→", "：", "＝"}) {
    if (rest.starts_with(sign)) {
      return found(Style::stated, sign.size());
    }
  }
  for (const std::string_view border : kCellBorders) {
    if (rest.starts_with(border)) {
      return found(Style::cell, border.size());
    }
  }
  return std::nullopt;
}

// "is x", "was: x"
std::optional<Separator> predicateAt(std::string_view text, std::size_t at) {
  for (const std::string_view verb : {"is", "was"}) {
    if (!startsWithWord(text, at, verb)) {
      continue;
    }
    const std::size_t sign = skipBlanks(text, at + verb.size());
    if (sign < text.size() && text[sign] == ':') {
      return Separator{.style = Style::stated, .valueAt = skipBlanks(text, sign + 1)};
    }
    if (sign > at + verb.size()) {
      return Separator{.style = Style::predicate, .valueAt = sign};
    }
  }
  return std::nullopt;
}

// "for user bob: x", "of 'bob' = x", "for bob is x": whose it is, in at most three words.
std::optional<Separator> separatorBehindOwner(std::string_view text, std::size_t at) {
  constexpr int kMaxWords = 3;
  constexpr std::size_t kMaxOwner = 128;
  if (startsWithWord(text, at, "for ")) {
    at += 4;
  } else if (startsWithWord(text, at, "of ")) {
    at += 3;
  } else {
    return std::nullopt;
  }
  const std::string_view near = text.substr(0, at + kMaxOwner);
  for (int word = 0; word < kMaxWords; ++word) {
    at = skipBlanks(near, at);
    const std::size_t begin = at;
    while (at < near.size() && !isOf(near[at], kSpaceChar)) {
      ++at;
    }
    if (at == begin) {
      return std::nullopt;
    }
    if (near[at - 1] == ':') {
      return Separator{.style = Style::distant, .valueAt = skipBlanks(text, at)};
    }
    const std::size_t next = skipBlanks(near, at);
    if (next < near.size() && near[next] == '=' && !near.substr(next).starts_with("==")) {
      return Separator{.style = Style::assigned, .valueAt = skipBlanks(text, next + 1)};
    }
    if (const auto predicate = predicateAt(near, next)) {
      return Separator{.style = Style::distant, .valueAt = predicate->valueAt};
    }
  }
  return std::nullopt;
}

// The inside of [a, b], to the end of the line if it is cut.
std::optional<Value> listAt(std::string_view text, std::size_t at, Style style) {
  if (markerLengthAt(text, at + 1) != 0) {
    return std::nullopt;
  }
  // Behind other signs a long value is always taken, so that it is read only once.
  constexpr std::size_t kMaxList = 512;
  const bool stated = style == Style::assigned || style == Style::stated;
  const std::string_view near = text.substr(0, stated ? text.size() : at + kMaxList);
  const std::size_t close = std::min(near.find_first_of("]\n", at), near.size());
  // UsernamePasswordAuthenticationToken [Principal=…]: an object, its fields are looked at.
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

// The cell's text, without blanks around it.
Value cellAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && text[end] != '|' && text[end] != '\n' &&
         std::ranges::none_of(
             kCellBorders,
             [&](std::string_view border) { return text.substr(end).starts_with(border); })) {
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

// What languages put around a string when they print it: Some("x"), []string{"x"}, string(7) "x",
// (string) (len=7) "x". Where its quote is, or `at` itself.
std::size_t skipWrapper(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxWrapper = 40;
  constexpr std::string_view kSigns = "_.:=&*()[]{}";
  const std::size_t last = std::min(text.size(), at + kMaxWrapper);
  for (std::size_t end = at; end < last; ++end) {
    const char c = text[end];
    if (quoteLengthAt(text, end) != 0) {
      const std::string_view before = text.substr(at, end - at);
      const char opening = before.empty() ? '\0' : before.back();
      const bool wraps = opening == '(' || opening == '{' || opening == '[' || opening == ' ';
      return wraps ? end : at;
    }
    const bool betweenBrackets = c == ' ' && end > at && text[end - 1] == ')';
    if (!isAlnum(c) && !kSigns.contains(c) && !betweenBrackets) {
      return at;
    }
  }
  return at;
}

// YAML's `password: |`, whose value is the deeper indented lines behind it; `at` is the sign. An
// empty value if there is no such line, nullopt if it is no such sign.
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

std::optional<Separator> separatorAfter(const Scan& scan, std::size_t labelAt, std::size_t end) {
  const std::string_view text = scan.text;
  if (auto element = elementOpening(scan, labelAt, end)) {
    return element;
  }
  std::size_t at = end;
  const std::size_t quote = quoteLengthAt(text, at);
  at += quote;
  // user[password]=x, password[]=x, and PostgreSQL's Key (token)=(x) already exists.
  if (scan.at(at) == ']' || (scan.at(at) == ')' && scan.at(at + 1) == '=')) {
    at += 1;
  } else if (startsWithWord(text, at, "%5d")) {
    at += 3;
  } else if (text.substr(at).starts_with("[]")) {
    at += 2;
  } else if (startsWithWord(text, at, "%5b%5d")) {
    at += 6;
  } else if (quote == 0 && (scan.at(at) == ',' || scan.at(at) == '\n')) {
    return namedValue(text, at + 1);
  }
  const std::size_t sign = skipBlanks(text, at);
  if (auto separator = separatorSign(text, sign)) {
    separator->labelQuoted = quote != 0;
    return separator;
  }
  if (quote != 0) {
    const auto field = formField(text, at);
    return field ? field : attributeValue(scan, at);
  }
  // 인증번호[123456]; an index (token[3]) gives nothing away.
  if (sign == at && scan.at(at) != '[') {
    return std::nullopt;
  }
  if (scan.at(labelAt) == '-') {
    return Separator{.style = Style::argument, .valueAt = sign};
  }
  if (auto predicate = predicateAt(text, sign)) {
    return predicate;
  }
  if (auto owned = separatorBehindOwner(text, sign)) {
    return owned;
  }
  if (quoteLengthAt(text, sign) != 0) {
    return Separator{.style = Style::adjacent, .valueAt = sign};
  }
  return Separator{.style = Style::following, .valueAt = sign};
}

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
      // Only a quote that is closed nearby: "token 'x" may be anything.
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
  Value value{
      .begin = at, .end = unquotedValueEnd(text, at, separator.percentEncoded), .quoted = false};
  const std::string_view trimmed = separator.style == Style::assigned ? ".,;:" : ".,;:!?";
  while (value.end > value.begin && trimmed.contains(text[value.end - 1])) {
    --value.end;
  }
  return value;
}

}  // namespace auth_errors::domain
