#include "domain/scrub/scrubber.h"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "domain/scrub/actors.h"
#include "domain/scrub/rewriting.h"
#include "domain/scrub/secret_detectors.h"
#include "domain/scrub/sites.h"
#include "domain/scrub/text.h"
#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

// A pass usually settles a text and the next one confirms it. Texts made to unfold for ever are
// redacted whole: failing closed keeps both promises, linear time and no secret.
constexpr int kMaxPasses = 8;

struct DetectorRow {
  Detector detect;
  std::string_view firstBytes;      // of the words or marks that set it off; empty: any
  std::string_view nextBytes = {};  // which may stand behind the word; empty: any
};

// Marks: one byte that is no letter or digit.
constexpr auto kMarkDetectors = std::to_array<DetectorRow>({
    {detectUrlUserinfo, ":%"},
    {detectDriverUserinfo, "@"},
    {detectEmail, "@%"},
    {detectPemBlock, "-"},
    {detectCryptHash, "$"},
    {detectLdapHash, "{"},
    {detectAzureSecret, "~"},
    {detectForeignLabel, "\xC3\xC5\xCE\xD0\xD7\xD9\xE0\xE1\xE3\xE5\xE6\xE8\xE9\xEB\xEC\xED"},
});

// Words: a run of letters and digits. The first detector that matches wins. Most words of a trace
// are set aside by the bytes at their two ends.
constexpr std::string_view kAnyDigit = "0123456789";
constexpr auto kWordDetectors = std::to_array<DetectorRow>({
    {detectJwt, "e"},
    {detectBearerToken, "Bb", kAfterScheme},
    {detectBasicCredentials, "Bb", kAfterScheme},
    {detectNegotiateToken, "NPn", kAfterScheme},
    {detectVendorKey, kVendorKeyLetters},
    {detectPaseto, "v", "."},
    {detectDiscordToken, "MNO", "."},
    {detectTelegramToken, "0123456789b", ":%"},
    {detectWebhookPath, "hdHD", ".-"},
    {detectOracleUserinfo, "to", ":"},
    {detectNamedHash, "abpsABPS", "_$:-"},
    {detectCardNumber, kAnyDigit},
    {detectSpokenCode, kAnyDigit, " "},
    {detectCommandLine, "clmopsPnribtkadhuw7", " \t,\"'`"},
    {detectPositionalArgument, "rhnwsceipCpd", " \t"},
    {detectIdentifiedBy, "Ii", " \t"},
    {detectInsertedRow, "VvCcPpb", " \t(:"},
    {detectPathToken, "aciltrvmpushw", "/"},
    {detectCall, "", "("},
    {detectLabelledValue, "", kAfterLabel},
});

using DetectorSet = std::uint32_t;

// The detectors for each byte, the first or the next one of a spot.
template <std::size_t N>
constexpr std::array<DetectorSet, 256> makeDispatch(const std::array<DetectorRow, N>& rows,
                                                    std::string_view DetectorRow::* bytes) {
  static_assert(N <= 32);
  std::array<DetectorSet, 256> dispatch{};
  for (std::size_t row = 0; row < N; ++row) {
    for (std::size_t byte = 0; byte < dispatch.size(); ++byte) {
      const std::string_view wanted = rows[row].*bytes;
      if (wanted.empty() || wanted.contains(static_cast<char>(byte))) {
        dispatch[byte] |= DetectorSet{1} << row;
      }
    }
  }
  return dispatch;
}

constexpr auto kMarkDispatch = makeDispatch(kMarkDetectors, &DetectorRow::firstBytes);
constexpr auto kWordDispatch = makeDispatch(kWordDetectors, &DetectorRow::firstBytes);
constexpr auto kNextDispatch = makeDispatch(kWordDetectors, &DetectorRow::nextBytes);

// Bytes at which a pass has to stop: words, marks and the '[' of a marker.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (std::size_t c = 0; c < stops.size(); ++c) {
    stops[c] = isAlnum(static_cast<char>(c)) || kMarkDispatch[c] != 0 || c == '[';
  }
  return stops;
}();

template <std::size_t N>
std::optional<Match> firstMatch(const std::array<DetectorRow, N>& rows, DetectorSet set,
                                const Scan& scan, Spot spot) {
  for (; set != 0; set &= set - 1) {
    if (auto match = rows[static_cast<std::size_t>(std::countr_zero(set))].detect(scan, spot)) {
      return match;
    }
  }
  return std::nullopt;
}

DetectorSet detectorsOf(const std::array<DetectorSet, 256>& dispatch, char c) {
  return dispatch[static_cast<unsigned char>(c)];
}

std::optional<Match> detectInWord(const Scan& scan, Spot word) {
  DetectorSet set = detectorsOf(kWordDispatch, scan.text[word.begin]);
  const char previous = scan.before(word.begin);
  if (previous == '%' || previous == '\\') {
    set |= detectorsOf(kWordDispatch, scan.at(afterEscape(scan, word.begin)));
  }
  return firstMatch(kWordDetectors, set & detectorsOf(kNextDispatch, scan.at(word.end)), scan,
                    word);
}

// End of the bytes that set nothing off: blanks, brackets, letters of other scripts.
std::size_t plainEnd(std::string_view text, std::size_t at) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* next = begin + at;
  while (next != end && !kStops[static_cast<unsigned char>(*next)]) {
    ++next;
  }
  return static_cast<std::size_t>(next - begin);
}

// End of the word at `at`. The terminating NUL ends the last one.
std::size_t wordEnd(const std::string& text, std::size_t at) {
  const char* const begin = text.c_str();
  const char* next = begin + at;
  while (isAlnum(*next)) {
    ++next;
  }
  return static_cast<std::size_t>(next - begin);
}

// One pass from left to right. False if there was nothing to redact.
bool redactSecrets(ScrubbedFront& target, RedactionCounts& counts) {
  Rewriting rewriting(target);
  Scan scan{.text = target.text};
  std::size_t at = plainEnd(scan.text, 0);
  while (at < scan.text.size()) {
    const char c = scan.text[at];
    std::optional<Match> match;
    std::size_t next = at + 1;
    if (isAlnum(c)) {
      next = wordEnd(target.text, next);
      match = detectInWord(scan, {.begin = at, .end = next});
    } else if (c == '[') {
      next = at + std::max<std::size_t>(markerLengthAt(scan.text, at), 1);
    } else {
      match = firstMatch(kMarkDetectors, detectorsOf(kMarkDispatch, c), scan,
                         {.begin = at, .end = next});
    }
    if (match) {
      // Detectors that look at the front of a value may stop inside a code point.
      while (match->end < scan.text.size() && isContinuationByte(scan.text[match->end])) {
        ++match->end;
      }
      rewriting.replace(match->begin, match->end, match->kind, counts);
      scan.floor = next = match->end;
    }
    at = plainEnd(scan.text, next);
  }
  return rewriting.finish();
}

// What the organisation calls a secret. Markers are passed over.
bool redactPatterns(ScrubbedFront& target, const ScrubPatterns& patterns, RedactionCounts& counts) {
  Rewriting rewriting(target);
  const std::string_view text = target.text;
  std::size_t marker = nextMarker(text, 0);
  for (auto secret = patterns.nextSecret(text, 0); secret;) {
    while (marker != std::string_view::npos &&
           marker + markerLengthAt(text, marker) <= secret->begin) {
      marker = nextMarker(text, marker + 1);
    }
    if (marker != std::string_view::npos && marker < secret->end) {
      secret = patterns.nextSecret(text, marker + markerLengthAt(text, marker));
      continue;
    }
    rewriting.replace(secret->begin, secret->end, RedactionKind::pattern, counts);
    secret = patterns.nextSecret(text, secret->end);
  }
  return rewriting.finish();
}

// Identifiers come behind: `x-api` as a user's name must not hide the label in `x-api-key: …`.
bool redactActors(ScrubbedFront& target, const ScrubContext& context, RedactionCounts& counts) {
  const bool session =
      redactIdentifier(target, context.sessionId, RedactionKind::sessionId, counts);
  const bool user = redactIdentifier(target, context.userId, RedactionKind::userId, counts);
  const bool address = redactIdentifier(target, context.clientIp, RedactionKind::clientIp, counts);
  return session || user || address;
}

}  // namespace

std::string scrubberVersion() {
  std::string version = std::to_string(kScrubberVersion);
  if (const ScrubPatterns* const patterns = scrubPatterns()) {
    version.append(".").append(patterns->digest());
  }
  return version;
}

ScrubResult scrub(std::string_view text, const ScrubContext& context) {
  return scrubFront(text, text.size(), context);
}

ScrubResult scrubFront(std::string_view text, std::size_t front, const ScrubContext& context) {
  ScrubResult result{.text = {}, .counts = {}};
  const ScrubPatterns* const patterns = scrubPatterns();
  ScrubbedFront target{.text = std::string(text), .front = cutBeforeMarker(text, front)};
  // The sites are judged again only if something has changed since they were found clean.
  const Identifiers identifiers = {context.userId, context.sessionId, context.clientIp};
  const bool named = context.named && text.find_first_of(" \t\n") == std::string_view::npos;
  bool judged = named;
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const bool secrets = redactSecrets(target, result.counts);
    const bool added = patterns != nullptr && redactPatterns(target, *patterns, result.counts);
    judged = judged && (named || (!secrets && !added));
    const bool sites = !judged && redactSites(target, patterns, identifiers, result.counts);
    const bool actors = redactActors(target, context, result.counts);
    judged = named || (!sites && !actors);
    if (!secrets && !added && !sites && !actors) {
      target.text.resize(target.front);
      result.text = std::move(target.text);
      return result;
    }
  }
  result.text = markerOf(RedactionKind::wholeText);
  result.counts.add(RedactionKind::wholeText);
  return result;
}

ScrubbedFront withoutDetected(std::string_view text, std::size_t front) {
  ScrubbedFront target{.text = std::string(text), .front = front};
  RedactionCounts counts;
  redactSecrets(target, counts);
  return target;
}

}  // namespace auth_errors::domain
