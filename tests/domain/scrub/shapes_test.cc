#include "domain/scrub/shapes.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "domain/scrub/harmless_shapes.h"

namespace auth_errors::domain {
namespace {

constexpr std::size_t kShortest = 8;

TEST(ScrubShapes, DistinguishGeneratedTokensFromNames) {
  for (const std::string_view token :
       {"9TtSrW0hzOsQ", "8a1b3c5d7e9f0a12", "u9Lr-7Xw1TqZk0YbVn3mE_c5sPaHdGfJ",
        "550e8400-e29b-41d4-a716-446655440000", "fA7zQ0kLmTx3"}) {
    EXPECT_TRUE(looksGenerated(token, kShortest)) << token;
  }
  for (const std::string_view name :
       {"OAuth2LoginFilter", "Base64Utils", "authentication", "user_sessions", "20260101", "",
        "DaoAuthenticationProvider"}) {
    EXPECT_FALSE(looksGenerated(name, kShortest)) << name;
  }
}

TEST(ScrubShapes, RequireAMinimumLength) {
  EXPECT_TRUE(looksGenerated("fA7zQ0kLmTx3", 12));
  EXPECT_FALSE(looksGenerated("fA7zQ0kLmTx3", 13));
}

TEST(ScrubShapes, DistinguishWordsFromRandomLetters) {
  for (const std::string_view words : {"authentication", "session store", "not-found", "a.b"}) {
    EXPECT_TRUE(looksLikeWords(words)) << words;
  }
  for (const std::string_view token : {"xkqzvjwq", "hunter2", "", "---"}) {
    EXPECT_FALSE(looksLikeWords(token)) << token;
  }
}

TEST(ScrubShapes, RecogniseIdentifiersOfProgrammingLanguages) {
  for (const std::string_view name :
       {"refreshKrb5Config", "session_store", "auth.TokenService", "ActionController::Base"}) {
    EXPECT_TRUE(looksLikeIdentifier(name)) << name;
  }
  for (const std::string_view token : {"session", "Wint3r#Frost", "xkqz_vjwq", "token-store", ""}) {
    EXPECT_FALSE(looksLikeIdentifier(token)) << token;
  }
}

TEST(ScrubShapes, RecogniseAWordWithADigitOrASignAsAPassword) {
  for (const std::string_view password : {"hunter2", "Wint3r#Frost", "letme!n", "paßwort1"}) {
    EXPECT_TRUE(looksChosen(password)) << password;
  }
  for (const std::string_view other : {"hunter", "12345", "ab1", "!hunter", ""}) {
    EXPECT_FALSE(looksChosen(other)) << other;
  }
}

TEST(ScrubShapes, RecogniseAFewDigitsAsACode) {
  for (const std::string_view code :
       {"1234", "492031", "12345678", "123 456", "123-456", "WDJB-MJHT", "7KXQ2-M9VTP"}) {
    EXPECT_TRUE(looksLikeCode(code)) << code;
  }
  for (const std::string_view other : {"123", "123456789", "12 34", "abc-def", "123-4567", ""}) {
    EXPECT_FALSE(looksLikeCode(other)) << other;
  }
}

TEST(ScrubShapes, RecogniseAUuidByItsHyphens) {
  EXPECT_TRUE(isUuid("550e8400-e29b-41d4-a716-446655440000"));
  EXPECT_FALSE(isUuid("550e8400e-29b-41d4-a716-446655440000"));
  EXPECT_FALSE(isUuid("550e8400-e29b-41d4-a716-44665544000g"));
  EXPECT_FALSE(isUuid("550e8400-e29b-41d4-a716"));
}

TEST(ScrubShapes, DecodeBase64OfPrintableCharacters) {
  EXPECT_TRUE(isEncodedText("bGFtcGUtVHVybTIx"));
  EXPECT_TRUE(isEncodedText("aHVudGVyMi1hYg=="));
  EXPECT_FALSE(isEncodedText("/////////////w=="));
  EXPECT_FALSE(isEncodedText("bGFtcGU="));
}

TEST(ScrubShapes, AllowCapitalsOnlyInFront) {
  for (const std::string_view word : {"name", "NAME", "Name", "OAuth"}) {
    EXPECT_TRUE(isCased(word)) << word;
  }
  for (const std::string_view word : {"nAme", "namE", "HTtp"}) {
    EXPECT_FALSE(isCased(word)) << word;
  }
}

TEST(HarmlessShapes, AreKeptAlthoughTheyContainDigits) {
  for (const std::string_view token :
       {"0x7f3a9c2b", "_ZN4auth5TokenC1Ev", "AES256-CTS-HMAC-SHA1-96", "TLSv1.3", "2026-01-01",
        "db-7.internal.example", "login.js", "3C-22-FB-10-9A-01", "i-0f4c1d2e3b4a59687",
        "_a75adf55-01d7-40cc-929f-dbd8372ebdfc", "1-67d3f22e-1a2b3c4d5e6f708192a3b4c5",
        "S-1-5-21-3623811015", "IllegalArgumentException"}) {
    EXPECT_TRUE(isHarmlessShape(token)) << token;
  }
  for (const std::string_view token : {"fA7zQ0kLmTx3", "8a1b3c5d7e9f0a12abcd", "hunter2",
                                       "Wint3r#Frost", "SK0123456789abcdef0123456789abcdef"}) {
    EXPECT_FALSE(isHarmlessShape(token)) << token;
  }
}

TEST(ScrubShapes, ExamineOnlyTheFrontOfALongToken) {
  std::string random;
  while (random.size() < kShapeFront) {
    random += "fA7zQ0kLmTx3";
  }
  const std::string digits(1 << 20U, '7');
  EXPECT_TRUE(looksGenerated(random + digits, kShortest));
  EXPECT_FALSE(looksGenerated(digits + random, kShortest));
}

}  // namespace
}  // namespace auth_errors::domain
