#include "domain/scrub/site_prose.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/site_keys.h"
#include "domain/scrub/site_values.h"
#include "domain/scrub/text.h"
#include "domain/scrub/word_set.h"

namespace auth_errors::domain {
namespace {

// How far a label reaches: words between it and its value, in either direction.
constexpr std::size_t kReach = 8;
constexpr std::size_t kCodeReach = 12;  // digits are easier to tell from words

bool isPrincipal(std::string_view value) {
  const std::size_t at = value.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < value.size() &&
         std::ranges::all_of(value.substr(at + 1),
                             [](char c) { return isOf(c, kUpperChar) || c == '.'; });
}

bool followsOwner(const Line& line, std::size_t i) {
  const Token* word = line.before(i);
  return word != nullptr && word->kind == TokenKind::word &&
         (line.textOf(*word) == "to" || line.textOf(*word) == "from" ||
          line.textOf(*word) == "for");
}

// 300 seconds, 5 attempts, 8 characters
bool isUnit(const Line& line, std::size_t i, const Site& site) {
  static constexpr WordSet kUnits(std::to_array<std::string_view>(
      {"seconds", "second",   "minutes",  "minute", "hours", "hour",       "days",
       "day",     "ms",       "s",        "bytes",  "byte",  "characters", "chars",
       "digits",  "attempts", "times",    "bits",   "bit",   "sec",        "secs",
       "rows",    "retries",  "requests", "keys",   "of"}));
  const std::size_t k = line.tokenBehind(i, site);
  return k < line.tokens.size() && line.tokens[k].kind == TokenKind::word &&
         kUnits.contains(line.textOf(line.tokens[k]));
}

Family labelBefore(const Line& line, std::size_t i, const Site& site) {
  std::size_t words = 0;
  bool redacted = false;
  bool named = false;
  for (std::size_t k = i;
       k-- > 0 && words < kCodeReach && site.begin - line.tokens[k].end < kReachBytes;) {
    const Token& token = line.tokens[k];
    if ((token.kind == TokenKind::sign && token.sign == ';') || token.stops) {
      break;
    }
    // What is already redacted is the label's value; a list of codes goes on behind it.
    if (token.kind == TokenKind::marker) {
      redacted = true;
    }
    if (token.kind != TokenKind::word) {
      continue;
    }
    ++words;
    // a signing key that matches 'nOo3ZDr…'
    static constexpr WordSet kNaming(
        std::to_array<std::string_view>({"matches", "matching", "kid", "identifier", "named"}));
    if (kNaming.contains(line.textOf(token))) {
      break;
    }
    // Both have other meanings in a sentence.
    if (line.textOf(token) == "state" || line.textOf(token) == "response") {
      continue;
    }
    named = named || token.family == Family::harmless;
    if (announcesSecret(token.family)) {
      if (named && token.family == Family::password && keyOf(line, i).sign == Sign::stated) {
        return Family::none;  // "the last username they tried was: 'administrator'"
      }
      const bool far = redacted || words > kReach;
      return far && token.family != Family::code ? Family::none : token.family;
    }
  }
  return Family::none;
}

Family labelBehind(const Line& line, std::size_t i, const Site& site) {
  std::size_t words = 0;
  for (std::size_t k = i + 1; k < line.tokens.size() && words < kReach; ++k) {
    const Token& token = line.tokens[k];
    if (token.begin < site.end) {
      continue;
    }
    const bool joins = token.sign == ':' || (site.quoted && token.sign == ',');
    if (token.begin - site.end > kReachBytes || token.kind == TokenKind::marker ||
        token.kind == TokenKind::open || (token.kind == TokenKind::sign && !joins)) {
      break;
    }
    if (token.kind != TokenKind::word) {
      continue;
    }
    ++words;
    if (announcesSecret(token.family)) {
      return token.family;
    }
    if (token.stops) {
      break;
    }
  }
  return Family::none;
}

// JOIN-8842-QRTZ
bool looksLikeVoucher(std::string_view value) {
  constexpr std::size_t kShortest = 8;
  return value.size() >= kShortest && value.contains('-') && std::ranges::any_of(value, isDigit) &&
         std::ranges::all_of(value,
                             [](char c) { return isOf(c, kUpperChar | kDigitChar) || c == '-'; });
}

// D4RK7XQPB, but not AADSTS50126: an error's number stands behind its letters.
bool looksLikeDeviceCode(std::string_view value) {
  constexpr std::size_t kShortest = 6;
  constexpr std::size_t kLongest = 12;
  if (value.size() < kShortest || value.size() > kLongest ||
      !allOf(value, kUpperChar | kDigitChar)) {
    return false;
  }
  const std::size_t digit = value.find_first_of("0123456789");
  return digit != std::string_view::npos && runEnd(value, digit, kDigitChar) < value.size();
}

bool acceptsSpoken(const Line& line, std::size_t i, Family family, std::string_view value,
                   bool quoted) {
  const Token* previous = line.before(i);
  const bool stated =
      previous != nullptr && previous->kind == TokenKind::sign && previous->sign == ':';
  if (stated) {
    previous = line.before(i, 2);
  }
  const bool besideLabel = previous != nullptr && previous->kind == TokenKind::word &&
                           previous->family == Family::password;
  if (!quoted && !besideLabel && looksLikeIdentifier(value)) {
    return false;
  }
  const bool word = previous != nullptr && previous->kind == TokenKind::word;
  // hasło to x
  const bool joint = word && line.textOf(*previous) == "to" && previous != line.tokens.data() &&
                     (previous - 1)->family == Family::password;
  const bool predicate = joint || (word && isPredicate(line.textOf(*previous)));
  const bool foreign = predicate && !equalsWord(line.textOf(*previous), "is") &&
                       !equalsWord(line.textOf(*previous), "was");
  if (!quoted && !besideLabel && !foreign && looksLikeIdentifier(value)) {
    return false;
  }
  const bool adjacent =
      word && (announcesSecret(previous->family) || previous->family == Family::value);
  // "the password you sent, Welkom01"
  bool close = adjacent;
  for (std::size_t k = i, words = 0; k-- > 0 && words < 3 && !close;) {
    words += line.tokens[k].kind == TokenKind::word ? 1U : 0U;
    close = line.tokens[k].kind == TokenKind::word && announcesSecret(line.tokens[k].family);
  }
  switch (family) {
    case Family::password:
      if (isUuid(value)) {
        return false;
      }

      if (quoted) {
        return (adjacent || stated || predicate || looksChosen(value)) && !isProse(value) &&
               familyOf(value) == Family::none &&
               (!value.contains(' ') || !looksLikeWords(value) || adjacent);
      }
      // は30分間ロック: a sentence in another script goes on.
      if (static_cast<unsigned char>(value.front()) >= 0xE0) {
        return false;
      }
      if ((foreign || (close && word && line.textOf(*previous) == "value")) &&
          !isProseWord(value)) {
        return true;
      }
      return !isProseWord(value) &&
             (!isHarmlessShape(value) ||
              ((besideLabel || predicate) && looksLikeIdentifier(value))) &&
             looksChosen(value) && !value.contains('/') &&
             (close || stated || predicate || looksGenerated(value, 6));
    case Family::code:
      return looksLikeCode(value) || (acceptsGenerated(value, 8) && !isUuid(value)) ||
             (adjacent && (isLongOpaque(value, 20) || looksLikeVoucher(value)));
    case Family::plainCode:
      if (stated && value.size() >= 40 && looksGenerated(value, 20)) {
        return true;
      }
      return (looksLikeCode(value) && (value.size() >= kFullCode || predicate ||
                                       (value.size() >= 5 && line.speaksOfCodes()))) ||
             (adjacent && looksLikeDeviceCode(value));
    case Family::secret:
      // :secret "x", JWT_SECRET with value "x"
      if (quoted && word && !isProse(value) &&
          (previous->family == Family::value ||
           (previous != line.tokens.data() && (previous - 1)->sign == ':'))) {
        return true;
      }
      [[fallthrough]];
    case Family::token:
    case Family::session:
      // play.http.secret.key "x" is too short
      if (quoted && word && adjacent && value.size() >= 8 && !value.contains(' ') &&
          !isProse(value) && line.textOf(*previous).find_first_of("._") != std::string_view::npos &&
          family == Family::token) {
        return true;
      }
      if (isUuid(value) && !quoted && !stated && !predicate && !adjacent) {
        return false;
      }
      return acceptsGenerated(value, quoted || stated ? 6 : 8) ||
             (adjacent && isFullCode(value) && line.speaksOfCodes());
    case Family::key:
      return acceptsGenerated(value, 12) && !isUuid(value);
    case Family::none:
    case Family::value:
    case Family::harmless:
      break;
  }
  return false;
}

// "Monkey1 as the password"
bool isJoined(const Line& line, std::size_t i, std::string_view value) {
  static constexpr WordSet kJoints(
      std::to_array<std::string_view>({"as", "and", "or", "is", "was"}));
  const Token* next = line.behind(i);
  return next != nullptr && next->kind == TokenKind::word && next->spaced &&
         kJoints.contains(line.textOf(*next)) && std::ranges::any_of(value, isDigit) &&
         !looksLikeIdentifier(value);
}

bool acceptsBeforeLabel(const Line& line, std::size_t i, Family family, std::string_view value,
                        bool quoted) {
  const auto isOpaque = [&] { return acceptsGenerated(value, quoted ? 8 : 12) && !isUuid(value); };
  switch (family) {
    case Family::password:
      return (looksChosen(value) && !value.contains('/') && !isHarmlessShape(value) &&
              (quoted || isJoined(line, i, value))) ||
             (quoted && line.before(i) != nullptr && line.before(i)->family == Family::value &&
              !isProse(value) && !isHarmlessShape(value));
    case Family::code:
      return looksLikeCode(value) ||
             (quoted && value.size() <= 12 && std::ranges::any_of(value, isDigit));
    case Family::plainCode:
      return isFullCode(value);
    case Family::secret:
    case Family::token:
    case Family::session:
    case Family::key:
      return isOpaque();
    case Family::none:
    case Family::value:
    case Family::harmless:
      break;
  }
  return false;
}

}  // namespace

bool isPredicate(std::string_view word) {
  static constexpr WordSet kVerbs(std::to_array<std::string_view>(
      {"is", "was", "ist", "lautet", "war", "est", "était", "es", "era", "é", "fue", "jest"}));
  return kVerbs.contains(word);
}

bool followsDigestName(const Line& line, std::size_t i) {
  const Token* sign = line.before(i);
  const Token* name = line.before(i, 2);
  if (sign == nullptr || sign->kind != TokenKind::sign || sign->sign != ':' ||
      line.tokens[i].spaced || name == nullptr || name->kind != TokenKind::word) {
    return false;
  }
  const std::string_view word = line.textOf(*name);
  // h1:…: Go's sums of modules
  return equalsWord(word, "h1") ||
         (word.size() >= 3 &&
          (startsWithWord(word, word.size() >= 6 ? word.size() - 6 : 0, "sha256") ||
           equalsWord(word, "sha1") || equalsWord(word, "md5") || equalsWord(word, "sha512")));
}

bool isHarmlessPosition(const Line& line, std::size_t i) {
  std::size_t k = i;
  while (k > 0 &&
         (line.tokens[k - 1].kind == TokenKind::quote || line.tokens[k - 1].sign == '#' ||
          line.tokens[k - 1].sign == ':' || line.tokens[k - 1].kind == TokenKind::open) &&
         i - k < 3) {
    --k;
  }
  // mq1.internal(1414)
  if (i >= 2 && line.tokens[i - 1].sign == '(' && !line.tokens[i - 1].spaced &&
      line.textOf(line.tokens[i - 2]).contains('.') &&
      allOf(line.textOf(line.tokens[i]), kDigitChar)) {
    return true;
  }
  // sshd(pam)[4410]
  if (i >= 2 && line.tokens[i - 1].sign == '[' && !line.tokens[i - 1].spaced &&
      (line.tokens[i - 2].kind == TokenKind::word || line.tokens[i - 2].kind == TokenKind::close) &&
      allOf(line.textOf(line.tokens[i]), kDigitChar)) {
    return true;
  }
  if (k == 0 || line.tokens[k - 1].kind != TokenKind::word) {
    return false;
  }
  const Token& word = line.tokens[k - 1];
  const bool bracketed = k < i && line.tokens[k].kind == TokenKind::open;
  static constexpr WordSet kOwners(std::to_array<std::string_view>(
      {"for",      "by",     "of",     "on",      "at",    "to",    "in",      "after",
       "within",   "than",   "least",  "as",      "like",  "max",   "min",     "matches",
       "matching", "error",  "status", "HTTP",    "port",  "line",  "column",  "using",
       "named",    "called", "via",    "against", "since", "until", "minimum", "maximum",
       "für",      "pour",   "para",   "dla",     "von"}));
  return word.family == Family::harmless || (!bracketed && kOwners.contains(line.textOf(word)));
}

std::optional<RedactionKind> inProse(const Line& line, std::size_t i, const Site& site,
                                     std::string_view value) {
  // A sentence, and alice@EXAMPLE.
  if ((site.quoted && std::ranges::count(value, ' ') >= 3) || isPrincipal(value)) {
    return std::nullopt;
  }
  // OpenVPN: password "Auth" "x"
  if (site.quoted && i >= 4 && line.tokens[i].kind == TokenKind::quote &&
      line.tokens[i - 1].kind == TokenKind::quote && line.tokens[i - 2].kind == TokenKind::word &&
      line.tokens[i - 3].kind == TokenKind::quote && line.tokens[i - 4].kind == TokenKind::word &&
      line.tokens[i - 4].family == Family::password) {
    return RedactionKind::password;
  }
  // ORA-01017: invalid username
  const bool numbersFault = !site.quoted && site.end + 1 < line.text.size() &&
                            line.text[site.end] == ':' && line.text[site.end + 1] == ' ';
  if (isUnit(line, i, site) || numbersFault) {
    return std::nullopt;
  }
  const Family before = labelBefore(line, i, site);
  // "Changed session id from 02E8… to C7F8…"
  const bool certain = (before == Family::session || before == Family::token) && !isUuid(value) &&
                       acceptsGenerated(value, kShortestOpaque) && !followsDigestName(line, i);
  const bool joined = i >= 3 && line.textOf(line.tokens[i - 1]) == "to" && looksChosen(value) &&
                      (line.tokens[i - 2].family == Family::password ||
                       line.tokens[i - 3].family == Family::password ||
                       (i >= 4 && line.tokens[i - 4].family == Family::password));
  // "kod weryfikacyjny to 558210"
  const bool code = (before == Family::code || before == Family::plainCode) &&
                    looksLikeCode(value) && value.size() >= 6 && i > 0 &&
                    line.textOf(line.tokens[i - 1]) == "to";
  if (isHarmlessPosition(line, i) && !joined && !code && !(certain && followsOwner(line, i))) {
    return std::nullopt;
  }
  if (before != Family::none && acceptsSpoken(line, i, before, value, site.quoted)) {
    return kindOf(before);
  }
  const Family behind = labelBehind(line, i, site);
  if (behind != Family::none && acceptsBeforeLabel(line, i, behind, value, site.quoted)) {
    return kindOf(behind);
  }
  return std::nullopt;
}

}  // namespace auth_errors::domain
