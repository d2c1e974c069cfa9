#include "platform/telemetry/log.h"

#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <json/json.h>
#include <unistd.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/telemetry/fault_log.h"
#include "platform/telemetry/repeat_limiter.h"

namespace auth_errors::telemetry {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_days;
using namespace std::chrono_literals;

const std::chrono::system_clock::time_point kMoment =
    sys_days{2026y / 3 / 9} + 4h + 5min + 6s + 7ms;

std::string render(LogFormat format, std::vector<LogField> fields, std::uint64_t suppressed = 0) {
  return renderLogLine(format, kMoment, LogLevel::warn, "database.lost", fields, suppressed);
}

Json::Value parsed(const std::string& line) {
  Json::CharReaderBuilder builder;
  Json::CharReaderBuilder::strictMode(&builder.settings_);
  const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
  Json::Value value;
  std::string problems;
  EXPECT_TRUE(reader->parse(line.data(), line.data() + line.size(), &value, &problems)) << problems;
  return value;
}

TEST(Log, WritesOneJsonObjectPerLine) {
  EXPECT_EQ(render(LogFormat::json,
                   {{"attempt", 3}, {"server", "db1"}, {"seconds", 0.5}, {"final", false}}),
            R"({"ts":"2026-03-09T04:05:06.007Z","level":"warn","event":"database.lost",)"
            R"("attempt":3,"server":"db1","seconds":0.5,"final":false})"
            "\n");
}

TEST(Log, WritesReadableLinesForATerminal) {
  EXPECT_EQ(render(LogFormat::text, {{"attempt", 3}, {"why", "no route"}, {"server", "db1"}}),
            "2026-03-09T04:05:06.007Z warn  database.lost attempt=3 why=\"no route\" server=db1\n");
}

TEST(Log, WritesIdsAsNumbersAndNamesAsText) {
  EXPECT_THAT(
      render(LogFormat::json, {{"job", domain::JobId(7)}, {"instance", domain::InstanceName("a")}}),
      testing::HasSubstr(R"("job":7,"instance":"a"})"));
}

TEST(Log, EscapesControlCharactersInBothFormats) {
  const std::string hostile = "a\nb\x1b[31m\x7f\xc2\x9b\"\\";
  EXPECT_EQ(parsed(render(LogFormat::json, {{"v", hostile}}))["v"].asString(), hostile);
  for (const LogFormat format : {LogFormat::json, LogFormat::text}) {
    const std::string line = render(format, {{"v", hostile}});
    EXPECT_EQ(line.find_first_of("\x1b\x7f"), std::string::npos);
    EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
  }
}

TEST(Log, ReplacesInvalidUtf8) {
  const std::array<std::string, 6> broken = {
      "\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xc0\xaf"};
  for (const std::string& text : broken) {
    const std::string value =
        parsed(render(LogFormat::json, {{"v", "a" + text + "z"}}))["v"].asString();
    EXPECT_TRUE(value.starts_with("a\xEF\xBF\xBD")) << value;
    EXPECT_TRUE(value.ends_with("z")) << value;
  }
  EXPECT_EQ(parsed(render(LogFormat::json, {{"v", "한글 😀"}}))["v"].asString(), "한글 😀");
}

TEST(Log, WritesNonFiniteNumbersAsNull) {
  EXPECT_TRUE(parsed(render(LogFormat::json, {{"v", std::numeric_limits<double>::infinity()}}))["v"]
                  .isNull());
}

TEST(Log, LimitsTheLengthOfALine) {
  const std::string huge(100'000, 'x');
  const std::string line = render(
      LogFormat::json, {{"a", huge}, {"b", huge}, {"c", huge}, {"d", huge}, {"e", huge}, {"f", 1}},
      std::numeric_limits<std::int64_t>::max());
  EXPECT_LE(line.size(), kMaxLogLineBytes);
  const Json::Value value = parsed(line);
  EXPECT_TRUE(value["truncated"].asBool());
  EXPECT_EQ(value["f"].asInt(), 1);
}

TEST(Log, ReportsTheNumberOfSuppressedLines) {
  EXPECT_EQ(parsed(render(LogFormat::json, {}, 12))["suppressed"].asInt(), 12);
}

TEST(Log, PassesEveryTextValueThroughTheScrubber) {
  setLogScrubber([](std::string_view text) {
    return text == "secret" ? std::string("[removed]") : std::string(text);
  });
  const Json::Value value = parsed(render(LogFormat::json, {{"a", "secret"}, {"b", "open"}}));
  setLogScrubber(nullptr);
  EXPECT_EQ(value["a"].asString(), "[removed]");
  EXPECT_EQ(value["b"].asString(), "open");
}

TEST(Log, RoundTripsLevelNames) {
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
    EXPECT_EQ(parseLogLevel(toText(level)), level);
  }
  EXPECT_EQ(parseLogLevel("loud"), std::nullopt);
}

class LogOutput : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(pipe_.data()), 0); }
  void TearDown() override {
    configureLog(LogLevel::info, LogFormat::json);
    ::close(pipe_[0]);
  }

  std::vector<std::string> linesWritten() {
    ::close(pipe_[1]);
    return linesUntilClosed();
  }

  std::vector<std::string> linesUntilClosed() const {
    std::string all;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(pipe_[0], buffer.data(), buffer.size())) > 0;) {
      all.append(buffer.data(), static_cast<std::size_t>(n));
    }
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find('\n', at);
      lines.push_back(all.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

  std::array<int, 2> pipe_{};
};

TEST_F(LogOutput, OmitsLinesBelowTheThreshold) {
  configureLog(LogLevel::warn, LogFormat::json, pipe_[1]);
  log(LogLevel::info, "quiet");
  log(LogLevel::error, "loud");
  const auto lines = linesWritten();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(parsed(lines[0])["event"].asString(), "loud");
}

TEST_F(LogOutput, KeepsLinesIntactUnderConcurrency) {
  configureLog(LogLevel::debug, LogFormat::json, pipe_[1]);
  constexpr int kThreads = 4;
  constexpr int kLines = 100;
  std::vector<std::string> lines;
  {
    std::jthread reader([&] { lines = linesUntilClosed(); });
    {
      std::vector<std::jthread> writers;
      for (int i = 0; i < kThreads; ++i) {
        writers.emplace_back([] {
          const std::string value(6'000, 'v');
          for (int line = 0; line < kLines; ++line) {
            log(LogLevel::debug, "threads", {{"v", value}});
          }
        });
      }
    }
    ::close(pipe_[1]);
  }
  EXPECT_EQ(lines.size(), static_cast<std::size_t>(kThreads * kLines));
  for (const std::string& line : lines) {
    parsed(line);
  }
}

TEST_F(LogOutput, SuppressesAFloodOfOneEventAndKeepsTheOthers) {
  configureLog(LogLevel::info, LogFormat::json, pipe_[1]);
  const std::uint64_t before = suppressedLogLines();
  for (std::uint32_t i = 0; i < 3 * kMaxLogLinesPerSecond; ++i) {
    log(LogLevel::info, "flood");
  }
  log(LogLevel::info, "rare");
  const auto lines = linesWritten();
  EXPECT_LT(lines.size(), 3 * kMaxLogLinesPerSecond);
  EXPECT_EQ(parsed(lines.back())["event"].asString(), "rare");
  EXPECT_EQ(lines.size() - 1 + (suppressedLogLines() - before), 3 * kMaxLogLinesPerSecond);
}

TEST_F(LogOutput, HasOneLineForEachReasonOfALastingFaultAndOneForItsEnd) {
  configureLog(LogLevel::info, LogFormat::json, pipe_[1]);
  FaultLog faults("worker.failed", LogLevel::error);
  faults.succeeded();
  faults.failed("no connection");
  faults.failed("no connection");
  faults.failed("no answer");
  EXPECT_TRUE(faults.failing());
  faults.succeeded();
  faults.succeeded();
  EXPECT_FALSE(faults.failing());
  const auto lines = linesWritten();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(parsed(lines[0])["level"].asString(), "error");
  EXPECT_EQ(parsed(lines[0])["event"].asString(), "worker.failed");
  EXPECT_EQ(parsed(lines[0])["error"].asString(), "no connection");
  EXPECT_EQ(parsed(lines[1])["error"].asString(), "no answer");
  EXPECT_EQ(parsed(lines[2])["event"].asString(), "fault.ended");
  EXPECT_EQ(parsed(lines[2])["fault"].asString(), "worker.failed");
}

TEST(RepeatLimiter, ReportsSuppressedLinesWithTheNextThatPasses) {
  RepeatLimiter limiter(2);
  const RepeatLimiter::Clock::time_point start{1h};
  EXPECT_EQ(limiter.admit("a", start), 0U);
  EXPECT_EQ(limiter.admit("a", start), 0U);
  EXPECT_EQ(limiter.admit("a", start), std::nullopt);
  EXPECT_EQ(limiter.admit("a", start + 999ms), std::nullopt);
  EXPECT_EQ(limiter.admit("b", start), 0U);
  EXPECT_EQ(limiter.admit("a", start + 1s), 2U);
  EXPECT_EQ(limiter.admit("a", start + 1s), 0U);
}

TEST(RepeatLimiter, StaysBoundedForAnyKeys) {
  RepeatLimiter limiter(1);
  const RepeatLimiter::Clock::time_point start{1h};
  for (std::size_t i = 0; i < RepeatLimiter::kMaxKeys; ++i) {
    EXPECT_TRUE(limiter.admit(std::to_string(i), start));
  }
  EXPECT_TRUE(limiter.admit("one more", start));
  EXPECT_FALSE(limiter.admit("yet another", start));
}

}  // namespace
}  // namespace auth_errors::telemetry
