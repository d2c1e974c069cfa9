#include "controllers/jobs/job_query.h"

#include <cstdint>
#include <utility>

#include "controllers/http/query_string.h"
#include "domain/identity/ids.h"

namespace auth_errors::controllers {

std::expected<JobQuery, std::vector<FieldError>> jobQueryFromAddress(std::string_view query) {
  auto [fields, problems] = parseQueryString(query);
  JobQuery result;
  const auto take = [&problems](auto& target, auto read) {
    if (read) {
      target = *std::move(read);
    } else {
      problems.push_back(std::move(read.error()));
    }
  };
  for (const auto& [name, value] : fields) {
    if (name == "status") {
      take(result.filter.status, readName(name, value, jobs::kJobStatusNames));
    } else if (name == "kind") {
      take(result.filter.kind, readName(name, value, jobs::kJobKindNames));
    } else if (name == "clusterId") {
      take(result.filter.clusterId, readId<domain::ClusterId>(name, value));
    } else if (name == kLimitParameter) {
      take(result.page.limit,
           readInteger(name, value, 1, kMaxPageRows).transform([](std::int64_t limit) {
             return static_cast<std::size_t>(limit);
           }));
    } else if (name == kCursorParameter) {
      take(result.page.before, readCursor(PagedList::jobs, value));
    } else {
      problems.push_back({.field = name, .code = "unknown", .message = "is not a known parameter"});
    }
  }
  if (!problems.empty()) {
    return std::unexpected(std::move(problems));
  }
  return result;
}

}  // namespace auth_errors::controllers
