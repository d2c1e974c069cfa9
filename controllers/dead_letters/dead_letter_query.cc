#include "controllers/dead_letters/dead_letter_query.h"

#include <cstdint>
#include <utility>

#include "controllers/http/query_string.h"
#include "domain/errors/dead_letter.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"

namespace auth_errors::controllers {

std::expected<DeadLetterQuery, std::vector<FieldError>> deadLetterQueryFromAddress(
    std::string_view query) {
  auto [fields, problems] = parseQueryString(query);
  DeadLetterQuery result;
  const auto take = [&problems](auto& target, auto read) {
    if (read) {
      target = *std::move(read);
    } else {
      problems.push_back(std::move(read.error()));
    }
  };
  triage::DeadLetterFilter& filter = result.filter;
  for (const auto& [name, value] : fields) {
    if (name == "status") {
      take(filter.status, readName(name, value, domain::kDeadLetterStatusNames));
    } else if (name == "source") {
      take(filter.source, readName(name, value, domain::kDeadLetterSourceNames));
    } else if (name == "reason") {
      take(filter.reason, readName(name, value, domain::kDeadLetterReasonNames));
    } else if (name == "eventType") {
      take(filter.eventType, readText(name, value, domain::kMaxNameCodePoints));
    } else if (name == "authErrorId") {
      take(filter.authErrorId, readId<domain::ErrorId>(name, value));
    } else if (name == "from") {
      take(filter.from, readInstant(name, value));
    } else if (name == "to") {
      take(filter.to, readInstant(name, value));
    } else if (name == kLimitParameter) {
      take(result.page.limit,
           readInteger(name, value, 1, kMaxPageRows).transform([](std::int64_t limit) {
             return static_cast<std::size_t>(limit);
           }));
    } else if (name == kCursorParameter) {
      take(result.page.before, readCursor(PagedList::deadLetters, value));
    } else {
      problems.push_back({.field = name, .code = "unknown", .message = "is not a known parameter"});
    }
  }
  if (filter.from && filter.to && *filter.from >= *filter.to) {
    problems.push_back(
        {.field = "to", .code = "out_of_range", .message = "must be later than from"});
  }
  if (!problems.empty()) {
    return std::unexpected(std::move(problems));
  }
  return result;
}

}  // namespace auth_errors::controllers
