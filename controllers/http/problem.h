// Refusals: one list of reasons, one table with the HTTP status, stable code and title of each, and
// the RFC 9457 body. The code is also the label in metrics and logs. Pure, except for the response.
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

#include "domain/identity/ids.h"
#include "platform/encoding/json_writer.h"

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
  std::chrono::seconds retryAfter;  // 0: a repeated request would be refused again
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
              "The body does not match its Content-Encoding"),
    rejection(RejectReason::malformedJson, 400, "malformed_json", "The body is not valid JSON"),
    rejection(RejectReason::invalidFields, 400, "invalid_fields", "Fields are missing or invalid"),
    rejection(RejectReason::unstorable, 400, "unstorable", "The database cannot hold these values"),
    rejection(RejectReason::unauthenticated, 401, "unauthenticated", "A valid key is required"),
    rejection(RejectReason::forbidden, 403, "forbidden", "The key's role does not allow this"),
    rejection(RejectReason::notFound, 404, "not_found", "No such resource"),
    rejection(RejectReason::methodNotAllowed, 405, "method_not_allowed",
              "The method is not allowed for this path"),
    rejection(RejectReason::conflict, 409, "conflict", "The current state does not allow this"),
    rejection(RejectReason::requestIdConflict, 409, "request_id_conflict",
              "Another error is already stored with this requestId"),
    rejection(RejectReason::deadLetterClosed, 409, "dead_letter_closed",
              "The dead letter is already retried or resolved"),
    rejection(RejectReason::deadLetterNotRetryable, 409, "dead_letter_not_retryable",
              "The event of the dead letter cannot be resent"),
    rejection(RejectReason::clusterBusy, 409, "cluster_busy",
              "A job is running on the cluster's errors"),
    rejection(RejectReason::splitMovesNothing, 409, "split_moves_nothing",
              "The split would move none of the cluster's errors"),
    rejection(RejectReason::splitMovesEverything, 409, "split_moves_everything",
              "The split would move all of the cluster's errors"),
    rejection(RejectReason::tooManyRules, 409, "too_many_rules", "Rule limit reached"),
    rejection(RejectReason::bodyTooLarge, 413, "body_too_large", "The body is too large"),
    rejection(RejectReason::batchTooLarge, 413, "batch_too_large",
              "The batch has too many entries"),
    rejection(RejectReason::uriTooLong, 414, "uri_too_long", "The URI is too long"),
    rejection(RejectReason::unsupportedMediaType, 415, "unsupported_media_type",
              "The media type is not supported"),
    rejection(RejectReason::unsupportedEncoding, 415, "unsupported_encoding",
              "The content encoding is not supported"),
    rejection(RejectReason::expectationFailed, 417, "expectation_failed",
              "The expectation cannot be met"),
    rejection(RejectReason::headersTooLarge, 431, "headers_too_large",
              "The header section is too large"),
    rejection(RejectReason::rateLimited, 429, "rate_limited", "Too many requests",
              std::chrono::seconds(1)),
    rejection(RejectReason::internalError, 500, "internal_error", "Internal error"),
    rejection(RejectReason::notImplemented, 501, "not_implemented", "Not implemented"),
    rejection(RejectReason::overloaded, 503, "overloaded", "The service is overloaded",
              std::chrono::seconds(1)),
    rejection(RejectReason::databaseUnavailable, 503, "database_unavailable",
              "The database is unavailable", std::chrono::seconds(2)),
    rejection(RejectReason::outcomeUnknown, 503, "outcome_unknown",
              "It is unknown whether the request took effect; repeat it with the same requestId",
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

// For refusals generated by the HTTP framework itself.
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
  std::optional<std::chrono::seconds> retryAfter = {};  // overrides the table
  std::string currentStatus = {};  // for a 409: the status that prevents the operation
  std::optional<domain::ErrorId> authErrorId = {};  // the error that prevents the operation
};
// NOLINTEND(readability-redundant-member-init)

struct Refusal {
  RejectReason reason{};
  ProblemDetails details;
};

inline constexpr std::string_view kProblemContentType = "application/problem+json";

// `httpRequestId` identifies the HTTP request; it is not the requestId of an error.
encoding::JsonText problemJson(RejectReason reason, const ProblemDetails& details,
                               const std::optional<std::string>& httpRequestId = std::nullopt);
std::string problemBody(RejectReason reason, std::string_view httpRequestId,
                        const ProblemDetails& details = {});

// Status, body, Retry-After and WWW-Authenticate. Controllers call reject() of request_context.h,
// which also updates the metrics.
drogon::HttpResponsePtr problemResponse(RejectReason reason, std::string_view httpRequestId,
                                        const ProblemDetails& details = {});

}  // namespace auth_errors::controllers
