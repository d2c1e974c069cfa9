#include "domain/scrub/scrubber.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "domain/values/utf8.h"
#include "tests/domain/scrub/scrubber_cases.h"

namespace auth_errors::domain {
namespace {

using namespace std::string_view_literals;

constexpr ScrubContext kNobody{};

std::string scrubbed(std::string_view text) { return scrub(text, kNobody).text; }

std::size_t markersIn(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    count += markerLengthAt(text, at) != 0 ? 1U : 0U;
  }
  return count;
}

std::vector<ScrubCase> allCases() {
  std::vector<ScrubCase> all;
  for (const auto family : {headerCases(), labelledCases(), shapeCases(), personalCases(),
                            traceCases(), placeCases()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  for (const auto family : {keptCases(), keptTraceCases(), keptPlaceCases()}) {
    for (const KeptCase& row : family) {
      all.push_back({row.name, row.text, row.text});
    }
  }
  return all;
}

void expectEach(std::span<const ScrubCase> cases) {
  for (const ScrubCase& row : cases) {
    EXPECT_EQ(scrubbed(row.input), row.expected) << row.name;
  }
}

// Digests of stored texts are comparable only within a version.
TEST(Scrubber, RaisesItsVersionWhenItsOutputChanges) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;  // FNV-1a
  const auto add = [&hash](std::string_view text) {
    for (const char letter : text) {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1'099'511'628'211U;
    }
  };
  add(std::to_string(kScrubberVersion));
  for (const ScrubCase& row : allCases()) {
    add(row.input);
    add(scrubbed(row.input));
  }
  EXPECT_EQ(hash, 3599848629190197633U) << "if the output for an existing text has changed, raise "
                                           "kScrubberVersion; then update the expected hash";
}

TEST(Scrubber, RedactsCredentialsInHeaders) { expectEach(headerCases()); }

TEST(Scrubber, RedactsLabelledValues) { expectEach(labelledCases()); }

TEST(Scrubber, RedactsKeysAndHashesByTheirShape) { expectEach(shapeCases()); }

TEST(Scrubber, RedactsAddressesUserinfoAndCards) { expectEach(personalCases()); }

TEST(Scrubber, RedactsTheOutputOfFrameworksAndShells) { expectEach(traceCases()); }

TEST(Scrubber, RedactsValuesByTheirPlace) { expectEach(placeCases()); }

TEST(Scrubber, KeepsWhatMakesATraceUseful) {
  for (const auto family : {keptCases(), keptTraceCases(), keptPlaceCases()}) {
    for (const KeptCase& row : family) {
      EXPECT_EQ(scrubbed(row.text), row.text) << row.name;
    }
  }
}

TEST(Scrubber, HasAtLeast600Cases) { EXPECT_GE(allCases().size(), 600U); }

TEST(Scrubber, IsIdempotent) {
  for (const ScrubCase& row : allCases()) {
    const ScrubResult again = scrub(row.expected, kNobody);
    EXPECT_EQ(again.text, row.expected) << row.name;
    EXPECT_EQ(again.counts.total(), 0U) << row.name;
  }
}

TEST(Scrubber, CountsEachMarkerOnce) {
  for (const ScrubCase& row : allCases()) {
    const std::size_t there = markersIn(row.input);
    EXPECT_EQ(scrub(row.input, kNobody).counts.total(), markersIn(row.expected) - there)
        << row.name;
  }
}

TEST(Scrubber, RedactsTheSameInsideALongerTrace) {
  const std::string before =
      "com.acme.auth.LoginException: login failed\n\tat com.acme.auth.Login.run(Login.java:42)\n";
  const std::string behind =
      "\n\tat com.acme.auth.TokenFilter.doFilter(TokenFilter.java:7)\nCaused by: x.Y: z\n";
  for (const ScrubCase& row : allCases()) {
    EXPECT_EQ(scrubbed(before + std::string(row.input) + behind),
              before + std::string(row.expected) + behind)
        << row.name;
  }
}

TEST(Scrubber, RedactsTheSameBesideASecondCase) {
  // The texts are separated by a frame, since a label also announces a value on the next line.
  constexpr std::string_view kFrame = "\n\tat com.acme.auth.Login.run(Login.java:42)\n";
  const std::vector<ScrubCase> all = allCases();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ScrubCase& other = all[(i * 7 + 3) % all.size()];
    EXPECT_EQ(scrubbed(std::string(all[i].input).append(kFrame).append(other.input)),
              std::string(all[i].expected).append(kFrame).append(other.expected))
        << all[i].name << " + " << other.name;
  }
}

TEST(Scrubber, NeitherSplitsNorNestsMarkers) {
  for (const ScrubCase& row : allCases()) {
    const std::string text = scrubbed(row.input);
    std::size_t openings = 0;
    for (std::size_t at = text.find("[redacted:"); at != std::string::npos;
         at = text.find("[redacted:", at + 1)) {
      ++openings;
    }
    EXPECT_EQ(openings, markersIn(text)) << row.name;
  }
}

TEST(Scrubber, HasOneMarkerAndOneLabelPerKind) {
  for (const RedactionKindRow& row : kRedactionKinds) {
    EXPECT_EQ(markerOf(row.kind), row.marker);
    EXPECT_EQ(labelOf(row.kind), row.label);
    EXPECT_EQ(scrubbed(row.marker), row.marker);
    EXPECT_EQ(std::ranges::count(kRedactionKinds, row.marker, &RedactionKindRow::marker), 1);
    EXPECT_EQ(std::ranges::count(kRedactionKinds, row.label, &RedactionKindRow::label), 1);
  }
}

struct ActorCase {
  std::string_view name;
  ScrubContext context;
  std::string_view input;
  std::string_view expected;
};

constexpr auto kActors = std::to_array<ActorCase>({
    {"user", {"alice42", ""}, "no such user alice42!", "no such user [redacted:user-id]!"},
    {"session",
     {"", "f00-ba7"},
     "session f00-ba7 is gone",
     "session [redacted:session-id] is gone"},
    {"both", {"alice42", "f00-ba7"}, "alice42/f00-ba7", "[redacted:user-id]/[redacted:session-id]"},
    {"in quotes", {"alice42", ""}, "'alice42'", "'[redacted:user-id]'"},
    {"in a path", {"alice42", ""}, "/users/alice42?x=1", "/users/[redacted:user-id]?x=1"},
    {"encoded before", {"alice42", ""}, "u%3Dalice42", "u%3D[redacted:user-id]"},
    {"behind an escaped newline", {"alice42", ""}, R"(x\nalice42)", R"(x\n[redacted:user-id])"},
    {"number", {"1234567", ""}, "user 1234567", "user [redacted:user-id]"},
    {"only letters",
     {"alice", ""},
     "user alice, alice.",
     "user [redacted:user-id], [redacted:user-id]."},
    {"other script", {"김철수씨", ""}, "사용자 김철수씨 없음", "사용자 [redacted:user-id] 없음"},
    {"with a blank", {"Alice Doe", ""}, "for Alice Doe;", "for [redacted:user-id];"},
    {"inside a dotted name", {"alice", ""}, "at com.alice.app.Main", "at com.alice.app.Main"},
    {"part of a word",
     {"alice42", ""},
     "malice42 alice421 x_alice42",
     "malice42 alice421 x_alice42"},
    {"another case", {"alice42", ""}, "ALICE42", "ALICE42"},
    {"too short", {"1", "a"}, "line 1, a frame", "line 1, a frame"},
    {"three letters", {"bob", ""}, "bob failed", "bob failed"},
    {"short number", {"8080", ""}, "port 8080", "port 8080"},
    {"common word", {"user", "null"}, "user is null", "user is null"},
    {"anonymous user of a framework",
     {"anonymousUser", ""},
     "principal anonymousUser",
     "principal anonymousUser"},
    {"inside a marker",
     {"redacted", "password"},
     "password=[redacted:password]",
     "password=[redacted:password]"},
    {"does not hide a label",
     {"x-api", ""},
     "x-api-key: a1b2c3d4",
     "[redacted:user-id]-key: [redacted:api-key]"},
    {"an address is an address", {"bob@example.com", ""}, "bob@example.com", "[redacted:email]"},
    {"no context", {"", ""}, "nothing", "nothing"},
    {"address",
     {"", "", "192.0.2.7"},
     "from 192.0.2.7, 192.0.2.7. (192.0.2.7)",
     "from [redacted:client-ip], [redacted:client-ip]. ([redacted:client-ip])"},
    {"address with a port",
     {"", "", "192.0.2.7"},
     "/192.0.2.7:49152",
     "/[redacted:client-ip]:49152"},
    {"address in a network", {"", "", "192.0.2.7"}, "192.0.2.7/24", "[redacted:client-ip]/24"},
    {"address in a URL",
     {"", "", "192.0.2.7"},
     "ip%3D192.0.2.7%26",
     "ip%3D[redacted:client-ip]%26"},
    {"address behind an escaped newline",
     {"", "", "192.0.2.7"},
     R"(x\n192.0.2.7)",
     R"(x\n[redacted:client-ip])"},
    {"address behind a label",
     {"", "", "192.0.2.7"},
     "remote:192.0.2.7",
     "remote:[redacted:client-ip]"},
    {"address in a host's name",
     {"", "", "192.0.2.7"},
     "192.0.2.7.example.org",
     "[redacted:client-ip].example.org"},
    {"part of an address",
     {"", "", "10.0.0.1"},
     "10.0.0.12 110.0.0.1 1.10.0.0.1 10.0.0.1.5 v10.0.0.1 10.0.0.1a",
     "10.0.0.12 110.0.0.1 1.10.0.0.1 10.0.0.1.5 v10.0.0.1 10.0.0.1a"},
    {"address mapped into IPv6",
     {"", "", "192.0.2.7"},
     "::ffff:192.0.2.7 ::FFFF:c000:0207 0:0:0:0:0:ffff:192.0.2.7 [::ffff:192.0.2.7]:80",
     "[redacted:client-ip] [redacted:client-ip] [redacted:client-ip] [[redacted:client-ip]]:80"},
    {"address submitted as mapped",
     {"", "", "::ffff:192.0.2.7"},
     "192.0.2.7",
     "[redacted:client-ip]"},
    {"address embedded in another",
     {"", "", "192.0.2.7"},
     "64:ff9b::192.0.2.7",
     "64:ff9b::[redacted:client-ip]"},
    {"IPv6 in other spellings",
     {"", "", "2001:db8::a:1"},
     "2001:db8::a:1 2001:DB8:0:0:0:0:A:1 2001:0db8:0000:0000:0000:0000:000a:0001 2001:db8:0::a:1",
     "[redacted:client-ip] [redacted:client-ip] [redacted:client-ip] [redacted:client-ip]"},
    {"IPv6 in brackets",
     {"", "", "2001:db8::1"},
     "http://[2001:DB8::1]:443/x",
     "http://[[redacted:client-ip]]:443/x"},
    {"IPv6 with a zone",
     {"", "", "fe80::1"},
     "fe80::1%eth0 fe80:0:0:0:0:0:0:1%2",
     "[redacted:client-ip]%eth0 [redacted:client-ip]%2"},
    {"IPv6 with a port",
     {"", "", "2001:db8::1"},
     "2001:db8::1:49152",
     "[redacted:client-ip]:49152"},
    {"IPv6 with a port, in full",
     {"", "", "2001:db8::1"},
     "/2001:db8:0:0:0:0:0:1:80",
     "/[redacted:client-ip]:80"},
    {"IPv6 in a sentence",
     {"", "", "2001:db8::1"},
     "remote:2001:db8::1: refused. From 2001:db8::1. addr=2001:db8::1, (2001:db8::1)",
     "remote:[redacted:client-ip]: refused. From [redacted:client-ip]. addr=[redacted:client-ip], "
     "([redacted:client-ip])"},
    {"IPv6 in a URL",
     {"", "", "2001:db8::1"},
     "?ip=2001%3Adb8%3a%3A1&x ?a%3D2001:db8::1",
     "?ip=[redacted:client-ip]&x ?a%3D[redacted:client-ip]"},
    {"IPv6 behind an escaped newline",
     {"", "", "2001:db8::1"},
     R"(x\n2001:db8::1\n)",
     R"(x\n[redacted:client-ip]\n)"},
    {"part of an IPv6 address",
     {"", "", "2001:db8::1"},
     "2001:db8::12 2001:db8::1:2 1:2001:db8::1 2001:db8::1f",
     "2001:db8::12 2001:db8::1:2 1:2001:db8::1 2001:db8::1f"},
    {"address of another", {"", "", "192.0.2.7"}, "192.0.2.8 2001:db8::1", "192.0.2.8 2001:db8::1"},
    {"loopback", {"", "", "127.0.0.1"}, "at 127.0.0.1:80", "at 127.0.0.1:80"},
    {"loopback of IPv6", {"", "", "::1"}, "at [::1]:80", "at [::1]:80"},
    {"unspecified", {"", "", "0.0.0.0"}, "on 0.0.0.0:80", "on 0.0.0.0:80"},
    {"unspecified of IPv6", {"", "", "::"}, "std::string on [::]:80", "std::string on [::]:80"},
    {"invalid address", {"", "", "nonsense"}, "nonsense", "nonsense"},
    {"address beside a user",
     {"alice42", "", "192.0.2.7"},
     "alice42@192.0.2.7 failed",
     "[redacted:user-id]@[redacted:client-ip] failed"},
});

TEST(Scrubber, RedactsSubmittedIdentifiersAsWholeTokens) {
  for (const ActorCase& row : kActors) {
    const ScrubResult result = scrub(row.input, row.context);
    EXPECT_EQ(result.text, row.expected) << row.name;
    EXPECT_EQ(scrub(result.text, row.context).text, result.text) << row.name;
  }
}

TEST(Scrubber, CountsByKind) {
  const ScrubResult result = scrub("password=a password=b bob@example.com alice42",
                                   {.userId = "alice42", .sessionId = ""});
  EXPECT_EQ(result.counts.of(RedactionKind::password), 2U);
  EXPECT_EQ(result.counts.of(RedactionKind::email), 1U);
  EXPECT_EQ(result.counts.of(RedactionKind::userId), 1U);
  EXPECT_EQ(result.counts.total(), 4U);
}

// Random mixtures of the detectors' triggers: nested quotes, incomplete markers, truncated pairs.
TEST(Scrubber, IsIdempotentAndUnicodeSafeOnRandomMixtures) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<std::string_view> pieces = {"password",
                                          "=",
                                          ":",
                                          ": ",
                                          "\"",
                                          "\\\"",
                                          "'",
                                          "%22",
                                          "%3D",
                                          "&",
                                          "&quot;",
                                          ", ",
                                          ";",
                                          "<",
                                          ">",
                                          "[",
                                          "]",
                                          "{",
                                          "}",
                                          "(",
                                          ")",
                                          "\\n",
                                          "\n",
                                          " ",
                                          "is ",
                                          "--",
                                          "@",
                                          "example.com",
                                          "://",
                                          "eyJ",
                                          "eyJhbGciOiJIUzI1NiJ9",
                                          ".",
                                          "-----BEGIN X-----",
                                          "-----END X-----",
                                          "4111",
                                          "한",
                                          "é",
                                          "[redacted:jwt]",
                                          "[redacted:",
                                          "Bearer ",
                                          "Basic ",
                                          "YTpi",
                                          "Cookie: ",
                                          "Authorization: ",
                                          "Digest ",
                                          "a=b",
                                          "token",
                                          "abc123",
                                          "must",
                                          "null",
                                          "$2b$",
                                          "{SSHA}",
                                          "?code=",
                                          "2001:db8::1",
                                          "%3A",
                                          "bob"};
  std::uniform_int_distribution<std::size_t> piece(0, pieces.size() - 1);
  std::uniform_int_distribution<std::size_t> length(1, 24);
  const ScrubContext context{.userId = "abc123", .sessionId = "bob-1", .clientIp = "2001:db8::1"};
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (std::size_t n = length(random); n > 0; --n) {
      text += pieces[piece(random)];
    }
    const ScrubResult once = scrub(text, context);
    ASSERT_TRUE(isValidUtf8(once.text)) << text;
    ASSERT_EQ(scrub(once.text, context).text, once.text) << text;
    ASSERT_EQ(once.counts.of(RedactionKind::wholeText), 0U) << text;
  }
}

// CPU time, which is independent of the machine's load.
double secondsFor(std::string_view unit, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    text += unit;
  }
  const std::clock_t start = std::clock();
  const ScrubResult result =
      scrub(text, {.userId = "aaaab", .sessionId = "eyJeyJx", .clientIp = "2001:db8::1"});
  const std::clock_t end = std::clock();
  EXPECT_FALSE(result.text.empty());
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

// Ten times the text takes about ten times as long; quadratic behaviour would take a hundred times.
bool isLinearFor(std::string_view unit) {
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr std::size_t kLarge = std::size_t{1} << 20U;
#else
  constexpr std::size_t kLarge = std::size_t{1} << 18U;
#endif
  constexpr double kFloor = 0.003;
  constexpr int kAttempts = 3;
  for (int tries = 0; tries < kAttempts; ++tries) {
    const double small = std::max(secondsFor(unit, kLarge / 10), kFloor);
    if (secondsFor(unit, kLarge) < 30 * small) {
      return true;
    }
  }
  return false;
}

// Explanations, masks and names of secrets are kept; values that merely resemble them are redacted.
TEST(Scrubber, DistinguishesMasksAndNamesFromSecretsThatResembleThem) {
  constexpr auto kKept = std::to_array<std::string_view>({
      "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db",
      "clone of ssh://git@git.example.org/team/core failed",
      "cannot log in to ftp://edi@ftp.example.org:21",
      "https://ci:*password*@files.example.org/build",
      "cannot parse `postgres://app:xxxxx@pg.example.org/app`",
      "Data\npassword:  24 bytes\nusername:  7 bytes",
      "echo \"$REGISTRY_PASSWORD\" | docker login -u ci --password-stdin",
      "usage: ctl login [--user USER] [--password PASSWORD]",
      "api_key: <your-api-key>\napi_secret: <your-api-secret>",
      "WWW-Authenticate: Bearer realm=portal",
      "#1 0x4e80c1 in auth_handle_bearer /build/src/auth.c:301:9",
  });
  for (const std::string_view text : kKept) {
    EXPECT_EQ(scrubbed(text), text);
  }
  constexpr auto kScrubbed = std::to_array<std::array<std::string_view, 2>>({
      {"config/prod.yml:12:password: sommerwind", "sommerwind"},
      {"<Password>\n  Hunter2sun \n</Password>", "Hunter2sun"},
      {"<password>\n  sommerwind", "sommerwind"},
      {"redis://correcthorse@cache.internal", "correcthorse"},
      {"https://mysupersecret@api.example.org", "mysupersecret"},
      {"postgres://app:****rosebud@db", "rosebud"},
      {"postgres://app:protected@db", "protected"},
      {"curl -u app:****rosebud https://a.example.org", "rosebud"},
      {"PGPASSWORD=*rosebud*", "rosebud"},
      {"password=[]rosebud", "rosebud"},
      {"| password | tee time rosebud |", "rosebud"},
      {"POST https://chat.example.org/services/T024BE7LD/B07ABCDE1/xJk29dLqPz81VmTnRwYb4c",
       "xJk29dLqPz81VmTnRwYb4c"},
      {"Invalid OTP 83 51 60 entered for customer 77120", "83 51 60"},
      {"كلمة المرور: Nakhla2022", "Nakhla2022"},
      {"mật khẩu=PhoBo@2022", "PhoBo"},
  });
  for (const auto& [text, secret] : kScrubbed) {
    EXPECT_FALSE(scrubbed(text).contains(secret)) << scrubbed(text);
  }
}

TEST(Scrubber, TakesTimeProportionalToTheText) {
  for (const std::string_view unit : {"Bearer "sv,
                                      "bearer+"sv,
                                      "basic+"sv,
                                      "Basic "sv,
                                      "eyJ"sv,
                                      "eyJ."sv,
                                      "eyJa-"sv,
                                      "-----BEGIN"sv,
                                      "-----BEGIN X-----"sv,
                                      "-----BEGIN X-----\n"sv,
                                      "-"sv,
                                      "@@@@"sv,
                                      "a@"sv,
                                      "a@a."sv,
                                      "4"sv,
                                      "4111 "sv,
                                      "1-"sv,
                                      "password="sv,
                                      "password: "sv,
                                      "password:"sv,
                                      "password=["sv,
                                      "password=****"sv,
                                      "password=$__"sv,
                                      "password=VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"sv,
                                      "secret:12345/"sv,
                                      "secret=[]a{"sv,
                                      "1:secret:"sv,
                                      ":123456789012:secret:"sv,
                                      "| password | tee "sv,
                                      "/login dragon1234 "sv,
                                      "(login, 'dragon1234') "sv,
                                      "password='"sv,
                                      "password=\""sv,
                                      "password \""sv,
                                      "\\\"password\\\":\\\""sv,
                                      "token:"sv,
                                      "token=>"sv,
                                      "token \\\""sv,
                                      "<password "sv,
                                      "<password>"sv,
                                      "sk-"sv,
                                      "sk-sk_"sv,
                                      "$2a$"sv,
                                      "{md5}"sv,
                                      "://"sv,
                                      "://a:b"sv,
                                      "://a:b/"sv,
                                      "%3A%2F%2Fa"sv,
                                      "Cookie: a=b; "sv,
                                      "Cookie:"sv,
                                      "Authorization: "sv,
                                      "Authorization: Digest a=\"b\", "sv,
                                      "code="sv,
                                      "?code=&"sv,
                                      "\\"sv,
                                      "\\\\\""sv,
                                      "\""sv,
                                      "["sv,
                                      "[redacted:"sv,
                                      "[redacted:jwt]"sv,
                                      "a"sv,
                                      " "sv,
                                      "\n"sv,
                                      "aaaa"sv,
                                      "api key "sv,
                                      "a_"sv,
                                      "a."sv,
                                      "password=a,"sv,
                                      "password=a&b"sv,
                                      "한"sv,
                                      "%40"sv,
                                      "v4.local."sv,
                                      "12345678:A"sv,
                                      "\xFF"sv,
                                      "\0"sv,
                                      "is password is "sv,
                                      "x-api-key->"sv,
                                      "password=%22x%22 "sv,
                                      "\"password\":[\"a\"]"sv,
                                      "token:[ "sv,
                                      "password:Exception"sv,
                                      "authorization=\"Error "sv,
                                      "password=\"[redacted:jwt]"sv,
                                      "password=%22[redacted:jwt]"sv,
                                      "session="sv,
                                      "session=a "sv,
                                      "otp:["sv,
                                      "{code%3D"sv,
                                      "curl -u "sv,
                                      "curl'\\"sv,
                                      "mysql -pcode params: ("sv,
                                      "login("sv,
                                      "password) values ["sv,
                                      "password) values ('"sv,
                                      "row contains "sv,
                                      "identified by \""sv,
                                      "password: |\n"sv,
                                      "password: |\n "sv,
                                      "password|"sv,
                                      "password for "sv,
                                      "password for a: '"sv,
                                      "<password><![CDATA["sv,
                                      "name=\"password\"\n\n"sv,
                                      "password input="sv,
                                      "password=a("sv,
                                      "/token/"sv,
                                      "123456 is your "sv,
                                      "a:b@tcp("sv,
                                      "Negotiate "sv,
                                      "8Q~"sv,
                                      ":"sv,
                                      "%3A"sv,
                                      "a:"sv,
                                      "2001:db8:"sv,
                                      "2001:db8::1 "sv,
                                      "암호"sv}) {
    EXPECT_TRUE(isLinearFor(unit)) << unit;
  }
}

}  // namespace
}  // namespace auth_errors::domain
