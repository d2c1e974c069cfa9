// What a client asks of the stored errors: from the query of an address or from a JSON body to one
// checked value. All problems are found at once. Pure; any thread.
//
// Parameters: status, exceptionClass, httpStatus, serviceName, environment, stackHash, clusterId
// (exact); from (inclusive) and to (exclusive) on occurredAt; q, a part of the exception's or the
// root cause's message in any case, only within a range of at most 31 days; stuck; limit and
// cursor. A body also has userId, sessionId and clientIp, which must never stand in an address.
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
  // As ingestion spells them, per ActorKind; only a body has them, and then at least one.
  std::array<std::optional<std::string>, domain::kActorKindCount> identifiers;
};

using ErrorQueryResult = std::expected<ErrorQuery, std::vector<FieldError>>;

ErrorQueryResult errorQueryFromAddress(std::string_view query, std::size_t maxLimit);
// `body` must be an object.
ErrorQueryResult errorQueryFromBody(const Json::Value& body, std::size_t maxLimit);

}  // namespace auth_errors::controllers
