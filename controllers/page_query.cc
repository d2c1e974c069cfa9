#include "controllers/page_query.h"

#include <charconv>
#include <format>
#include <string>
#include <system_error>
#include <utility>

#include "controllers/page_cursor.h"
#include "controllers/query_string.h"

namespace auth_errors::controllers {

std::expected<PageQuery, std::vector<FieldError>> pageQueryFromAddress(std::string_view query) {
  auto [fields, problems] = parseQueryString(query);
  PageQuery page;
  const auto take = [&problems](auto read, auto assign) {
    if (read) {
      assign(*read);
    } else {
      problems.push_back(std::move(read.error()));
    }
  };
  for (const QueryField& field : fields) {
    if (field.name == kLimitParameter) {
      take(readInteger(field.name, field.value, 1, kMaxPageRows),
           [&](std::int64_t limit) { page.limit = static_cast<std::size_t>(limit); });
    } else if (field.name == kCursorParameter) {
      take(readCursor(field.value), [&](std::int64_t before) { page.before = before; });
    } else {
      problems.push_back(
          {.field = field.name, .code = "unknown", .message = "is not a parameter here"});
    }
  }
  if (!problems.empty()) {
    return std::unexpected(std::move(problems));
  }
  return page;
}

std::expected<std::int64_t, FieldError> readInteger(std::string_view name, std::string_view value,
                                                    std::int64_t lowest, std::int64_t highest) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  const bool whole = parsed.ptr == end && parsed.ec != std::errc::invalid_argument;
  if (!whole || parsed.ec != std::errc{} || number < lowest || number > highest) {
    return std::unexpected(
        FieldError{.field = std::string(name),
                   .code = whole ? "out_of_range" : "invalid",
                   .message = std::format("must be an integer from {} to {}", lowest, highest)});
  }
  return number;
}

std::expected<std::int64_t, FieldError> readCursor(std::string_view value) {
  if (const auto before = decodeCursor(value)) {
    return *before;
  }
  return std::unexpected(FieldError{.field = std::string(kCursorParameter),
                                    .code = "invalid",
                                    .message = "must be a nextCursor of an earlier answer"});
}

}  // namespace auth_errors::controllers
