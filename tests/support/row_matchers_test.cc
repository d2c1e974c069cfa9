#include "tests/support/row_matchers.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::tests {
namespace {

using testing::AllOf;
using testing::DescribeMatcher;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Matcher;
using testing::Not;
using testing::PrintToString;
using testing::SizeIs;
using testing::StringMatchResultListener;

TextRow job(std::vector<std::optional<std::string>> cells) {
  return {.columns = std::make_shared<std::vector<std::string>>(
              std::vector<std::string>{"status", "total", "note"}),
          .cells = std::move(cells)};
}

std::string explanation(const Matcher<const TextRow&>& matcher, const TextRow& row) {
  StringMatchResultListener listener;
  EXPECT_FALSE(matcher.MatchAndExplain(row, &listener));
  return listener.str();
}

TEST(RowMatchers, CompareTextIntegersAndBooleansAsTheServerWritesThem) {
  const std::string status = "DONE";
  EXPECT_THAT(job({"DONE", "3", "t"}), Row("DONE", 3, true));
  EXPECT_THAT(job({"DONE", "3", "f"}), Row(status, std::int64_t{3}, false));
  EXPECT_THAT(job({"DONE", "-1", "t"}), Row(std::string_view(status), "-1", "t"));
  EXPECT_THAT(job({"DONE", "3", "t"}), Not(Row("DONE", 4, true)));
  EXPECT_THAT(job({"DONE", "3", "t"}), Not(Row("DONE", 3, false)));
  EXPECT_THAT(job({"DONE", "3", "t"}), Not(Row("done", 3, true)));
}

TEST(RowMatchers, DistinguishNullFromEveryText) {
  EXPECT_THAT(job({"DONE", "3", std::nullopt}), Row("DONE", 3, kNull));
  for (const char* text : {"", "NULL", "null", "0"}) {
    EXPECT_THAT(job({"DONE", "3", text}), Not(Row("DONE", 3, kNull)));
    EXPECT_THAT(job({"DONE", "3", std::nullopt}), Not(Row("DONE", 3, text)));
  }
}

TEST(RowMatchers, AcceptMatchersOfTheText) {
  EXPECT_THAT(job({"DONE", "3", "after a timeout"}), Row("DONE", SizeIs(1), HasSubstr("timeout")));
  EXPECT_THAT(job({"DONE", "3", "refused"}), Not(Row("DONE", 3, HasSubstr("timeout"))));
  EXPECT_THAT(job({"DONE", "3", std::nullopt}), Not(Row("DONE", 3, HasSubstr(""))))
      << "NULL is not a text";
}

TEST(RowMatchers, RequireTheSameNumberOfColumns) {
  EXPECT_EQ(explanation(Row("DONE", 3), job({"DONE", "3", "x"})), "which has 3 columns, not 2");
  EXPECT_EQ(explanation(Row("DONE", 3, "x", 4), job({"DONE", "3", "x"})),
            "which has 3 columns, not 4");
}

TEST(RowMatchers, NameTheColumnsThatDiffer) {
  EXPECT_EQ(explanation(Row("DONE", 3, kNull), job({"DONE", "2", std::nullopt})),
            R"(whose total is "2", which isn't equal to "3")");
  EXPECT_EQ(explanation(Row("DONE", 3, kNull), job({"RUNNING", std::nullopt, "x"})),
            R"(whose status is "RUNNING", which isn't equal to "DONE", )"
            R"(and total is NULL, which isn't equal to "3", )"
            R"(and note is "x", which isn't NULL)");
}

TEST(RowMatchers, ShowExpectedAndActualRows) {
  EXPECT_EQ(PrintToString(job({"DONE", "3", std::nullopt})),
            R"((status: "DONE", total: "3", note: NULL))");
  EXPECT_EQ(DescribeMatcher<const TextRow&>(Row("DONE", 3, kNull)),
            R"(is a row whose values, in order: is equal to "DONE", is equal to "3", is NULL)");
}

TEST(RowMatchers, MatchTheRowsOfAQuery) {
  TestDatabase database(Contents::nothing);
  const auto rows = database.queryText(
      "SELECT * FROM (VALUES ('DONE', 3, true, NULL), ('FAILED', 1, false, 'no')) AS job "
      "(status, total, whole, note) ORDER BY status");
  EXPECT_THAT(rows, ElementsAre(Row("DONE", 3, true, kNull), Row("FAILED", 1, false, "no")));
  EXPECT_THAT(*rows.front().columns, ElementsAre("status", "total", "whole", "note"));
  EXPECT_THAT(database.queryRow("SELECT 1 AS one, NULL AS two"), Row(1, kNull));
  EXPECT_THAT([&] { database.queryRow("SELECT 1 WHERE false"); },
              testing::ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("0 rows"), HasSubstr("WHERE false"))));
}

}  // namespace
}  // namespace auth_errors::tests
