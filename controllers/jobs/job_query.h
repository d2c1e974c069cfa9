// Parses the query string of the list of jobs. Reports all problems at once. Pure; usable from any
// thread.
//
// Parameters: status, kind, clusterId (exact); limit and cursor.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "controllers/http/page_query.h"
#include "controllers/http/problem.h"
#include "triage/jobs/job_store.h"

namespace auth_errors::controllers {

struct JobQuery {
  jobs::JobFilter filter;
  PageQuery page;
};

std::expected<JobQuery, std::vector<FieldError>> jobQueryFromAddress(std::string_view query);

}  // namespace auth_errors::controllers
