#include "platform/encoding/json_reader.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::encoding {
namespace {

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonReader, ReadsPlainJson) {
  const auto value = readJson(R"( {"a": [1, "ü\u00fc\ud83d\ude00", null, true], "b": {}} )");
  ASSERT_TRUE(value) << value.error();
  EXPECT_EQ((*value)["a"][1].asString(), "üü😀");
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
