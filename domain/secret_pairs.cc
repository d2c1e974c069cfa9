// A label, a separator and its value: URL query, JSON (escaped or not), headers, logs, maps, XML,
// command lines and prose.
#include <algorithm>
#include <array>

#include "domain/secret_detectors.h"
#include "domain/secret_labels.h"

namespace auth_errors::domain {
namespace {

enum class Style : std::uint8_t {
  assigned,   // password=x, "password":"x", <password>x</password>
  stated,     // password: x
  argument,   // --password x
  predicate,  // the password is x
  adjacent,   // password 'x'
  following,  // password x
};

struct Separator {
  Style style;
  std::size_t valueAt;
  bool labelQuoted = false;
  bool percentEncoded = false;
  bool element = false;  // an XML element: the value ends at the next tag
};

constexpr std::size_t kLongValue = 128;

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

// {"name":"password","value":"x"} and <property name="password" value="x"/>
std::optional<Separator> valueAttribute(const Scan& scan, std::size_t at) {
  at = skipBlanks(scan.text, at);
  if (scan.at(at) == ',') {
    at = skipBlanks(scan.text, at + 1);
  }
  at += quoteLengthAt(scan.text, at);
  if (!startsWithWord(scan.text, at, "value")) {
    return std::nullopt;
  }
  at += std::string_view("value").size();
  at = skipBlanks(scan.text, at + quoteLengthAt(scan.text, at));
  if (scan.at(at) != ':' && scan.at(at) != '=') {
    return std::nullopt;
  }
  return Separator{
      .style = Style::assigned, .valueAt = skipBlanks(scan.text, at + 1), .labelQuoted = true};
}

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
  return std::nullopt;
}

std::optional<Separator> separatorAfter(const Scan& scan, std::size_t labelAt, std::size_t end) {
  const std::string_view text = scan.text;
  if (auto element = elementOpening(scan, labelAt, end)) {
    return element;
  }
  std::size_t at = end;
  const std::size_t quote = quoteLengthAt(text, at);
  at += quote;
  // user[password]=x, and PostgreSQL's Key (token)=(x) already exists.
  if (scan.at(at) == ']' || (scan.at(at) == ')' && scan.at(at + 1) == '=')) {
    at += 1;
  } else if (startsWithWord(text, at, "%5d")) {
    at += 3;
  }
  const std::size_t sign = skipBlanks(text, at);
  if (auto separator = separatorSign(text, sign)) {
    separator->labelQuoted = quote != 0;
    return separator;
  }
  if (quote != 0) {
    return valueAttribute(scan, at);
  }
  if (sign == at) {
    return std::nullopt;
  }
  if (scan.at(labelAt) == '-') {
    return Separator{.style = Style::argument, .valueAt = sign};
  }
  for (const std::string_view verb : {"is ", "was "}) {
    if (startsWithWord(text, sign, verb)) {
      return Separator{.style = Style::predicate, .valueAt = skipBlanks(text, sign + verb.size())};
    }
  }
  if (quoteLengthAt(text, sign) != 0) {
    return Separator{.style = Style::adjacent, .valueAt = sign};
  }
  return Separator{.style = Style::following, .valueAt = sign};
}

struct Value {
  std::size_t begin;
  std::size_t end;
  bool quoted;
};

std::size_t elementEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '<' && !text.substr(at).starts_with("&lt;")) {
    ++at;
  }
  return at;
}

std::optional<Value> valueOf(const Scan& scan, const Separator& separator) {
  std::string_view text = scan.text;
  std::size_t at = separator.valueAt;
  if (separator.element) {
    std::size_t end = elementEnd(text, at);
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
  if (scan.at(at) == '[') {
    constexpr std::size_t kMaxList = 512;
    const std::size_t close = text.substr(0, at + kMaxList).find_first_of("]\n", at);
    if (close != std::string_view::npos && text[close] == ']') {
      return Value{.begin = at + 1, .end = close, .quoted = true};
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

bool isShortSign(std::string_view value) {
  return value.size() <= 2 && std::ranges::none_of(value, isAlnum);
}

// Letters and digits mixed, without the dots and brackets of names and versions. Dates are not:
// they have few letters.
bool looksMadeUp(std::string_view text, std::size_t minLength, std::ptrdiff_t minLetters) {
  const auto isLetter = [](char c) { return isOf(c, kUpperChar | kLowerChar); };
  return text.size() >= minLength && text.find_first_of(".()/:") == std::string_view::npos &&
         std::ranges::any_of(text, isDigit) && std::ranges::count_if(text, isLetter) >= minLetters;
}

bool acceptsChosen(Style style, const Value& value, std::string_view text) {
  switch (style) {
    case Style::assigned:
      return true;
    case Style::stated:
      return value.quoted || !isProseWord(text);
    case Style::argument:
      return value.quoted || (!isProseWord(text) && text.front() != '-');
    case Style::predicate:
      return value.quoted || looksRandom(text);
    case Style::adjacent:
      return !isProseWord(text.substr(0, text.find(' '))) && !isShortSign(text);
    case Style::following:
      return looksMadeUp(text, 6, 1) && !isProseWord(text);
  }
  return true;
}

bool acceptsGenerated(Style style, const Value& value, std::string_view text) {
  switch (style) {
    case Style::assigned:
      return true;
    case Style::stated:
      return value.quoted ? !isShortSign(text) : looksRandom(text);
    case Style::argument:
      return value.quoted || (!isProseWord(text) && text.front() != '-');
    case Style::predicate:
    case Style::adjacent:
      return looksRandom(text);
    case Style::following:
      return looksMadeUp(text, 16, 4);
  }
  return true;
}

bool acceptsDigits(Style style, const Value& value, std::string_view text) {
  constexpr std::size_t kShortestCode = 3;
  if (text.size() < kShortestCode || style == Style::following) {
    return false;
  }
  if (style == Style::assigned || value.quoted) {
    return !isProseWord(text);
  }
  return std::ranges::any_of(text, isDigit);
}

// Whether the value goes on with '&', as in a form's body. Read up to the next '=', so that
// "code=code=…" is not read to its end again and again.
bool isFollowedByPair(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '=' && text[at] != '&' &&
         !isOf(text[at], kSpaceChar | kQuoteChar)) {
    ++at;
  }
  return at < text.size() && text[at] == '&';
}

// ?code=, &code=, #code= and their encoded forms, or a form's body.
bool standsInQuery(const Scan& scan, Spot word, const Label& label, std::size_t valueAt) {
  const std::size_t begin = afterEscape(scan, word.begin);
  if (word.end - begin != label.name.size()) {
    return false;
  }
  if (begin != word.begin) {
    return true;
  }
  const char previous = scan.before(begin);
  if (previous == '?' || previous == '&' || previous == '#') {
    return true;
  }
  if (previous == ';' && begin >= scan.floor + 5 && scan.text.substr(begin - 5, 5) == "&amp;") {
    return true;
  }
  return previous != '_' && previous != '-' && previous != '.' &&
         isFollowedByPair(scan.text, valueAt);
}

bool acceptsQuery(std::string_view text) {
  // /error?code=500 is a status, no authorization code.
  constexpr std::size_t kLongestStatus = 4;
  return text.size() > kLongestStatus || !std::ranges::all_of(text, isDigit);
}

// refresh_token, X-Auth-Token, accessToken: such a name is no subject of a sentence, while a bare
// "token: …" may be a parser's.
bool isCompoundName(const Scan& scan, Spot word) {
  const std::size_t begin = labelBegin(scan, word);
  const std::string_view name = scan.text.substr(begin, word.end - begin);
  const bool camelCase = isOf(name.front(), kLowerChar) &&
                         std::ranges::any_of(name, [](char c) { return isOf(c, kUpperChar); }) &&
                         !name.contains('.');
  return camelCase || name.find_first_of("_-") != std::string_view::npos;
}

bool isWorkingDirectory(const Scan& scan, Spot word, std::string_view value) {
  const std::string_view name = scan.text.substr(word.begin, word.end - word.begin);
  return (name == "PWD" || name == "OLDPWD") && value.starts_with('/');
}

bool accepts(const Scan& scan, Spot word, const Label& label, const Separator& separator,
             const Value& value) {
  constexpr std::size_t kShortestRandom = 8;
  constexpr std::size_t kShortestSignature = 16;
  const std::string_view text = scan.text.substr(value.begin, value.end - value.begin);
  if (text.empty() || isHarmlessValue(text) || markerLengthAt(scan.text, value.begin) != 0) {
    return false;
  }
  // In JSON only numbers and literals go without quotes; 'password': must … is prose.
  const Style style = separator.labelQuoted && value.quoted ? Style::assigned : separator.style;
  switch (label.policy) {
    case LabelPolicy::chosen:
      // secret "my-app-tls" not found: a name, not a value.
      return acceptsChosen(style, value, text) && !isWorkingDirectory(scan, word, text) &&
             (label.kind == RedactionKind::password || style != Style::adjacent ||
              looksRandom(text));
    case LabelPolicy::generated:
      return (text.size() > kLongValue && style != Style::following) ||
             acceptsGenerated(style, value, text) ||
             (style == Style::stated && isCompoundName(scan, word) && !isProseWord(text));
    case LabelPolicy::alwaysRandom:
      return style != Style::following &&
             looksRandom(text, label.kind == RedactionKind::signature ? kShortestSignature
                                                                      : kShortestRandom);
    case LabelPolicy::digits:
      return text.size() > kLongValue || acceptsDigits(style, value, text);
    case LabelPolicy::query:
      return acceptsQuery(text);
    case LabelPolicy::header:
    case LabelPolicy::cookie:
      return true;
  }
  return true;
}

std::optional<Match> valueBehind(const Scan& scan, Spot word, const Label& label) {
  const auto separator = separatorAfter(scan, labelBegin(scan, word), word.end);
  if (!separator) {
    return std::nullopt;
  }
  const bool header = label.policy == LabelPolicy::header || label.policy == LabelPolicy::cookie;
  if (header && separator->style != Style::assigned && separator->style != Style::stated) {
    return std::nullopt;
  }
  if (label.policy == LabelPolicy::query &&
      (separator->style != Style::assigned ||
       !standsInQuery(scan, word, label, separator->valueAt))) {
    return std::nullopt;
  }
  const auto value = valueOf(scan, *separator);
  if (!value || !accepts(scan, word, label, *separator, *value)) {
    return std::nullopt;
  }
  if (label.policy == LabelPolicy::header) {
    return authorizationCredentials(scan, value->begin, value->end, value->quoted);
  }
  if (label.policy == LabelPolicy::cookie && !value->quoted) {
    return cookiePairs(scan, value->begin, separator->style == Style::stated);
  }
  return Match{.begin = value->begin, .end = value->end, .kind = label.kind};
}

}  // namespace

std::optional<Match> detectLabelledValue(const Scan& scan, Spot word) {
  const Label* label = labelEndingAt(scan, word);
  return label == nullptr ? std::nullopt : valueBehind(scan, word, *label);
}

std::optional<Match> detectForeignLabel(const Scan& scan, Spot mark) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"비밀번호", "패스워드", "パスワード", "密码", "密碼", "пароль", "Пароль"});
  static constexpr Label kPassword{.name = "",
                                   .kind = RedactionKind::password,
                                   .policy = LabelPolicy::chosen,
                                   .wholeWord = false};
  for (const std::string_view name : kNames) {
    if (scan.text.substr(mark.begin).starts_with(name)) {
      return valueBehind(scan, {.begin = mark.begin, .end = mark.begin + name.size()}, kPassword);
    }
  }
  return std::nullopt;
}
}  // namespace auth_errors::domain
