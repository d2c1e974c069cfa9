#include "domain/scrub/secret_separators.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace auth_errors::domain {
namespace {

// The label is preceded by '<' or '<prefix:'.
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

// A form field after name="password": an empty line, real or escaped.
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

// {"name":"password","value":"x"}, <property name="password" value="x"/> with at most two
// attributes between them, and <param name="password">x</param>.
std::optional<Separator> attributeValue(const Scan& scan, std::size_t at, bool labelQuoted) {
  constexpr int kMaxBetween = 2;
  constexpr std::size_t kMaxName = 24;
  constexpr std::size_t kMaxAttribute = 64;
  const std::string_view text = scan.text;
  if (scan.at(at) == '>' && labelQuoted) {
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

// The signs between a label and its value. `at` follows any blanks.
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
  if (rest.starts_with('|') && !rest.starts_with("||") && at > 0 && isBlank(text[at - 1])) {
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
  if (const std::size_t border = cellBorderLengthAt(text, at); border != 0) {
    return found(Style::cell, border);
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

// "for user bob: x", "of 'bob' = x", "for bob is x": the owner, in at most three words.
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

}  // namespace

std::size_t cellBorderLengthAt(std::string_view text, std::size_t at) {
  constexpr auto kBorders = std::to_array<std::string_view>({"│", "║", "┃"});
  const std::string_view rest = text.substr(std::min(at, text.size()));
  const auto* const border =
      std::ranges::find_if(kBorders, [&](std::string_view sign) { return rest.starts_with(sign); });
  return border == kBorders.end() ? 0 : border->size();
}

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
    // lostpassword"> ends a link, not a name.
    return field ? field : attributeValue(scan, at, isOf(scan.before(labelAt), kQuoteChar));
  }
  // 인증번호[123456]; an index (token[3]) reveals nothing.
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

}  // namespace auth_errors::domain
