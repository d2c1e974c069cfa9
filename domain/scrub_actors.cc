#include "domain/scrub_actors.h"

#include <algorithm>
#include <array>

#include "domain/scrub_text.h"
#include "domain/utf8.h"

namespace auth_errors::domain {
namespace {

// Words of every trace and every framework's placeholder users.
constexpr auto kCommonWords = std::to_array<std::string_view>({
    "account",   "admin",     "administrator", "anonymous", "anonymoususer", "application",
    "auth",      "caused",    "class",         "client",    "default",       "error",
    "exception", "false",     "filter",        "guest",     "http",          "https",
    "internal",  "java",      "localhost",     "login",     "main",          "message",
    "method",    "none",      "null",          "password",  "redacted",      "request",
    "response",  "root",      "secret",        "security",  "server",        "service",
    "session",   "system",    "test",          "tester",    "thread",        "token",
    "true",      "undefined", "unknown",       "user",      "username",      "users",
});

constexpr bool isLetter(char c) { return isOf(c, kUpperChar | kLowerChar); }

bool isOnlyLetters(std::string_view text) { return std::ranges::all_of(text, isLetter); }

bool isTokenChar(char c) { return isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

bool isWholeToken(std::string_view text, std::size_t begin, std::size_t end) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const char previous = begin > 0 ? text[begin - 1] : '\0';
  const char next = at(end);
  // An escape before it (%20, \n, \u0027) leaves its letters in front of the token.
  const auto followsEscape = [&](std::size_t length, char mark) {
    return begin >= length && text[begin - length] == mark;
  };
  const bool escaped = followsEscape(3, '%') || (followsEscape(2, '\\') && !isDigit(previous)) ||
                       (followsEscape(6, '\\') && text[begin - 5] == 'u');
  if (isTokenChar(text[begin]) && isTokenChar(previous) && !escaped) {
    return false;
  }
  if (isTokenChar(text[end - 1]) && isTokenChar(next)) {
    return false;
  }
  const bool dottedName = (previous == '.' && begin > 1 && isAlnum(text[begin - 2])) ||
                          (next == '.' && isAlnum(at(end + 1))) || previous == '$' || next == '$';
  return !dottedName || !isOnlyLetters(text.substr(begin, end - begin));
}

// Like text.find, but by the identifier's rarest-looking byte: lower-case letters are all over a
// trace, digits and signs are not.
std::size_t findIdentifier(std::string_view text, std::string_view identifier, std::size_t from) {
  const auto* const rare = std::ranges::find_if_not(identifier, isLetter);
  const auto offset = rare == identifier.end()
                          ? std::size_t{0}
                          : static_cast<std::size_t>(rare - identifier.begin());
  for (std::size_t at = text.find(identifier[offset], from + offset); at != std::string_view::npos;
       at = text.find(identifier[offset], at + 1)) {
    if (text.substr(at - offset).starts_with(identifier)) {
      return at - offset;
    }
  }
  return std::string_view::npos;
}

}  // namespace

bool isTellingIdentifier(std::string_view identifier) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kShortestNumber = 6;
  if (countCodePoints(identifier) < kShortest || std::ranges::none_of(identifier, isTokenChar)) {
    return false;
  }
  if (std::ranges::all_of(identifier, isDigit)) {
    return identifier.size() >= kShortestNumber;
  }
  return std::ranges::none_of(kCommonWords,
                              [&](std::string_view word) { return equalsWord(identifier, word); });
}

bool redactIdentifier(ScrubbedFront& target, std::string_view identifier, RedactionKind kind,
                      RedactionCounts& counts) {
  if (!isTellingIdentifier(identifier)) {
    return false;
  }
  const std::string_view text = target.text;
  Rewriting rewriting(target);
  std::size_t searched = 0;
  // Markers are passed over by walking from one '[' of theirs to the next.
  std::size_t marker = text.find("[redacted:");
  for (;;) {
    const std::size_t at = findIdentifier(text, identifier, searched);
    if (at == std::string::npos) {
      break;
    }
    std::size_t markerEnd = 0;
    while (marker < at + identifier.size()) {
      const std::size_t length = markerLengthAt(text, marker);
      markerEnd = std::max(markerEnd, marker + length);
      if (marker + length > at && length > 0) {
        break;
      }
      marker = text.find("[redacted:", marker + 1);
    }
    if (markerEnd > at) {
      searched = markerEnd;
      continue;
    }
    if (!isWholeToken(text, at, at + identifier.size())) {
      searched = at + 1;
      continue;
    }
    rewriting.replace(at, at + identifier.size(), kind, counts);
    searched = rewriting.written();
  }
  return rewriting.finish();
}

}  // namespace auth_errors::domain
