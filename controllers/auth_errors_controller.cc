#include "controllers/auth_errors_controller.h"

#include <format>
#include <string_view>
#include <utility>

#include <json/writer.h>

#include "controllers/auth_error_request.h"
#include "controllers/json_reader.h"
#include "controllers/problem.h"
#include "controllers/request_context.h"
#include "domain/submission.h"

namespace auth_errors::controllers {
namespace {

RejectReason reasonFor(outbox::StoreFault fault) {
  switch (fault) {
    case outbox::StoreFault::overloaded:
      return RejectReason::overloaded;
    case outbox::StoreFault::unavailable:
      return RejectReason::databaseUnavailable;
    case outbox::StoreFault::outcomeUnknown:
      return RejectReason::outcomeUnknown;
    case outbox::StoreFault::unstorable:
      return RejectReason::unstorable;
  }
  std::unreachable();
}

ProblemDetails detailsOf(const std::vector<domain::FieldProblem>& problems) {
  ProblemDetails details;
  for (const domain::FieldProblem& problem : problems) {
    details.errors.push_back({.field = std::string(problem.field),
                              .code = std::string(problem.code),
                              .message = problem.message});
  }
  return details;
}

drogon::HttpResponsePtr storedResponse(const outbox::StoredError& stored,
                                       std::string_view requestId) {
  Json::Value body;
  body["authErrorId"] = static_cast<Json::Int64>(stored.id);
  body["requestId"] = Json::Value(requestId.data(), requestId.data() + requestId.size());
  body["status"] = std::string(domain::toText(stored.status));
  body["duplicate"] = stored.duplicate;
  const auto response = drogon::HttpResponse::newHttpJsonResponse(std::move(body));
  response->setStatusCode(stored.duplicate ? drogon::k200OK : drogon::k201Created);
  response->addHeader("Location", std::format("/api/auth-errors/{}", stored.id));
  return response;
}

}  // namespace

AuthErrorsController::AuthErrorsController(Batchers batchers, std::chrono::milliseconds deadline)
    : batchers_(std::move(batchers)), deadline_(deadline) {}

// Validate, normalise, store, answer.
drogon::Task<drogon::HttpResponsePtr> AuthErrorsController::create(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto body = readJson(request->body());
  if (!body) {
    co_return reject(*context, RejectReason::malformedJson, {.detail = body.error()});
  }
  if (!body->isObject()) {
    co_return reject(*context, RejectReason::malformedJson, {.detail = "must be a JSON object"});
  }
  DecodedSubmission decoded = decodeSubmission(*body);
  auto accepted = domain::accept(
      std::move(decoded.submission),
      std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()),
      decoded.problems);
  if (!accepted) {
    co_return reject(*context, RejectReason::invalidFields, detailsOf(accepted.error()));
  }
  const std::string requestId = accepted->required(domain::TextField::requestId);
  const auto answer =
      co_await batchers_().store(*std::move(accepted), context->startedAt + deadline_);
  if (!answer) {
    co_return reject(*context, reasonFor(answer.error()));
  }
  co_return storedResponse(*answer, requestId);
}

}  // namespace auth_errors::controllers
