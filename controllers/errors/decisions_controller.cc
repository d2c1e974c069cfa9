#include "controllers/errors/decisions_controller.h"

#include <string>
#include <utility>

#include "controllers/errors/decision_body.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "domain/identity/ids.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

constexpr OutageAdvice kDecisionAdvice{.outcomeUnknown =
                                           "Read the error to see whether it was decided on."};

Refusal decisionRefusal(const triage::DecisionRefusal& refused) {
  switch (refused.reason) {
    case triage::DecisionRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case triage::DecisionRefusal::Reason::notAllowed:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "Only an error in status ANALYSIS_COMPLETED can be decided on.",
                          .currentStatus = refused.currentStatus->text()}};
  }
  std::unreachable();
}

std::string toJson(const triage::NewDecision& decision, const triage::RecordedDecision& recorded) {
  const domain::DecisionRow& row = domain::rowOf(decision.type);
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("decisionId", recorded.id);
  object.write("authErrorId", decision.authErrorId);
  object.write(kDecisionTypeField, row.name);
  object.write("decidedBy", decision.decidedBy);
  object.write("decidedAt", recorded.decidedAt);
  object.write(kDecisionNoteField, decision.note);
  object.write("status", domain::toText(domain::targetOf(row.event)));
  object.close();
  return body;
}

}  // namespace

DecisionsController::DecisionsController(const workers::PerLoop<triage::DecisionStore>& decisions,
                                         std::function<void()> onEnqueued)
    : decisions_(decisions), onEnqueued_(std::move(onEnqueued)) {}

drogon::Task<drogon::HttpResponsePtr> DecisionsController::decide(Call call) {
  auto body = decodeDecision(call.body());
  if (!body) {
    co_return call.reject(body.error());
  }
  const triage::NewDecision decision{.authErrorId = call.id<domain::ErrorId>(),
                                     .type = body->type,
                                     .note = std::move(body->note),
                                     .decidedBy = call.actor(),
                                     .traceparent = call.traceparent()};
  const auto recorded = co_await decisions_.local().decide(decision, call.deadline());
  if (!recorded) {
    co_return call.reject(refusalFor(recorded.error(), kDecisionAdvice, decisionRefusal));
  }
  if (decision.type == domain::Decision::retry) {
    onEnqueued_();
  }
  co_return jsonResponse(toJson(decision, *recorded), drogon::k201Created);
}

}  // namespace auth_errors::controllers
