#include "consumer/recorded_handler.h"

#include <algorithm>
#include <format>
#include <utility>

#include "domain/errors/auth_error_transitions.h"
#include "domain/identity/ids.h"
#include "outbox/events/analysis_requests.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::consumer {
namespace {

// The trace continues: the new event gets the traceparent of the event that caused it.
const database::Statement kRequestAnalyses{
    .name = "request_analyses",
    .sql = outbox::insertAnalysisRequests(
               std::format("'{}' || e.id", domain::kAnalysisRequested.keyPrefix), "m.traceparent",
               R"(unnest($1::bigint[], $2::bigint[]) AS given (outbox_id, auth_error_id)
JOIN auth_error e ON e.id = given.auth_error_id
LEFT JOIN outbox_message m ON m.id = given.outbox_id
ORDER BY e.id)") +
           " ON CONFLICT (idempotency_key) DO NOTHING"};

}  // namespace

RecordedHandler::RecordedHandler(domain::InstanceName instance, std::function<void()> onEnqueued)
    : instance_(std::move(instance)), onEnqueued_(std::move(onEnqueued)) {}

drogon::Task<Prepared> RecordedHandler::prepare(std::vector<EventInHand> events) {
  Prepared prepared{
      .outcomes = {},
      .apply = [this](database::Transaction& transaction, std::vector<EventInHand> ours) {
        return apply(transaction, std::move(ours));
      }};
  prepared.outcomes.reserve(events.size());
  for (const EventInHand& event : events) {
    const bool asks =
        domain::transition(event.status, domain::StatusEvent::analysisRequested).has_value();
    prepared.outcomes.push_back(
        {.kind = asks ? OutcomeKind::done : OutcomeKind::skip, .error = {}});
  }
  co_return prepared;
}

drogon::Task<database::AfterCommit> RecordedHandler::apply(database::Transaction& transaction,
                                                           std::vector<EventInHand> events) {
  std::vector<domain::ErrorId> errorIds;
  errorIds.reserve(events.size());
  for (const EventInHand& event : events) {
    errorIds.push_back(event.authErrorId);
  }
  const std::vector<domain::ErrorId> changed = co_await triage::changeStatus(
      transaction, domain::StatusEvent::analysisRequested, std::move(errorIds), instance_.text());
  std::vector<domain::OutboxId> outboxIds;
  for (const domain::ErrorId id : changed) {
    outboxIds.push_back(std::ranges::find(events, id, &EventInHand::authErrorId)->outboxId);
  }
  co_await transaction.run(kRequestAnalyses, outboxIds, changed);
  co_return onEnqueued_;
}

}  // namespace auth_errors::consumer
