#include "platform/encoding/json_reader.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::encoding {
namespace {

using namespace std::string_literals;

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonReader, ReadsPlainJson) {
  const auto value = readJson(R"( {"a": [1, "ü\u00fc\ud83d\ude00", null, true], "b": {}} )");
  ASSERT_TRUE(value) << value.error();
  EXPECT_EQ((*value)["a"][1].asString(), "üü😀");
}

TEST(JsonReader, ReadsEveryEscape) {
  const auto value =
      readJson(R"(["\"\\\/\b\f\n\r\t\u0041\u00E9\u20ac\ud83d\ude00\u0000.", "a\tb"])");
  ASSERT_TRUE(value) << value.error();
  EXPECT_EQ((*value)[0].asString(), "\"\\/\b\f\n\r\tAé€😀\0."s);
  EXPECT_EQ((*value)[1].asString(), "a\tb");
}

TEST(JsonReader, ReadsWholeNumbersAsIntegersIfTheyFit) {
  const auto typeOf = [](std::string_view number) { return readJson(number).value().type(); };
  EXPECT_EQ(readJson("-9223372036854775808").value().asInt64(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(typeOf("9223372036854775807"), Json::intValue);
  EXPECT_EQ(typeOf("9223372036854775808"), Json::uintValue);
  EXPECT_EQ(typeOf("18446744073709551615"), Json::uintValue);
  for (const std::string_view number : {"18446744073709551616", "-9223372036854775809", "401.0"}) {
    EXPECT_EQ(typeOf(number), Json::realValue) << number;
  }
  EXPECT_EQ(readJson("-2.5e-1").value().asDouble(), -0.25);
  EXPECT_EQ(readJson("1e999").value().asDouble(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(readJson("1e-999").value().asDouble(), 0);
}

TEST(JsonReader, ReportsARepeatedKeyUnlessTheTextIsMalformed) {
  EXPECT_EQ(readJson(R"({"a":1,"a":2,"a":3})").error(), "repeats a key at byte 7");
  EXPECT_EQ(readJson(R"({"a":1,"a":2,})").error(), "has a syntax error at byte 13");
}

TEST(JsonReader, ReportsAnEmptyBody) {
  EXPECT_EQ(readJson("").error(), "is empty");
  EXPECT_EQ(readJsonObject("").error(), "is empty");
}

TEST(JsonReader, RefusesInvalidJson) {
  const std::vector<std::string> cases = {
      "",
      "   ",
      "{",
      R"({"a":1)",
      R"({"a":1}x)",
      R"({"a":1}{"a":1})",
      R"({"a":1,"a":2})",
      R"({"a":{"b":1,"b":1}})",
      R"({"a":1,})",
      "[1,]",
      "[1,,2]",
      R"({'a':1})",
      "{a:1}",
      R"({1:1})",
      "// comment\n{}",
      "{}/* comment */",
      R"({"a":NaN})",
      R"({"a":Infinity})",
      R"({"a":"\ud83d"})",
      R"({"a":"\x41"})",
      "\xEF\xBB\xBF{}",
      "{\"a\":\"\xff\"}",
      "{\"a\":\"\xc0\xaf\"}",
      "{\"a\":\"\xed\xa0\x80\"}",
      nested(33),
      nested(5'000),
  };
  for (const std::string& text : cases) {
    EXPECT_FALSE(readJson(text)) << text.substr(0, 60);
  }
}

TEST(JsonReader, AllowsThirtyTwoLevels) { EXPECT_TRUE(readJson(nested(32))); }

TEST(JsonReader, CanBeReusedAfterAFailure) {
  EXPECT_FALSE(readJson(nested(5'000)));
  EXPECT_FALSE(readJson("{"));
  EXPECT_TRUE(readJson("{}"));
}

TEST(JsonReader, NeverQuotesTheInput) {
  const auto value = readJson(R"({"hunter2":1,"hunter2":2})");
  ASSERT_FALSE(value);
  EXPECT_THAT(value.error(), ::testing::Not(::testing::HasSubstr("hunter2")));
}

}  // namespace
}  // namespace auth_errors::encoding
