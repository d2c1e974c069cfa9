#include "domain/sanitiser.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "domain/utf8.h"

namespace auth_errors::domain {
namespace {

using namespace std::string_view_literals;

constexpr ScrubContext kNobody{};

std::string sanitised(std::string_view text, std::size_t limit = kMaxMessageCodePoints) {
  return sanitise(text, limit, kNobody).text.value_or("(null)");
}

struct SanitiserCase {
  std::string_view name;
  std::string_view input;
  std::string_view expected;
};

constexpr auto kCases = std::to_array<SanitiserCase>({
    {"CRLF", "a\r\nb"sv, "a\nb"sv},
    {"lone CR", "a\rb"sv, "a\nb"sv},
    {"CR CR LF", "a\r\r\nb"sv, "a\n\nb"sv},
    {"LF stays", "a\nb"sv, "a\nb"sv},
    {"NEL", "a\xC2\x85z"sv, "a\nz"sv},
    {"line separator", "a\xE2\x80\xA8z"sv, "a\nz"sv},
    {"paragraph separator", "a\xE2\x80\xA9z"sv, "a\nz"sv},
    {"TAB stays", "a\tb"sv, "a\tb"sv},
    {"NUL", "a\0b"sv, "ab"sv},
    {"escape sequence", "\x1B[31mred\x1B[0m"sv, "[31mred[0m"sv},
    {"vertical tab and form feed", "a\v\fb"sv, "ab"sv},
    {"backspace", "a\bb"sv, "ab"sv},
    {"DEL", "a\x7F\x62"sv, "ab"sv},
    {"C1", "a\xC2\x80\xC2\x9F\x62"sv, "ab"sv},
    {"no-break space inside stays", "a\xC2\xA0z"sv, "a\xC2\xA0z"sv},
    {"right-to-left override", "a\xE2\x80\xAEz"sv, "az"sv},
    {"isolates", "a\xE2\x81\xA6z\xE2\x81\xA9"sv, "az"sv},
    {"byte order mark", "\xEF\xBB\xBFstart"sv, "start"sv},
    {"zero width joiner stays", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB"sv,
     "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB"sv},
    {"other scripts stay", "로그인 실패: über"sv, "로그인 실패: über"sv},
    {"blanks at the ends", "  \t\n a b \n\n"sv, "a b"sv},
    {"Unicode blanks at the ends", "\xC2\xA0\xE3\x80\x80z\xE2\x80\x83"sv, "z"sv},
    {"nothing but blanks", " \t\r\n\xC2\xA0"sv, "(null)"sv},
    {"nothing but controls", "\x01\x02\xE2\x80\x8B"sv, "(null)"sv},
    {"empty", ""sv, "(null)"sv},
    {"secret", "login with password=hunter2 failed"sv,
     "login with password=[redacted:password] failed"sv},
    {"secret split by a control", "pass\0word=hun\x01ter2"sv, "password=[redacted:password]"sv},
    {"secret split by a zero width space", "pass\xE2\x80\x8Bword=x1"sv,
     "password=[redacted:password]"sv},
    {"secret split by CR", "password=hunter2\rnext"sv, "password=[redacted:password]\nnext"sv},
    {"marker stays", "[redacted:jwt]"sv, "[redacted:jwt]"sv},
    {"invalid byte", "a\xFFz"sv, "a\xEF\xBF\xBDz"sv},
    {"cut sequence", "a\xE2\x82"sv, "a\xEF\xBF\xBD\xEF\xBF\xBD"sv},
});

TEST(Sanitiser, TurnsEachCaseIntoItsStoredForm) {
  for (const SanitiserCase& row : kCases) {
    EXPECT_EQ(sanitised(row.input), row.expected) << row.name;
  }
}

TEST(Sanitiser, ChangesNothingTheSecondTime) {
  for (const SanitiserCase& row : kCases) {
    const std::string once = sanitised(row.input);
    EXPECT_EQ(sanitised(once), once) << row.name;
  }
}

TEST(Sanitiser, KeepsATextOfExactlyTheLimit) {
  const std::string text(kMaxMessageCodePoints, 'a');
  const SanitisedText result = sanitise(text, kMaxMessageCodePoints, kNobody);
  EXPECT_EQ(result.text, text);
  EXPECT_FALSE(result.truncated);
}

TEST(Sanitiser, CutsAtTheLimitInCodePoints) {
  std::string text;
  for (std::size_t i = 0; i < kMaxStacktraceCodePoints + 1; ++i) {
    text += "한";
  }
  const SanitisedText result = sanitise(text, kMaxStacktraceCodePoints, kNobody);
  ASSERT_TRUE(result.text.has_value());
  EXPECT_EQ(countCodePoints(*result.text), kMaxStacktraceCodePoints);
  EXPECT_TRUE(isValidUtf8(*result.text));
  EXPECT_TRUE(result.truncated);
}

TEST(Sanitiser, TrimsBeforeItCuts) { EXPECT_EQ(sanitised("     abc", 3), "abc"); }

TEST(Sanitiser, LeavesNoBlankAtTheCut) { EXPECT_EQ(sanitised("abc   def", 5), "abc"); }

TEST(Sanitiser, ScrubsBeforeItCutsSoThatNoHalfSecretStays) {
  const std::string text = "token=abcdefghijklmnopqrstuvwxyz0123456789 and more";
  for (std::size_t limit = 1; limit < text.size(); ++limit) {
    EXPECT_FALSE(sanitised(text, limit).contains("abc")) << limit;
  }
}

TEST(Sanitiser, LeavesAMarkerOutRatherThanCutIt) {
  EXPECT_EQ(sanitised("password=hunter2 and more", 27), "password=");
  EXPECT_EQ(sanitised("password=hunter2 and more", 28), "password=[redacted:password]");
}

TEST(Sanitiser, CountsRedactionsBehindTheCutToo) {
  const std::string text = std::string(50, 'a') + " password=hunter2";
  const SanitisedText result = sanitise(text, 10, kNobody);
  EXPECT_EQ(result.text, std::string(10, 'a'));
  EXPECT_EQ(result.counts.of(RedactionKind::password), 1U);
}

TEST(Sanitiser, ReadsACutEndAgain) {
  // "must" is prose, its first letter alone would be a password.
  for (std::size_t limit = 9; limit < 24; ++limit) {
    const std::string once = sanitised("password: must have 8 characters", limit);
    EXPECT_EQ(sanitised(once, limit), once) << limit;
  }
}

TEST(Sanitiser, IsIdempotentAtEveryCut) {
  const std::string text =
      "Authorization: Bearer abc.def.ghi\nCookie: a=b; c=d\npassword: must be set, token is "
      "x1y2z3, bob@example.com https://u:p@host/?code=abcdefgh&state=xyz 4111 1111 1111 1111 "
      "{\"secret\":\"a\\\"b\"} -----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nabc\n";
  for (std::size_t limit = 1; limit <= text.size(); ++limit) {
    const std::string once = sanitised(text, limit);
    EXPECT_EQ(sanitised(once, limit), once) << limit;
    EXPECT_LE(countCodePoints(once), std::max<std::size_t>(limit, 6)) << limit;
  }
}

TEST(Sanitiser, NeverCutsACodePointOfALongSecret) {
  std::string text = "unknown token \"a1";
  for (int i = 0; i < 400; ++i) {
    text += "한";
    EXPECT_TRUE(isValidUtf8(sanitised(text))) << i;
    EXPECT_TRUE(isValidUtf8(sanitised(text + '"'))) << i;
  }
}

TEST(Sanitiser, IsIdempotentOnRandomMixtures) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr auto kPieces = std::to_array<std::string_view>({"password",
                                                            "=",
                                                            ": ",
                                                            "\"",
                                                            "\\\"",
                                                            "token",
                                                            "eyJ",
                                                            "abc123",
                                                            " ",
                                                            "\n",
                                                            "\r",
                                                            "bob",
                                                            "@",
                                                            "example.com",
                                                            "[redacted:",
                                                            "jwt]",
                                                            "Bearer ",
                                                            "%3D",
                                                            "&",
                                                            "4111 1111 1111 1111",
                                                            "://",
                                                            "한",
                                                            "\xFF",
                                                            "\0"sv,
                                                            "code",
                                                            "Cookie: a=b; ",
                                                            "Authorization: ",
                                                            "is ",
                                                            "{",
                                                            "}",
                                                            "'",
                                                            "-----BEGIN KEY-----",
                                                            "-----END KEY-----",
                                                            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"});
  std::uniform_int_distribution<std::size_t> piece(0, kPieces.size() - 1);
  std::uniform_int_distribution<std::size_t> length(1, 30);
  std::uniform_int_distribution<std::size_t> limits(1, 120);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = length(random); n > 0; --n) {
      text += kPieces[piece(random)];
    }
    const std::size_t limit = limits(random);
    const auto once = sanitise(text, limit, kNobody).text;
    if (once) {
      ASSERT_TRUE(isValidUtf8(*once)) << text;
      ASSERT_LE(countCodePoints(*once), limit) << text;
      ASSERT_EQ(sanitise(*once, limit, kNobody).text, once) << text;
    }
  }
}

}  // namespace
}  // namespace auth_errors::domain
