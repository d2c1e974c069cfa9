#include "controllers/http/problem.h"

#include <algorithm>
#include <format>
#include <utility>

#include "domain/scrub/sanitiser.h"
#include "domain/scrub/scrubber.h"

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

void appendFieldError(std::string& out, const FieldError& error) {
  encoding::JsonObjectWriter object(out);
  object.write("code", error.code);
  object.write("field", domain::sanitise(error.field, kMaxFieldCodePoints, {}).text.value_or(""));
  object.write("message", scrubbed(error.message));
  object.close();
}

}  // namespace

RejectReason reasonForStatus(int status) {
  const auto found = std::ranges::find(kRejections, status, &RejectSpec::status);
  if (found != kRejections.end()) {
    return found->reason;
  }
  return status >= 500 ? RejectReason::internalError : RejectReason::malformedRequest;
}

encoding::JsonText problemJson(RejectReason reason, const ProblemDetails& details,
                               const std::optional<std::string>& httpRequestId) {
  const RejectSpec& spec = specOf(reason);
  return encoding::jsonObject([&](encoding::JsonObjectWriter& object) {
    object.writeIfAny("authErrorId", details.authErrorId);
    object.write("code", spec.code);
    if (!details.currentStatus.empty()) {
      object.write("currentStatus", details.currentStatus);
    }
    if (!details.detail.empty()) {
      object.write("detail", scrubbed(details.detail));
    }
    if (!details.errors.empty()) {
      object.write("errors", encoding::jsonArray(details.errors, appendFieldError));
    }
    object.writeIfAny("httpRequestId", httpRequestId);
    object.write("status", spec.status);
    object.write("title", spec.title);
    object.write("type", std::format("urn:auth-errors:problem:{}", spec.code));
  });
}

std::string problemBody(RejectReason reason, std::string_view httpRequestId,
                        const ProblemDetails& details) {
  return problemJson(reason, details, std::string(httpRequestId)).text;
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
