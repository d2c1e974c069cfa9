#include "triage/errors/decision_store.h"

#include <utility>
#include <vector>

#include "platform/database/transact.h"
#include "platform/telemetry/log.h"
#include "triage/errors/decisions.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

drogon::Task<DecisionStore::Answer> decideIn(database::Transaction& transaction,
                                             NewDecision decision, database::Deadline deadline) {
  const domain::DecisionRow& row = domain::rowOf(decision.type);
  // Who comes second waits here for the first, and then finds the error decided.
  const auto status = co_await lockedStatus(transaction, decision.authErrorId, deadline);
  if (!status) {
    co_return std::unexpected(
        DecisionRefusal{.fault = DecisionFault::unknown, .currentStatus = {}});
  }
  if (!status->value() || !domain::transition(*status->value(), row.event)) {
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

DecisionRefusal decisionRefusal(const database::Error& error, bool lost) {
  telemetry::log(telemetry::LogLevel::warn, "decisions.failed", {{"reason", error.what()}});
  return {.fault = lost ? DecisionFault::outcomeUnknown : DecisionFault::unavailable,
          .currentStatus = {}};
}

}  // namespace

drogon::Task<DecisionStore::Answer> DecisionStore::decide(NewDecision decision,
                                                          database::Deadline deadline) {
  return database::transact(
      client_,
      [=](database::Transaction& transaction) { return decideIn(transaction, decision, deadline); },
      decisionRefusal, deadline);
}

}  // namespace auth_errors::triage
