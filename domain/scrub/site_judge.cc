#include "domain/scrub/site_judge.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "domain/scrub/families.h"
#include "domain/scrub/harmless.h"
#include "domain/scrub/harmless_shapes.h"
#include "domain/scrub/shapes.h"
#include "domain/scrub/site_arguments.h"
#include "domain/scrub/site_keys.h"
#include "domain/scrub/site_looks.h"
#include "domain/scrub/site_prose.h"
#include "domain/scrub/site_values.h"
#include "domain/scrub/text.h"

namespace auth_errors::domain {
namespace {

// A label itself, or a column: u1_0.salt.
bool namesSomething(Family family, std::string_view value) {
  return family != Family::none && !looksGenerated(value, kShortestOpaque) &&
         (!looksChosen(value) ||
          (value.find_first_of("._") != std::string_view::npos && !looksLikePassword(value)));
}

bool isLabelled(const Line& line, std::size_t i) { return announcesSecret(keyOf(line, i).family); }

// 'result': 49, name=
bool isKey(const Line& line, std::size_t i, const Site& site) {
  if (line.tokens[i].kind == TokenKind::word) {
    const Token* next = line.behind(i);
    return next != nullptr && next->sign == '=' && next->kind == TokenKind::sign &&
           next->begin == site.end && next->end == site.end + 1;
  }
  if (!site.quoted || line.tokens[i].kind != TokenKind::quote ||
      line.closing + 1 >= line.tokens.size()) {
    return false;
  }
  const Token& next = line.tokens[line.closing + 1];
  return next.kind == TokenKind::sign && (next.sign == ':' || next.sign == '=') &&
         !line.brackets.empty();
}

// NetworkCredential("svc", "x"): the name of a call.
bool isCalled(const Line& line, const Site& site) {
  return !site.quoted && site.end < line.text.size() && line.text[site.end] == '(' &&
         !line.text.substr(site.end).starts_with("(String)");
}

// XML-RPC names it in the beginning.
bool isRemoteCall(const Line& line) {
  constexpr std::size_t kNear = 256;
  return line.text.substr(line.tokens.front().begin, kNear).contains("methodCall");
}

// Not a sign or two between quotes.
bool hasSubstance(std::string_view value) {
  constexpr std::size_t kFront = 16;
  constexpr std::ptrdiff_t kFewest = 3;
  return std::ranges::count_if(value.substr(0, kFront), [](char c) {
           return isAlnum(c) || static_cast<unsigned char>(c) >= 0x80;
         }) >= kFewest;
}

// A document or the next label, not a value; Base64 may end with '='.
bool isNoValue(const Line& line, std::size_t i, const Site& site, std::string_view value) {
  const bool padded = value.ends_with('=') && value.find('=') + 2 >= value.size();
  return !padded && (isHarmlessValue(value) || !hasSubstance(value) ||
                     ((value.front() == '{' || value.front() == '[') && !isPair(line, i, site)) ||
                     isKey(line, i, site) || isCalled(line, site) ||
                     (value.contains('=') &&
                      !(site.quoted && (isPair(line, i, site) || isLabelled(line, i)))));
}

// What programs print in a form of their own, its name elsewhere on the line or on one before.
std::optional<RedactionKind> byForm(const Line& line, std::size_t i, const Site& site,
                                    std::string_view value) {
  constexpr std::size_t kShortestWord = 6;
  // What a generator printed: a code alone on its line.
  if (line.tokens.size() == 1 && line.context == Family::code && isFullCode(value)) {
    return RedactionKind::otp;
  }
  // <methodCall>…<param><value><string>x</string>
  const Token* tag = line.before(i, 2);
  if (i >= 3 && line.tokens[i - 1].sign == '>' && tag->kind == TokenKind::word &&
      line.textOf(*tag) == "string" && looksChosen(value) && isRemoteCall(line)) {
    return RedactionKind::password;
  }
  // <methodCall>…<param><value>x</value>
  if (i >= 3 && line.tokens[i - 1].sign == '>' && tag->kind == TokenKind::word &&
      line.textOf(*tag) == "value" && looksChosen(value) && isRemoteCall(line)) {
    return RedactionKind::password;
  }
  // MyBatis: ==> Parameters: bob(String), x(String)
  if (announcesSecret(line.context) && site.end < line.text.size() &&
      line.text.substr(site.end).starts_with("(String)") &&
      acceptsInContext(line.context, value, true)) {
    return kindOf(line.context);
  }
  // ACL SETUSER worker on >x
  if (i >= 2 && line.tokens[i - 1].sign == '>' && line.tokens[i - 1].spaced &&
      !line.tokens[i].spaced && line.textOf(line.tokens[0]) == "ACL") {
    return RedactionKind::password;
  }
  // 2) "r3d1s-f0x": the answer to CONFIG GET requirepass
  if (site.quoted && i == 2 && line.tokens[1].sign == ')' && line.context == Family::password &&
      looksChosen(value)) {
    return RedactionKind::password;
  }
  // Elixir prints the arguments that no clause takes, each on a line.
  if (site.quoted && i == 0 && line.closing + 1 == line.tokens.size() &&
      line.context == Family::password &&
      (looksChosen(value) ||
       (value.size() >= kShortestWord && allOf(value, kLowerChar) && !isProseWord(value)))) {
    return RedactionKind::password;
  }
  // alice@example.org:Schmetterling_04, as maps of accounts have it
  if (i >= 2 && line.tokens[i - 1].sign == ':' && !line.tokens[i].spaced &&
      !line.tokens[i - 1].spaced && line.tokens[i - 2].kind == TokenKind::marker &&
      line.textOf(line.tokens[i - 2]) == markerOf(RedactionKind::email) && looksChosen(value) &&
      !value.contains('/')) {
    return RedactionKind::password;
  }
  // PHP's dump: string(7) "x", its name on the line before.
  if (site.quoted && line.tokens.size() >= 5 && i == 4 && line.textOf(line.tokens[0]) == "string" &&
      announcesSecret(line.context) && acceptsInContext(line.context, value, true)) {
    return kindOf(line.context);
  }
  return std::nullopt;
}

// user_id":"auth0|5f7c8ec7c33c6c004bbafe82
bool isIdOfProvider(const Line& line, std::size_t i) {
  return i >= 2 && line.tokens[i - 1].sign == '|' && !line.tokens[i].spaced &&
         line.tokens[i - 2].kind == TokenKind::word &&
         keyOf(line, i - 2).family == Family::harmless;
}

// A rule's answer: whether it has decided, and as what the value is redacted, if it is.
struct Verdict {
  bool decided;
  std::optional<RedactionKind> kind;
};

constexpr Verdict kUndecided{.decided = false, .kind = std::nullopt};
constexpr Verdict kKept{.decided = true, .kind = std::nullopt};

constexpr Verdict redacted(RedactionKind kind) { return {.decided = true, .kind = kind}; }

// 4f9a-c27e-81bd: a code for when the device is lost
bool isGroupedCode(std::string_view value) {
  constexpr std::size_t kShortest = 3;
  constexpr std::size_t kLongest = 6;
  const std::size_t length = std::min(value.find('-'), value.size());
  if (length < kShortest || length > kLongest || value.size() <= length ||
      (value.size() + 1) % (length + 1) != 0 || std::ranges::none_of(value, isDigit)) {
    return false;
  }
  for (std::size_t k = 0; k < value.size(); ++k) {
    if (k % (length + 1) == length ? value[k] != '-' : !isAlnum(value[k])) {
      return false;
    }
  }
  return true;
}

// {"DB_PASSWORD":{"value":"***"},"PROFILE":{"value":"prod"}}: the value of another key.
bool belongsElsewhere(const Line& line) {
  return !line.brackets.empty() && line.brackets.back().otherKey &&
         line.contextAt < line.brackets.back().begin;
}

Verdict byKey(const Line& line, std::size_t i, const Site& site, std::string_view value,
              const Key& key) {
  const Family family = key.family;
  const std::string_view name = line.textOf(line.tokens[key.token]);
  if (announcesSecret(family)) {
    // {"code":2002}: a number is an error's, a text may be a code.
    const bool number = !site.quoted && key.sign == Sign::stated && value.size() < kFullCode;
    const std::size_t shortest = site.quoted ? kFullCode : kFullCode - 1;
    const bool near = line.speaksOfCodes() ||
                      (looksLikeCode(value) && value.size() >= shortest && line.isNearCodes());
    const Family meant = family == Family::plainCode && !number && near ? Family::code : family;
    // {DBUser:app DBPass:x}, as Go prints a struct
    const bool field = key.sign == Sign::stated && !line.tokens[i].spaced &&
                       !line.brackets.empty() && line.brackets.back().open == '{';
    const Sign sign = field ? Sign::assigned : key.sign;
    return acceptsKeyed(meant, value, site.quoted, sign) ? redacted(kindOf(family)) : kKept;
  }
  // from `sessions` where `id` = …
  if (family == Family::harmless && line.context == Family::session && !isUuid(value) &&
      equalsWord(name, "id") && looksGenerated(value, 32) &&
      std::ranges::any_of(value, [](char c) { return isOf(c, kUpperChar); })) {
    return redacted(RedactionKind::session);
  }
  // session (ID: _388adbb91a39263297fa78fedabd68bf)
  if (family == Family::harmless && equalsWord(name, "id") && line.context == Family::session &&
      value.front() == '_' && looksGenerated(value.substr(1), 12)) {
    return redacted(RedactionKind::session);
  }
  // Session(id=0b5e7c9a)
  if (family == Family::harmless && equalsWord(name, "id") && !line.brackets.empty() &&
      line.brackets.back().label == Family::session && acceptsGenerated(value, 6)) {
    return redacted(RedactionKind::session);
  }
  // submitted=019447, where codes are spoken of
  if (family == Family::value && !announcesSecret(line.context) && line.isNearCodes() &&
      (looksLikeCode(value) || isGroupedCode(value)) && value.size() >= kFullCode) {
    return redacted(RedactionKind::otp);
  }
  if (family == Family::value && announcesSecret(line.context) && !belongsElsewhere(line)) {
    return acceptsInContext(line.context, value, site.quoted || key.sign == Sign::assigned)
               ? redacted(kindOf(line.context))
               : kKept;
  }
  if (family == Family::harmless) {
    // SERVER: bGFtcGUtVHVybTIx, in the course of AUTH LOGIN
    if (announcesSecret(line.context) && line.contextIsCarried() && key.sign == Sign::stated &&
        isEncodedText(value) && !isHarmlessShape(value)) {
      return redacted(kindOf(line.context));
    }
    // X-Hub-Signature: sha256=…
    const bool digest = line.context == Family::token && key.sign == Sign::assigned &&
                        startsWithWord(name, 0, "sha") && value.size() >= 32;
    return digest ? redacted(RedactionKind::signature) : kKept;
  }
  // corp.example/backup:x, as impacket takes it
  if (!line.tokens[i].spaced && name.contains('/') && name.front() != '/' &&
      name.find('/') == name.rfind('/') && name.substr(0, name.find('/')).contains('.') &&
      looksChosen(value) && !value.contains('/') && !isHarmlessShape(value)) {
    return redacted(RedactionKind::password);
  }
  // relayuser:bR3ezE-Nord
  if (line.context == Family::password && !line.tokens[i].spaced && value.size() >= 8 &&
      looksMixed(value)) {
    return redacted(RedactionKind::password);
  }
  // relayuser:Qu@ck3r!
  if (line.context == Family::password && !line.tokens[i].spaced && value.size() >= 6 &&
      looksLikePassword(value)) {
    return redacted(RedactionKind::password);
  }
  if (line.context == Family::password && line.contextIsCarried() && line.tokens.size() == 3 &&
      key.sign == Sign::stated && looksChosen(value) && !value.contains('/')) {
    return redacted(RedactionKind::password);
  }
  // second_factor=039174
  if (line.context == Family::code && key.sign == Sign::assigned && isFullCode(value)) {
    return redacted(RedactionKind::otp);
  }
  if (!line.brackets.empty() && announcesSecret(line.brackets.back().label) &&
      acceptsGenerated(value, 8)) {
    return redacted(kindOf(line.brackets.back().label));
  }
  return kUndecided;
}

// What only a password looks like, wherever it is quoted or behind a name: 'Croissant#8'.
bool isShownPassword(const Line& line, const Site& site, std::string_view value) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kLongest = 40;
  return value.size() >= kShortest && value.size() <= kLongest && looksLikePassword(value) &&
         !isHarmlessShape(value) && (site.quoted || !isLeet(value)) &&
         value.find_first_of(" /%@+~?&*<>") == std::string_view::npos && !line.isAllowed(value);
}

}  // namespace

std::optional<RedactionKind> judge(const Line& line, std::size_t i, const Site& site) {
  const std::string_view value = line.textOf(site);
  if (const auto kind = protocolValue(line, i, site)) {
    return kind;
  }
  if (isNoValue(line, i, site, value)) {
    return std::nullopt;
  }
  if (const auto kind = byForm(line, i, site, value)) {
    return kind;
  }
  if (isIdOfProvider(line, i) || isIdOfSecret(line, i)) {
    return std::nullopt;
  }
  const Key key = keyOf(line, i);
  if (key.named()) {
    if (const Verdict verdict = byKey(line, i, site, value, key); verdict.decided) {
      return verdict.kind;
    }
  }
  const Token& token = line.tokens[i];
  const bool whole =
      token.kind == TokenKind::word && token.begin == site.begin && token.end == site.end;
  if (namesSomething(whole ? token.family : familyOf(value), value)) {
    return std::nullopt;
  }
  if (const auto kind = optionValue(line, i, value)) {
    return kind;
  }
  if (const auto kind = positional(line, i, site, value)) {
    return kind;
  }
  const bool sentence = key.named() && key.family == Family::none && key.sign == Sign::stated &&
                        (line.tokens[i].spaced || line.tokens[i - 1].sign == '[') &&
                        (line.brackets.empty() || line.tokens[i - 1].sign == '[');
  if (!key.named() || sentence) {
    if (const auto kind = inProse(line, i, site, value)) {
      return kind;
    }
  }
  if ((site.quoted || key.named()) && isShownPassword(line, site, value)) {
    return RedactionKind::opaque;
  }
  return byLooks(line, i, site, value);
}

}  // namespace auth_errors::domain
