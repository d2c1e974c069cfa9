#include "domain/scrub/harmless.h"

#include <algorithm>
#include <array>

#include "domain/scrub/families.h"
#include "domain/scrub/text.h"
#include "domain/scrub/word_set.h"

namespace auth_errors::domain {
namespace {

constexpr WordSet kHarmless(std::to_array<std::string_view>({
    "null",     "nil",       "none",        "undefined",  "true",       "false",     "empty",
    "n/a",      "?",         "{}",          "[]",         "%s",         "...",       "hidden",
    "masked",   "protected", "filtered",    "redacted",   "removed",    "omitted",   "[hidden]",
    "[masked]", "(masked)",  "[protected]", "[filtered]", "[redacted]", "[removed]", "[omitted]",
    "array",    "some(_)",   "(null)",      "(none)",     "(sensitive", "sensitive", "_",
    "(hidden)", "(unknown)", "(redacted)",
}));

// A single repeated character: "***", "xxxx", "••••". *password* and the long mask come from wget
// and Ansible.
bool isWholeMask(std::string_view value) {
  if (std::ranges::all_of(value, [](char c) { return c == '*'; }) || value == "*password*" ||
      value == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER") {
    return true;
  }
  if (value.size() >= 4 && std::ranges::all_of(value, [](char c) { return toLower(c) == 'x'; })) {
    return true;
  }
  return std::ranges::any_of(std::to_array<std::string_view>({"•", "█"}),
                             [&](std::string_view sign) {
                               std::string_view rest = value;
                               while (rest.starts_with(sign)) {
                                 rest.remove_prefix(sign.size());
                               }
                               return rest.empty();
                             });
}

// A longer value is not a mask; the limit also avoids rereading it from the next label on.
bool isMask(std::string_view value) {
  constexpr std::size_t kLongest = 64;
  return isWholeMask(value) ||
         (value.size() <= kLongest && (value.starts_with("****") || value.starts_with("$__")));
}

bool isPlaceholder(std::string_view value) {
  const auto isName = [](std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char c) {
      return isAlnum(c) || c == '_' || c == '-' || c == '.' || c == ' ';
    });
  };
  if (value.size() < 2) {
    return false;
  }
  if (value.front() == '<' && value.back() == '>') {
    return isName(value.substr(1, value.size() - 2));
  }
  // ${NAME:?must be set}, truncated at the blank.
  if (value.starts_with("${") && value.find_first_of(":-") != std::string_view::npos) {
    return isName(value.substr(2, value.find_first_of(":-") - 2));
  }
  if (value.starts_with("${") && value.back() == '}') {
    return isName(value.substr(2, value.size() - 3));
  }
  if (value.starts_with("{{") && value.ends_with("}}") && value.size() >= 4) {
    return isName(value.substr(2, value.size() - 4));
  }
  // A statement parameter: $1, @p1, $password, :token.
  const std::string_view name = value.substr(1);
  if (value.front() != '$' && value.front() != '@' && value.front() != ':') {
    return false;
  }
  const bool numbered = allOf(name.substr(name.front() == 'p' ? 1 : 0), kDigitChar);
  return (numbered && name.size() <= 3) || announcesSecret(familyOf(name));
}

constexpr WordSet kProse(std::to_array<std::string_view>({
    "a",          "access",       "accepted",     "after",
    "algorithm",  "already",      "an",           "and",
    "any",        "are",          "as",           "at",
    "attempt",    "attempts",     "auth",         "authentication",
    "bad",        "based",        "be",           "before",
    "blank",      "bool",         "boolean",      "but",
    "by",         "bytes",        "can",          "can't",
    "cannot",     "change",       "changed",      "check",
    "contain",    "contains",     "could",        "credentials",
    "did",        "different",    "disabled",     "do",
    "does",       "doesn't",      "don't",        "empty",
    "enabled",    "encoded",      "encoder",      "error",
    "exceeded",   "exception",    "expected",     "expired",
    "expires",    "failed",       "failure",      "fatal",
    "field",      "for",          "format",       "found",
    "from",       "given",        "had",          "has",
    "hash",       "hashing",      "have",         "header",
    "if",         "in",           "incorrect",    "int",
    "invalid",    "is",           "it",           "issued",
    "length",     "locked",       "login",        "long",
    "malformed",  "match",        "matches",      "may",
    "mismatch",   "mismatched",   "missing",      "must",
    "need",       "needed",       "needs",        "new",
    "no",         "not",          "object",       "of",
    "ok",         "old",          "on",           "only",
    "optional",   "or",           "parameter",    "please",
    "policy",     "present",      "provided",     "rejected",
    "required",   "reset",        "revoked",      "set",
    "short",      "should",       "size",         "str",
    "string",     "supplied",     "supported",    "that",
    "the",        "this",         "to",           "token",
    "too",        "type",         "unauthorized", "unexpected",
    "unknown",    "unset",        "unsupported",  "updated",
    "used",       "user",         "username",     "validation",
    "value",      "verification", "warning",      "was",
    "weak",       "were",         "when",         "will",
    "with",       "without",      "yes",          "argon2",
    "argon2id",   "base64",       "bcrypt",       "denied",
    "forbidden",  "granted",      "oauth2",       "pbkdf2",
    "scrypt",     "sha1",         "sha256",       "sha512",
    "utf8",       "wrong",        "you",          "your",
    "path",       "minimum",      "maximum",      "min",
    "max",        "correcta",     "correcto",     "correcte",
    "richtig",    "korrekt",      "valide",       "via",
    "into",       "while",        "since",        "account",
    "permission", "connection",   "request",      "retrieving",
    "validating", "loading",      "reading",      "local",
    "edit",       "show",         "incorrecte",   "nieprawidłowe",
    "incorrecta", "incorrecto",   "falsch",       "ungültig",
    "inválida",   "inválido",     "errata",       "errato",
    "expirée",    "abgelaufen",   "requis",       "leer",
    "vide",       "zu",           "trop",         "nicht",
    "muss",       "pas",          "doit",         "debe",
    "deve",       "compromised",
}));

}  // namespace

bool isMasked(std::string_view value) {
  if (value.empty()) {
    return false;
  }
  const bool closed = value.back() == '}' || value.back() == '>' ||
                      (value.front() == '$' && !value.starts_with("${"));
  return isWholeMask(value) || (closed && isPlaceholder(value));
}

bool isHarmlessValue(std::string_view value) {
  constexpr std::size_t kMaxHarmless = 48;
  if (value.empty()) {
    return true;
  }
  if (isMask(value)) {
    return true;
  }
  // ["REDACTED"]
  if (value.size() > 2 && isOf(value.front(), kQuoteChar) && value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  // **redacted**
  while (value.starts_with('*') && value.ends_with('*') && value.size() >= 2) {
    value = value.substr(1, value.size() - 2);
  }
  // …b7f20c1, ...4f2a: the end of a value that a program truncated.
  constexpr std::size_t kLongestRest = 12;
  if (value.size() <= kLongestRest && (value.starts_with("…") || value.starts_with("..."))) {
    return true;
  }
  // Some(RefreshToken([redacted])): a wrapper around a mask.
  constexpr std::size_t kLongestWrapper = 64;
  if (value.size() <= kLongestWrapper && value.ends_with(')')) {
    const std::size_t open = value.rfind('(');
    if (open != std::string_view::npos && open > 0 &&
        kHarmless.contains(value.substr(open + 1, value.find(')', open) - open - 1))) {
      return true;
    }
  }
  if (value.size() > kMaxHarmless) {
    return false;
  }
  // A memory address.
  constexpr std::size_t kLongestAddress = 18;
  if (value.starts_with("0x") && value.size() <= kLongestAddress &&
      allOf(value.substr(2), kHexChar)) {
    return true;
  }
  return isPlaceholder(value) || kHarmless.containsInAnyCase(value);
}

bool isProseWord(std::string_view value) {
  while (!value.empty() && (value.back() == '.' || value.back() == ',' || value.back() == ':' ||
                            value.back() == ';' || value.back() == '!' || value.back() == '?')) {
    value.remove_suffix(1);
  }
  // "password: java.lang.IllegalArgumentException: …", "OAuth2::Error"
  constexpr std::size_t kLongestClass = 128;
  if (value.size() <= kLongestClass && (value.ends_with("Exception") || value.ends_with("Error"))) {
    return true;
  }
  return kProse.containsInAnyCase(value);
}

}  // namespace auth_errors::domain
