#include "lifecycle/decision_store.h"

#include <utility>
#include <vector>

#include "lifecycle/decisions.h"
#include "lifecycle/status_changes.h"
#include "telemetry/log.h"

namespace auth_errors::lifecycle {
namespace {

using Answer = DecisionStore::Answer;

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
  const std::vector<Decided> decided =
      co_await decideAll(transaction,
                         {.type = decision.type,
                          .note = std::move(decision.note),
                          .decidedBy = std::move(decision.decidedBy),
                          .traceparent = std::move(decision.traceparent),
                          .jobId = std::nullopt},
                         {decision.authErrorId}, deadline);
  co_return RecordedDecision{.id = decided.at(0).decisionId, .decidedAt = decided.at(0).decidedAt};
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
