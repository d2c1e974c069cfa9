// Which page of a list: `limit` and `cursor`, the parameters that every list has. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "controllers/problem.h"

namespace auth_errors::controllers {

inline constexpr std::size_t kMaxPageRows = 200;
inline constexpr std::size_t kDefaultPageRows = 50;

inline constexpr std::string_view kLimitParameter = "limit";
inline constexpr std::string_view kCursorParameter = "cursor";

struct PageQuery {
  std::size_t limit = kDefaultPageRows;
  std::optional<std::int64_t> before;  // the cursor's position
};

// Of a list that has no other parameters.
std::expected<PageQuery, std::vector<FieldError>> pageQueryFromAddress(std::string_view query);

std::expected<std::int64_t, FieldError> readInteger(std::string_view name, std::string_view value,
                                                    std::int64_t lowest, std::int64_t highest);
std::expected<std::int64_t, FieldError> readCursor(std::string_view value);

}  // namespace auth_errors::controllers
