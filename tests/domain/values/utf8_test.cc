#include "domain/values/utf8.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace auth_errors::domain {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, AcceptsEveryLengthAtItsBounds) {
  for (const std::string_view text :
       {""sv, "plain"sv, "\0"sv, "\x7F"sv, "\xC2\x80"sv, "\xDF\xBF"sv, "\xE0\xA0\x80"sv,
        "\xED\x9F\xBF"sv, "\xEE\x80\x80"sv, "\xEF\xBF\xBF"sv, "\xF0\x90\x80\x80"sv,
        "\xF4\x8F\xBF\xBF"sv, "로그인 실패"sv, "1234567 \xC3\xA9"sv}) {
    EXPECT_TRUE(isValidUtf8(text)) << text;
  }
}

TEST(Utf8, RefusesOverlongForms) {
  for (const std::string_view text :
       {"\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x80\x80"sv, "\xE0\x9F\xBF"sv, "\xF0\x80\x80\x80"sv,
        "\xF0\x8F\xBF\xBF"sv}) {
    EXPECT_FALSE(isValidUtf8(text));
  }
}

TEST(Utf8, RefusesSurrogates) {
  EXPECT_FALSE(isValidUtf8("\xED\xA0\x80"));
  EXPECT_FALSE(isValidUtf8("\xED\xBF\xBF"));
}

TEST(Utf8, RefusesValuesAboveTheLastCodePoint) {
  EXPECT_FALSE(isValidUtf8("\xF4\x90\x80\x80"));
  EXPECT_FALSE(isValidUtf8("\xF5\x80\x80\x80"));
  EXPECT_FALSE(isValidUtf8("\xFF"));
}

TEST(Utf8, RefusesTruncatedAndStrayBytes) {
  for (const std::string_view text : {"\x80"sv, "\xC3"sv, "\xE2\x82"sv, "\xF0\x9F\x98"sv,
                                      "a\xE2\x82z"sv, "12345678\xBF"sv, "\xC3(\xA9"sv}) {
    EXPECT_FALSE(isValidUtf8(text));
  }
}

TEST(Utf8, FindsAFaultAtEveryOffsetOfAWord) {
  for (std::size_t at = 0; at < 24; ++at) {
    std::string text(24, 'a');
    EXPECT_TRUE(isValidUtf8(text));
    text[at] = '\xC3';
    EXPECT_FALSE(isValidUtf8(text)) << at;
  }
}

TEST(Utf8, CountsCodePointsNotBytes) {
  EXPECT_EQ(countCodePoints(""), 0U);
  EXPECT_EQ(countCodePoints("abc"), 3U);
  EXPECT_EQ(countCodePoints("로그인"), 3U);
  EXPECT_EQ(countCodePoints("a\xF0\x9F\x98\x80z"), 3U);
}

TEST(Utf8, CutsBetweenCodePoints) {
  EXPECT_EQ(firstCodePoints("로그인", 2), "로그");
  EXPECT_EQ(firstCodePoints("로그인", 3), "로그인");
  EXPECT_EQ(firstCodePoints("로그인", 9), "로그인");
  EXPECT_EQ(firstCodePoints("a\xF0\x9F\x98\x80z", 2), "a\xF0\x9F\x98\x80");
  EXPECT_EQ(firstCodePoints("abc", 0), "");
}

TEST(Utf8, EveryCutOfAMixedTextIsValid) {
  const std::string text = "aé로😀 b\nü한🙈";
  for (std::size_t limit = 0; limit <= countCodePoints(text); ++limit) {
    const std::string_view cut = firstCodePoints(text, limit);
    EXPECT_TRUE(isValidUtf8(cut));
    EXPECT_EQ(countCodePoints(cut), limit);
  }
}

}  // namespace
}  // namespace auth_errors::domain
