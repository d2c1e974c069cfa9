// Values with a recognisable format: JWT and PASETO, and the prefixes of vendor keys.
#include <algorithm>
#include <array>

#include "domain/scrub/secret_detectors.h"

namespace auth_errors::domain {
namespace {

using Kind = RedactionKind;

enum class Alphabet : std::uint8_t {
  alnum,
  upper,
  hex,
  base64Url,
  dotted,  // base64Url in dot-separated parts
  opaque,  // base64Url with a prefix that never begins prose: digits are optional
};

struct VendorKey {
  std::string_view prefix;
  Kind kind;
  Alphabet alphabet;
  std::uint8_t minLength;  // after the prefix
  std::uint8_t maxLength;  // 0: any
};

using enum Alphabet;

// Keys with the same first two letters are adjacent: the index below points to the first of them.
constexpr auto kVendorKeys = std::to_array<VendorKey>({
    {"1//0", Kind::google, base64Url, 30, 0},
    {"AKIA", Kind::aws, upper, 16, 16},
    {"AKCp", Kind::vendorKey, alnum, 50, 0},
    {"ASIA", Kind::aws, upper, 16, 16},
    {"ABIA", Kind::aws, upper, 16, 16},
    {"ACCA", Kind::aws, upper, 16, 16},
    {"AIza", Kind::google, base64Url, 30, 0},
    {"AGE-SECRET-KEY-1", Kind::vendorKey, upper, 40, 0},
    {"ATATT3", Kind::vendorKey, base64Url, 40, 0},
    {"ATBB", Kind::vendorKey, alnum, 24, 0},
    {"ATCTT3", Kind::vendorKey, base64Url, 40, 0},
    {"CCIPAT_", Kind::vendorKey, base64Url, 30, 0},
    {"CFPAT-", Kind::vendorKey, base64Url, 30, 0},
    {"EAACEdEose0cBA", Kind::vendorKey, alnum, 10, 0},
    {"EAA", Kind::vendorKey, alnum, 60, 0},
    {"GOCSPX-", Kind::google, base64Url, 20, 0},
    {"GR1348941", Kind::gitlab, base64Url, 20, 0},
    {"HRKU-", Kind::vendorKey, base64Url, 30, 0},
    {"NRAK-", Kind::vendorKey, alnum, 20, 0},
    {"PMAK-", Kind::vendorKey, base64Url, 30, 0},
    {"SG.", Kind::vendorKey, dotted, 40, 0},
    {"SK", Kind::vendorKey, hex, 32, 32},
    // This service's own keys have 43; truncated ones are redacted too.
    {"aek_", Kind::vendorKey, opaque, 24, 0},
    {"bkua_", Kind::vendorKey, hex, 40, 0},
    {"cio", Kind::vendorKey, alnum, 32, 32},
    {"dapi", Kind::vendorKey, hex, 32, 34},
    {"dckr_pat_", Kind::vendorKey, base64Url, 20, 0},
    {"dckr_oat_", Kind::vendorKey, base64Url, 20, 0},
    {"doo_v1_", Kind::vendorKey, hex, 40, 0},
    {"dop_v1_", Kind::vendorKey, hex, 40, 0},
    {"dor_v1_", Kind::vendorKey, hex, 40, 0},
    {"dp.pt.", Kind::vendorKey, alnum, 30, 0},
    {"dp.st.", Kind::vendorKey, dotted, 30, 0},
    {"dp.sa.", Kind::vendorKey, alnum, 30, 0},
    {"figd_", Kind::vendorKey, base64Url, 20, 0},
    {"ghp_", Kind::github, alnum, 20, 0},
    {"gho_", Kind::github, alnum, 20, 0},
    {"ghu_", Kind::github, alnum, 20, 0},
    {"ghs_", Kind::github, alnum, 20, 0},
    {"ghr_", Kind::github, alnum, 20, 0},
    {"github_pat_", Kind::github, base64Url, 20, 0},
    {"glpat-", Kind::gitlab, dotted, 18, 0},
    {"gldt-", Kind::gitlab, dotted, 18, 0},
    {"glrt-", Kind::gitlab, dotted, 18, 0},
    {"glcbt-", Kind::gitlab, dotted, 18, 0},
    {"glptt-", Kind::gitlab, dotted, 18, 0},
    {"glft-", Kind::gitlab, dotted, 18, 0},
    {"glsoat-", Kind::gitlab, dotted, 18, 0},
    {"glagent-", Kind::gitlab, dotted, 18, 0},
    {"glc_", Kind::vendorKey, base64Url, 30, 0},
    {"glsa_", Kind::vendorKey, base64Url, 30, 0},
    {"gsk_", Kind::vendorKey, alnum, 30, 0},
    {"hf_", Kind::vendorKey, alnum, 30, 0},
    {"hvs.", Kind::vendorKey, base64Url, 20, 0},
    {"hvb.", Kind::vendorKey, base64Url, 20, 0},
    {"hvr.", Kind::vendorKey, base64Url, 20, 0},
    {"key-", Kind::vendorKey, alnum, 32, 32},
    {"lin_api_", Kind::vendorKey, alnum, 30, 0},
    {"lsv2_", Kind::vendorKey, base64Url, 30, 0},
    {"nfp_", Kind::vendorKey, alnum, 30, 0},
    {"npm_", Kind::vendorKey, alnum, 36, 0},
    {"ntn_", Kind::vendorKey, alnum, 40, 0},
    {"oy2", Kind::vendorKey, alnum, 43, 43},
    {"pplx-", Kind::vendorKey, alnum, 40, 0},
    {"pscale_", Kind::vendorKey, dotted, 30, 0},
    {"pul-", Kind::vendorKey, hex, 40, 0},
    {"pypi-", Kind::vendorKey, base64Url, 40, 0},
    {"r8_", Kind::vendorKey, alnum, 36, 0},
    {"rk_live_", Kind::stripe, alnum, 10, 0},
    {"rk_test_", Kind::stripe, alnum, 10, 0},
    {"rubygems_", Kind::vendorKey, alnum, 40, 0},
    {"sbp_", Kind::vendorKey, hex, 40, 0},
    {"sb_secret_", Kind::vendorKey, base64Url, 20, 0},
    {"secret_", Kind::vendorKey, alnum, 43, 43},
    {"shpat_", Kind::vendorKey, hex, 32, 0},
    {"shpca_", Kind::vendorKey, hex, 32, 0},
    {"shppa_", Kind::vendorKey, hex, 32, 0},
    {"shpss_", Kind::vendorKey, hex, 32, 0},
    {"sk-", Kind::vendorKey, base64Url, 20, 0},
    {"sk_live_", Kind::stripe, alnum, 10, 0},
    {"sk_test_", Kind::stripe, alnum, 10, 0},
    {"sl.", Kind::vendorKey, dotted, 60, 0},
    {"sntrys_", Kind::vendorKey, base64Url, 40, 0},
    {"sntryu_", Kind::vendorKey, hex, 40, 0},
    {"sq0atp-", Kind::vendorKey, base64Url, 20, 0},
    {"sq0csp-", Kind::vendorKey, base64Url, 40, 0},
    {"sqa_", Kind::vendorKey, hex, 40, 0},
    {"sqp_", Kind::vendorKey, hex, 40, 0},
    {"squ_", Kind::vendorKey, hex, 40, 0},
    {"tskey-", Kind::vendorKey, base64Url, 20, 0},
    {"whsec_", Kind::stripe, alnum, 20, 0},
    {"xai-", Kind::vendorKey, alnum, 40, 0},
    {"xapp-", Kind::slack, base64Url, 20, 0},
    {"xkeysib-", Kind::vendorKey, base64Url, 40, 0},
    {"xoxa-", Kind::slack, base64Url, 10, 0},
    {"xoxb-", Kind::slack, base64Url, 10, 0},
    {"xoxc-", Kind::slack, base64Url, 10, 0},
    {"xoxd-", Kind::slack, base64Url, 10, 0},
    {"xoxe-", Kind::slack, base64Url, 10, 0},
    {"xoxe.", Kind::slack, dotted, 10, 0},
    {"xoxo-", Kind::slack, base64Url, 10, 0},
    {"xoxp-", Kind::slack, base64Url, 10, 0},
    {"xoxr-", Kind::slack, base64Url, 10, 0},
    {"xoxs-", Kind::slack, base64Url, 10, 0},
    {"ya29.", Kind::google, dotted, 20, 0},
    {"y0_", Kind::vendorKey, base64Url, 50, 0},
});
static_assert(kVendorKeys.size() < 256);

constexpr unsigned charsOf(Alphabet alphabet) {
  switch (alphabet) {
    case alnum:
      return kAlnumChar;
    case upper:
      return kUpperChar | kDigitChar;
    case hex:
      return kHexChar;
    case base64Url:
    case dotted:
    case opaque:
      return kBase64UrlChar;
  }
  return kAlnumChar;
}

std::size_t bodyEnd(std::string_view text, std::size_t at, Alphabet alphabet) {
  std::size_t end = runEnd(text, at, charsOf(alphabet));
  // A dot belongs to the key only if more of the key follows.
  while (alphabet == dotted && end + 1 < text.size() && text[end] == '.' &&
         isOf(text[end + 1], kBase64UrlChar)) {
    end = runEnd(text, end + 1, kBase64UrlChar);
  }
  return end;
}

// Examines only the front, so that "sk-sk-sk-…" is not read to its end from every "sk-". Prose such
// as a slug after "sk-" has no digit; text longer than the front is not prose.
bool fits(const VendorKey& key, std::string_view text, std::size_t bodyAt) {
  constexpr std::size_t kFront = 128;
  const std::string_view front = text.substr(0, std::min(text.size(), bodyAt + kFront));
  const std::size_t end = bodyEnd(front, bodyAt, key.alphabet);
  const std::size_t length = end - bodyAt;
  if (length < key.minLength || (key.maxLength != 0 && length > key.maxLength)) {
    return false;
  }
  if (key.maxLength != 0 && end < text.size() && isAlnum(text[end])) {
    return false;
  }
  return length == kFront || key.alphabet == opaque ||
         std::ranges::any_of(text.substr(bodyAt, length), isDigit);
}

constexpr bool beginAlike(const VendorKey& one, const VendorKey& other) {
  return one.prefix[0] == other.prefix[0] && one.prefix[1] == other.prefix[1];
}

// The first row for each pair of letters. Most words begin with a pair that has no row.
constexpr std::uint8_t kNoRow = 255;
static_assert(kVendorKeys.size() < kNoRow);
constexpr auto kFirstOfPair = [] {
  std::array<std::array<std::uint8_t, 128>, 128> rows{};
  for (auto& seconds : rows) {
    seconds.fill(kNoRow);
  }
  for (std::size_t row = kVendorKeys.size(); row-- > 0;) {
    const std::string_view prefix = kVendorKeys[row].prefix;
    rows[static_cast<unsigned char>(prefix[0])][static_cast<unsigned char>(prefix[1])] =
        static_cast<std::uint8_t>(row);
  }
  return rows;
}();
static_assert([] {
  std::size_t groups = 0;
  for (std::size_t row = 0; row < kVendorKeys.size(); ++row) {
    groups += row == 0 || !beginAlike(kVendorKeys[row - 1], kVendorKeys[row]) ? 1U : 0U;
  }
  std::size_t pairs = 0;
  for (const auto& seconds : kFirstOfPair) {
    pairs += static_cast<std::size_t>(
        std::ranges::count_if(seconds, [](std::uint8_t row) { return row != kNoRow; }));
  }
  return groups == pairs;
}());

static_assert(std::ranges::all_of(kVendorKeys, [](const VendorKey& key) {
  return kVendorKeyLetters.contains(key.prefix.front());
}));

// The key at `begin`, among the rows that share their first two letters with row `first`.
[[gnu::noinline]] std::optional<Match> vendorKeyAt(std::string_view text, std::size_t begin,
                                                   std::size_t first) {
  for (std::size_t row = first;
       row < kVendorKeys.size() && beginAlike(kVendorKeys[first], kVendorKeys[row]); ++row) {
    const VendorKey& key = kVendorKeys[row];
    const std::size_t bodyAt = begin + key.prefix.size();
    // Nearly all prefixes end with a sign, which rules out most words.
    if (bodyAt <= text.size() && text[bodyAt - 1] == key.prefix.back() &&
        text.substr(begin).starts_with(key.prefix) && fits(key, text, bodyAt)) {
      return Match{.begin = begin, .end = bodyEnd(text, bodyAt, key.alphabet), .kind = key.kind};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Match> detectVendorKey(const Scan& scan, Spot word) {
  const std::size_t begin = afterEscape(scan, word.begin);
  const auto first = static_cast<unsigned char>(scan.at(begin));
  const auto second = static_cast<unsigned char>(scan.at(begin + 1));
  if (first >= kFirstOfPair.size() || second >= kFirstOfPair.size() ||
      kFirstOfPair[first][second] == kNoRow) {
    return std::nullopt;
  }
  return vendorKeyAt(scan.text, begin, kFirstOfPair[first][second]);
}

std::optional<Match> detectJwt(const Scan& scan, Spot word) {
  // {" in Base64: the header of every JWT, and the front of signed session cookies.
  constexpr std::string_view kOpening = "eyJ";
  constexpr std::size_t kShortestPart = 16;
  constexpr std::size_t kMaxParts = 5;
  const std::string_view text = scan.text;
  const std::size_t begin = afterEscape(scan, word.begin);
  if (!text.substr(std::min(begin, text.size())).starts_with(kOpening)) {
    return std::nullopt;
  }
  std::size_t end = runEnd(text, begin, kBase64UrlChar);
  bool longEnough = end - begin >= kShortestPart;
  for (std::size_t part = 1; part < kMaxParts; ++part) {
    // JWE with a direct key has an empty second part.
    const bool emptyPart = scan.at(end) == '.' && scan.at(end + 1) == '.' && part == 1;
    const std::size_t next = end + (emptyPart ? 2 : 1);
    if (scan.at(end) != '.' || !isOf(scan.at(next), kBase64UrlChar)) {
      break;
    }
    const std::size_t nextEnd = runEnd(text, next, kBase64UrlChar);
    longEnough = longEnough || nextEnd - next >= kShortestPart;
    end = nextEnd;
  }
  if (!longEnough) {
    return std::nullopt;
  }
  while (scan.at(end) == '=') {
    ++end;
  }
  return Match{.begin = begin, .end = end, .kind = Kind::jwt};
}

std::optional<Match> detectPaseto(const Scan& scan, Spot word) {
  constexpr std::size_t kShortest = 20;
  const std::size_t begin = afterEscape(scan, word.begin);
  const std::string_view rest = scan.text.substr(std::min(begin, scan.text.size()));
  if (rest.size() < 3 || rest[0] != 'v' || !isDigit(rest[1]) || rest[2] != '.') {
    return std::nullopt;
  }
  for (const std::string_view purpose : {"local.", "public."}) {
    if (rest.substr(3).starts_with(purpose)) {
      const std::size_t bodyAt = begin + 3 + purpose.size();
      const std::size_t end = bodyEnd(scan.text, bodyAt, dotted);
      if (end - bodyAt >= kShortest) {
        return Match{.begin = begin, .end = end, .kind = Kind::token};
      }
    }
  }
  return std::nullopt;
}

std::optional<Match> detectDiscordToken(const Scan& scan, Spot word) {
  const std::string_view text = scan.text;
  const std::size_t begin = afterEscape(scan, word.begin);
  const char first = scan.at(begin);
  if (first != 'M' && first != 'N' && first != 'O') {
    return std::nullopt;
  }
  const std::size_t idEnd = runEnd(text, begin, kAlnumChar, 29);
  if (idEnd - begin < 24 || idEnd - begin > 28 || scan.at(idEnd) != '.') {
    return std::nullopt;
  }
  const std::size_t timeEnd = runEnd(text, idEnd + 1, kBase64UrlChar, 8);
  if (timeEnd - idEnd != 7 || scan.at(timeEnd) != '.') {
    return std::nullopt;
  }
  const std::size_t end = runEnd(text, timeEnd + 1, kBase64UrlChar);
  if (end - timeEnd < 27) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = end, .kind = Kind::vendorKey};
}

std::optional<Match> detectAzureSecret(const Scan& scan, Spot mark) {
  // Client secrets of Entra ID: three characters, a digit, "Q~" and 31 to 34 more.
  constexpr std::size_t kFront = 5;
  constexpr std::size_t kShortest = 31;
  constexpr std::size_t kLongest = 34;
  constexpr unsigned kChars = kToken68Char;
  if (mark.begin < scan.floor + kFront || scan.before(mark.begin) != 'Q' ||
      !isDigit(scan.text[mark.begin - 2]) || !isOf(scan.text[mark.begin - kFront], kChars)) {
    return std::nullopt;
  }
  const std::size_t end = runEnd(scan.text, mark.end, kChars, kLongest + 1);
  const std::size_t length = end - mark.end;
  if (length < kShortest || length > kLongest) {
    return std::nullopt;
  }
  return Match{.begin = mark.begin - kFront, .end = end, .kind = Kind::azure};
}

std::optional<Match> detectTelegramToken(const Scan& scan, Spot word) {
  // 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw, also after "/bot" in a URL.
  std::size_t begin = afterEscape(scan, word.begin);
  if (startsWithWord(scan.text, begin, "bot")) {
    begin += 3;
  }
  const std::size_t idEnd = runEnd(scan.text, std::min(begin, scan.text.size()), kDigitChar, 12);
  if (idEnd - begin < 8 || idEnd - begin > 11) {
    return std::nullopt;
  }
  std::size_t secretAt = idEnd;
  if (scan.at(secretAt) == ':') {
    secretAt += 1;
  } else if (startsWithWord(scan.text, secretAt, "%3a")) {
    secretAt += 3;
  } else {
    return std::nullopt;
  }
  const std::size_t end = runEnd(scan.text, secretAt, kBase64UrlChar, 41);
  if (scan.at(secretAt) != 'A' || end - secretAt < 33 || end - secretAt > 40) {
    return std::nullopt;
  }
  return Match{.begin = begin, .end = end, .kind = Kind::vendorKey};
}

std::optional<Match> detectWebhookPath(const Scan& scan, Spot word) {
  struct Webhook {
    std::string_view opening;
    Kind kind;
  };
  // The path is the secret: it grants permission to post.
  constexpr std::array<Webhook, 5> kWebhooks = {{
      {"hooks.slack.com/services/", Kind::slack},
      {"hooks.slack.com/workflows/", Kind::slack},
      {"hooks.slack-gov.com/services/", Kind::slack},
      {"discord.com/api/webhooks/", Kind::vendorKey},
      {"discordapp.com/api/webhooks/", Kind::vendorKey},
  }};
  if (scan.at(word.end) != '.' && scan.at(word.end) != '-') {
    return std::nullopt;
  }
  for (const Webhook& webhook : kWebhooks) {
    if (startsWithWord(scan.text, word.begin, webhook.opening)) {
      const std::size_t begin = word.begin + webhook.opening.size();
      const std::size_t end = runEnd(scan.text, begin, kBase64Char | kBase64UrlChar);
      if (end > begin) {
        return Match{.begin = begin, .end = end, .kind = webhook.kind};
      }
    }
  }
  return std::nullopt;
}

}  // namespace auth_errors::domain
