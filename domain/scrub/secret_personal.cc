// What points to a person or opens an account by itself: e-mail addresses, URL userinfo, card
// numbers.
#include <algorithm>
#include <array>

#include "domain/scrub/harmless.h"
#include "domain/scrub/secret_detectors.h"
#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

bool isLocalPart(char c) {
  constexpr std::string_view kSigns = "._+'-~!#$*/^|";
  return isAlnum(c) || kSigns.contains(c) || static_cast<unsigned char>(c) >= 0x80;
}

// Begin of the local part before `at`; `at` itself if there is none.
std::size_t localPartBegin(const Scan& scan, std::size_t at) {
  constexpr std::size_t kMaxLocalPart = 64;
  std::size_t begin = at;
  while (at - begin < kMaxLocalPart && begin > scan.floor && isLocalPart(scan.before(begin))) {
    --begin;
  }
  while (begin < at && isContinuationByte(scan.text[begin])) {
    ++begin;
  }
  // %20bob, \nbob: the escape is not part of the name.
  begin = std::min(afterEscape(scan, begin), at);
  constexpr std::string_view kNeverFirst = ".'/-!#*|$";
  // A path before it (/users/bob@…) stays readable.
  const std::size_t slash = scan.text.substr(begin, at - begin).rfind('/');
  if (slash != std::string_view::npos) {
    begin += slash + 1;
  }
  while (begin < at && kNeverFirst.contains(scan.text[begin])) {
    ++begin;
  }
  return begin;
}

bool isDomainChar(char c) {
  return isAlnum(c) || c == '-' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool isTopLevel(std::string_view label) {
  constexpr std::size_t kShortest = 2;
  constexpr std::size_t kLongest = 24;
  // icon@2x.png and the like are files.
  constexpr auto kFiles = std::to_array<std::string_view>(
      {"png", "jpg", "jpeg", "gif", "svg", "webp", "js", "css", "jar", "java", "html"});
  if (label.size() < kShortest || label.size() > kLongest ||
      std::ranges::find(kFiles, label) != kFiles.end()) {
    return false;
  }
  // Foo@1a2b.toString is an object, not an address.
  for (std::size_t i = 1; i < label.size(); ++i) {
    if (isOf(label[i], kUpperChar) && isOf(label[i - 1], kLowerChar)) {
      return false;
    }
  }
  return true;
}

// End of the domain that starts at `at`; `at` itself if it is none. The domain ends with the last
// label that can be a top-level one; letters of another script that follow it directly are the
// sentence's (bob@example.com으로), and so is a hyphen with what is behind it (bob@example.com-17).
std::size_t domainEnd(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxDomain = 255;
  const std::size_t limit = std::min(text.size(), at + kMaxDomain);
  std::size_t runStop = at;
  while (runStop < limit && isDomainChar(text[runStop])) {
    ++runStop;
  }
  std::size_t end = at;
  std::size_t labelAt = at;
  bool first = true;
  bool versionLike = false;
  while (labelAt < runStop) {
    const std::size_t labelEnd = std::min(text.substr(0, runStop).find('.', labelAt), runStop);
    if (labelEnd == labelAt || text[labelAt] == '-') {
      break;
    }
    if (first) {
      // express@4.18.2: a version.
      versionLike = allOf(text.substr(labelAt, labelEnd - labelAt), kDigitChar);
    } else {
      const std::size_t letters = runEnd(text, labelAt, kUpperChar | kLowerChar, limit - labelAt);
      const bool ascii = letters > labelAt;
      const bool wholeLabel = letters >= labelEnd || text[letters] == '-' ||
                              static_cast<unsigned char>(text[letters]) >= 0x80;
      if (ascii && wholeLabel && isTopLevel(text.substr(labelAt, letters - labelAt))) {
        end = letters;
      } else if (!ascii && static_cast<unsigned char>(text[labelAt]) >= 0x80) {
        end = labelEnd;
      }
    }
    first = false;
    labelAt = labelEnd + 1;
  }
  while (end > at && end < text.size() && isContinuationByte(text[end])) {
    --end;
  }
  return versionLike ? at : end;
}

// alice@CORP.EXAMPLE, HTTP/web.example.org@EXAMPLE.ORG: realms are written in capitals, as no
// address is. A principal is a login name.
bool isKerberosPrincipal(const Scan& scan, std::size_t begin, std::size_t at, std::size_t end) {
  const auto isLower = [](char c) { return isOf(c, kLowerChar); };
  const std::string_view realm = scan.text.substr(at + 1, end - at - 1);
  const std::string_view name = scan.text.substr(begin, at - begin);
  // WEB01$@CORP.LOCAL: a machine
  if (name.ends_with('$')) {
    return true;
  }
  return scan.text[at] == '@' && std::ranges::none_of(realm, isLower) &&
         (std::ranges::any_of(name, isLower) || scan.before(begin) == '/');
}

constexpr bool endsAuthority(char c) {
  return isOf(c, kSpaceChar | kQuoteChar) || c == '/' || c == '?' || c == '#' || c == '<' ||
         c == '>' || c == '\\';
}

// A password with an unencoded '/' or '#': looked for only when what follows the colon is no port.
std::size_t lenientAt(std::string_view text, std::size_t begin, std::size_t authorityEnd) {
  constexpr std::size_t kMaxUserinfo = 256;
  const std::size_t colon = text.substr(0, authorityEnd).find(':', begin);
  if (colon == std::string_view::npos || runEnd(text, colon + 1, kDigitChar) == authorityEnd ||
      text[begin] == '[') {
    return std::string_view::npos;
  }
  const std::size_t limit = std::min(text.size(), begin + kMaxUserinfo);
  for (std::size_t i = authorityEnd; i < limit; ++i) {
    if (isOf(text[i], kSpaceChar | kQuoteChar) || text[i] == '<' || text[i] == '>' ||
        (text[i] == '[' && markerLengthAt(text, i) != 0)) {
      break;
    }
    if (text[i] == '@') {
      return i;
    }
  }
  return std::string_view::npos;
}

// celery:**, app:xxxxx, app:${DB_PASSWORD}, ci:REDACTED
bool hasMaskedPassword(std::string_view userinfo) {
  const std::size_t colon = userinfo.find(':');
  return colon != std::string_view::npos &&
         (isMasked(userinfo.substr(colon + 1)) ||
          (isLetter(userinfo.back()) && isHarmlessValue(userinfo.substr(colon + 1)) &&
           allOf(userinfo.substr(colon + 1), kUpperChar | kLowerChar)));
}

// ssh://backup@: the name of an account, where no key stands before the host. `before` ends with
// the scheme.
bool isAccount(std::string_view before, std::string_view name) {
  constexpr auto kAccountSchemes = std::to_array<std::string_view>(
      {"ssh://", "git://", "sftp://", "ftp://", "ftps://", "rsync://"});
  constexpr std::size_t kLongest = 16;
  return name.size() <= kLongest && allOf(name, kLowerChar) &&
         std::ranges::any_of(kAccountSchemes,
                             [&](std::string_view scheme) { return before.ends_with(scheme); });
}

// git@host, ssh://backup@host, app:xxxxx@host, app:*password*@host: what stands before a host
// rather than an address.
bool isAccountOfHost(const Scan& scan, std::size_t begin, std::size_t end) {
  const std::string_view name = scan.text.substr(begin, end - begin);
  const std::string_view before = scan.text.substr(scan.floor, begin - scan.floor);
  return name == "git" || isAccount(before, name) || (before.ends_with(':') && isMasked(name)) ||
         (before.ends_with(":*") && name == "password*");
}

// user%3Apass%40host behind %3A%2F%2F
std::optional<Match> encodedUserinfo(const Scan& scan, std::size_t begin) {
  std::size_t end = begin;
  while (end < scan.text.size() && !endsAuthority(scan.text[end]) && scan.text[end] != '&' &&
         !startsWithWord(scan.text, end, "%26") && !startsWithWord(scan.text, end, "%2f") &&
         markerLengthAt(scan.text, end) == 0) {
    if (startsWithWord(scan.text, end, "%40") && end > begin) {
      return Match{.begin = begin, .end = end, .kind = RedactionKind::userinfo};
    }
    ++end;
  }
  return std::nullopt;
}

constexpr std::size_t kFewestCardDigits = 13;

struct CardDigits {
  std::array<char, 19> digits{};
  std::size_t count = 0;
  std::size_t end = 0;

  [[nodiscard]] unsigned prefix(std::size_t length) const {
    unsigned value = 0;
    for (std::size_t i = 0; i < length; ++i) {
      value = value * 10 + static_cast<unsigned>(digits[i] - '0');
    }
    return value;
  }
};

// 13 to 19 digits at a stretch, or in groups of 4-4-4-4(-3) or 4-6-5 by one kind of separator.
std::optional<CardDigits> readCardDigits(const Scan& scan, std::size_t at) {
  CardDigits card;
  std::array<std::size_t, 6> groups{};
  std::size_t groupCount = 0;
  char separator = '\0';
  for (;;) {
    const std::size_t groupEnd = runEnd(scan.text, at, kDigitChar, card.digits.size() + 1);
    const std::size_t length = groupEnd - at;
    if (length == 0 || card.count + length > card.digits.size() || groupCount == groups.size()) {
      return std::nullopt;
    }
    for (std::size_t i = at; i < groupEnd; ++i) {
      card.digits[card.count++] = scan.text[i];
    }
    groups[groupCount++] = length;
    card.end = groupEnd;
    const char next = scan.at(groupEnd);
    const bool goesOn = (next == ' ' || next == '-') && isDigit(scan.at(groupEnd + 1)) &&
                        (separator == '\0' || separator == next) && groups[0] == 4;
    const bool complete = groupCount > 1 && card.count >= 15 &&
                          (groups[groupCount - 1] != 4 || card.count >= 16) &&
                          runEnd(scan.text, groupEnd + 1, kDigitChar, 4) != groupEnd + 4;
    if (!goesOn || complete) {
      break;
    }
    separator = next;
    at = groupEnd + 1;
  }
  if (groupCount == 1) {
    return card.count >= kFewestCardDigits ? std::optional(card) : std::nullopt;
  }
  const bool fours = groupCount >= 4 && groups[1] == 4 && groups[2] == 4 && groups[3] == 4 &&
                     (groupCount == 4 || (groupCount == 5 && groups[4] <= 3));
  const bool amex = groupCount == 3 && groups[1] == 6 && groups[2] == 5;
  const bool diners = groupCount == 3 && groups[1] == 6 && groups[2] == 4;
  return fours || amex || diners ? std::optional(card) : std::nullopt;
}

// Ids and timestamps that happen to pass Luhn are left alone: the issuer must issue such numbers.
bool hasIssuer(const CardDigits& card) {
  const std::size_t count = card.count;
  const unsigned two = card.prefix(2);
  const unsigned four = card.prefix(4);
  const auto within = [](unsigned value, unsigned low, unsigned high) {
    return value >= low && value <= high;
  };
  if (card.digits[0] == '4') {
    return count == 13 || count == 16 || count == 19;
  }
  if (within(two, 51, 55) || within(four, 2221, 2720)) {
    return count == 16;
  }
  if (two == 34 || two == 37) {
    return count == 15;
  }
  if (two == 36 || two == 38 || two == 39 || within(four, 3000, 3059)) {
    return count == 14 || count == 16;
  }
  if (within(four, 3528, 3589) || four == 6011 || two == 65 || within(four, 6440, 6499) ||
      two == 62) {
    return count >= 16;
  }
  constexpr auto kMaestro =
      std::to_array<unsigned>({5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763});
  return std::ranges::find(kMaestro, four) != kMaestro.end();
}

bool passesLuhn(const CardDigits& card) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < card.count; ++i) {
    auto digit = static_cast<unsigned>(card.digits[card.count - 1 - i] - '0');
    if (i % 2 == 1) {
      digit *= 2;
      digit -= digit > 9 ? 9 : 0;
    }
    sum += digit;
  }
  return sum % 10 == 0;
}

bool isAllZero(const CardDigits& card) {
  return std::all_of(card.digits.begin() + 1,
                     card.digits.begin() + static_cast<std::ptrdiff_t>(card.count),
                     [](char c) { return c == '0'; });
}

}  // namespace

std::optional<Match> detectEmail(const Scan& scan, Spot mark) {
  std::size_t domainAt = mark.end;
  if (scan.text[mark.begin] == '%') {
    const std::string_view rest = scan.text.substr(mark.begin);
    if (!rest.starts_with("%40") && !rest.starts_with("%2540")) {
      return std::nullopt;
    }
    domainAt = mark.begin + (rest.starts_with("%40") ? 3 : 5);
  }
  const std::size_t begin = localPartBegin(scan, mark.begin);
  if (begin == mark.begin) {
    return std::nullopt;
  }
  const std::size_t end = domainEnd(scan.text, domainAt);
  if (end == domainAt || isKerberosPrincipal(scan, begin, mark.begin, end) ||
      isAccountOfHost(scan, begin, mark.begin)) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = end, .kind = RedactionKind::email};
}

std::optional<Match> detectUrlUserinfo(const Scan& scan, Spot mark) {
  const std::string_view text = scan.text;
  if (text[mark.begin] == '%') {
    constexpr std::string_view kEncoded = "%3a%2f%2f";
    return startsWithWord(text, mark.begin, kEncoded)
               ? encodedUserinfo(scan, mark.begin + kEncoded.size())
               : std::nullopt;
  }
  constexpr std::string_view kOpening = "://";
  if (!text.substr(mark.begin).starts_with(kOpening)) {
    return std::nullopt;
  }
  // pekko://cluster@10.4.2.8: the name of a system of actors
  const std::string_view scheme = text.substr(0, mark.begin);
  if (scheme.ends_with("akka") || scheme.ends_with("pekko")) {
    return std::nullopt;
  }
  const std::size_t begin = mark.begin + kOpening.size();
  std::size_t end = begin;
  std::size_t at = std::string_view::npos;
  while (end < text.size() && !endsAuthority(text[end]) &&
         (text[end] != '[' || markerLengthAt(text, end) == 0)) {
    if (text[end] == '@') {
      at = end;
    }
    ++end;
  }
  if (at == std::string_view::npos && end > begin) {
    at = lenientAt(text, begin, end);
  }
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view userinfo = text.substr(begin, at - begin);
  if (userinfo.empty() || isAccount(text.substr(0, begin), userinfo) ||
      hasMaskedPassword(userinfo)) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = at, .kind = RedactionKind::userinfo};
}

std::optional<Match> detectDriverUserinfo(const Scan& scan, Spot mark) {
  // user:password@tcp(host:3306)/name, as Go's drivers have it.
  constexpr std::size_t kMaxUserinfo = 128;
  const std::string_view rest = scan.text.substr(mark.end);
  // Oracle: user/password@//host:1521/service
  if (rest.starts_with("//")) {
    std::size_t begin = mark.begin;
    while (begin > scan.floor && mark.begin - begin < kMaxUserinfo && scan.text[begin - 1] != '/' &&
           !isOf(scan.text[begin - 1], kSpaceChar | kQuoteChar)) {
      --begin;
    }
    const bool user =
        begin > scan.floor + 1 && scan.text[begin - 1] == '/' && isAlnum(scan.text[begin - 2]);
    return user && begin < mark.begin && markerLengthAt(scan.text, begin) == 0 &&
                   scan.text[mark.begin - 1] != ']'
               ? std::optional(
                     Match{.begin = begin, .end = mark.begin, .kind = RedactionKind::userinfo})
               : std::nullopt;
  }
  if (!rest.starts_with("tcp(") && !rest.starts_with("unix(") && !rest.starts_with("tcp6(")) {
    return std::nullopt;
  }
  std::size_t begin = mark.begin;
  std::size_t colon = std::string_view::npos;
  while (begin > scan.floor && mark.begin - begin < kMaxUserinfo) {
    const char c = scan.text[begin - 1];
    if (isOf(c, kSpaceChar | kQuoteChar) || (c == '=' && colon != std::string_view::npos) ||
        c == ']') {
      break;
    }
    --begin;
    colon = c == ':' ? begin : colon;
  }
  while (begin < mark.begin && isContinuationByte(scan.text[begin])) {
    ++begin;
  }
  if (colon == std::string_view::npos || colon < begin || colon + 1 == mark.begin) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = mark.begin, .kind = RedactionKind::userinfo};
}

std::optional<Match> detectOracleUserinfo(const Scan& scan, Spot word) {
  // jdbc:oracle:thin:user/password@host
  constexpr std::size_t kMaxUserinfo = 128;
  const std::string_view driver = scan.text.substr(word.begin, word.end - word.begin);
  if ((driver != "thin" && driver != "oci") || scan.before(word.begin) != ':' ||
      scan.at(word.end) != ':') {
    return std::nullopt;
  }
  const std::size_t begin = word.end + 1;
  const std::string_view front = scan.text.substr(0, begin + kMaxUserinfo);
  const std::size_t end = front.find_first_of("@ \n\"'[", begin);
  if (end == std::string_view::npos || front[end] != '@' ||
      !front.substr(begin, end - begin).contains('/') || front[begin] == '/') {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = end, .kind = RedactionKind::userinfo};
}

std::optional<Match> detectCardNumber(const Scan& scan, Spot word) {
  constexpr std::size_t kGroup = 4;
  const std::size_t begin = afterEscape(scan, word.begin);
  if (word.end - begin != kGroup && word.end - begin < kFewestCardDigits) {
    return std::nullopt;
  }
  const char previous = scan.before(begin);
  const bool joined = previous == '.' || previous == '-' || previous == ',';
  const bool insideNumber = joined && isDigit(scan.before(begin - 1));
  // +49 …: a telephone.
  if (begin >= scan.text.size() || !isDigit(scan.text[begin]) || insideNumber || previous == '+') {
    return std::nullopt;
  }
  const auto card = readCardDigits(scan, begin);
  if (!card || !hasIssuer(*card) || isAllZero(*card) || !passesLuhn(*card)) {
    return std::nullopt;
  }
  const char next = scan.at(card->end);
  const char afterNext = scan.at(card->end + 1);
  const bool goesOn = isAlnum(next) || next == '_' || (next == '.' && isDigit(afterNext)) ||
                      (next == '-' && isAlnum(afterNext));
  if (goesOn) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = card->end, .kind = RedactionKind::card};
}

}  // namespace auth_errors::domain
