#include "controllers/errors/decisions_controller.h"

#include <string>
#include <utility>

#include "controllers/errors/decision_body.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_context.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

constexpr OutageAdvice kDecisionAdvice{.outcomeUnknown = "Read the error to see whether it is decided."};

Refusal decisionRefusal(const triage::DecisionRefusal& refused) {
  switch (refused.reason) {
    case triage::DecisionRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case triage::DecisionRefusal::Reason::notAllowed:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "Only an error that is ANALYSIS_COMPLETED can be decided on.",
                          .currentStatus = refused.currentStatus->text()}};
  }
  std::unreachable();
}

std::string toJson(const triage::NewDecision& decision, const triage::RecordedDecision& recorded) {
  const domain::DecisionRow& row = domain::rowOf(decision.type);
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.number("decisionId", recorded.id);
  object.number("authErrorId", decision.authErrorId);
  object.text(kDecisionTypeField, row.name);
  object.text("decidedBy", decision.decidedBy);
  object.text("decidedAt", domain::formatInstant(recorded.decidedAt));
  object.textOrNull(kDecisionNoteField, decision.note);
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
  auto body = decodeDecision(request->body());
  if (!body) {
    co_return reject(*context, body.error());
  }
  const triage::NewDecision decision{.authErrorId = idOf(*context).value_or(0),
                                     .type = body->type,
                                     .note = std::move(body->note),
                                     .decidedBy = std::string(context->keyName()),
                                     .traceparent = traceparentOf(*request)};
  const auto recorded = co_await store_().decide(decision, context->startedAt + deadline_);
  if (!recorded) {
    co_return reject(*context, refusalFor(recorded.error(), kDecisionAdvice, decisionRefusal));
  }
  if (decision.type == domain::Decision::retry) {
    onEnqueued_();
  }
  co_return jsonResponse(toJson(decision, *recorded), drogon::k201Created);
}

}  // namespace auth_errors::controllers
