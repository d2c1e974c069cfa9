#include "platform/encoding/json_writer.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "platform/encoding/json_reader.h"

namespace auth_errors::encoding {
namespace {

TEST(JsonWriter, WritesMembersInCallOrder) {
  std::string text;
  JsonObjectWriter object(text);
  object.text("b", "x");
  object.number("a", -7);
  object.null("n");
  object.json("o", "{}");
  object.textOrNull("t", std::nullopt);
  object.close();
  EXPECT_EQ(text, R"({"b":"x","a":-7,"n":null,"o":{},"t":null})");
}

TEST(JsonWriter, WritesIdsAsNumbers) {
  std::string text;
  JsonObjectWriter object(text);
  object.number("id", domain::ErrorId(7));
  object.numberOrNull("job", std::optional(domain::JobId(8)));
  object.numberOrNull("cluster", std::optional<domain::ClusterId>());
  object.close();
  EXPECT_EQ(text, R"({"id":7,"job":8,"cluster":null})");
}

TEST(JsonWriter, EscapesSpecialCharacters) {
  std::string every = "ü€😀\x7f";
  for (char c = 1; c < 0x7F; ++c) {
    every += c;
  }
  std::string text;
  JsonObjectWriter object(text);
  object.text(every, every);
  object.close();
  const auto read = readJson(text);
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->getMemberNames().size(), 1U);
  EXPECT_EQ(read->getMemberNames().front(), every);
  EXPECT_EQ((*read)[every].asString(), every);
}

TEST(JsonWriter, KeepsUtf8) { EXPECT_EQ(toJson(Json::Value("ü\n")), R"("ü\n")"); }

}  // namespace
}  // namespace auth_errors::encoding
