#include "domain/scrub/site_arguments.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/site_values.h"
#include "domain/scrub/text.h"
#include "domain/scrub/word_set.h"

namespace auth_errors::domain {
namespace {

// tool -u user -p x
bool isPasswordOption(const Line& line, std::size_t i) {
  const Token* option = line.before(i);
  static constexpr WordSet kOptions(std::to_array<std::string_view>({"-p", "-P", "-w", "-pw"}));
  if (option != nullptr && option->kind == TokenKind::word && line.textOf(*option) == "-P" &&
      line.tokens[i].spaced && looksChosen(line.textOf(line.tokens[i]))) {
    return true;
  }
  static constexpr WordSet kUsers(
      std::to_array<std::string_view>({"-u", "-U", "--user", "--username", "-l", "-D"}));
  if (option == nullptr || option->kind != TokenKind::word || !line.tokens[i].spaced ||
      !kOptions.contains(line.textOf(*option))) {
    return false;
  }
  constexpr std::size_t kLookBack = 24;
  for (std::size_t k = i; k-- > 0 && i - k < kLookBack;) {
    if (line.tokens[k].kind == TokenKind::word && kUsers.contains(line.textOf(line.tokens[k]))) {
      return true;
    }
  }
  return false;
}

bool connects(const Line& line, const Bracket& bracket) {
  return bracket.nameToken != kNoToken &&
         (line.textOf(line.tokens[bracket.nameToken]).ends_with("connect") ||
          line.textOf(line.tokens[bracket.nameToken]).ends_with("open") ||
          line.textOf(line.tokens[bracket.nameToken]).ends_with("Connection"));
}

// verify_pass("x", hash), CompareHashAndPassword
bool comparesSecrets(const Line& line, const Bracket& bracket) {
  if (bracket.nameToken == kNoToken) {
    return false;
  }
  const std::string_view name = line.textOf(line.tokens[bracket.nameToken]);
  constexpr auto kVerbs =
      std::to_array<std::string_view>({"verif", "check", "compar", "hash", "valid"});
  const bool hashes = name.contains("crypt") || name.contains("argon");
  return (announcesSecret(familyOf(name)) || hashes) &&
         std::ranges::any_of(kVerbs, [&](std::string_view verb) {
           for (std::size_t at = 0; at + verb.size() <= name.size(); ++at) {
             if (startsWithWord(name, at, verb)) {
               return true;
             }
           }
           return false;
         });
}

bool looksLikeName(std::string_view value) {
  return value.contains('.') || value.contains('$') || isOf(value.front(), kUpperChar);
}

}  // namespace

bool isOption(std::string_view word) {
  return word.size() > 1 && (word.front() == '-' || (word.front() == '/' && word.rfind('/') == 0));
}

bool isPair(const Line& line, std::size_t i, const Site& site) {
  return site.quoted && !line.brackets.empty() && line.brackets.back().index == 1 &&
         line.brackets.back().firstWords == 1 && announcesSecret(line.brackets.back().first) &&
         line.closesAfter(i, site);
}

std::optional<RedactionKind> optionValue(const Line& line, std::size_t i, std::string_view value) {
  const Token* option = line.before(i);
  static constexpr WordSet kDirectives(
      std::to_array<std::string_view>({"requirepass", "masterauth", "insecure-password"}));
  if (option != nullptr && option->kind == TokenKind::word && line.tokens[i].spaced &&
      !isProse(value) && kDirectives.contains(line.textOf(*option))) {
    return RedactionKind::password;
  }
  if (option != nullptr && option->kind == TokenKind::word && line.textOf(*option) == "-p" &&
      line.tokens[i].kind == TokenKind::quote && looksChosen(value) && !value.contains('/')) {
    return RedactionKind::password;
  }
  if (isPasswordOption(line, i) && !allOf(value, kDigitChar) && !value.contains('/') &&
      value.front() != '-' && !isProse(value)) {
    return RedactionKind::password;
  }
  if (option == nullptr || option->kind != TokenKind::word || !isOption(line.textOf(*option)) ||
      !announcesSecret(option->family) || !line.tokens[i].spaced || value.front() == '-' ||
      isProse(value)) {
    return std::nullopt;
  }
  const bool path = value.contains('/') || isHarmlessShape(value);
  const bool name = option->family == Family::key && looksLikeWords(value);
  return path || name ? std::nullopt : std::optional(kindOf(option->family));
}

std::optional<RedactionKind> positional(const Line& line, std::size_t i, const Site& site,
                                        std::string_view value) {
  if (line.brackets.empty()) {
    return std::nullopt;
  }
  const Bracket& bracket = line.brackets.back();
  const Token* previous = line.before(i);
  // Requires the whole element, not a word within a text.
  const Token* opening = previous != nullptr && previous->kind == TokenKind::word && site.quoted &&
                                 previous->end - previous->begin == 1
                             ? line.before(i, 2)
                             : previous;
  // {"pass" "x"}
  if (bracket.open == '{' && site.quoted && i >= 3 && line.tokens[i].kind == TokenKind::quote &&
      line.tokens[i].spaced && line.tokens[i - 1].kind == TokenKind::quote &&
      line.tokens[i - 2].kind == TokenKind::word && line.tokens[i - 3].kind == TokenKind::quote &&
      announcesSecret(line.tokens[i - 2].family)) {
    const Family label = line.tokens[i - 2].family;
    if (label == Family::password || label == Family::secret || acceptsGenerated(value, 6)) {
      return kindOf(label);
    }
  }
  const bool element =
      opening != nullptr && (opening->kind == TokenKind::open || opening->sign == ',');
  // (authenticate "stu" "x")
  const bool lisp = bracket.open == '(' && bracket.nameToken == kNoToken && bracket.firstTakes &&
                    bracket.index == 0 && site.quoted && previous != nullptr &&
                    previous->kind == TokenKind::quote && looksChosen(value);
  if (lisp) {
    return RedactionKind::password;
  }
  if (!element) {
    return std::nullopt;
  }
  if (bracket.index == 1 && bracket.firstWords == 1 && announcesSecret(bracket.first)) {
    const Family family = bracket.first;
    const bool last = line.closesAfter(i, site);
    if (site.quoted && last && (family != Family::plainCode || looksLikeCode(value))) {
      const bool fits = family == Family::password || family == Family::code ||
                        !looksLikeWords(value) || value.size() >= 24;
      if (fits && !announcesSecret(familyOf(value))) {
        return kindOf(family);
      }
    }
  }
  // createConnection('mysql:host=…', 'forge', 'kJ8vq2LmZx91')
  constexpr std::size_t kShortestArgument = 10;
  if (site.quoted && bracket.open == '(' && bracket.index >= 1 && bracket.nameToken != kNoToken &&
      !isUuid(value) && acceptsGenerated(value, kShortestArgument) && looksMixed(value) &&
      !line.isAllowed(value)) {
    return RedactionKind::opaque;
  }
  if (!bracket.credentials) {
    return std::nullopt;
  }
  const Family family = announcesSecret(bracket.label) ? bracket.label : Family::password;
  if (site.quoted) {
    const bool several = value.contains(' ') && (looksLikeWords(value) || isProse(value) ||
                                                 std::ranges::count(value, ' ') >= 3);
    const bool harmless =
        value.contains("://") || value.starts_with('/') ||
        (value.contains('/') && looksLikeWords(value)) ||
        (isHarmlessShape(value) && !(looksLikeIdentifier(value) && looksChosen(value))) || several;
    const bool alone =
        bracket.index == 0 && ((line.closesAfter(i, site) && announcesSecret(bracket.label) &&
                                bracket.label != Family::key) ||
                               comparesSecrets(line, bracket));
    // connect(host, user, x)
    if (connects(line, bracket) &&
        (bracket.index == 0 || (bracket.index == 1 && !looksChosen(value)))) {
      return std::nullopt;
    }
    if (!harmless && (bracket.index >= 1 || alone || looksChosen(value))) {
      return kindOf(family);
    }
    if (looksLikeCode(value)) {
      return kindOf(Family::code);
    }
    return std::nullopt;
  }
  if (bracket.index == 0 && line.closesAfter(i, site) && bracket.nameToken != kNoToken &&
      line.textOf(line.tokens[bracket.nameToken]).ends_with("CRYPT") && looksChosen(value)) {
    return RedactionKind::password;
  }
  const bool sole = bracket.keyed && bracket.label == Family::password && bracket.index == 0 &&
                    line.closesAfter(i, site);
  const bool type =
      value.front() == '*' || value.contains("::") || value.ends_with('*') || value.ends_with('&');
  const bool last = line.closesAfter(i, site) ||
                    (!line.tokens[i].spaced && std::ranges::any_of(value, isDigit)) ||
                    value.find_first_of("!#&@%^") != std::string_view::npos;
  if (sole || (bracket.index >= 1 && looksChosen(value) && !looksLikeIdentifier(value) &&
               !isHarmlessShape(value) && !type && last)) {
    return kindOf(family);
  }
  // A case class prints its fields without quotes or blanks.
  const bool constructor = bracket.nameToken != kNoToken &&
                           isOf(line.text[line.tokens[bracket.nameToken].begin], kUpperChar) &&
                           line.tokens[bracket.nameToken].family == Family::password;
  if (constructor && bracket.index >= 1 && !line.tokens[i].spaced && !isHarmlessShape(value) &&
      (!looksLikeName(value) || looksChosen(value))) {
    return kindOf(family);
  }
  if (bracket.index >= 1 && acceptsGenerated(value, 8)) {
    return kindOf(family);
  }
  return std::nullopt;
}

std::optional<RedactionKind> protocolValue(const Line& line, std::size_t i, const Site& site) {
  const Token* verb = nullptr;
  const Token* before2 = nullptr;
  for (std::size_t k = i; k-- > 0 && i - k <= 6 && before2 == nullptr;) {
    if (line.tokens[k].kind == TokenKind::word) {
      (verb == nullptr ? verb : before2) = &line.tokens[k];
    } else if (line.tokens[k].kind != TokenKind::quote) {
      break;
    }
  }
  const bool apart =
      line.tokens[i].spaced ||
      (i > 0 && line.tokens[i - 1].kind == TokenKind::quote && line.tokens[i - 1].spaced);
  if (verb == nullptr || !apart) {
    return std::nullopt;
  }
  const std::string_view name = line.textOf(*verb);
  static constexpr WordSet kVerbsAlone(std::to_array<std::string_view>({"PASS", "AUTH"}));
  static constexpr WordSet kVerbsOfTwo(std::to_array<std::string_view>({"LOGIN", "AUTH", "XAUTH"}));
  const bool command = before2 != nullptr && line.textOf(*before2) == "auth" &&
                       before2 != line.tokens.data() && (before2 - 1)->kind == TokenKind::quote;
  const bool second =
      command || (before2 != nullptr && kVerbsOfTwo.contains(line.textOf(*before2)));
  if (!second && !kVerbsAlone.contains(name)) {
    return std::nullopt;
  }
  const std::string_view value = line.textOf(site);
  if (isHarmlessValue(value) && !value.starts_with("0x")) {
    return std::nullopt;
  }
  const bool shouted = std::ranges::none_of(value, [](char c) { return isOf(c, kLowerChar); });
  if (name == "PASS" && !isProseWord(value)) {
    return RedactionKind::password;
  }
  static constexpr WordSet kMechanisms(
      std::to_array<std::string_view>({"PLAIN", "LOGIN", "TLS", "SSL", "NTLM"}));
  if ((name == "AUTH") && !isProseWord(value) && !kMechanisms.contains(value) &&
      (!shouted || std::ranges::any_of(value, isDigit))) {
    return RedactionKind::password;
  }
  const std::size_t next = line.tokenBehind(i, site);
  const bool last = next == line.tokens.size() || line.tokens[next].kind != TokenKind::word ||
                    std::ranges::any_of(value, isDigit);
  const bool sentence = value.contains(' ') && isOf(value.front(), kUpperChar) &&
                        looksLikeWords(value) && std::ranges::none_of(value, isDigit);
  if (second && last && !sentence && !isProseWord(value) && !isProseWord(name) &&
      !kMechanisms.contains(name)) {
    return RedactionKind::password;
  }
  return std::nullopt;
}

}  // namespace auth_errors::domain
