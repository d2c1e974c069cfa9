#include "triage/errors/journey_reader.h"

#include <format>
#include <type_traits>
#include <utility>

#include "domain/errors/auth_error_transitions.h"
#include "domain/events/event_descriptor.h"

namespace auth_errors::triage {
namespace {

// One transaction gives all that it writes the same time: the rank puts what happened before what
// came of it; a rule decides with the analysis, on what it has found. An event is enqueued by
// whoever changed the error's status with it, the first one by whoever took the error in. The
// columns are in the order in which stepOf takes them.
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
constexpr std::size_t kTraceparentColumn = 12;

JourneyStep stepOf(const database::Result& result, std::size_t row) {
  std::size_t column = 0;
  const auto next = [&](auto& value) {
    value = result.value<std::remove_reference_t<decltype(value)>>(row, column++);
  };
  JourneyStep step;
  next(step.step);
  next(step.at);
  next(step.by);
  next(step.event);
  next(step.attempt);
  next(step.error);
  next(step.cause);
  next(step.from);
  next(step.to);
  next(step.type);
  next(step.note);
  next(step.jobId);
  return step;
}

}  // namespace

drogon::Task<std::expected<Journey, ReadFault>> JourneyReader::read(std::int64_t authErrorId,
                                                                    database::Deadline deadline) {
  try {
    database::Parameters parameters;
    parameters.add(authErrorId);
    const auto result = co_await client_.run(kReadJourney, std::move(parameters), deadline);
    Journey journey;
    if (!result.empty()) {
      journey.traceparent = result.value<std::optional<std::string>>(0, kTraceparentColumn);
    }
    journey.steps.reserve(result.rows());
    for (std::size_t row = 0; row < result.rows(); ++row) {
      journey.steps.push_back(stepOf(result, row));
    }
    co_return journey;
  } catch (const database::Error& error) {
    co_return std::unexpected(faultOf(error, client_, deadline));
  }
}

}  // namespace auth_errors::triage
