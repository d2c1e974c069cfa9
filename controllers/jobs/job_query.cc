#include "controllers/jobs/job_query.h"

#include <cstdint>

#include "domain/identity/ids.h"

namespace auth_errors::controllers {

std::expected<JobQuery, std::vector<FieldError>> jobQueryFromAddress(std::string_view query) {
  ParameterReader reader(query);
  JobQuery result;
  for (const auto& [name, value] : reader.parameters()) {
    if (name == "status") {
      reader.take(result.filter.status, readName(name, value, jobs::kJobStatusNames));
    } else if (name == "kind") {
      reader.take(result.filter.kind, readName(name, value, jobs::kJobKindNames));
    } else if (name == "clusterId") {
      reader.take(result.filter.clusterId, readId<domain::ClusterId>(name, value));
    } else if (name == kLimitParameter) {
      reader.takeLimit(result.page.limit, value);
    } else if (name == kCursorParameter) {
      reader.take(result.page.before, readCursor(PagedList::jobs, value));
    } else {
      reader.refuseUnknown(name);
    }
  }
  return reader.answer(result);
}

}  // namespace auth_errors::controllers
