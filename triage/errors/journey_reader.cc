#include "triage/errors/journey_reader.h"

#include <format>
#include <string_view>
#include <utility>

#include "domain/errors/auth_error_transitions.h"
#include "domain/events/event_descriptor.h"
#include "platform/database/answer.h"

namespace auth_errors::triage {
namespace {

constexpr std::string_view kJourneyFailed = "reading.failed";

// All rows written by one transaction have the same time, so the rank orders a cause before its
// effect; a rule decides within the analysis, on its result. An event is enqueued by the instance,
// key or rule that changed the error's status with it, the first one by the instance that received
// the error. The columns are those of a StepRow.
const database::Statement kReadJourney{
    .name = "read_journey",
    .sql = std::format(R"(WITH event AS (
  SELECT id, event_type, created_at, published_at, published_by, traceparent, processing_owner,
         coalesce(processing_started_at, CASE WHEN published_at IS NOT NULL THEN claimed_at END)
           AS claimed_at
  FROM outbox_message WHERE aggregate_id = $1 AND aggregate_type = '{0}'
), letter AS (
  SELECT id, status, reason, error, event_type, created_at, closed_at, closed_by, note, decision
  FROM dead_letter WHERE aggregate_id = $1 AND aggregate_type = '{0}'
), happened (rank, id, step, at, by, event, attempt, error, cause, from_status, to_status, type,
             note) AS (
  SELECT step.rank, id, step.name, received_at, received_by, NULL, NULL::int, NULL, NULL, NULL, NULL,
         NULL, NULL
  FROM auth_error CROSS JOIN (VALUES (0, 'received'), (1, 'stored')) AS step (rank, name)
  WHERE id = $1
  UNION ALL
  SELECT 0, id, 'claimed', claimed_at,
         coalesce(published_by, regexp_replace(processing_owner, '/[0-9]+$', '')), event_type, NULL,
         NULL, NULL, NULL, NULL, NULL, NULL
  FROM event WHERE claimed_at IS NOT NULL
  UNION ALL
  SELECT 1, id, 'published', published_at, published_by, event_type, NULL, NULL, NULL, NULL, NULL,
         NULL, NULL
  FROM event WHERE published_at IS NOT NULL
  UNION ALL
  SELECT 2, a.id, a.stage || '_failed', a.failed_at, a.instance, event_type, a.attempt, a.error,
         NULL, NULL, NULL, NULL, NULL
  FROM event JOIN delivery_attempt a ON a.outbox_id = event.id
  UNION ALL
  SELECT 2, p.outbox_id, 'consumed', p.updated_at, p.completed_by, event_type, NULL, NULL, NULL,
         NULL, NULL, NULL, NULL
  FROM event JOIN processed_message p ON p.outbox_id = event.id WHERE p.status = 'DONE'
  UNION ALL
  SELECT 3, id, 'dead_lettered', created_at, NULL, event_type, NULL, error, reason, NULL, NULL,
         NULL, NULL
  FROM letter
  UNION ALL
  SELECT 4, id, 'dead_letter_closed', closed_at, closed_by, event_type, NULL, NULL, NULL, NULL,
         status, decision, note
  FROM letter WHERE closed_at IS NOT NULL
  UNION ALL
  SELECT 4, id, 'decided', decided_at, decided_by, NULL, NULL, NULL, NULL, NULL, NULL, type, note
  FROM decision WHERE auth_error_id = $1
  UNION ALL
  SELECT 3, id, 'analysed', changed_at, changed_by, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM auth_error_transition WHERE auth_error_id = $1 AND cause = '{1}'
  UNION ALL
  SELECT CASE cause WHEN '{1}' THEN 3 ELSE 5 END, id, 'status_changed', changed_at, changed_by,
         NULL, NULL, NULL, cause, from_status, to_status, NULL, NULL
  FROM auth_error_transition WHERE auth_error_id = $1
  UNION ALL
  SELECT 6, event.id, 'enqueued', created_at, coalesce(t.changed_by, e.received_by), event_type,
         NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM event JOIN auth_error e ON e.id = $1
  LEFT JOIN auth_error_transition t ON t.auth_error_id = $1 AND t.changed_at = event.created_at
)
SELECT step, at, by, event, attempt, error, cause, from_status, to_status, type, note,
       CASE step WHEN 'decided' THEN (SELECT job_id FROM decision WHERE id = happened.id) END,
       (SELECT traceparent FROM event ORDER BY id LIMIT 1)
FROM happened ORDER BY at, rank, id, step)",
                       domain::kAuthErrorAggregate,
                       domain::toText(domain::StatusEvent::analysisCompleted))};

struct StepRow {
  JourneyStep step;
  std::optional<std::string> traceparent;
};

}  // namespace

drogon::Task<domain::Answer<Journey>> JourneyReader::read(domain::ErrorId authErrorId,
                                                          database::Deadline deadline) {
  co_return co_await database::read(
      {.client = client_, .deadline = deadline, .event = kJourneyFailed, .searches = true},
      [&]() -> drogon::Task<domain::Answer<Journey>> {
        const database::Result result = co_await client_.run(kReadJourney, deadline, authErrorId);
        std::vector<StepRow> rows = result.as<StepRow>();
        Journey journey;
        journey.steps.reserve(rows.size());
        for (StepRow& row : rows) {
          journey.traceparent = std::move(row.traceparent);
          journey.steps.push_back(std::move(row.step));
        }
        co_return journey;
      });
}

}  // namespace auth_errors::triage
