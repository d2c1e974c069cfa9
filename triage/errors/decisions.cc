#include "triage/errors/decisions.h"

#include <format>
#include <utility>

#include "domain/events/event_descriptor.h"
#include "outbox/events/analysis_requests.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

const database::Statement kRecordDecisions{
    .name = "record_decisions",
    .parameters = "auth_error_ids type note decided_by job_id",
    .sql =
        "INSERT INTO decision (auth_error_id, type, note, decided_by, decided_at, job_id) "
        "SELECT id, $type, $note, $decided_by, now(), $job_id "
        "FROM unnest($auth_error_ids::bigint[]) AS given (id) ORDER BY id "
        "RETURNING auth_error_id, id, decided_at"};

// Events are cleaned up, decisions are not: so the key counts decisions too, including this one,
// and no key is ever reused.
const std::string kKeyOfNextRound = std::format(
    R"('{}' || e.id || ':' || (1 + greatest(
  (SELECT max(coalesce(nullif(split_part(r.idempotency_key, ':', 4), '')::int, 1))
   FROM outbox_message r WHERE r.aggregate_id = e.id AND r.event_type = '{}'),
  (SELECT count(*) FROM decision d WHERE d.auth_error_id = e.id AND d.type = '{}'))))",
    domain::kAnalysisRequested.keyPrefix, domain::kAnalysisRequested.eventType,
    domain::rowOf(domain::Decision::retry).name);

const database::Statement kRequestAnalyses{
    .name = "request_next_analyses",
    .sql = outbox::insertAnalysisRequests(
        kKeyOfNextRound,
        "coalesce($2, (SELECT m.traceparent FROM outbox_message m "
        "WHERE m.aggregate_id = e.id ORDER BY m.id LIMIT 1))",
        "auth_error e WHERE e.id = ANY($1::bigint[]) ORDER BY e.id")};

}  // namespace

drogon::Task<std::vector<Decided>> decideAll(database::Transaction& transaction, Verdict verdict,
                                             std::vector<domain::ErrorId> authErrorIds) {
  const domain::DecisionRow& row = domain::rowOf(verdict.type);
  const std::vector<domain::ErrorId> changed =
      co_await changeStatus(transaction, row.event, std::move(authErrorIds), verdict.decidedBy);
  if (changed.empty()) {
    co_return std::vector<Decided>();
  }
  const database::Result recorded = co_await transaction.run(
      kRecordDecisions, changed, verdict.type, verdict.note, verdict.decidedBy, verdict.jobId);
  if (verdict.type == domain::Decision::retry) {
    co_await transaction.run(kRequestAnalyses, changed, verdict.traceparent);
  }
  co_return recorded.as<Decided>();
}

}  // namespace auth_errors::triage
