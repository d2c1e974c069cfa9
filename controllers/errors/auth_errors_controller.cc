#include "controllers/errors/auth_errors_controller.h"

#include <algorithm>
#include <expected>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/errors/batch_reader.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_context.h"
#include "controllers/routes.h"
#include "domain/errors/submission.h"
#include "platform/encoding/json_writer.h"
#include "platform/security/api_key.h"

namespace auth_errors::controllers {
namespace {

using outbox::NotStored;
using Answer = outbox::IngestBatcher::Answer;

RejectReason reasonFor(NotStored::Reason reason) {
  switch (reason) {
    case NotStored::Reason::overloaded:
      return RejectReason::overloaded;
    case NotStored::Reason::unstorable:
      return RejectReason::unstorable;
    case NotStored::Reason::conflict:
      return RejectReason::requestIdConflict;
  }
  std::unreachable();
}

// A key bound to a service must learn nothing about errors of other services, not even their ids.
Refusal refusalOf(const Answer::error_type& failure, const security::ApiKey& key) {
  return refusalFor(failure, {}, [&key](const NotStored& answer) {
    Refusal refusal{.reason = reasonFor(answer.reason), .details = {}};
    if (answer.first) {
      refusal.details.detail =
          "The error was not stored, because another error with different content has this "
          "requestId. Use a new requestId.";
      if (!key.serviceName || key.serviceName == answer.first->serviceName) {
        refusal.details.authErrorId = answer.first->id;
      }
    }
    return refusal;
  });
}

// Digests of different versions cannot be compared, but service names can: for a bound key, an
// error of another service is never a repeat.
Answer answerFor(Answer answer, const security::ApiKey& key,
                 const std::optional<std::string>& sentService) {
  if (answer && answer->duplicate && key.serviceName && answer->serviceName != sentService) {
    return std::unexpected(NotStored{
        .reason = NotStored::Reason::conflict,
        .first = outbox::FirstError{.id = answer->id, .serviceName = answer->serviceName}});
  }
  return answer;
}

outbox::IngestBatcher::Source sourceOf(const drogon::HttpRequest& request) {
  return request.getConnectionPtr().lock().get();
}

drogon::HttpStatusCode statusOf(const outbox::StoredError& stored) {
  return stored.duplicate ? drogon::k200OK : drogon::k201Created;
}

drogon::HttpResponsePtr storedResponse(const outbox::StoredError& stored,
                                       std::string_view requestId) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("authErrorId", stored.id);
  object.write("duplicate", stored.duplicate);
  object.write("requestId", requestId);
  object.write("status", stored.status.text());
  object.close();
  auto response = jsonResponse(std::move(body), statusOf(stored));
  response->addHeader("Location", std::format("/api/auth-errors/{}", stored.id));
  return response;
}

encoding::JsonText storedEntry(std::size_t index, const outbox::StoredError& stored,
                               const std::string& requestId) {
  return encoding::jsonObject([&](encoding::JsonObjectWriter& object) {
    object.write("authErrorId", stored.id);
    object.write("duplicate", stored.duplicate);
    object.write("index", index);
    object.write("requestId", requestId);
    object.write("status", static_cast<int>(statusOf(stored)));
  });
}

encoding::JsonText refusedEntry(std::size_t index, RequestContext& context,
                                const Refusal& refusal) {
  return encoding::jsonObject([&](encoding::JsonObjectWriter& object) {
    object.write("index", index);
    object.write("problem", rejectEntry(context, refusal.reason, refusal.details));
    object.write("status", specOf(refusal.reason).status);
  });
}

std::expected<std::vector<std::string_view>, Refusal> entriesOf(
    const drogon::HttpRequest& request) {
  std::vector<std::string_view> entries;
  if (isJsonLines(request.getHeader("content-type"))) {
    entries = splitLines(request.body(), kMaxBatchEntries);
  } else {
    auto elements = splitJsonArray(request.body(), kMaxBatchEntries);
    if (!elements) {
      return std::unexpected(
          Refusal{.reason = RejectReason::malformedJson, .details = {.detail = elements.error()}});
    }
    entries = *std::move(elements);
  }
  if (entries.size() > kMaxBatchEntries) {
    return std::unexpected(Refusal{
        .reason = RejectReason::batchTooLarge,
        .details = {.detail =
                        std::format("A batch may have at most {} errors.", kMaxBatchEntries)}});
  }
  return entries;
}

// A batch is decoded and scrubbed in slices of about this many bytes, half a millisecond each, so
// that other clients of the loop are served in between.
constexpr std::size_t kSliceBytes = std::size_t{32} * 1024;

}  // namespace

AuthErrorsController::AuthErrorsController(Store store, NextSlice nextSlice, ErrorIntake intake)
    : store_(std::move(store)), nextSlice_(std::move(nextSlice)), intake_(std::move(intake)) {}

drogon::Task<drogon::HttpResponsePtr> AuthErrorsController::create(Call call) {
  const security::ApiKey& key = call.context().caller->key();
  auto taken = intake_.take(call.body(), key.serviceName);
  if (!taken) {
    co_return call.reject(taken.error());
  }
  taken->traceparent = call.traceparent();
  const std::string requestId = taken->required(domain::TextField::requestId);
  const std::optional<std::string> service = taken->text(domain::TextField::serviceName);
  std::vector<domain::AcceptedError> errors;
  errors.push_back(*std::move(taken));
  const auto answers =
      co_await store_(std::move(errors), sourceOf(call.request()), call.deadline());
  const auto answer = answerFor(answers.front(), key, service);
  if (!answer) {
    co_return call.reject(refusalOf(answer.error(), key));
  }
  co_return storedResponse(*answer, requestId);
}

drogon::Task<drogon::HttpResponsePtr> AuthErrorsController::createBatch(Call call) {
  const auto entries = entriesOf(call.request());
  if (!entries) {
    co_return call.reject(entries.error());
  }
  const security::ApiKey& key = call.context().caller->key();
  call.context().charge(static_cast<std::int64_t>(entries->size()) - 1);
  const std::optional<std::string> traceparent = call.traceparent();
  std::vector<encoding::JsonText> results(entries->size());
  std::vector<domain::AcceptedError> errors;
  std::vector<std::size_t> indices;  // positions of the errors among the entries
  std::vector<std::string> requestIds;
  std::vector<std::optional<std::string>> services;
  std::size_t slice = std::min(call.body().size(), kSliceBytes);
  for (std::size_t index = 0; index < entries->size(); ++index) {
    slice += entries->at(index).size();
    if (slice > kSliceBytes) {
      slice = 0;
      co_await nextSlice_();
    }
    auto taken = intake_.take(entries->at(index), key.serviceName);
    if (taken) {
      taken->traceparent = traceparent;
      requestIds.push_back(taken->required(domain::TextField::requestId));
      services.push_back(taken->text(domain::TextField::serviceName));
      errors.push_back(*std::move(taken));
      indices.push_back(index);
    } else {
      results.at(index) = refusedEntry(index, call.context(), taken.error());
    }
  }
  // The parsed errors have replaced the body, and are at most as large.
  releaseBody(call.request());
  const auto answers =
      co_await store_(std::move(errors), sourceOf(call.request()), call.deadline());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto answer = answerFor(answers.at(i), key, services.at(i));
    const std::size_t index = indices.at(i);
    results.at(index) = answer
                            ? storedEntry(index, *answer, requestIds.at(i))
                            : refusedEntry(index, call.context(), refusalOf(answer.error(), key));
  }
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("results", encoding::jsonArray(results));
  object.close();
  co_return jsonResponse(encoding::inAscii(body));
}

}  // namespace auth_errors::controllers
