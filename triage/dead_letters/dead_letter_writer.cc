#include "triage/dead_letters/dead_letter_writer.h"

#include <format>
#include <utility>

#include "domain/events/event_descriptor.h"
#include "domain/scrub/sanitiser.h"
#include "outbox/identity/event_identity.h"

namespace auth_errors::triage {
namespace {

constexpr std::string_view kWithoutWords = "(no error text)";

const database::Statement kRecordAttempts{
    .name = "record_attempts",
    .parameters = "stage instance outbox_ids attempts errors",
    .sql = insertAttempts(
        R"(SELECT given.outbox_id, coalesce(m.retry_round, 0), $stage, given.attempt, given.error,
       $instance
FROM unnest($outbox_ids::bigint[], $attempts::int[], $errors::text[])
  AS given (outbox_id, attempt, error)
LEFT JOIN outbox_message m ON m.id = given.outbox_id)")};

// Older versions wrote a dead letter for any message, with whatever outbox id it named. Such a dead
// letter is a foreign message's, and must not occupy the id of the current event.
const database::Statement kDetachStaleLetters{.name = "detach_stale_letters",
                                              .sql = std::format(R"(UPDATE dead_letter d
SET outbox_id = NULL, retry_round = NULL, aggregate_type = NULL, aggregate_id = NULL,
    digest = sha256(convert_to('letter ' || d.id, 'UTF8'))
FROM outbox_message m
WHERE d.outbox_id = ANY($1::bigint[]) AND m.id = d.outbox_id AND {})",
                                                                 outbox::isStale("d"))};

const database::Statement kRecordDeadLetters{
    .name = "record_dead_letters",
    .parameters = "source aggregate_type outbox_ids reasons errors event_types aggregate_ids",
    .sql = R"(INSERT INTO dead_letter
  (status, source, reason, error, outbox_id, event_id, retry_round, event_type, aggregate_type,
   aggregate_id, payload, traceparent, attempts, created_at)
SELECT 'OPEN', $source, given.reason, given.error, given.outbox_id, m.event_id,
       coalesce(m.retry_round, 0), coalesce(m.event_type, given.event_type),
       coalesce(m.aggregate_type, $aggregate_type),
       coalesce(m.aggregate_id, given.aggregate_id), m.payload, m.traceparent,
       coalesce((SELECT jsonb_agg(jsonb_build_object('stage', a.stage, 'attempt', a.attempt,
                          'at', to_char(a.failed_at AT TIME ZONE 'UTC',
                                        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                          'instance', a.instance, 'error', a.error) ORDER BY a.id)
                 FROM delivery_attempt a
                 WHERE a.outbox_id = given.outbox_id
                   AND a.retry_round = coalesce(m.retry_round, 0)
                   AND a.failed_at >= coalesce(m.created_at, '-infinity')), '[]'),
       now()
FROM unnest($outbox_ids::bigint[], $reasons::text[], $errors::text[], $event_types::text[],
            $aggregate_ids::bigint[])
  AS given (outbox_id, reason, error, event_type, aggregate_id)
LEFT JOIN outbox_message m ON m.id = given.outbox_id
ON CONFLICT (outbox_id, retry_round) DO NOTHING)"};

}  // namespace

std::string insertAttempts(std::string_view rows) {
  return std::format(R"(INSERT INTO delivery_attempt
  (outbox_id, retry_round, stage, attempt, error, instance, failed_at)
SELECT failed.*, now() FROM ({}) AS failed)",
                     rows);
}

std::string storableError(std::string_view error) {
  return domain::sanitise(error, domain::kMaxMessageCodePoints, {})
      .text.value_or(std::string(kWithoutWords));
}

drogon::Task<void> recordAttempts(database::Transaction& transaction, DeliveryStage stage,
                                  std::vector<FailedAttempt> attempts,
                                  domain::InstanceName instance) {
  if (attempts.empty()) {
    co_return;
  }
  for (FailedAttempt& attempt : attempts) {
    attempt.error = storableError(attempt.error);
  }
  co_await transaction.run(kRecordAttempts, stage, instance,
                           database::columns(attempts, &FailedAttempt::outboxId,
                                             &FailedAttempt::attempt, &FailedAttempt::error));
}

drogon::Task<void> recordDeadLetters(database::Transaction& transaction,
                                     domain::DeadLetterSource source,
                                     std::vector<DeadEvent> events) {
  if (events.empty()) {
    co_return;
  }
  for (DeadEvent& event : events) {
    event.error = storableError(event.error);
  }
  co_await transaction.run(kDetachStaleLetters, database::columns(events, &DeadEvent::outboxId));
  co_await transaction.run(
      kRecordDeadLetters, source, domain::kAuthErrorAggregate,
      database::columns(events, &DeadEvent::outboxId, &DeadEvent::reason, &DeadEvent::error,
                        &DeadEvent::eventType, &DeadEvent::authErrorId));
}

}  // namespace auth_errors::triage
