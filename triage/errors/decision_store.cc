#include "triage/errors/decision_store.h"

#include <string_view>
#include <utility>
#include <vector>

#include "platform/database/answer.h"
#include "triage/errors/decisions.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

constexpr std::string_view kDecisionsFailed = "decisions.failed";

drogon::Task<DecisionStore::Answer> decideIn(database::Transaction& transaction,
                                             NewDecision decision) {
  const domain::DecisionRow& row = domain::rowOf(decision.type);
  // A concurrent decision waits here for the first one, and then finds the error decided.
  const auto status = co_await lockedStatus(transaction, decision.authErrorId);
  if (!status) {
    co_return std::unexpected(DecisionRefusal{.reason = DecisionRefusal::Reason::unknown});
  }
  if (!status->value() || !domain::transition(*status->value(), row.event)) {
    co_return std::unexpected(
        DecisionRefusal{.reason = DecisionRefusal::Reason::notAllowed, .currentStatus = status});
  }
  const std::vector<Decided> decided =
      co_await decideAll(transaction,
                         {.type = decision.type,
                          .note = std::move(decision.note),
                          .decidedBy = std::move(decision.decidedBy),
                          .traceparent = std::move(decision.traceparent),
                          .jobId = std::nullopt},
                         {decision.authErrorId});
  co_return RecordedDecision{.id = decided.at(0).decisionId, .decidedAt = decided.at(0).decidedAt};
}

}  // namespace

drogon::Task<DecisionStore::Answer> DecisionStore::decide(NewDecision decision,
                                                          database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = client_, .deadline = deadline, .event = kDecisionsFailed},
      [&](database::Transaction& transaction) { return decideIn(transaction, decision); });
}

}  // namespace auth_errors::triage
