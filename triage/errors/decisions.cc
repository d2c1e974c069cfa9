#include "triage/errors/decisions.h"

#include <format>
#include <utility>

#include "domain/events/event_descriptor.h"
#include "triage/errors/analysis_requests.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

const database::Statement kRecordDecisions{
    .name = "record_decisions",
    .sql =
        "INSERT INTO decision (auth_error_id, type, note, decided_by, decided_at, job_id) "
        "SELECT id, $2, $3, $4, now(), $5 FROM unnest($1::bigint[]) AS given (id) ORDER BY id "
        "RETURNING auth_error_id, id, decided_at"};

// Events are cleaned up, decisions are not: so the decisions count too, this one among them, and no
// key comes a second time.
const std::string kKeyOfNextRound = std::format(
    R"('{}' || e.id || ':' || (1 + greatest(
  (SELECT max(coalesce(nullif(split_part(r.idempotency_key, ':', 4), '')::int, 1))
   FROM outbox_message r WHERE r.aggregate_id = e.id AND r.event_type = '{}'),
  (SELECT count(*) FROM decision d WHERE d.auth_error_id = e.id AND d.type = '{}'))))",
    domain::kAnalysisRequested.keyPrefix, domain::kAnalysisRequested.eventType,
    domain::rowOf(domain::Decision::retry).name);

const database::Statement kRequestAnalyses{
    .name = "request_next_analyses",
    .sql = insertAnalysisRequests(kKeyOfNextRound,
                                  "coalesce($2, (SELECT m.traceparent FROM outbox_message m "
                                  "WHERE m.aggregate_id = e.id ORDER BY m.id LIMIT 1))",
                                  "auth_error e WHERE e.id = ANY($1::bigint[]) ORDER BY e.id")};

}  // namespace

drogon::Task<std::vector<Decided>> decideAll(database::Transaction& transaction, Verdict verdict,
                                             std::vector<std::int64_t> authErrorIds,
                                             database::Deadline deadline) {
  const domain::DecisionRow& row = domain::rowOf(verdict.type);
  const std::vector<std::int64_t> changed = co_await changeStatus(
      transaction, row.event, std::move(authErrorIds), verdict.decidedBy, deadline);
  std::vector<Decided> decided;
  if (changed.empty()) {
    co_return decided;
  }
  database::Parameters ofDecision;
  ofDecision.addArray(changed)
      .add(row.name)
      .add(verdict.note)
      .add(verdict.decidedBy)
      .add(verdict.jobId);
  const database::Result recorded =
      co_await transaction.run(kRecordDecisions, std::move(ofDecision), deadline);
  decided.reserve(recorded.rows());
  for (std::size_t i = 0; i < recorded.rows(); ++i) {
    decided.push_back({.authErrorId = recorded.value<std::int64_t>(i, 0),
                       .decisionId = recorded.value<std::int64_t>(i, 1),
                       .decidedAt = recorded.value<database::Timestamp>(i, 2)});
  }
  if (verdict.type == domain::Decision::retry) {
    database::Parameters ofEvents;
    ofEvents.addArray(changed).add(verdict.traceparent);
    co_await transaction.run(kRequestAnalyses, std::move(ofEvents), deadline);
  }
  co_return decided;
}

}  // namespace auth_errors::triage
