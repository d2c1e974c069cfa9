#include "lifecycle/decision_store.h"

#include <format>
#include <utility>

#include "domain/event_descriptor.h"
#include "lifecycle/analysis_requests.h"
#include "lifecycle/status_changes.h"
#include "telemetry/log.h"

namespace auth_errors::lifecycle {
namespace {

using Answer = DecisionStore::Answer;

const database::Statement kRecordDecision{
    .name = "record_decision",
    .sql =
        "INSERT INTO decision (auth_error_id, type, note, decided_by, decided_at) "
        "VALUES ($1, $2, $3, $4, now()) RETURNING id, decided_at"};

// Events are cleaned up, decisions are not: so the decisions count too, this one among them, and no
// key comes a second time.
const database::Statement kNextRound{
    .name = "next_analysis_round",
    .sql = std::format(R"(SELECT (1 + greatest(
  (SELECT max(coalesce(nullif(split_part(idempotency_key, ':', 4), '')::int, 1))
   FROM outbox_message WHERE aggregate_id = $1 AND event_type = '{}'),
  (SELECT count(*) FROM decision WHERE auth_error_id = $1 AND type = '{}')))::int)",
                       domain::kAnalysisRequested.eventType,
                       domain::rowOf(domain::Decision::retry).name)};

const database::Statement kRequestAnalysis{
    .name = "request_analysis",
    .sql = insertAnalysisRequests("$2",
                                  "coalesce($3, (SELECT m.traceparent FROM outbox_message m "
                                  "WHERE m.aggregate_id = e.id ORDER BY m.id LIMIT 1))",
                                  "auth_error e WHERE e.id = $1")};

drogon::Task<void> requestAnalysis(database::Transaction& transaction, NewDecision decision,
                                   database::Deadline deadline) {
  const std::int64_t id = decision.authErrorId;
  database::Parameters ofError;
  ofError.add(id);
  const database::Result round = co_await transaction.run(kNextRound, std::move(ofError), deadline);
  database::Parameters ofEvent;
  ofEvent.add(id)
      .add(domain::kAnalysisRequested.idempotencyKey(id, round.value<std::int32_t>(0, 0)))
      .add(decision.traceparent);
  co_await transaction.run(kRequestAnalysis, std::move(ofEvent), deadline);
}

drogon::Task<Answer> decideIn(database::Transaction& transaction, NewDecision decision,
                              database::Deadline deadline) {
  const domain::DecisionRow& row = domain::rowOf(decision.type);
  // Who comes second waits here for the first, and then finds the error decided.
  const auto status = co_await lockedStatus(transaction, decision.authErrorId, deadline);
  if (!status) {
    co_return std::unexpected(
        DecisionRefusal{.fault = DecisionFault::unknown, .currentStatus = {}});
  }
  if (!domain::transition(*status, row.event)) {
    co_return std::unexpected(
        DecisionRefusal{.fault = DecisionFault::notAllowed, .currentStatus = status});
  }
  co_await changeStatus(transaction, row.event, {decision.authErrorId}, decision.decidedBy,
                        deadline);
  database::Parameters parameters;
  parameters.add(decision.authErrorId).add(row.name).add(decision.note).add(decision.decidedBy);
  const database::Result recorded =
      co_await transaction.run(kRecordDecision, std::move(parameters), deadline);
  if (decision.type == domain::Decision::retry) {
    co_await requestAnalysis(transaction, std::move(decision), deadline);
  }
  co_return RecordedDecision{.id = recorded.value<std::int64_t>(0, 0),
                             .decidedAt = recorded.value<database::Timestamp>(0, 1)};
}

}  // namespace

drogon::Task<Answer> DecisionStore::decide(NewDecision decision, database::Deadline deadline) {
  // Until then nothing can have happened, whatever answer was lost.
  bool committing = false;
  try {
    database::Transaction transaction = co_await client_.begin(deadline);
    const Answer answer = co_await decideIn(transaction, std::move(decision), deadline);
    if (!answer) {
      co_await transaction.rollback(deadline);
      co_return answer;
    }
    committing = true;
    co_await transaction.commit(deadline);
    co_return answer;
  } catch (const database::Error& error) {
    telemetry::log(telemetry::LogLevel::warn, "decisions.failed", {{"reason", error.what()}});
    const bool lost = committing && error.failure() == database::Failure::outcomeUnknown;
    co_return std::unexpected(
        DecisionRefusal{.fault = lost ? DecisionFault::outcomeUnknown : DecisionFault::unavailable,
                        .currentStatus = {}});
  }
}

}  // namespace auth_errors::lifecycle
