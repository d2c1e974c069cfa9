// A label, a separator and its value: whether the value is a secret, by what the label promises.
#include <algorithm>
#include <array>

#include "domain/secret_detectors.h"
#include "domain/secret_labels.h"
#include "domain/secret_values.h"

namespace auth_errors::domain {
namespace {

constexpr std::size_t kLongValue = 128;

// One-time codes, as they are sent to people.
bool isCode(std::string_view text) {
  return text.size() >= 4 && text.size() <= 8 && std::ranges::all_of(text, isDigit);
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

// ORA-01017:, AADSTS50126: a fault's number, with what it means behind it.
bool isFaultNumber(const Scan& scan, const Value& value) {
  const std::size_t letters = runEnd(scan.text, value.begin, kUpperChar);
  const std::size_t numberAt = letters + (scan.at(letters) == '-' ? 1 : 0);
  const std::size_t end = runEnd(scan.text, numberAt, kDigitChar);
  return letters > value.begin && end > numberAt && end == value.end && scan.at(end) == ':';
}

// A table of two columns tells pairs, unless a line under it makes the row its heading.
bool isRowOfTwo(const Scan& scan, std::size_t labelAt, const Value& value) {
  constexpr std::size_t kMaxBorder = 24;
  constexpr std::string_view kBorder = " \t|";
  const auto isBorder = [&](char c) {
    return kBorder.contains(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  std::size_t begin = labelAt;
  while (labelAt - begin < kMaxBorder && begin > scan.floor && isBorder(scan.before(begin))) {
    --begin;
  }
  if (begin != 0 && scan.before(begin) != '\n') {
    return false;
  }
  std::size_t end = value.end;
  while (end - value.end < kMaxBorder && isBorder(scan.at(end))) {
    ++end;
  }
  if (end < scan.text.size() && scan.text[end] != '\n') {
    return false;
  }
  ++end;
  while (isBorder(scan.at(end)) && end - value.end < 2 * kMaxBorder) {
    ++end;
  }
  return scan.at(end) != '-' && scan.at(end) != '=' && scan.at(end) != '+';
}

bool acceptsCell(const Scan& scan, std::size_t labelAt, const Value& value) {
  constexpr std::size_t kShortest = 4;
  const std::string_view text = scan.text.substr(value.begin, value.end - value.begin);
  return looksRandom(text, kShortest) ||
         (!isProseWord(text.substr(0, text.find(' '))) && isRowOfTwo(scan, labelAt, value));
}

bool isLongNumber(std::string_view text) {
  return text.size() >= 6 && text.size() <= 12 && std::ranges::all_of(text, isDigit);
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
      return (looksMadeUp(text, 6, 1) || isLongNumber(text)) && !isProseWord(text);
    case Style::distant:
      return value.quoted ? !isProseWord(text.substr(0, text.find(' '))) && !isShortSign(text)
                          : looksMadeUp(text, 4, 1) || isLongNumber(text);
    case Style::cell:
      return true;
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
    case Style::distant:
      return looksMadeUp(text, 8, 2);
    case Style::cell:
      return true;
  }
  return true;
}

bool acceptsDigits(Style style, const Value& value, std::string_view text) {
  constexpr std::size_t kShortestCode = 3;
  if (style == Style::following || style == Style::distant) {
    return isCode(text);
  }
  if (text.size() < kShortestCode) {
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
  constexpr std::size_t kLongestCode = 4096;
  text = text.substr(0, at + kLongestCode);
  while (at < text.size() && text[at] != '=' && text[at] != '&' &&
         !isOf(text[at], kSpaceChar | kQuoteChar) && !startsWithWord(text, at, "%3d")) {
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

bool acceptsQuery(const Label& label, std::string_view text) {
  // /error?code=500 is a status, no authorization code; ?key=name is no API key.
  constexpr std::size_t kLongestStatus = 4;
  constexpr std::size_t kShortestKey = 16;
  if (label.kind == RedactionKind::apiKey) {
    return looksRandom(text, kShortestKey);
  }
  return text.size() > kLongestStatus || !std::ranges::all_of(text, isDigit);
}

// STRIPE_KEY=…, as environments have it.
bool isEnvironmentKey(const Scan& scan, Spot word) {
  return scan.text.substr(word.begin, word.end - word.begin) == "KEY" &&
         scan.before(word.begin) == '_';
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

// PWD=/srv/app, GOOGLE_APPLICATION_CREDENTIALS=/etc/key.json
bool isPathVariable(const Scan& scan, Spot word, std::string_view value) {
  const std::string_view name = scan.text.substr(word.begin, word.end - word.begin);
  return value.starts_with('/') && (name == "PWD" || name == "OLDPWD" || name == "CREDENTIALS");
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
  if (style == Style::distant && isFaultNumber(scan, value)) {
    return false;
  }
  switch (label.policy) {
    case LabelPolicy::chosen:
      if (style == Style::cell) {
        return acceptsCell(scan, labelBegin(scan, word), value);
      }
      // secret "my-app-tls" not found: a name, not a value.
      return acceptsChosen(style, value, text) && !isPathVariable(scan, word, text) &&
             (label.kind == RedactionKind::password || style != Style::adjacent ||
              looksRandom(text));
    case LabelPolicy::generated:
      if (style == Style::cell) {
        return acceptsCell(scan, labelBegin(scan, word), value);
      }
      return (text.size() > kLongValue && style != Style::following && style != Style::distant) ||
             acceptsGenerated(style, value, text) ||
             (style == Style::stated && isCompoundName(scan, word) && !isProseWord(text));
    case LabelPolicy::alwaysRandom:
      return style != Style::following && style != Style::distant &&
             looksRandom(text, label.kind == RedactionKind::signature ? kShortestSignature
                                                                      : kShortestRandom);
    case LabelPolicy::digits:
      return text.size() > kLongValue || acceptsDigits(style, value, text);
    case LabelPolicy::query:
      return acceptsQuery(label, text);
    case LabelPolicy::rejected:
      return value.quoted || style == Style::assigned;
    case LabelPolicy::header:
    case LabelPolicy::cookie:
      return true;
  }
  return true;
}

// Codes are spoken in two groups (123 456) and stand before letters of other scripts.
Value wholeCode(const Scan& scan, Value value) {
  constexpr std::size_t kGroup = 3;
  const std::size_t first = runEnd(scan.text, value.begin, kDigitChar);
  if (value.quoted || first == value.begin) {
    return value;
  }
  const char next = scan.at(first);
  if (static_cast<unsigned char>(next) >= 0x80) {
    value.end = first;
  } else if (first == value.begin + kGroup && (next == ' ' || next == '-')) {
    const std::size_t second = runEnd(scan.text, first + 1, kDigitChar, kGroup + 1);
    if (second == first + 1 + kGroup && !isAlnum(scan.at(second))) {
      value.end = second;
    }
  }
  return value;
}

std::optional<Match> valueBehind(const Scan& scan, Spot word, const Label& label) {
  const auto separator = separatorAfter(scan, labelBegin(scan, word), word.end);
  if (!separator) {
    return std::nullopt;
  }
  const bool header = label.policy == LabelPolicy::header || label.policy == LabelPolicy::cookie;
  if (header && separator->style != Style::assigned && separator->style != Style::stated &&
      separator->style != Style::cell) {
    return std::nullopt;
  }
  if (label.policy == LabelPolicy::query &&
      (separator->style != Style::assigned ||
       (!standsInQuery(scan, word, label, separator->valueAt) && !isEnvironmentKey(scan, word)))) {
    return std::nullopt;
  }
  auto value = valueOf(scan, *separator);
  if (value && label.policy == LabelPolicy::digits) {
    value = wholeCode(scan, *value);
  }
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
  if (label == nullptr) {
    return std::nullopt;
  }
  if (label->policy == LabelPolicy::rejected) {
    const Label* field = labelNearBefore(scan, labelBegin(scan, word));
    if (field == nullptr) {
      return std::nullopt;
    }
    Label rejected = *label;
    rejected.kind = field->kind;
    return valueBehind(scan, word, rejected);
  }
  return valueBehind(scan, word, *label);
}

std::optional<Match> detectForeignLabel(const Scan& scan, Spot mark) {
  static constexpr Label kPassword{.name = "",
                                   .kind = RedactionKind::password,
                                   .policy = LabelPolicy::chosen,
                                   .wholeWord = false};
  static constexpr Label kCode{
      .name = "", .kind = RedactionKind::otp, .policy = LabelPolicy::digits, .wholeWord = false};
  struct ForeignName {
    std::string_view front;  // its letters of the Latin script, which stand before the mark
    std::string_view name;
    const Label* label;
  };
  constexpr auto kNames = std::to_array<ForeignName>({
      {"", "비밀번호", &kPassword},
      {"", "패스워드", &kPassword},
      {"", "암호", &kPassword},
      {"", "パスワード", &kPassword},
      {"", "密码", &kPassword},
      {"", "密碼", &kPassword},
      {"", "口令", &kPassword},
      {"", "пароль", &kPassword},
      {"", "Пароль", &kPassword},
      {"contrase", "ña", &kPassword},
      {"has", "ło", &kPassword},
      {"l", "ösenord", &kPassword},
      {"", "인증번호", &kCode},
      {"", "인증코드", &kCode},
      {"", "인증 번호", &kCode},
      {"", "인증 코드", &kCode},
      {"", "認証コード", &kCode},
      {"", "暗証番号", &kCode},
      {"", "验证码", &kCode},
      {"", "驗證碼", &kCode},
      {"", "код подтверждения", &kCode},
  });
  constexpr auto kParticles =
      std::to_array<std::string_view>({"는", "은", "가", "이", "를", "을", "は", "是", "为"});
  const std::string_view rest = scan.text.substr(mark.begin);
  for (const ForeignName& row : kNames) {
    if (!rest.starts_with(row.name) || mark.begin < scan.floor + row.front.size() ||
        !startsWithWord(scan.text, mark.begin - row.front.size(), row.front)) {
      continue;
    }
    std::size_t end = mark.begin + row.name.size();
    for (const std::string_view particle : kParticles) {
      if (scan.text.substr(end).starts_with(particle)) {
        end += particle.size();
        break;
      }
    }
    return valueBehind(scan, {.begin = mark.begin, .end = end}, *row.label);
  }
  return std::nullopt;
}

// "123456 is your verification code", "use 123456 as your PIN".
std::optional<Match> detectSpokenCode(const Scan& scan, Spot word) {
  constexpr std::size_t kNear = 48;
  constexpr auto kNames =
      std::to_array<std::string_view>({"code", "otp", "pin", "passcode", "password"});
  const std::string_view text = scan.text;
  if (!isCode(text.substr(word.begin, word.end - word.begin)) ||
      (!startsWithWord(text, word.end, " is your ") &&
       !startsWithWord(text, word.end, " as your "))) {
    return std::nullopt;
  }
  std::size_t at = word.end;
  const std::size_t last = std::min(text.size(), word.end + kNear);
  while (at < last && text[at] != '\n') {
    const std::size_t end = runEnd(text, at, kAlnumChar);
    for (const std::string_view name : kNames) {
      if (equalsWord(text.substr(at, end - at), name)) {
        return Match{.begin = word.begin, .end = word.end, .kind = RedactionKind::otp};
      }
    }
    at = std::max(end, at + 1);
  }
  return std::nullopt;
}

}  // namespace auth_errors::domain
