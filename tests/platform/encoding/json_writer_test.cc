#include "platform/encoding/json_writer.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <json/writer.h>

#include "domain/identity/ids.h"
#include "platform/encoding/json_reader.h"

namespace auth_errors::encoding {
namespace {

TEST(JsonWriter, WritesMembersInCallOrder) {
  std::string text;
  JsonObjectWriter object(text);
  object.write("b", "x");
  object.write("a", -7);
  object.write("n", std::nullopt);
  object.write("o", JsonText("{}"));
  object.write("t", std::nullopt);
  object.close();
  EXPECT_EQ(text, R"({"b":"x","a":-7,"n":null,"o":{},"t":null})");
}

TEST(JsonWriter, WritesIdsAsNumbers) {
  std::string text;
  JsonObjectWriter object(text);
  object.write("id", domain::ErrorId(7));
  object.write("job", std::optional(domain::JobId(8)));
  object.write("cluster", std::optional<domain::ClusterId>());
  object.close();
  EXPECT_EQ(text, R"({"id":7,"job":8,"cluster":null})");
}

TEST(JsonWriter, WritesEveryTypeOfValue) {
  EXPECT_EQ(jsonObject([](JsonObjectWriter& object) {
              object.write("flag", true);
              object.write("literal", "text");
              object.write("at", domain::Instant());
              object.write("list", jsonArray(std::vector<std::string>{"a", "b\r"}));
              object.write("none", std::optional<bool>());
              object.writeIfAny("left out", std::optional<std::string>());
              object.writeIfAny("kept", std::optional<std::string>("x"));
            }).text,
            R"({"flag":true,"literal":"text","at":"1970-01-01T00:00:00.000000Z",)"
            R"("list":["a","b\r"],"none":null,"kept":"x"})");
}

TEST(JsonWriter, WritesAsciiAsJsoncppDoes) {
  const Json::Value text("a\x7f\"é€😀\n");
  EXPECT_EQ(inAscii(toJson(text)), Json::writeString(Json::StreamWriterBuilder(), text));
  EXPECT_EQ(inAscii("\"\xff\""), R"("\ufffd")");
}

TEST(JsonWriter, EscapesSpecialCharacters) {
  std::string every = "ü€😀\x7f";
  for (char c = 1; c < 0x7F; ++c) {
    every += c;
  }
  std::string text;
  JsonObjectWriter object(text);
  object.write(every, every);
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
