// Secrets identified by position instead of a label: arguments of calls in a trace, values of SQL
// statements, and path segments.
#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>

#include "domain/scrub/harmless.h"
#include "domain/scrub/secret_detectors.h"
#include "domain/scrub/secret_labels.h"

namespace auth_errors::domain {
namespace {

struct CallName {
  std::string_view name;
  std::size_t firstSecret;  // index of the first string literal that is a secret
};

constexpr auto kCalls = std::to_array<CallName>({
    {"ftp_login", 3},
    {"login", 2},
    {"signin", 2},
    {"authenticate", 2},
    {"attempt", 2},
    {"basicauth", 2},
    {"setbasicauth", 2},
    {"ldap_bind", 3},
    {"mysqli_connect", 3},
    {"mysqli->__construct", 3},
    {"mysqli::__construct", 3},
    {"pdo->__construct", 3},
    {"pdo::__construct", 3},
    {"getconnection", 3},
    {"password_verify", 1},
    {"password_hash", 1},
    {"hash_equals", 1},
    {"checkpw", 1},
    {"hashpw", 1},
});

// Bit sets of the calls, by the last letter of their name.
constexpr auto kCallsOfLetter = [] {
  static_assert(kCalls.size() <= 32);
  std::array<std::uint32_t, 256> calls{};
  for (std::size_t i = 0; i < kCalls.size(); ++i) {
    calls[static_cast<unsigned char>(kCalls[i].name.back())] |= 1U << i;
  }
  return calls;
}();

std::uint32_t callsEndingLike(char last) {
  return kCallsOfLetter[static_cast<unsigned char>(toLower(last))];
}

// The span from the inside of the first literal among the arguments, starting with number `first`,
// to the end of the last literal before the ')'. All literals begin before `limit`.
std::optional<Spot> literalsOf(std::string_view text, std::size_t at, std::size_t limit,
                               std::size_t first) {
  std::optional<Spot> found;
  std::size_t argument = 1;
  while (at < std::min(text.size(), limit) && text[at] != ')' && text[at] != '\n') {
    const std::size_t quote = quoteLengthAt(text, at);
    if (quote == 0) {
      argument += text[at] == ',' ? 1U : 0U;
      ++at;
      continue;
    }
    const std::size_t end = quotedValueEnd(text, at, quote);
    if (argument >= first) {
      found = Spot{.begin = found ? found->begin : at + quote, .end = end};
    }
    at = end + std::max<std::size_t>(quoteLengthAt(text, end), 1);
  }
  return found;
}

// getPassword("db") looks up a secret by its name.
bool asksByName(std::string_view name) {
  const std::size_t member = name.rfind('.');
  const std::string_view last = name.substr(member == std::string_view::npos ? 0 : member + 1);
  constexpr auto kVerbs = std::to_array<std::string_view>(
      {"get", "find", "load", "fetch", "read", "lookup", "has", "is", "resolve", "require"});
  return std::ranges::any_of(kVerbs,
                             [&](std::string_view verb) { return startsWithWord(last, 0, verb); });
}

// Number of the first argument that is a secret in the call at the spot; 0 if it takes none.
std::size_t firstSecretOf(const Scan& scan, Spot word) {
  for (std::uint32_t calls = callsEndingLike(scan.text[word.end - 1]); calls != 0;
       calls &= calls - 1) {
    const CallName& call = kCalls[static_cast<std::size_t>(std::countr_zero(calls))];
    const std::size_t begin = word.end - std::min(word.end - scan.floor, call.name.size());
    if (equalsWord(scan.text.substr(begin, word.end - begin), call.name) &&
        !isAlnum(scan.before(begin))) {
      return call.firstSecret;
    }
  }
  const Label* label = labelEndingAt(scan, word);
  if (label == nullptr || label->kind != RedactionKind::password ||
      label->policy != LabelPolicy::chosen) {
    return 0;
  }
  const std::size_t nameAt = labelBegin(scan, word);
  return asksByName(scan.text.substr(nameAt, word.end - nameAt)) ? 0 : 1;
}

std::optional<Match> passwordMatch(std::string_view text, Spot spot) {
  if (spot.begin >= spot.end || markerLengthAt(text, spot.begin) != 0 ||
      isHarmlessValue(text.substr(spot.begin, spot.end - spot.begin))) {
    return std::nullopt;
  }
  return Match{.begin = spot.begin, .end = spot.end, .kind = RedactionKind::password};
}

// The label of a secret among the columns `(a, b)` that end before `at`.
const Label* secretColumn(const Scan& scan, std::size_t at) {
  constexpr std::size_t kMaxColumns = 512;
  const std::size_t last = at - std::min(at - scan.floor, kMaxColumns);
  while (at > last && isOf(scan.text[at - 1], kSpaceChar)) {
    --at;
  }
  if (at == last || scan.text[at - 1] != ')') {
    return nullptr;
  }
  for (--at; at > last && scan.text[at - 1] != '(';) {
    std::size_t begin = at;
    while (begin > last && isAlnum(scan.text[begin - 1])) {
      --begin;
    }
    if (begin < at) {
      const Label* label = labelEndingAt(scan, {.begin = begin, .end = at});
      if (label != nullptr &&
          (label->policy == LabelPolicy::chosen || label->policy == LabelPolicy::generated)) {
        return label;
      }
    }
    at = begin < at ? begin : at - 1;
  }
  return nullptr;
}

struct Rows {
  std::size_t end;  // the last closing bracket, or the end of the text
  bool literals;    // more than placeholders: (?, ?), ($1, $2), (%(name)s)
};

constexpr std::size_t kMaxPlaceholders = 512;

// The rows `(…), (…)`, the first of which begins at `at`; a literal counts only within the first
// `maxPlaceholders` bytes.
Rows rowsFrom(std::string_view text, std::size_t at, char closing, std::size_t maxPlaceholders) {
  const std::size_t begin = at;
  bool literals = false;
  for (;;) {
    while (at < text.size() && text[at] != closing) {
      if (!literals && at - begin > maxPlaceholders) {
        return {.end = at, .literals = false};
      }
      const std::size_t quote = quoteLengthAt(text, at);
      if (quote == 0) {
        ++at;
        continue;
      }
      literals = true;
      const std::size_t end = quotedValueEnd(text, at, quote);
      at = std::min(end + std::max<std::size_t>(quoteLengthAt(text, end), 1), text.size());
    }
    const std::size_t comma = skipBlanks(text, at + 1);
    const std::size_t next = skipBlanks(text, comma + 1);
    if (next >= text.size() || text[comma] != ',' || text[next] != '(') {
      return {.end = at, .literals = literals};
    }
    at = next + 1;
  }
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return equalsWord(name, word); });
}

[[gnu::noinline]] std::optional<Match> argumentOf(const Scan& scan, Spot word) {
  constexpr std::size_t kMaxCall = 256;
  const std::size_t first = firstSecretOf(scan, word);
  // INVALID_CREDENTIALS({'result': 49}): a document.
  if (first == 0 || scan.at(word.end + 1) == '{') {
    return std::nullopt;
  }
  const auto literals = literalsOf(scan.text, word.end + 1, word.end + kMaxCall, first);
  return literals ? passwordMatch(scan.text, *literals) : std::nullopt;
}

}  // namespace

std::optional<Match> detectCall(const Scan& scan, Spot word) {
  return callsEndingLike(scan.text[word.end - 1]) != 0 || mayEndLabel(scan.text, word)
             ? argumentOf(scan, word)
             : std::nullopt;
}

// IDENTIFIED BY 'x', IDENTIFIED WITH plugin BY 'x'; Oracle accepts it unquoted.
std::optional<Match> detectIdentifiedBy(const Scan& scan, Spot word) {
  const std::string_view text = scan.text;
  if (!equalsWord(text.substr(word.begin, word.end - word.begin), "identified")) {
    return std::nullopt;
  }
  constexpr std::size_t kMaxPlugin = 64;
  std::size_t at = skipBlanks(text, word.end);
  if (startsWithWord(text, at, "with ")) {
    at = skipBlanks(text, at + 5);
    at += quoteLengthAt(text, at);
    at = runEnd(text, at, kBase64UrlChar, kMaxPlugin);
    at = skipBlanks(text, at + quoteLengthAt(text, at));
  }
  if (!startsWithWord(text, at, "by ") && !startsWithWord(text, at, "as ")) {
    return std::nullopt;
  }
  at = skipBlanks(text, at + 3);
  if (startsWithWord(text, at, "password ")) {
    at = skipBlanks(text, at + 9);
  }
  if (const std::size_t quote = quoteLengthAt(text, at); quote != 0) {
    return passwordMatch(text, {.begin = at + quote, .end = quotedValueEnd(text, at, quote)});
  }
  const bool statement = isOf(text[word.begin + 1], kUpperChar);
  return statement ? passwordMatch(text, {.begin = at, .end = unquotedValueEnd(text, at, false)})
                   : std::nullopt;
}

// INSERT INTO users (name, password) VALUES ('bob', 'x'), the parameters logged after such a
// statement, and PostgreSQL's "Failing row contains (…)". All values are redacted: the position of
// the secret is unknown or not worth counting.
std::optional<Match> detectInsertedRow(const Scan& scan, Spot word) {
  const std::string_view text = scan.text;
  const std::string_view name = text.substr(word.begin, word.end - word.begin);
  std::size_t open = skipBlanks(text, word.end);
  RedactionKind kind = RedactionKind::secret;
  bool wholeRow = false;
  char closing = ')';
  if (isOneOf(name, {"values"})) {
    const Label* column = secretColumn(scan, word.begin);
    if (column == nullptr) {
      return std::nullopt;
    }
    kind = column->kind;
  } else if (isOneOf(name, {"parameters", "params", "bindings"}) && scan.at(open) == ':') {
    const Label* column = labelNearBefore(scan, word.begin);
    if (column == nullptr) {
      return std::nullopt;
    }
    open = skipBlanks(text, open + 1);
    kind = column->kind;
    closing = scan.at(open) == '[' ? ']' : ')';
  } else if (isOneOf(name, {"contains"}) && word.begin >= scan.floor + 4 &&
             text.substr(word.begin - 4, 4) == "row ") {
    wholeRow = true;
  } else {
    return std::nullopt;
  }
  if (scan.at(open) != (closing == ']' ? '[' : '(') || markerLengthAt(text, open) != 0 ||
      markerLengthAt(text, open + 1) != 0) {
    return std::nullopt;
  }
  const Rows rows =
      rowsFrom(text, open + 1, closing, wholeRow ? std::string_view::npos : kMaxPlaceholders);
  if (rows.end == open + 1 || (!wholeRow && !rows.literals)) {
    return std::nullopt;
  }
  return Match{.begin = open + 1, .end = rows.end, .kind = kind};
}

// Begin of the last segment of a webhook's path, /services/T02AB/B77CD/x, which grants permission
// to post. npos for any other path.
std::size_t webhookSegment(const Scan& scan, Spot word) {
  constexpr auto kNames = std::to_array<std::string_view>({"services", "hooks", "webhooks"});
  constexpr std::size_t kMostSegments = 3;
  constexpr std::size_t kLongestSegment = 32;
  if (std::ranges::none_of(kNames, [&](std::string_view name) {
        return equalsWord(scan.text.substr(word.begin, word.end - word.begin), name);
      })) {
    return std::string_view::npos;
  }
  std::size_t begin = word.end + 1;
  for (std::size_t segment = 1; segment < kMostSegments; ++segment) {
    const std::size_t end = runEnd(scan.text, begin, kBase64UrlChar, kLongestSegment);
    if (scan.at(end) != '/' ||
        !std::ranges::any_of(scan.text.substr(begin, end - begin), isDigit)) {
      break;
    }
    begin = end + 1;
  }
  return begin == word.end + 1 ? std::string_view::npos : begin;
}

// /reset-password/3f2a1b4c…: links mailed to a person.
std::optional<Match> detectPathToken(const Scan& scan, Spot word) {
  constexpr auto kSegments = std::to_array<std::string_view>(
      {"password", "token", "reset", "magic", "verify", "verification", "activate", "activation",
       "confirm", "confirmation", "invite", "invitation", "unsubscribe"});
  constexpr std::string_view kMagicLink = "magic-link";
  const std::string_view name = scan.text.substr(word.begin, word.end - word.begin);
  const bool magicLink = word.end >= scan.floor + kMagicLink.size() &&
                         scan.text.substr(0, word.end).ends_with(kMagicLink);
  const std::size_t hook = webhookSegment(scan, word);
  if (hook == std::string_view::npos && !magicLink &&
      std::ranges::none_of(kSegments,
                           [&](std::string_view segment) { return equalsWord(name, segment); })) {
    return std::nullopt;
  }
  constexpr std::size_t kShortest = 16;
  constexpr std::size_t kFront = 256;
  const std::size_t begin = hook == std::string_view::npos ? word.end + 1 : hook;
  const std::size_t front = runEnd(scan.text, begin, kBase64UrlChar, kFront);
  const char behind = scan.at(front);
  if (behind == '.' || !looksRandom(scan.text.substr(begin, front - begin), kShortest)) {
    return std::nullopt;
  }
  return Match{.begin = begin,
               .end = runEnd(scan.text, front, kBase64UrlChar),
               .kind = RedactionKind::token};
}

}  // namespace auth_errors::domain
