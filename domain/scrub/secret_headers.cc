// Credentials as HTTP carries them: Authorization (any scheme), cookies, Bearer and Basic.
#include <algorithm>
#include <array>

#include "domain/scrub/harmless.h"
#include "domain/scrub/secret_detectors.h"

namespace auth_errors::domain {
namespace {

// Kept in front of the marker: which scheme failed is what one wants to know of an auth error.
constexpr auto kSchemes = std::to_array<std::string_view>({
    "basic",
    "bearer",
    "digest",
    "negotiate",
    "ntlm",
    "token",
    "apikey",
    "api-key",
    "oauth",
    "dpop",
    "hawk",
    "mac",
    "key",
    "ssws",
    "hoba",
    "vapid",
    "mutual",
    "gnap",
    "bot",
    "jwt",
    "aws",
    "aws4-hmac-sha256",
    "aws4-ecdsa-p256-sha256",
    "sharedkey",
    "sharedkeylite",
    "sharedaccesssignature",
    "scram-sha-1",
    "scram-sha-256",
    "signature",
    "splunk",
    "genie",
    "sso-key",
    "privatetoken",
});

bool isScheme(std::string_view candidate) {
  return std::ranges::any_of(
      kSchemes, [&](std::string_view scheme) { return equalsWord(candidate, scheme); });
}

bool isParameterName(char c) { return isOf(c, kBase64UrlChar); }

// name=value or name="value", followed by more of them behind commas. `at` itself if there is none.
std::size_t parameterListEnd(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxName = 64;
  std::size_t end = at;
  for (;;) {
    const std::size_t nameEnd = runEnd(text, at, kBase64UrlChar, kMaxName);
    if (nameEnd == at || nameEnd >= text.size() || text[nameEnd] != '=') {
      return end;
    }
    const std::size_t valueAt = nameEnd + 1;
    if (const std::size_t length = quoteLengthAt(text, valueAt); length != 0) {
      const std::size_t close = quotedValueEnd(text, valueAt, length);
      end = std::min(close + quoteLengthAt(text, close), text.size());
    } else {
      end = unquotedValueEnd(text, valueAt, false);
    }
    const std::size_t comma = skipBlanks(text, end);
    if (comma >= text.size() || text[comma] != ',') {
      return end;
    }
    at = skipBlanks(text, comma + 1);
    if (at >= text.size() || !isParameterName(text[at])) {
      return end;
    }
  }
}

std::size_t credentialsEnd(std::string_view text, std::size_t at) {
  return std::max(parameterListEnd(text, at), unquotedValueEnd(text, at, false));
}

// A word that a scheme's credentials cannot be: "Bearer token required", "Basic auth failed".
bool isCredential(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view value = text.substr(begin, end - begin);
  return !value.empty() && !isHarmlessValue(value) && !isProseWord(value) &&
         markerLengthAt(text, begin) == 0;
}

std::optional<Match> authorization(const Scan& scan, std::size_t begin, std::size_t end) {
  if (!isCredential(scan.text, begin, end)) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = end, .kind = RedactionKind::authorization};
}

// Length of what separates a scheme from its credentials in free text, or 0.
std::size_t schemeGap(std::string_view text, std::size_t at) {
  if (const std::size_t blank = blankLengthAt(text, at); blank != 0) {
    return blank;
  }
  if (at < text.size() && (text[at] == ':' || text[at] == '=')) {
    return 1 + skipBlanks(text, at + 1) - (at + 1);
  }
  return 0;
}

// Begin of the credentials that follow the word `scheme` at the spot, or npos.
std::size_t afterScheme(const Scan& scan, Spot word, std::string_view scheme) {
  const std::size_t begin = afterEscape(scan, word.begin);
  if (word.end - std::min(begin, word.end) != scheme.size() ||
      !startsWithWord(scan.text, begin, scheme)) {
    return std::string_view::npos;
  }
  const std::size_t gap = schemeGap(scan.text, word.end);
  if (gap == 0) {
    return std::string_view::npos;
  }
  const std::size_t at = word.end + gap;
  return at + quoteLengthAt(scan.text, at);
}

bool looksLikeBearer(std::string_view value) {
  constexpr std::size_t kLongerThanWords = 24;
  constexpr std::size_t kShortest = 6;
  if (value.size() < kShortest) {
    return false;
  }
  if (value.size() >= kLongerThanWords || std::ranges::any_of(value, isDigit)) {
    return true;
  }
  // abc.def.ghi or a_b, as no prose word has it.
  const std::size_t joint = value.find_first_of("._~+/");
  return joint != std::string_view::npos && joint + 1 < value.size() && !isProseWord(value);
}

// user:password in Base64, or at least something that only Base64 looks like.
bool looksLikeBasic(std::string_view value) {
  constexpr std::size_t kUnmistakable = 16;
  if (value.size() >= kUnmistakable &&
      (value.ends_with('=') || std::ranges::any_of(value, isDigit))) {
    return true;
  }
  bool colon = false;
  const bool printable = eachBase64Byte(value, [&](unsigned byte) {
    colon = colon || byte == ':';
    return byte >= 0x20 && byte != 0x7F;
  });
  return printable && colon;
}

bool isCookieEnd(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (isOf(c, kSpaceChar | kQuoteChar) || c == ';' || c == '\\') {
    return true;
  }
  return (c == ',' && (at + 1 == text.size() || isOf(text[at + 1], kSpaceChar))) ||
         (c == '[' && markerLengthAt(text, at) != 0);
}

std::size_t cookieItemEnd(std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  while (at < text.size() && !isCookieEnd(text, at)) {
    ++at;
    if (text[at - 1] == '=') {
      if (const std::size_t quote = quoteLengthAt(text, at); quote != 0) {
        const std::size_t close = quotedValueEnd(text, at, quote);
        return std::min(close + quoteLengthAt(text, close), text.size());
      }
    }
  }
  // Expires=Wed, 21 Oct 2026 07:28:00 GMT: the only attribute with blanks.
  constexpr std::size_t kDateLength = 40;
  if (startsWithWord(text, begin, "expires=")) {
    const std::size_t zone = text.substr(0, begin + kDateLength).find("GMT", at);
    return zone == std::string_view::npos ? at : zone + 3;
  }
  while (at > begin && (text[at - 1] == ')' || text[at - 1] == ']' || text[at - 1] == '}')) {
    --at;
  }
  return at;
}

bool startsPair(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxName = 64;
  const std::size_t end = runEnd(text, std::min(at, text.size()), kToken68Char, kMaxName);
  const std::string_view run = text.substr(std::min(at, text.size()), end - std::min(at, end));
  return run.find('=') != std::string_view::npos && !run.starts_with('=');
}

}  // namespace

std::optional<Match> authorizationCredentials(const Scan& scan, std::size_t begin, std::size_t end,
                                              bool quoted) {
  const std::string_view text = scan.text;
  const std::size_t wordEnd = quoted ? std::min(text.substr(0, end).find(' ', begin), end) : end;
  const std::size_t next = skipBlanks(text, wordEnd);
  if (isScheme(text.substr(begin, wordEnd - begin))) {
    if (next == wordEnd) {
      return std::nullopt;
    }
    return authorization(scan, next, quoted ? end : credentialsEnd(text, next));
  }
  if (quoted || next == wordEnd) {
    return authorization(scan, begin, end);
  }
  // "may require authorization: server message: …"
  const auto isWord = [&](std::size_t from, std::size_t to) {
    return to > from && runEnd(text, from, kLowerChar) == to;
  };
  if (isWord(begin, end) && isWord(next, runEnd(text, next, kAlnumChar))) {
    return std::nullopt;
  }
  // An unknown scheme: what follows belongs to it if it looks like credentials.
  const std::size_t parameters = parameterListEnd(text, next);
  const std::size_t more = unquotedValueEnd(text, next, false);
  if (parameters > next) {
    return authorization(scan, begin, std::max(parameters, more));
  }
  const bool belongs = looksRandom(text.substr(next, more - next)) &&
                       isCredential(text, begin, end) && markerLengthAt(text, next) == 0;
  return authorization(scan, begin, end).transform([&](Match match) {
    match.end = belongs ? more : match.end;
    return match;
  });
}

std::optional<Match> cookiePairs(const Scan& scan, std::size_t begin, bool commaContinues) {
  constexpr std::size_t kShortestRandom = 8;
  const std::string_view text = scan.text;
  if (!startsPair(text, begin)) {
    const std::size_t end = unquotedValueEnd(text, begin, false);
    if (!looksRandom(text.substr(begin, end - begin), kShortestRandom)) {
      return std::nullopt;
    }
    return Match{.begin = begin, .end = end, .kind = RedactionKind::cookie};
  }
  // A cookie that is taken back: remember_user_token=; path=/
  const std::size_t assigned = text.find('=', begin);
  if (assigned + 1 < text.size() && text[assigned + 1] == ';') {
    return std::nullopt;
  }
  // PHPSESSID=deleted; expires=Thu, 01-Jan-1970
  if (text.substr(assigned + 1).starts_with("deleted")) {
    return std::nullopt;
  }
  std::size_t end = cookieItemEnd(text, begin);
  for (;;) {
    const char delimiter = scan.at(end);
    const std::size_t next = skipBlanks(text, end + 1);
    const bool more = (delimiter == ';' && isAlnum(scan.at(next))) ||
                      (delimiter == ';' && (scan.at(next) == '_' || scan.at(next) == '.')) ||
                      (delimiter == ',' && commaContinues && startsPair(text, next));
    if (!more) {
      break;
    }
    end = cookieItemEnd(text, next);
  }
  return Match{.begin = begin, .end = end, .kind = RedactionKind::cookie};
}

std::optional<Match> detectBearerToken(const Scan& scan, Spot word) {
  const std::size_t begin = afterScheme(scan, word, "bearer");
  if (begin == std::string_view::npos || begin >= scan.text.size()) {
    return std::nullopt;
  }
  const std::size_t end = runEnd(scan.text, begin, kToken68Char);
  // A challenge: Bearer realm="…", error="invalid_token".
  if ((scan.text.substr(begin, end - begin).ends_with('=') && quoteLengthAt(scan.text, end) != 0) ||
      startsWithWord(scan.text, begin, "realm=")) {
    return std::nullopt;
  }
  // token_type=bearer HTTP/1.1: a request line ends there. handle_bearer /src/auth.c: a frame
  if (scan.text.substr(begin).starts_with("HTTP/") || scan.at(begin) == '/') {
    return std::nullopt;
  }
  std::size_t last = end;
  while (last > begin && scan.text[last - 1] == '.') {
    --last;
  }
  if (!looksLikeBearer(scan.text.substr(begin, last - begin))) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = last, .kind = RedactionKind::bearer};
}

std::optional<Match> detectBasicCredentials(const Scan& scan, Spot word) {
  const std::size_t begin = afterScheme(scan, word, "basic");
  if (begin == std::string_view::npos || begin >= scan.text.size()) {
    return std::nullopt;
  }
  // Judged by its front: "basic+basic+…" must not be read to its end again and again.
  constexpr std::size_t kFront = 64;
  constexpr unsigned kChars = kBase64Char | kBase64UrlChar;
  const std::size_t front = runEnd(scan.text, begin, kChars, kFront);
  const bool challenge = startsWithWord(scan.text, begin, "realm=");
  if (challenge || !looksLikeBasic(scan.text.substr(begin, front - begin))) {
    return std::nullopt;
  }
  return Match{
      .begin = begin, .end = runEnd(scan.text, front, kChars), .kind = RedactionKind::basic};
}

std::optional<Match> detectNegotiateToken(const Scan& scan, Spot word) {
  constexpr std::size_t kShortest = 16;
  constexpr std::string_view kPlain = "AUTH PLAIN ";  // SMTP, IMAP
  std::size_t begin = afterScheme(scan, word, "negotiate");
  if (begin == std::string_view::npos) {
    begin = afterScheme(scan, word, "ntlm");
  }
  if (word.begin >= scan.floor + 5 && scan.text.substr(word.begin - 5).starts_with(kPlain)) {
    begin = word.begin - 5 + kPlain.size();
  }
  if (begin == std::string_view::npos || begin >= scan.text.size()) {
    return std::nullopt;
  }
  const std::size_t end = runEnd(scan.text, begin, kBase64Char);
  if (end - begin < kShortest) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = end, .kind = RedactionKind::authorization};
}

}  // namespace auth_errors::domain
