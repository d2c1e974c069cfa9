// Key material and password hashes: PEM blocks (with real or escaped newlines), crypt(3), LDAP and
// framework hashes.
#include <algorithm>
#include <array>

#include "domain/scrub/secret_detectors.h"

namespace auth_errors::domain {
namespace {

constexpr std::string_view kPemBegin = "-----BEGIN";
constexpr std::string_view kPemEnd = "-----END";
constexpr std::string_view kDashes = "-----";

// End of a PEM opening line, read from after "-----BEGIN": " RSA PRIVATE KEY-----", with blanks
// possibly encoded. npos if the line is something else.
std::size_t pemLineEnd(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxType = 64;
  const std::size_t last = std::min(text.size(), at + kMaxType);
  while (at < last && (isOf(text[at], kUpperChar | kDigitChar) || text[at] == ' ' ||
                       text[at] == '+' || text[at] == '%')) {
    ++at;
  }
  return text.substr(at).starts_with(kDashes) ? at + kDashes.size() : std::string_view::npos;
}

// Skips the separators between the lines of a block: newlines (real, escaped or encoded) and the
// characters that source code or a quoted mail adds around them.
std::size_t skipPemSeparators(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    const bool joins = c == '+' && at + 1 < text.size() && isOf(text[at + 1], kSpaceChar);
    if (isOf(c, kSpaceChar | kQuoteChar) || c == ',' || c == '|' || c == '>' || joins) {
      ++at;
    } else if (c == '\\') {
      ++at;
      if (at < text.size() && (text[at] == 'n' || text[at] == 'r' || text[at] == 't')) {
        ++at;
      }
    } else if (startsWithWord(text, at, "%0a") || startsWithWord(text, at, "%0d")) {
      at += 3;
    } else {
      break;
    }
  }
  return at;
}

// Skips a header such as "Proc-Type: 4,ENCRYPTED" up to the end of its line; returns `at` itself if
// there is none.
std::size_t skipPemHeader(std::string_view text, std::size_t at) {
  for (const std::string_view name : {"proc-type:", "dek-info:", "version:", "comment:"}) {
    if (startsWithWord(text, at, name)) {
      while (at < text.size() && text[at] != '\n' && text[at] != '\\') {
        ++at;
      }
      return at;
    }
  }
  return at;
}

// End of a block with a closing line, which must hold the next dashes; the text between must not
// look like a trace. npos otherwise.
std::size_t closedPemEnd(std::string_view text, std::size_t bodyAt) {
  const std::size_t dashes = text.find(kDashes, bodyAt);
  if (dashes == std::string_view::npos || !text.substr(dashes).starts_with(kPemEnd) ||
      text.substr(bodyAt, dashes - bodyAt).find_first_of("()") != std::string_view::npos) {
    return std::string_view::npos;
  }
  return pemLineEnd(text, dashes + kPemEnd.size());
}

// End of a truncated block: the end of the lines that look like Base64, so that a sentence about
// "-----BEGIN CERTIFICATE-----" leaves the following trace alone. `bodyAt` itself if no line does.
std::size_t cutPemEnd(std::string_view text, std::size_t bodyAt) {
  constexpr std::size_t kFullLine = 20;
  std::size_t end = bodyAt;
  for (;;) {
    const std::size_t at = skipPemHeader(text, skipPemSeparators(text, end));
    const std::size_t lineEnd = runEnd(text, at, kBase64Char);
    // authorization=null is not Base64: padding occurs only at the end.
    const std::size_t padding = text.substr(0, lineEnd).find('=', at);
    if (padding != std::string_view::npos && padding + 2 < lineEnd) {
      return end;
    }
    // The last line is shorter, but still a separate line.
    const bool lastLine =
        end != bodyAt && (lineEnd == text.size() || text[lineEnd] == '\n' || text[lineEnd] == '\\');
    if (lineEnd == at || (lineEnd - at < kFullLine && !lastLine)) {
      return end;
    }
    end = lineEnd;
  }
}

std::optional<Match> hash(std::size_t begin, std::size_t end) {
  return Match{.begin = begin, .end = end, .kind = RedactionKind::passwordHash};
}

bool isCryptChar(char c) {
  return isOf(c, kAlnumChar) || c == '.' || c == '/' || c == '+' || c == '=' || c == ',' ||
         c == '-' || c == '$' || c == '_';
}

std::size_t cryptEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && isCryptChar(text[at])) {
    ++at;
  }
  while (text[at - 1] == '.' || text[at - 1] == ',' || text[at - 1] == '-') {
    --at;
  }
  return at;
}

struct HashPrefix {
  std::string_view prefix;
  std::size_t minLength;  // after the prefix
};

}  // namespace

std::optional<Match> detectPemBlock(const Scan& scan, Spot mark) {
  if (!scan.text.substr(mark.begin).starts_with(kPemBegin)) {
    return std::nullopt;
  }
  const std::size_t bodyAt = pemLineEnd(scan.text, mark.begin + kPemBegin.size());
  if (bodyAt == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t closed = closedPemEnd(scan.text, bodyAt);
  const std::size_t end = closed != std::string_view::npos ? closed : cutPemEnd(scan.text, bodyAt);
  if (end == bodyAt) {
    return std::nullopt;
  }
  return Match{.begin = mark.begin, .end = end, .kind = RedactionKind::pem};
}

std::optional<Match> detectCryptHash(const Scan& scan, Spot mark) {
  // $1$ and $5$ also occur in names of inner classes (Outer$1$Inner), so a preceding letter
  // excludes them.
  constexpr auto kPrefixes = std::to_array<HashPrefix>({
      {"$2a$", 30},
      {"$2b$", 30},
      {"$2x$", 30},
      {"$2y$", 30},
      {"$argon2", 20},
      {"$1$", 22},
      {"$5$", 30},
      {"$6$", 40},
      {"$7$", 30},
      {"$y$", 30},
      {"$gy$", 30},
      {"$sha1$", 20},
      {"$apr1$", 22},
      {"$pbkdf2", 20},
      {"$scrypt$", 20},
      {"$P$", 30},
      {"$H$", 30},
      {"$S$", 50},
  });
  const char previous = scan.before(mark.begin);
  if (isAlnum(previous) || previous == '$' || previous == '_') {
    return std::nullopt;
  }
  const std::string_view rest = scan.text.substr(mark.begin);
  for (const HashPrefix& row : kPrefixes) {
    if (rest.starts_with(row.prefix)) {
      const std::size_t bodyAt = mark.begin + row.prefix.size();
      const std::size_t end = cryptEnd(scan.text, bodyAt);
      return end >= bodyAt + row.minLength ? hash(mark.begin, end) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Match> detectLdapHash(const Scan& scan, Spot mark) {
  constexpr auto kSchemes = std::to_array<HashPrefix>({
      {"{ssha}", 20},
      {"{sha}", 20},
      {"{ssha256}", 30},
      {"{sha256}", 30},
      {"{ssha512}", 40},
      {"{sha512}", 40},
      {"{smd5}", 20},
      {"{md5}", 20},
      {"{crypt}", 10},
      {"{pbkdf2}", 20},
      {"{bcrypt}", 30},
      {"{scrypt}", 20},
      {"{argon2}", 20},
      {"{noop}", 1},
      {"{pbkdf2@springsecurity_v5_8}", 20},
  });
  for (const HashPrefix& row : kSchemes) {
    if (startsWithWord(scan.text, mark.begin, row.prefix)) {
      const std::size_t bodyAt = mark.begin + row.prefix.size();
      const std::size_t end = row.prefix == "{noop}" ? unquotedValueEnd(scan.text, bodyAt, false)
                                                     : cryptEnd(scan.text, bodyAt);
      return end >= bodyAt + row.minLength ? hash(mark.begin, end) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<Match> detectNamedHash(const Scan& scan, Spot word) {
  constexpr auto kNames = std::to_array<HashPrefix>({
      {"pbkdf2_sha256$", 20},
      {"pbkdf2_sha1$", 20},
      {"bcrypt_sha256$", 20},
      {"argon2$argon2", 20},
      {"pbkdf2:sha", 30},
      {"scrypt:32768:", 30},
      {"scram-sha-256$", 30},
      {"sha512$", 40},
      {"aad3b435b51404eeaad3b435b51404ee:", 32},  // NTLM, with an empty LM half
  });
  const char behind = scan.at(word.end);
  if (behind != '_' && behind != '$' && behind != ':' && behind != '-') {
    return std::nullopt;
  }
  const std::size_t begin = afterEscape(scan, word.begin);
  for (const HashPrefix& row : kNames) {
    if (startsWithWord(scan.text, begin, row.prefix)) {
      std::size_t end = begin + row.prefix.size();
      while (end < scan.text.size() && (isCryptChar(scan.text[end]) || scan.text[end] == ':')) {
        ++end;
      }
      return end >= begin + row.prefix.size() + row.minLength ? hash(begin, end) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace auth_errors::domain
