#include "domain/scrub/sanitiser.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "domain/values/utf8.h"

namespace auth_errors::domain {
namespace {

using namespace std::string_view_literals;

constexpr ScrubContext kNoActors{};

std::string sanitised(std::string_view text, std::size_t limit = kMaxMessageCodePoints) {
  return sanitise(text, limit, kNoActors).text.value_or("(null)");
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

TEST(Sanitiser, MapsEachCaseToItsStoredForm) {
  for (const SanitiserCase& row : kCases) {
    EXPECT_EQ(sanitised(row.input), row.expected) << row.name;
  }
}

TEST(Sanitiser, IsIdempotent) {
  for (const SanitiserCase& row : kCases) {
    const std::string once = sanitised(row.input);
    EXPECT_EQ(sanitised(once), once) << row.name;
  }
}

TEST(Sanitiser, KeepsATextOfExactlyTheLimit) {
  const std::string text(kMaxMessageCodePoints, 'a');
  const SanitisedText result = sanitise(text, kMaxMessageCodePoints, kNoActors);
  EXPECT_EQ(result.text, text);
  EXPECT_FALSE(result.truncated);
}

TEST(Sanitiser, TruncatesByCodePoints) {
  std::string text;
  for (std::size_t i = 0; i < kMaxStacktraceCodePoints + 1; ++i) {
    text += "한";
  }
  const SanitisedText result = sanitise(text, kMaxStacktraceCodePoints, kNoActors);
  ASSERT_TRUE(result.text.has_value());
  EXPECT_EQ(countCodePoints(*result.text), kMaxStacktraceCodePoints);
  EXPECT_TRUE(isValidUtf8(*result.text));
  EXPECT_TRUE(result.truncated);
}

TEST(Sanitiser, TrimsBeforeItTruncates) { EXPECT_EQ(sanitised("     abc", 3), "abc"); }

TEST(Sanitiser, LeavesNoTrailingBlankAfterTruncation) {
  EXPECT_EQ(sanitised("abc   def", 5), "abc");
}

TEST(Sanitiser, ScrubsBeforeItTruncatesSoThatNoPartialSecretRemains) {
  const std::string text = "token=abcdefghijklmnopqrstuvwxyz0123456789 and more";
  for (std::size_t limit = 1; limit < text.size(); ++limit) {
    EXPECT_FALSE(sanitised(text, limit).contains("abc")) << limit;
  }
}

TEST(Sanitiser, DropsAMarkerRatherThanSplitIt) {
  EXPECT_EQ(sanitised("password=hunter2 and more", 27), "password=");
  EXPECT_EQ(sanitised("password=hunter2 and more", 28), "password=[redacted:password]");
}

TEST(Sanitiser, CountsRedactionsPastTheLimitToo) {
  const std::string text = std::string(50, 'a') + " password=hunter2";
  const SanitisedText result = sanitise(text, 10, kNoActors);
  EXPECT_EQ(result.text, std::string(10, 'a'));
  EXPECT_EQ(result.counts.of(RedactionKind::password), 1U);
}

TEST(Sanitiser, ScrubsATruncatedEndAgain) {
  // "must" is prose, but its first letter alone would be a password.
  for (std::size_t limit = 9; limit < 24; ++limit) {
    const std::string once = sanitised("password: must have 8 characters", limit);
    EXPECT_EQ(sanitised(once, limit), once) << limit;
  }
}

TEST(Sanitiser, IsIdempotentAtEveryLimit) {
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

TEST(Sanitiser, NeverSplitsACodePointOfALongSecret) {
  for (const std::string_view opening :
       {"unknown token \"a1", "login('bob', 'a1", "curl -u bob:a1", "<password><![CDATA[a1",
        "password: [a1", "name=\"password\" x=\"a1", "wrong password (a1", "values ('a1"}) {
    std::string text(opening);
    for (int i = 0; i < 400; ++i) {
      text += "한";
      EXPECT_TRUE(isValidUtf8(sanitised(text))) << opening << i;
      EXPECT_TRUE(isValidUtf8(sanitised(text + '"'))) << opening << i;
    }
  }
}

TEST(Sanitiser, RedactsALongSecretToItsEnd) {
  const std::string secret(5'000, 'z');
  for (const std::string_view opening :
       {"password=", "password: \"", "password: [", "login('bob', '", "curl -u bob:", "sshpass -p ",
        "IDENTIFIED BY '", "(password) VALUES ('", "row contains (", "Password for bob: a1",
        "| password | ", "<password>", "Authorization: Bearer ", "Cookie: a=", "password: |\n  ",
        "name=\"password\"\n\n", "/reset-password/a1", "https://u:", "Negotiate "}) {
    const std::string text = std::string(opening) + secret + "@host";
    EXPECT_FALSE(sanitised(text, kMaxStacktraceCodePoints).contains("zzz")) << opening;
  }
}

constexpr std::size_t kFront = kReadPerCodePoint * kMaxStacktraceCodePoints;

// A long secret that shrinks to a short marker, so that the text after it may be stored.
std::string shrinking(std::size_t size) {
  return "password=\"" + std::string(size - 12, 'y') + "\" ";
}

TEST(Sanitiser, ReadsOnlyTheFrontOfALongText) {
  std::string text;
  while (text.size() < (std::size_t{1} << 20U)) {
    text += "\tat com.acme.Login.run(Login.java:42) password=hunter2\n";
  }
  const SanitisedText result = sanitise(text, kMaxStacktraceCodePoints, kNoActors);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(countCodePoints(result.text.value()), kMaxStacktraceCodePoints);
  EXPECT_LE(result.counts.total(), (kFront + kReadAhead) / 50);
  EXPECT_EQ(result.text,
            sanitise(text.substr(0, kFront / 2), kMaxStacktraceCodePoints, kNoActors).text);
}

TEST(Sanitiser, ReportsTruncationOnlyIfItHappened) {
  const std::string read = shrinking(kFront) + "end";
  EXPECT_EQ(sanitised(read, kMaxStacktraceCodePoints), "password=\"[redacted:password]\" end");
  EXPECT_FALSE(sanitise(read, kMaxStacktraceCodePoints, kNoActors).truncated);

  const SanitisedText unread =
      sanitise(shrinking(kFront + kReadAhead + 100) + "end", kMaxStacktraceCodePoints, kNoActors);
  EXPECT_EQ(unread.text, "password=\"[redacted:password]");
  EXPECT_TRUE(unread.truncated);

  const std::string blanks = "short" + std::string(kFront + kReadAhead + 100, ' ');
  EXPECT_EQ(sanitised(blanks, kMaxStacktraceCodePoints), "short");
}

TEST(Sanitiser, FindsTheTextAfterManyControlCharacters) {
  std::string text;
  while (text.size() < (std::size_t{1} << 19U)) {
    text += "\x01\xE2\x80\x8B"sv;
  }
  const SanitisedText result = sanitise(text + "here", kMaxStacktraceCodePoints, kNoActors);
  EXPECT_EQ(result.text, "here");
  EXPECT_FALSE(result.truncated);
}

// True if a piece of the secret of significant length is left.
bool holdsPieceOf(std::string_view text, std::string_view secret) {
  constexpr std::size_t kPiece = 5;
  for (std::size_t at = 0; at + kPiece <= secret.size(); ++at) {
    if (text.contains(secret.substr(at, kPiece))) {
      return true;
    }
  }
  return false;
}

TEST(Sanitiser, LeavesNoPartialSecretWhereItStopsReading) {
  struct Straddling {
    std::string_view before;
    std::string_view secret;
    std::string_view behind = "";
  };
  const ScrubContext context{.userId = "Alice Liddell of Wonderland", .sessionId = ""};
  const std::string longSecret(2 * kReadAhead, 'Z');
  std::string pem = "-----BEGIN PRIVATE KEY-----\n";
  while (pem.size() < 2 * kReadAhead) {
    pem += "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
  }
  const std::string shortPem =
      "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA\nabcdefg=\n-----END EC PRIVATE KEY-----";
  for (const Straddling& row : std::to_array<Straddling>({
           {"card ", "4111 1111 1111 1111"},
           {"", "482913", " is your verification code"},
           {"jwt ", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlc2ln"},
           {"to ", "someone.private@mail.example.org"},
           {"for ", "Alice Liddell of Wonderland"},
           {"password: \"", "correct horse battery staple\""},
           {"https://", "someone:s3cretword", "@host.example/"},
           {"Cookie: ", "first=firstvalue; second=secondvalue"},
           {"password=", longSecret},
           {"", pem},
           {"", shortPem},
       })) {
    for (std::size_t back = 0; back < std::min<std::size_t>(row.secret.size() + 32, 200); ++back) {
      std::string text = shrinking(kFront - back - row.before.size());
      text.append(row.before).append(row.secret).append(row.behind);
      text.append("\n").append(2 * kReadAhead, '.');
      const SanitisedText result = sanitise(text, kMaxStacktraceCodePoints, context);
      EXPECT_TRUE(result.truncated);
      ASSERT_FALSE(holdsPieceOf(result.text.value(), row.secret))
          << row.secret.substr(0, 40) << " begins " << back
          << " before the end: " << result.text.value().substr(0, 200);
    }
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
    const auto once = sanitise(text, limit, kNoActors).text;
    if (once) {
      ASSERT_TRUE(isValidUtf8(*once)) << text;
      ASSERT_LE(countCodePoints(*once), limit) << text;
      ASSERT_EQ(sanitise(*once, limit, kNoActors).text, once) << text;
    }
  }
}

}  // namespace
}  // namespace auth_errors::domain
