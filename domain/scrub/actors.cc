#include "domain/scrub/actors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "domain/scrub/text.h"
#include "domain/values/ip_address.h"
#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

// Words found in every trace, and the placeholder users of common frameworks.
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

bool isOnlyLetters(std::string_view text) { return std::ranges::all_of(text, isLetter); }

bool isTokenChar(char c) { return isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

bool isWholeToken(std::string_view text, std::size_t begin, std::size_t end) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const char previous = begin > 0 ? text[begin - 1] : '\0';
  const char next = at(end);
  // An escape before the token (%20, \n, \u0027) leaves its letters directly in front of it.
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

// Equivalent to text.find, but searches for the identifier's rarest-looking byte: lower-case
// letters are frequent in a trace, digits and signs are not.
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

// Length of the colon at `at`, or 0. The colon is percent-encoded in a URL's address.
std::size_t colonAt(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == ':') {
    return 1;
  }
  return startsWithWord(text, at, "%3a") ? 3 : 0;
}

std::size_t colonBefore(std::string_view text, std::size_t at) {
  if (at >= 1 && text[at - 1] == ':') {
    return 1;
  }
  return at >= 3 && colonAt(text, at - 3) == 3 ? 3 : 0;
}

struct Part {
  std::size_t begin;
  std::size_t end;
};

// The hexadecimal digits, colons and dots around a colon, that is, every byte that can belong to an
// IPv6 address. The run does not extend left of `floor`.
Part addressRun(std::string_view text, std::size_t colon, std::size_t floor) {
  Part run{.begin = colon, .end = colon + colonAt(text, colon)};
  while (run.begin > floor) {
    const std::size_t length = colonBefore(text, run.begin);
    if (length == 0 && !isOf(text[run.begin - 1], kHexChar)) {
      break;
    }
    run.begin -= std::max<std::size_t>(length, 1);
  }
  run.begin = std::max(run.begin, floor);
  while (run.end < text.size()) {
    const std::size_t length = colonAt(text, run.end);
    if (length == 0 && !isOf(text[run.end], kHexChar) && text[run.end] != '.') {
      break;
    }
    run.end += std::max<std::size_t>(length, 1);
  }
  return run;
}

// Longer than any spelling of an address with encoded colons and a delimiter at either end.
constexpr std::size_t kLongestAddressRun = 80;

// The run without punctuation, the end of a preceding word ("remote:", "%20") and the start of a
// following one.
Part withoutNeighbours(std::string_view text, Part run) {
  std::size_t word = run.begin;
  while (word > 0 && isTokenChar(text[word - 1])) {
    --word;
  }
  const std::size_t start = afterEscape({.text = text}, word);
  if (start > run.begin) {
    run.begin = std::min(start, run.end);
  } else if (start < run.begin) {
    while (run.begin < run.end && colonAt(text, run.begin) == 0) {
      ++run.begin;
    }
  }
  if (const std::size_t length = colonAt(text, run.begin);
      length > 0 && colonAt(text, run.begin + length) == 0) {
    run.begin += length;
  }
  if (run.end < text.size() && isTokenChar(text[run.end])) {
    while (run.end > run.begin && isOf(text[run.end - 1], kHexChar) &&
           colonBefore(text, run.end) == 0) {
      --run.end;
    }
  }
  while (run.end > run.begin) {
    const std::size_t length = colonBefore(text, run.end);
    if (text[run.end - 1] == '.') {
      --run.end;
    } else if (length > 0 && colonBefore(text, run.end - length) == 0) {
      run.end -= length;
    } else {
      break;
    }
  }
  run.end = std::max(run.begin, run.end);
  return run;
}

std::optional<IpAddress> addressIn(std::string_view text, Part part) {
  std::string spelt;
  for (std::size_t at = part.begin; at < part.end;) {
    const std::size_t colon = colonAt(text, at);
    spelt += colon > 0 ? ':' : text[at];
    at += std::max<std::size_t>(colon, 1);
  }
  return IpAddress::parse(spelt);
}

// "Login.java:42": a run with one colon and no dot holds no address.
bool mayHoldAddress(std::string_view run) {
  const auto colons = std::ranges::count_if(run, [](char c) { return c == ':' || c == '%'; });
  return colons > 1 || run.contains('.');
}

// The address in the run around a colon, without a port or a word that follows it.
std::optional<Part> ipV6Around(std::string_view text, Part run, const IpAddress& address) {
  if (run.end - run.begin > kLongestAddressRun ||
      !mayHoldAddress(text.substr(run.begin, run.end - run.begin))) {
    return std::nullopt;
  }
  Part part = withoutNeighbours(text, run);
  const auto whole = addressIn(text, part);
  if (whole == address) {
    return part;
  }
  const std::size_t last = text.substr(0, part.end).find_last_not_of("0123456789abcdefABCDEF");
  if (last == std::string_view::npos || last <= part.begin) {
    return std::nullopt;
  }
  // 2001:db8::1:49152 is more likely an address with a port than a neighbour of 2001:db8::1.
  constexpr std::size_t kShortestPort = 4;
  const std::string_view tail = text.substr(last + 1, part.end - last - 1);
  if (whole && (tail.size() < kShortestPort || !std::ranges::all_of(tail, isDigit))) {
    return std::nullopt;
  }
  part = withoutNeighbours(text, {.begin = part.begin, .end = last});
  return addressIn(text, part) == address ? std::optional(part) : std::nullopt;
}

// True if the part holds all four numbers of an address: false for 10.0.0.1 within 10.0.0.12,
// 110.0.0.1, 1.10.0.0.1 or v10.0.0.1.
bool isWholeIpV4(std::string_view text, Part part) {
  std::size_t word = part.begin;
  while (word > 0 && isTokenChar(text[word - 1])) {
    --word;
  }
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const bool goesOnBefore =
      part.begin >= 2 && text[part.begin - 1] == '.' && isDigit(text[part.begin - 2]);
  const bool goesOnBehind = at(part.end) == '.' && isDigit(at(part.end + 1));
  return afterEscape({.text = text}, word) == part.begin && !isTokenChar(at(part.end)) &&
         !goesOnBefore && !goesOnBehind;
}

// Finds the next spelling of the address at or after `from`.
class AddressSearch {
 public:
  AddressSearch(std::string_view text, const IpAddress& address)
      : text_(text), address_(address), dotted_(address.isIpV4() ? address.text() : "") {
    plain_ = std::min(text_.find(':'), text_.size());
    encoded_ = std::min(text_.find('%'), text_.size());
  }

  std::optional<Part> next(std::size_t from) {
    const auto v6 = nextIpV6(from);
    const auto v4 = nextIpV4(from);
    // ::ffff:192.0.2.7 matches both and begins as an IPv6 address.
    return v6 && (!v4 || v6->begin <= v4->begin) ? v6 : v4;
  }

 private:
  std::optional<Part> nextIpV6(std::size_t from) {
    if (ipV6_ && ipV6_->begin >= from) {
      return ipV6_;
    }
    searched_ = std::max(searched_, from);
    ipV6_.reset();
    while (!ipV6_) {
      const std::size_t colon = nextColon(searched_);
      if (colon == text_.size()) {
        searched_ = colon;
        break;
      }
      const Part run = addressRun(text_, colon, searched_);
      searched_ = run.end;
      ipV6_ = ipV6Around(text_, run, address_);
    }
    return ipV6_;
  }

  std::optional<Part> nextIpV4(std::size_t from) {
    if (ipV4_ && ipV4_->begin >= from) {
      return ipV4_;
    }
    ipV4_.reset();
    std::size_t at = std::max(from, searchedIpV4_);
    while (!dotted_.empty() && !ipV4_ && at < text_.size()) {
      at = text_.find(dotted_, at);
      if (at == std::string_view::npos) {
        at = text_.size();
        break;
      }
      const Part part{.begin = at, .end = at + dotted_.size()};
      at = part.end;
      if (isWholeIpV4(text_, part)) {
        ipV4_ = part;
      }
    }
    searchedIpV4_ = at;
    return ipV4_;
  }

  // Each byte is examined once for a plain colon and once for an encoded one.
  std::size_t nextColon(std::size_t from) {
    if (plain_ < from) {
      plain_ = std::min(text_.find(':', from), text_.size());
    }
    while (encoded_ < from || (encoded_ < text_.size() && colonAt(text_, encoded_) == 0)) {
      encoded_ = std::min(text_.find('%', std::max(from, encoded_ + 1)), text_.size());
    }
    return std::min(plain_, encoded_);
  }

  std::string_view text_;
  const IpAddress& address_;
  std::string dotted_;
  std::size_t plain_ = 0;
  std::size_t encoded_ = 0;
  std::size_t searched_ = 0;
  std::size_t searchedIpV4_ = 0;
  std::optional<Part> ipV6_;
  std::optional<Part> ipV4_;
};

bool redactAddress(ScrubbedFront& target, std::string_view identifier, RedactionCounts& counts) {
  const auto address = IpAddress::parse(identifier);
  if (!address || address->isLoopback() || address->isUnspecified()) {
    return false;
  }
  Rewriting rewriting(target);
  AddressSearch search(target.text, *address);
  for (auto found = search.next(0); found; found = search.next(found->end)) {
    rewriting.replace(found->begin, found->end, RedactionKind::clientIp, counts);
  }
  return rewriting.finish();
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
  if (kind == RedactionKind::clientIp) {
    return redactAddress(target, identifier, counts);
  }
  if (!isTellingIdentifier(identifier)) {
    return false;
  }
  const std::string_view text = target.text;
  Rewriting rewriting(target);
  std::size_t searched = 0;
  // Markers are skipped by moving from the '[' of one to the '[' of the next.
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
