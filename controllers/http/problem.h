// Refusals: one list of reasons, one table that gives each its HTTP status, stable code and title,
// and the RFC 9457 body. The code is also the label in metrics and logs. Pure but for the response.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <drogon/HttpResponse.h>
#include <json/value.h>

namespace auth_errors::controllers {

enum class RejectReason : std::uint8_t {
  malformedRequest,
  malformedEncoding,
  malformedJson,
  invalidFields,
  unstorable,
  unauthenticated,
  forbidden,
  notFound,
  methodNotAllowed,
  conflict,
  requestIdConflict,
  deadLetterClosed,
  deadLetterNotRetryable,
  clusterBusy,
  splitMovesNothing,
  splitMovesEverything,
  tooManyRules,
  bodyTooLarge,
  batchTooLarge,
  uriTooLong,
  unsupportedMediaType,
  unsupportedEncoding,
  expectationFailed,
  headersTooLarge,
  rateLimited,
  internalError,
  notImplemented,
  overloaded,
  databaseUnavailable,
  outcomeUnknown,
  queryTooSlow,
  draining,
  roleMissing,
};

struct RejectSpec {
  RejectReason reason;
  int status;
  std::string_view code;
  std::string_view title;
  std::chrono::seconds retryAfter;  // 0: the same request will be refused again
};

constexpr RejectSpec rejection(RejectReason reason, int status, std::string_view code,
                               std::string_view title, std::chrono::seconds retryAfter = {}) {
  return {
      .reason = reason, .status = status, .code = code, .title = title, .retryAfter = retryAfter};
}

inline constexpr std::array kRejections = {
    rejection(RejectReason::malformedRequest, 400, "malformed_request",
              "The request is not valid HTTP"),
    rejection(RejectReason::malformedEncoding, 400, "malformed_encoding",
              "The body is not what its Content-Encoding says"),
    rejection(RejectReason::malformedJson, 400, "malformed_json", "The body is not valid JSON"),
    rejection(RejectReason::invalidFields, 400, "invalid_fields", "Fields are missing or invalid"),
    rejection(RejectReason::unstorable, 400, "unstorable", "The database cannot hold these values"),
    rejection(RejectReason::unauthenticated, 401, "unauthenticated", "A valid key is required"),
    rejection(RejectReason::forbidden, 403, "forbidden", "The key does not allow this"),
    rejection(RejectReason::notFound, 404, "not_found", "There is nothing at this address"),
    rejection(RejectReason::methodNotAllowed, 405, "method_not_allowed",
              "The method is not allowed here"),
    rejection(RejectReason::conflict, 409, "conflict", "The current state does not allow this"),
    rejection(RejectReason::requestIdConflict, 409, "request_id_conflict",
              "Another error is stored under this requestId"),
    rejection(RejectReason::deadLetterClosed, 409, "dead_letter_closed",
              "The dead letter was retried or resolved before"),
    rejection(RejectReason::deadLetterNotRetryable, 409, "dead_letter_not_retryable",
              "The dead letter's event can't be sent again"),
    rejection(RejectReason::clusterBusy, 409, "cluster_busy",
              "A job is at work on the cluster's errors"),
    rejection(RejectReason::splitMovesNothing, 409, "split_moves_nothing",
              "None of the cluster's errors would be split off"),
    rejection(RejectReason::splitMovesEverything, 409, "split_moves_everything",
              "None of the cluster's errors would be left"),
    rejection(RejectReason::tooManyRules, 409, "too_many_rules",
              "There are as many rules as may be"),
    rejection(RejectReason::bodyTooLarge, 413, "body_too_large", "The body is too large"),
    rejection(RejectReason::batchTooLarge, 413, "batch_too_large",
              "The batch has too many entries"),
    rejection(RejectReason::uriTooLong, 414, "uri_too_long", "The address is too long"),
    rejection(RejectReason::unsupportedMediaType, 415, "unsupported_media_type",
              "The body's type is not supported"),
    rejection(RejectReason::unsupportedEncoding, 415, "unsupported_encoding",
              "The body's encoding is not supported"),
    rejection(RejectReason::expectationFailed, 417, "expectation_failed",
              "The expectation cannot be met"),
    rejection(RejectReason::headersTooLarge, 431, "headers_too_large", "The headers are too large"),
    rejection(RejectReason::rateLimited, 429, "rate_limited", "Too many requests",
              std::chrono::seconds(1)),
    rejection(RejectReason::internalError, 500, "internal_error", "The service failed"),
    rejection(RejectReason::notImplemented, 501, "not_implemented", "This is not supported"),
    rejection(RejectReason::overloaded, 503, "overloaded", "The service is at its limit",
              std::chrono::seconds(1)),
    rejection(RejectReason::databaseUnavailable, 503, "database_unavailable",
              "The database cannot be reached", std::chrono::seconds(2)),
    rejection(RejectReason::outcomeUnknown, 503, "outcome_unknown",
              "It is not known whether this was stored; repeat it with the same requestId",
              std::chrono::seconds(1)),
    rejection(RejectReason::queryTooSlow, 503, "query_too_slow", "The query takes too long",
              std::chrono::seconds(5)),
    rejection(RejectReason::draining, 503, "draining", "This instance is shutting down",
              std::chrono::seconds(1)),
    rejection(RejectReason::roleMissing, 503, "role_missing",
              "This instance does not serve the API", std::chrono::seconds(1)),
};

constexpr const RejectSpec& specOf(RejectReason reason) {
  return kRejections.at(static_cast<std::size_t>(reason));
}

inline constexpr auto kRejectionCodes = [] {
  std::array<std::pair<RejectReason, std::string_view>, kRejections.size()> codes;
  std::ranges::transform(kRejections, codes.begin(), [](const RejectSpec& rejection) {
    return std::pair(rejection.reason, rejection.code);
  });
  return codes;
}();
constexpr const auto& namesOf(RejectReason /*any*/) { return kRejectionCodes; }

// For a refusal that the HTTP framework made by itself.
RejectReason reasonForStatus(int status);

struct FieldError {
  std::string field;
  std::string code;
  std::string message;
};

// NOLINTBEGIN(readability-redundant-member-init): GCC warns of members left out where it is used.
struct ProblemDetails {
  std::string detail = {};
  std::vector<FieldError> errors = {};
  std::optional<std::chrono::seconds> retryAfter = {};  // instead of the table's
  std::string currentStatus = {};                       // of what is in the way, for a 409
  std::optional<std::int64_t> authErrorId = {};         // of the error that is in the way
};
// NOLINTEND(readability-redundant-member-init)

struct Refusal {
  RejectReason reason{};
  ProblemDetails details;
};

inline constexpr std::string_view kProblemContentType = "application/problem+json";

Json::Value problemJson(RejectReason reason, const ProblemDetails& details = {});
// `httpRequestId` is that of the HTTP request: the requestId of an error is another thing.
std::string problemBody(RejectReason reason, std::string_view httpRequestId,
                        const ProblemDetails& details = {});

// Status, body, Retry-After and WWW-Authenticate. Controllers call reject() of request_context.h,
// which also counts.
drogon::HttpResponsePtr problemResponse(RejectReason reason, std::string_view httpRequestId,
                                        const ProblemDetails& details = {});

}  // namespace auth_errors::controllers
