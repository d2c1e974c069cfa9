// Parses a query for stored errors from a query string or a JSON body. Reports all problems at
// once. Pure; usable from any thread.
//
// Parameters: status, exceptionClass, httpStatus, serviceName, environment, stackHash, clusterId
// (exact); from (inclusive) and to (exclusive) on occurredAt; q, a case-insensitive substring of
// the exception's or the root cause's message, only within a range of at most 31 days; stuck; limit
// and cursor. A body also has userId, sessionId and clientIp, which must never be part of a URL.
#pragma once

#include <array>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <json/value.h>

#include "controllers/http/problem.h"
#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "triage/errors/error_filter.h"

namespace auth_errors::controllers {

inline constexpr std::size_t kMaxExportRows = 1'000'000;

struct ErrorQuery {
  triage::ErrorFilter filter;  // without pseudonyms
  std::optional<std::size_t> limit;
  std::optional<domain::ErrorId> before;  // the cursor's position
  // Normalised as in ingestion, by ActorKind; only a body has them, and then at least one.
  std::array<std::optional<std::string>, domain::kActorKindCount> identifiers;
};

using ErrorQueryResult = std::expected<ErrorQuery, std::vector<FieldError>>;

ErrorQueryResult errorQueryFromAddress(std::string_view query, std::size_t maxLimit);
// REQUIRES: `body` is an object.
ErrorQueryResult errorQueryFromBody(const Json::Value& body, std::size_t maxLimit);

}  // namespace auth_errors::controllers
