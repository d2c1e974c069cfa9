// Parses the query string of the list of dead letters. Reports all problems at once. Pure; usable
// from any thread.
//
// Parameters: status, source, reason, eventType, authErrorId (exact); from (inclusive) and to
// (exclusive) on createdAt; limit and cursor.
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "controllers/http/page_query.h"
#include "controllers/http/problem.h"
#include "triage/dead_letters/dead_letter_store.h"

namespace auth_errors::controllers {

struct DeadLetterQuery {
  triage::DeadLetterFilter filter;
  PageQuery page;
};

std::expected<DeadLetterQuery, std::vector<FieldError>> deadLetterQueryFromAddress(
    std::string_view query);

}  // namespace auth_errors::controllers
