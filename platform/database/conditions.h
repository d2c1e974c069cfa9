// The WHERE clause of a query with optional filters. A plain value. Fragments are constants in the
// calling code with `?` as placeholder; values are only passed as parameters.
#pragma once

#include <cstddef>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/database/parameters.h"

namespace auth_errors::database {

class Conditions {
 public:
  // Adds a fragment without a value.
  void require(std::string_view fragment) { append(fragment); }
  template <typename T>
  void add(std::string_view fragment, const T& value) {
    parameters_.add(value);
    append(fragment);
  }
  template <typename T>
  void add(std::string_view fragment, const std::optional<T>& value) {
    if (value) {
      add(fragment, *value);
    }
  }
  void addAnyOf(std::string_view column, const std::vector<std::string>& values) {
    // An equality keeps the order of the index (column, id), so that no sort is needed.
    if (values.size() == 1) {
      add(std::format("{} = ?", column), values.front());
    } else if (!values.empty()) {
      parameters_.addArray(values);
      append(std::format("{} = ANY(?::text[])", column));
    }
  }

  // Keyset pagination in the descending order of two columns.
  template <typename First, typename Second>
  void addBelow(std::string_view columns, const First& first, const Second& second) {
    parameters_.add(first).add(second);
    const std::size_t last = parameters_.size();
    append(std::format("({}) < (${}, ${})", columns, last - 1, last));
  }

  [[nodiscard]] std::string sql() const { return text_.empty() ? "" : " WHERE " + text_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  void append(std::string_view fragment) {
    text_ += text_.empty() ? "" : " AND ";
    for (const char c : fragment) {
      text_ += c == '?' ? std::format("${}", parameters_.size()) : std::string(1, c);
    }
  }

  std::string text_;
  Parameters parameters_;
};

// LIKE pattern for texts that contain this part, with its wildcards escaped.
inline std::string likePattern(std::string_view part) {
  std::string pattern = "%";
  for (const char c : part) {
    if (c == '\\' || c == '%' || c == '_') {
      pattern += '\\';
    }
    pattern += c;
  }
  return pattern + "%";
}

}  // namespace auth_errors::database
