#include "controllers/auth_errors_controller.h"

#include <format>
#include <string_view>
#include <utility>

#include <json/writer.h>

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

outbox::IngestBatcher::Source sourceOf(const drogon::HttpRequest& request) {
  return request.getConnectionPtr().lock().get();
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

AuthErrorsController::AuthErrorsController(Store store, ErrorIntake intake,
                                           std::chrono::milliseconds deadline)
    : store_(std::move(store)), intake_(std::move(intake)), deadline_(deadline) {}

drogon::Task<drogon::HttpResponsePtr> AuthErrorsController::create(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto taken = intake_.take(request->body(), context->caller->key().serviceName);
  if (!taken) {
    co_return reject(*context, taken.error().reason, taken.error().details);
  }
  const std::string requestId = taken->required(domain::TextField::requestId);
  std::vector<domain::AcceptedError> errors;
  errors.push_back(*std::move(taken));
  const auto answers =
      co_await store_(std::move(errors), sourceOf(*request), context->startedAt + deadline_);
  if (!answers.front()) {
    co_return reject(*context, reasonFor(answers.front().error()));
  }
  co_return storedResponse(*answers.front(), requestId);
}

}  // namespace auth_errors::controllers
