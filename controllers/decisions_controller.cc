#include "controllers/decisions_controller.h"

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "controllers/error_intake.h"
#include "controllers/field_reader.h"
#include "controllers/json_response.h"
#include "controllers/problem.h"
#include "controllers/request_context.h"
#include "domain/sanitiser.h"
#include "encoding/json_reader.h"
#include "encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using lifecycle::DecisionFault;

constexpr std::string_view kTypeField = "type";
constexpr std::string_view kNoteField = "note";

Refusal refusalFor(const lifecycle::DecisionRefusal& refused) {
  switch (refused.fault) {
    case DecisionFault::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case DecisionFault::notAllowed:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "Only an error that is ANALYSIS_COMPLETED can be decided on.",
                          .currentStatus = std::string(domain::toText(*refused.currentStatus))}};
    case DecisionFault::unavailable:
      return {.reason = RejectReason::databaseUnavailable, .details = {}};
    case DecisionFault::outcomeUnknown:
      return {.reason = RejectReason::outcomeUnknown,
              .details = {.detail = "Read the error to see whether it is decided."}};
  }
  std::unreachable();
}

// Of the decision only what the body says.
std::expected<lifecycle::NewDecision, Refusal> decodeDecision(std::string_view text) {
  const auto body = encoding::readJsonObject(text);
  if (!body) {
    return std::unexpected(
        Refusal{.reason = RejectReason::malformedJson, .details = {.detail = body.error()}});
  }
  FieldReader reader(*body);
  const auto type = reader.text(kTypeField);
  lifecycle::NewDecision decision;
  decision.note = reader.sanitisedText(kNoteField, domain::kMaxMessageCodePoints);
  auto problems = reader.takeProblems();
  const auto* const row =
      std::ranges::find(domain::kDecisions, type.value_or(""), &domain::DecisionRow::name);
  if (row != domain::kDecisions.end()) {
    decision.type = row->decision;
  } else if (!std::ranges::contains(problems, kTypeField, &domain::FieldProblem::field)) {
    problems.push_back({.field = kTypeField,
                        .code = type ? "invalid" : "required",
                        .message = "must be PROCESS, FAIL, RESOLVE, IGNORE or RETRY"});
  }
  if (reader.unknownFields() > 0) {
    // A misspelt note must not be lost.
    problems.push_back(
        {.field = "", .code = "unknown_field", .message = "only type and note are known"});
  }
  if (!problems.empty()) {
    return std::unexpected(
        Refusal{.reason = RejectReason::invalidFields, .details = detailsOf(problems)});
  }
  return decision;
}

std::string toJson(const lifecycle::NewDecision& decision,
                   const lifecycle::RecordedDecision& recorded) {
  const domain::DecisionRow& row = domain::rowOf(decision.type);
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.number("decisionId", recorded.id);
  object.number("authErrorId", decision.authErrorId);
  object.text(kTypeField, row.name);
  object.text("decidedBy", decision.decidedBy);
  object.text("decidedAt", domain::formatInstant(recorded.decidedAt));
  object.textOrNull(kNoteField, decision.note);
  object.text("status", domain::toText(domain::targetOf(row.event)));
  object.close();
  return body;
}

}  // namespace

DecisionsController::DecisionsController(Store store, std::function<void()> onEnqueued,
                                         std::chrono::milliseconds deadline)
    : store_(std::move(store)), onEnqueued_(std::move(onEnqueued)), deadline_(deadline) {}

drogon::Task<drogon::HttpResponsePtr> DecisionsController::decide(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto decision = decodeDecision(request->body());
  if (!decision) {
    co_return reject(*context, decision.error());
  }
  decision->authErrorId = idOf(*context).value_or(0);
  decision->decidedBy = context->keyName();
  decision->traceparent = traceparentOf(*request);
  const auto recorded = co_await store_().decide(*decision, context->startedAt + deadline_);
  if (!recorded) {
    co_return reject(*context, refusalFor(recorded.error()));
  }
  if (decision->type == domain::Decision::retry) {
    onEnqueued_();
  }
  co_return jsonResponse(toJson(*decision, *recorded), drogon::k201Created);
}

}  // namespace auth_errors::controllers
