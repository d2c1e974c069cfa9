// Row(…) matches one row of PlainConnection::queryText or queryRow, column by column: text,
// integers and booleans as the server writes them, kNull, or a matcher of the text.
//
//   EXPECT_THAT(database_.queryText("SELECT status, total, note FROM job ORDER BY id"),
//               ElementsAre(Row("DONE", 3, kNull), Row("FAILED", 1, HasSubstr("timeout"))));
//
// A mismatch names the columns that differ.
#pragma once

#include <concepts>
#include <cstddef>
#include <format>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "domain/identity/ids.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

struct Null {};
inline constexpr Null kNull;

class CellMatcher {
 public:
  explicit CellMatcher(Null /*null*/) {}
  explicit CellMatcher(bool value) : CellMatcher(std::string_view(value ? "t" : "f")) {}
  template <std::integral T>
  explicit CellMatcher(const T& value) : CellMatcher(std::to_string(value)) {}
  template <typename Tag>
  explicit CellMatcher(domain::Id<Tag> id) : CellMatcher(id.value()) {}
  template <std::convertible_to<std::string_view> T>
  explicit CellMatcher(const T& text) : text_(std::in_place, std::string(std::string_view(text))) {}
  template <typename T>
  explicit CellMatcher(const T& matcher)
      : text_(testing::SafeMatcherCast<const std::string&>(matcher)) {}

  [[nodiscard]] bool matches(const std::optional<std::string>& cell) const {
    return cell && text_ ? text_->Matches(*cell) : !cell && !text_;
  }
  void describe(std::ostream& out, bool negated) const {
    if (!text_) {
      out << (negated ? "isn't NULL" : "is NULL");
    } else if (negated) {
      text_->DescribeNegationTo(&out);
    } else {
      text_->DescribeTo(&out);
    }
  }

 private:
  std::optional<testing::Matcher<const std::string&>> text_;  // empty for NULL
};

class RowMatcher {
 public:
  using is_gtest_matcher = void;

  explicit RowMatcher(std::vector<CellMatcher> cells) : cells_(std::move(cells)) {}

  // NOLINTBEGIN(readability-identifier-naming): the names that gmock calls
  bool MatchAndExplain(const TextRow& row, std::ostream* why) const {
    if (row.cells.size() != cells_.size()) {
      explain(why, std::format("which has {} columns, not {}", row.cells.size(), cells_.size()));
      return false;
    }
    bool all = true;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].matches(row.cells[i])) {
        continue;
      }
      explain(why, std::format("{} {} is {}, which ", all ? "whose" : ", and", row.columns->at(i),
                               row.cells[i] ? std::format("\"{}\"", *row.cells[i]) : "NULL"));
      if (why != nullptr) {
        cells_[i].describe(*why, true);
      }
      all = false;
    }
    return all;
  }
  void DescribeTo(std::ostream* out) const { describe(*out, "is"); }
  void DescribeNegationTo(std::ostream* out) const { describe(*out, "isn't"); }
  // NOLINTEND(readability-identifier-naming)

 private:
  static void explain(std::ostream* why, std::string_view text) {
    if (why != nullptr) {
      *why << text;
    }
  }
  void describe(std::ostream& out, std::string_view verb) const {
    out << verb << " a row whose values, in order:";
    for (const CellMatcher& cell : cells_) {
      out << (&cell == &cells_.front() ? " " : ", ");
      cell.describe(out, false);
    }
  }

  std::vector<CellMatcher> cells_;
};

template <typename... Cells>
RowMatcher Row(const Cells&... cells) {  // NOLINT(readability-identifier-naming): like gmock's own
  return RowMatcher({CellMatcher(cells)...});
}

}  // namespace auth_errors::tests
