// The parameters `limit` and `cursor` of every list, and functions to parse other parameters. Pure;
// usable from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/http/page_cursor.h"
#include "controllers/http/problem.h"
#include "controllers/http/query_string.h"
#include "domain/values/instant.h"

namespace auth_errors::controllers {

inline constexpr std::size_t kMaxPageRows = 200;
inline constexpr std::size_t kDefaultPageRows = 50;

inline constexpr std::array<std::pair<bool, std::string_view>, 2> kTruthNames{
    {{true, "true"}, {false, "false"}}};

inline constexpr std::string_view kLimitParameter = "limit";
inline constexpr std::string_view kCursorParameter = "cursor";

struct PageQuery {
  std::size_t limit = kDefaultPageRows;
  std::optional<std::int64_t> before;  // position from the cursor
};

// Reads the query parameters of a URL one by one, and collects the problems with them. Lives as
// long as the decoding of one request.
class ParameterReader {
 public:
  explicit ParameterReader(std::string_view query) : query_(parseQueryString(query)) {}

  [[nodiscard]] const auto& parameters() const { return query_.fields; }

  // Assigns the value, or keeps the problem.
  template <typename Target, typename Value>
  void take(Target& target, std::expected<Value, FieldError> read) {
    if (read) {
      target = *std::move(read);
    } else {
      refuse(std::move(read.error()));
    }
  }
  void takeLimit(std::size_t& limit, std::string_view value);
  void refuse(FieldError problem) { query_.problems.push_back(std::move(problem)); }
  void refuseUnknown(std::string_view name);
  void requireOrder(const std::optional<domain::Instant>& from,
                    const std::optional<domain::Instant>& to);

  template <typename Query>
  std::expected<Query, std::vector<FieldError>> answer(Query query) {
    if (!query_.problems.empty()) {
      return std::unexpected(std::move(query_.problems));
    }
    return query;
  }

 private:
  ParsedQuery query_;
};

// For lists without other parameters.
std::expected<PageQuery, std::vector<FieldError>> pageQueryFromAddress(PagedList list,
                                                                       std::string_view query);

std::expected<std::int64_t, FieldError> readInteger(std::string_view name, std::string_view value,
                                                    std::int64_t lowest, std::int64_t highest);
template <typename Id>
std::expected<Id, FieldError> readId(std::string_view name, std::string_view value) {
  return readInteger(name, value, 1, std::numeric_limits<std::int64_t>::max())
      .transform([](std::int64_t number) { return Id(number); });
}
std::expected<std::int64_t, FieldError> readCursor(PagedList list, std::string_view value);
std::expected<domain::Instant, FieldError> readInstant(std::string_view name,
                                                       std::string_view value);
// Requires non-empty, valid UTF-8 without control characters, up to the given length.
std::expected<std::string, FieldError> readText(std::string_view name, std::string_view value,
                                                std::size_t maxCodePoints);

// Requires one of a table's names.
template <typename Names>
auto readName(std::string_view name, std::string_view value, const Names& names)
    -> std::expected<decltype(names.front().first), FieldError> {
  std::string all;
  for (const auto& [entry, text] : names) {
    if (text == value) {
      return entry;
    }
    all.append(all.empty() ? "" : ", ").append(text);
  }
  return std::unexpected(FieldError{
      .field = std::string(name), .code = "invalid", .message = "must be one of " + all});
}

}  // namespace auth_errors::controllers
