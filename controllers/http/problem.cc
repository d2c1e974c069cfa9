#include "controllers/http/problem.h"

#include <algorithm>
#include <utility>

#include <json/value.h>

#include "domain/scrub/sanitiser.h"
#include "domain/scrub/scrubber.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

constexpr const char* kChallenge = R"(Bearer realm="auth-errors")";

constexpr bool inOrderOfTheEnum() {
  for (std::size_t i = 0; i < kRejections.size(); ++i) {
    if (std::to_underlying(kRejections.at(i).reason) != i) {
      return false;
    }
  }
  return kRejections.back().reason == RejectReason::roleMissing;
}
static_assert(inOrderOfTheEnum());

// Limit on field names from clients; our own are shorter.
constexpr std::size_t kMaxFieldCodePoints = 80;

// Texts that quote a request must not reveal its secrets.
std::string scrubbed(std::string_view text) { return domain::scrub(text, {}).text; }

}  // namespace

RejectReason reasonForStatus(int status) {
  const auto found = std::ranges::find(kRejections, status, &RejectSpec::status);
  if (found != kRejections.end()) {
    return found->reason;
  }
  return status >= 500 ? RejectReason::internalError : RejectReason::malformedRequest;
}

Json::Value problemJson(RejectReason reason, const ProblemDetails& details) {
  const RejectSpec& spec = specOf(reason);
  Json::Value body;
  body["type"] = "urn:auth-errors:problem:" + std::string(spec.code);
  body["title"] = std::string(spec.title);
  body["status"] = spec.status;
  body["code"] = std::string(spec.code);
  if (!details.detail.empty()) {
    body["detail"] = scrubbed(details.detail);
  }
  if (!details.currentStatus.empty()) {
    body["currentStatus"] = details.currentStatus;
  }
  if (details.authErrorId) {
    body["authErrorId"] = static_cast<Json::Int64>(*details.authErrorId);
  }
  for (const FieldError& error : details.errors) {
    Json::Value item;
    item["field"] = domain::sanitise(error.field, kMaxFieldCodePoints, {}).text.value_or("");
    item["code"] = error.code;
    item["message"] = scrubbed(error.message);
    body["errors"].append(std::move(item));
  }
  return body;
}

std::string problemBody(RejectReason reason, std::string_view httpRequestId,
                        const ProblemDetails& details) {
  Json::Value body = problemJson(reason, details);
  body["httpRequestId"] = std::string(httpRequestId);
  return encoding::toJson(body);
}

drogon::HttpResponsePtr problemResponse(RejectReason reason, std::string_view httpRequestId,
                                        const ProblemDetails& details) {
  const RejectSpec& spec = specOf(reason);
  auto response = drogon::HttpResponse::newHttpResponse();
  response->setStatusCode(static_cast<drogon::HttpStatusCode>(spec.status));
  response->setContentTypeString(kProblemContentType);
  response->setBody(problemBody(reason, httpRequestId, details));
  const auto retryAfter = details.retryAfter.value_or(spec.retryAfter);
  if (retryAfter.count() > 0) {
    response->addHeader("Retry-After", std::to_string(retryAfter.count()));
  }
  if (reason == RejectReason::unauthenticated) {
    response->addHeader("WWW-Authenticate", kChallenge);
  }
  return response;
}

}  // namespace auth_errors::controllers
