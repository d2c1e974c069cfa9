// Detects a label, a separator and a value, in any notation and language.
#include <algorithm>
#include <array>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless.h"
#include "domain/scrub/secret_detectors.h"
#include "domain/scrub/secret_labels.h"
#include "domain/scrub/secret_pair_rules.h"
#include "domain/scrub/secret_separators.h"
#include "domain/scrub/secret_values.h"

namespace auth_errors::domain {
namespace {

// True if '&' follows the value, as in a form body. Reads only up to the next '=', so that
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

// ?code=, &code=, #code= and their encoded forms, or a form body.
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

// STRIPE_KEY=…: an environment variable.
bool isEnvironmentKey(const Scan& scan, Spot word) {
  return scan.text.substr(word.begin, word.end - word.begin) == "KEY" &&
         scan.before(word.begin) == '_';
}

// DB_HOST=…: the next line of a file of variables.
bool isVariable(const Scan& scan, std::size_t at) {
  std::size_t end = at;
  while (isOf(scan.at(end), kUpperChar | kDigitChar) || scan.at(end) == '_') {
    ++end;
  }
  return end > at + 2 && scan.at(end) == '=';
}

// End of an unquoted password of several words: the rest of a KEY=… line or of the answer to a
// prompt, or the text up to the next pair of a printed object.
std::size_t phraseEnd(const Scan& scan, std::size_t labelAt, const Separator& separator,
                      const Value& value) {
  constexpr std::size_t kLongest = 48;
  const std::string_view near = scan.text.substr(0, value.end + kLongest);
  if (value.quoted || scan.at(value.end) != ' ') {
    return value.end;
  }
  const std::size_t lineEnd = std::min(near.find('\n', value.end), near.size());
  const std::string_view rest = near.substr(value.end, lineEnd - value.end);
  const bool whole = lineEnd < near.size() || lineEnd == scan.text.size();
  if (beginsLine(scan, labelAt) && whole &&
      (separator.style == Style::distant ||
       (separator.style == Style::assigned && !rest.contains('=') &&
        isVariable(scan, lineEnd + 1)))) {
    return lineEnd;
  }
  const char before = scan.before(labelAt);
  const bool field = before == '[' || before == '(' || before == '{' ||
                     (before == ' ' && labelAt >= scan.floor + 2 && scan.text[labelAt - 2] == ',');
  const std::size_t delimiter = rest.find_first_of(",)]}=:;\"'");
  if (separator.style != Style::assigned || !field || delimiter == std::string_view::npos ||
      !std::string_view(",)]}").contains(rest[delimiter])) {
    return value.end;
  }
  return value.end + delimiter;
}

// Codes may be grouped (123 456, 12 34 56) and directly followed by letters of other scripts.
Value wholeCode(const Scan& scan, Value value) {
  constexpr std::size_t kGroup = 3;
  constexpr std::size_t kPair = 2;
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
  } else if (first == value.begin + kPair && next == ' ') {
    const std::size_t second = runEnd(scan.text, first + 1, kDigitChar, kPair + 1);
    const std::size_t third = runEnd(scan.text, second + 1, kDigitChar, kPair + 1);
    if (second == first + 1 + kPair && scan.at(second) == ' ' && third == second + 1 + kPair &&
        !isAlnum(scan.at(third))) {
      value.end = third;
    }
  }
  return value;
}

std::optional<Match> valueBehind(const Scan& scan, Spot word, const Label& label) {
  const auto separator = separatorAfter(scan, labelBegin(scan, word), word.end);
  if (!separator) {
    return std::nullopt;
  }
  // BadCredentials q12-2002…: the name of an error announces nothing.
  const std::size_t nameAt = labelBegin(scan, word);
  if (separator->style == Style::following && label.kind == RedactionKind::password &&
      nameAt < word.begin + 1 &&
      familyOf(scan.text.substr(nameAt, word.end - nameAt)) == Family::none) {
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
  if (!value || !acceptsPair(scan, word, label, *separator, *value)) {
    return std::nullopt;
  }
  if (label.policy == LabelPolicy::header) {
    return authorizationCredentials(scan, value->begin, value->end, value->quoted);
  }
  if (label.policy == LabelPolicy::chosen) {
    value->end = phraseEnd(scan, labelBegin(scan, word), *separator, *value);
  }
  if (label.policy == LabelPolicy::cookie && !value->quoted) {
    return cookiePairs(scan, value->begin, separator->style == Style::stated);
  }
  return Match{.begin = value->begin, .end = value->end, .kind = label.kind};
}

[[gnu::noinline]] std::optional<Match> labelledValue(const Scan& scan, Spot word) {
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

}  // namespace

std::optional<Match> detectLabelledValue(const Scan& scan, Spot word) {
  return mayEndLabel(scan.text, word) ? labelledValue(scan, word) : std::nullopt;
}

std::optional<Match> detectForeignLabel(const Scan& scan, Spot mark) {
  static constexpr Label kPassword{.name = "",
                                   .kind = RedactionKind::password,
                                   .policy = LabelPolicy::chosen,
                                   .wholeWord = false};
  static constexpr Label kCode{
      .name = "", .kind = RedactionKind::otp, .policy = LabelPolicy::digits, .wholeWord = false};
  struct ForeignName {
    std::string_view front;  // its Latin letters, which precede the mark
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
      {"", "şifre", &kPassword},
      {"m", "ật khẩu", &kPassword},
      {"", "κωδικός", &kPassword},
      {"", "סיסמה", &kPassword},
      {"", "كلمة المرور", &kPassword},
      {"", "كلمة السر", &kPassword},
      {"", "รหัสผ่าน", &kPassword},
      {"", "인증번호", &kCode},
      {"", "인증코드", &kCode},
      {"", "인증 번호", &kCode},
      {"", "인증 코드", &kCode},
      {"", "認証コード", &kCode},
      {"", "暗証番号", &kCode},
      {"", "验证码", &kCode},
      {"", "驗證碼", &kCode},
      {"", "код подтверждения", &kCode},
      {"", "Код подтверждения", &kCode},
      {"", "رمز التحقق", &kCode},
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
    // 密码是xiaomao520, 验证码483920已失效: words are not separated by blanks. 비밀번호
    // gkrryghkdlxld 로: letters of another script do not belong to the sentence.
    const std::size_t at = skipBlanks(scan.text, end);
    const std::size_t direct = runEnd(scan.text, at, kToken68Char);
    const std::string_view typed = scan.text.substr(at, direct - at);
    constexpr std::size_t kShortestTyped = 6;
    const bool latin = row.front.empty() && row.label == &kPassword &&
                       typed.size() >= kShortestTyped && !isProseWord(typed) && at > end;
    if ((at == end && isAlnum(scan.at(at)) && looksRandom(typed, 4)) ||
        (latin && !isHarmlessValue(typed))) {
      return Match{.begin = at, .end = direct, .kind = row.label->kind};
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
