#include "controllers/errors/redelivery_controller.h"

#include <string>
#include <utility>

#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/problem.h"
#include "domain/identity/ids.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

using triage::RedeliveryRefusal;

constexpr OutageAdvice kRedeliveryAdvice{
    .outcomeUnknown = "Read the error's journey to see whether its event was resent."};

Refusal redeliveryRefusal(const RedeliveryRefusal& refused) {
  switch (refused.reason) {
    case RedeliveryRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case RedeliveryRefusal::Reason::analysed:
      return {.reason = RejectReason::conflict,
              .details = {
                  .detail = "The error is analysed or in a final status; it has no pending event.",
                  .currentStatus = refused.currentStatus->text()}};
    case RedeliveryRefusal::Reason::eventGone:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "The outbox has no event of this error."}};
    case RedeliveryRefusal::Reason::beingHandled:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "The event is being processed; wait for its outcome."}};
  }
  std::unreachable();
}

std::string toJson(const triage::Redelivery& redelivery) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("authErrorId", redelivery.authErrorId);
  object.write("outboxId", redelivery.outboxId);
  object.write("eventType", redelivery.eventType);
  object.write("retryRound", redelivery.retryRound);
  object.write("retriedDeadLetters", encoding::jsonArray(redelivery.retriedLetters));
  object.close();
  return body;
}

}  // namespace

RedeliveryController::RedeliveryController(
    const workers::PerLoop<triage::RedeliveryStore>& redeliveries, std::function<void()> onEnqueued)
    : redeliveries_(redeliveries), onEnqueued_(std::move(onEnqueued)) {}

drogon::Task<drogon::HttpResponsePtr> RedeliveryController::redeliver(Call call) {
  const auto redelivered = co_await redeliveries_.local().redeliver(call.id<domain::ErrorId>(),
                                                                    call.actor(), call.deadline());
  if (!redelivered) {
    co_return call.reject(refusalFor(redelivered.error(), kRedeliveryAdvice, redeliveryRefusal));
  }
  onEnqueued_();
  co_return jsonResponse(toJson(*redelivered));
}

}  // namespace auth_errors::controllers
