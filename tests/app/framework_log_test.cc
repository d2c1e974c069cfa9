#include "app/framework_log.h"

#include <string>

#include <gtest/gtest.h>

namespace auth_errors::app {
namespace {

using telemetry::LogLevel;

TEST(FrameworkLog, ParsesLevelMessageAndSource) {
  const FrameworkLine line = parseFrameworkLine(
      "20260309 04:05:06.007000 UTC 4711 WARN  417ExpectationFailed for \"x\" - Parser.cc:12\n");
  EXPECT_EQ(line.level, LogLevel::warn);
  EXPECT_EQ(line.message, "417ExpectationFailed for \"x\"");
  EXPECT_EQ(line.source, "Parser.cc:12");
}

TEST(FrameworkLog, MapsEveryLevel) {
  const auto levelOf = [](const std::string& word) {
    return parseFrameworkLine("20260309 04:05:06.007000 UTC 1 " + word + " m - F.cc:1\n").level;
  };
  EXPECT_EQ(levelOf("TRACE"), LogLevel::debug);
  EXPECT_EQ(levelOf("DEBUG"), LogLevel::debug);
  EXPECT_EQ(levelOf("INFO "), LogLevel::info);
  EXPECT_EQ(levelOf("WARN "), LogLevel::warn);
  EXPECT_EQ(levelOf("ERROR"), LogLevel::error);
  EXPECT_EQ(levelOf("FATAL"), LogLevel::error);
}

TEST(FrameworkLog, TruncatesLongMessagesAndRemovesControlCharacters) {
  const FrameworkLine line = parseFrameworkLine(
      "20260309 04:05:06.007000 UTC 1 ERROR a\x1b[31m\tb" + std::string(1000, 'x') + " - F.cc:1\n");
  EXPECT_EQ(line.message.size(), kMaxFrameworkMessage);
  EXPECT_TRUE(line.message.starts_with("a [31m b"));
  EXPECT_EQ(line.source, "F.cc:1");
}

TEST(FrameworkLog, LogsALineOfAnotherFormatAsAnError) {
  for (const char* text : {"", "\n", "just words", "one two three four five six"}) {
    const FrameworkLine line = parseFrameworkLine(text);
    EXPECT_EQ(line.level, LogLevel::error) << text;
  }
  EXPECT_EQ(parseFrameworkLine("just words\n").message, "just words");
}

TEST(FrameworkLog, LeavesNoPartialSecretWhereItTruncates) {
  const std::string key = std::string("ghp_") + "16C7e42F292c6912E7710c838347Ae178B4a";
  const FrameworkLine line = parseFrameworkLine("20260309 04:05:06.007000 UTC 1 ERROR " +
                                                std::string(280, 'x') + " " + key + " - F.cc:1\n");
  EXPECT_EQ(line.message.find("ghp_"), std::string::npos) << line.message;
}

}  // namespace
}  // namespace auth_errors::app
