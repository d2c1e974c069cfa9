#include "domain/scrubber.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "domain/scrub_actors.h"
#include "domain/scrub_text.h"
#include "domain/secret_detectors.h"

namespace auth_errors::domain {
namespace {

// A pass usually settles a text and the next one confirms it. Texts made to unfold for ever are
// redacted whole: failing closed keeps both promises, linear time and no secret.
constexpr int kMaxPasses = 8;

struct DetectorRow {
  Detector detect;
  std::string_view firstBytes;  // of the words or marks that set it off
};

// Marks: one byte that is no letter or digit.
constexpr auto kMarkDetectors = std::to_array<DetectorRow>({
    {detectUrlUserinfo, ":%"},
    {detectEmail, "@%"},
    {detectPemBlock, "-"},
    {detectCryptHash, "$"},
    {detectLdapHash, "{"},
    {detectForeignLabel, "\xEB\xED\xE3\xE5\xD0"},
});

// Words: a run of letters and digits, by its first byte. The first detector that matches wins.
constexpr auto kWordDetectors = std::to_array<DetectorRow>({
    {detectJwt, "e"},
    {detectBearerToken, "Bb"},
    {detectBasicCredentials, "Bb"},
    {detectVendorKey, "ADEGHNPSadfghklnprstwxy"},
    {detectPaseto, "v"},
    {detectDiscordToken, "MNO"},
    {detectTelegramToken, "0123456789b"},
    {detectWebhookPath, "hdHD"},
    {detectOracleUserinfo, "to"},
    {detectNamedHash, "abpsABPS"},
    {detectCardNumber, "0123456789"},
});

using DetectorSet = std::uint16_t;

template <std::size_t N>
constexpr std::array<DetectorSet, 256> makeDispatch(const std::array<DetectorRow, N>& rows) {
  static_assert(N <= 16);
  std::array<DetectorSet, 256> dispatch{};
  for (std::size_t row = 0; row < N; ++row) {
    for (const char c : rows[row].firstBytes) {
      dispatch[static_cast<unsigned char>(c)] |= static_cast<DetectorSet>(1U << row);
    }
  }
  return dispatch;
}

constexpr auto kMarkDispatch = makeDispatch(kMarkDetectors);
constexpr auto kWordDispatch = makeDispatch(kWordDetectors);

// Bytes at which a pass has to stop: words, marks and the '[' of a marker.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (std::size_t c = 0; c < stops.size(); ++c) {
    stops[c] = isAlnum(static_cast<char>(c)) || kMarkDispatch[c] != 0 || c == '[';
  }
  return stops;
}();

template <std::size_t N>
std::optional<Match> firstMatch(const std::array<DetectorRow, N>& rows, unsigned set,
                                const Scan& scan, Spot spot) {
  for (std::size_t row = 0; set != 0; ++row, set >>= 1U) {
    if ((set & 1U) != 0) {
      if (auto match = rows[row].detect(scan, spot)) {
        return match;
      }
    }
  }
  return std::nullopt;
}

std::optional<Match> detectInWord(const Scan& scan, Spot word) {
  unsigned set = kWordDispatch[static_cast<unsigned char>(scan.text[word.begin])];
  const char previous = scan.before(word.begin);
  if (previous == '%' || previous == '\\') {
    set |= kWordDispatch[static_cast<unsigned char>(scan.at(afterEscape(scan, word.begin)))];
  }
  if (set != 0) {
    if (auto match = firstMatch(kWordDetectors, set, scan, word)) {
      return match;
    }
  }
  // Most words of a trace end before a '.' or a '(' and can be no label.
  if (isOf(scan.at(word.end), kAfterLabelChar)) {
    return detectLabelledValue(scan, word);
  }
  return std::nullopt;
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

// One pass from left to right. False if there was nothing to redact.
bool redactSecrets(std::string& text, RedactionCounts& counts) {
  std::string result;
  Scan scan{.text = text};
  std::size_t at = plainEnd(scan.text, 0);
  while (at < scan.text.size()) {
    const char c = scan.text[at];
    std::optional<Match> match;
    std::size_t next = at + 1;
    if (isAlnum(c)) {
      next = runEnd(scan.text, next, kAlnumChar);
      match = detectInWord(scan, {.begin = at, .end = next});
    } else if (c == '[') {
      next = at + std::max<std::size_t>(markerLengthAt(scan.text, at), 1);
    } else {
      const unsigned set = kMarkDispatch[static_cast<unsigned char>(c)];
      match = firstMatch(kMarkDetectors, set, scan, {.begin = at, .end = next});
    }
    if (match) {
      result.append(scan.text, scan.floor, match->begin - scan.floor);
      result.append(markerOf(match->kind));
      counts.add(match->kind);
      scan.floor = next = match->end;
    }
    at = plainEnd(scan.text, next);
  }
  if (scan.floor == 0) {
    return false;
  }
  result.append(scan.text, scan.floor);
  text = std::move(result);
  return true;
}

// Identifiers come behind: `x-api` as a user's name must not hide the label in `x-api-key: …`.
bool redactActors(std::string& text, const ScrubContext& context, RedactionCounts& counts) {
  const bool session = redactIdentifier(text, context.sessionId, RedactionKind::sessionId, counts);
  const bool user = redactIdentifier(text, context.userId, RedactionKind::userId, counts);
  return session || user;
}

}  // namespace

ScrubResult scrub(std::string_view text, const ScrubContext& context) {
  ScrubResult result{.text = std::string(text), .counts = {}};
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const bool secrets = redactSecrets(result.text, result.counts);
    const bool actors = redactActors(result.text, context, result.counts);
    if (!secrets && !actors) {
      return result;
    }
  }
  result.text = markerOf(RedactionKind::wholeText);
  result.counts.add(RedactionKind::wholeText);
  return result;
}

}  // namespace auth_errors::domain
