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
    .outcomeUnknown = "Read the error's journey to see whether its event was sent again."};

Refusal redeliveryRefusal(const RedeliveryRefusal& refused) {
  switch (refused.reason) {
    case RedeliveryRefusal::Reason::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case RedeliveryRefusal::Reason::analysed:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "The error is analysed or has ended; nothing of it waits to be "
                                    "delivered.",
                          .currentStatus = refused.currentStatus->text()}};
    case RedeliveryRefusal::Reason::eventGone:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "The outbox has no event of this error."}};
    case RedeliveryRefusal::Reason::beingHandled:
      return {
          .reason = RejectReason::conflict,
          .details = {.detail = "Its event is being handled just now; see what becomes of it."}};
  }
  std::unreachable();
}

std::string toJson(const triage::Redelivery& redelivery) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.number("authErrorId", redelivery.authErrorId);
  object.number("outboxId", redelivery.outboxId);
  object.text("eventType", redelivery.eventType);
  object.number("retryRound", redelivery.retryRound);
  object.json("retriedDeadLetters",
              encoding::jsonArray(redelivery.retriedLetters,
                                  [](std::string& out, domain::DeadLetterId letter) {
                                    std::format_to(std::back_inserter(out), "{}", letter);
                                  }));
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
