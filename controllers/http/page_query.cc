#include "controllers/http/page_query.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <string>
#include <system_error>
#include <utility>

#include "domain/scrub/scrubber.h"
#include "domain/values/utf8.h"

namespace auth_errors::controllers {
namespace {

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

void ParameterReader::takeLimit(std::size_t& limit, std::string_view value) {
  take(limit, readInteger(kLimitParameter, value, 1, kMaxPageRows).transform([](std::int64_t rows) {
    return static_cast<std::size_t>(rows);
  }));
}

void ParameterReader::refuseUnknown(std::string_view name) {
  refuse({.field = std::string(name), .code = "unknown", .message = "is not a known parameter"});
}

void ParameterReader::requireOrder(const std::optional<domain::Instant>& from,
                                   const std::optional<domain::Instant>& to) {
  if (from && to && *from >= *to) {
    refuse({.field = "to", .code = "out_of_range", .message = "must be later than from"});
  }
}

std::expected<PageQuery, std::vector<FieldError>> pageQueryFromAddress(PagedList list,
                                                                       std::string_view query) {
  ParameterReader reader(query);
  PageQuery page;
  for (const auto& [name, value] : reader.parameters()) {
    if (name == kLimitParameter) {
      reader.takeLimit(page.limit, value);
    } else if (name == kCursorParameter) {
      reader.take(page.before, readCursor(list, value));
    } else {
      reader.refuseUnknown(name);
    }
  }
  return reader.answer(page);
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

std::expected<std::int64_t, FieldError> readCursor(PagedList list, std::string_view value) {
  if (const auto before = decodeCursor(list, value)) {
    return *before;
  }
  return std::unexpected(
      FieldError{.field = std::string(kCursorParameter),
                 .code = "invalid",
                 .message = "must be the nextCursor of an earlier response of this list"});
}

std::expected<domain::Instant, FieldError> readInstant(std::string_view name,
                                                       std::string_view value) {
  if (const auto instant = domain::parseInstant(value)) {
    return *instant;
  }
  return std::unexpected(FieldError{
      .field = std::string(name),
      .code = "invalid",
      .message = "must be an ISO-8601 date and time with an offset, such as 2026-01-31T09:30:00Z; "
                 "in a URL, + must be written as %2B"});
}

std::expected<std::string, FieldError> readText(std::string_view name, std::string_view value,
                                                std::size_t maxCodePoints) {
  const auto problem = [name](std::string_view code, std::string message) {
    return std::unexpected(FieldError{
        .field = std::string(name), .code = std::string(code), .message = std::move(message)});
  };
  if (value.empty()) {
    return problem("invalid", "must not be empty");
  }
  if (!domain::isValidUtf8(value) || std::ranges::any_of(value, isControl)) {
    return problem("invalid", "must not contain control characters or unpaired surrogates");
  }
  if (domain::countCodePoints(value) > maxCodePoints) {
    return problem("too_long", std::format("must have at most {} characters", maxCodePoints));
  }
  // Scrubbed like the stored texts that it is compared with.
  return domain::scrub(value, {}).text;
}

}  // namespace auth_errors::controllers
