#include "tests/support/planted_events.h"

#include <format>

namespace auth_errors::tests {
PlantedEvent plantEvent(TestDatabase& database, const EventToPlant& event) {
  PlantedEvent planted;
  planted.authErrorId = database.queryId<domain::ErrorId>(std::format(
      R"(INSERT INTO auth_error (dedup_key, status, occurred_at,
  received_at, status_changed_at, http_status, exception_class, stacktrace, retry_count, stack_hash)
SELECT 'planted-' || count(*), '{}', now(), now(), now(), 401, 'E', 'at a.B.c(B.java:1)', 0,
       repeat('a', 64) FROM auth_error RETURNING id)",
      event.errorStatus));
  const bool claimed = event.outboxStatus == "PROCESSING";
  planted.outboxId = database.queryId<domain::OutboxId>(
      std::format(R"(INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type,
  idempotency_key, payload, status, retry_count, next_retry_at, processing_owner,
  processing_started_at, published_at, published_by, created_at)
VALUES ('auth_error', {0}, '{1}', 'auth_error:planted:{0}', '{{"authErrorId":{0}}}', '{2}', 6, {3}, {4},
  {5}, {6}, {7}, now()) RETURNING id)",
                  planted.authErrorId, event.eventType, event.outboxStatus,
                  event.outboxStatus == "PENDING" ? "now()" : "NULL", claimed ? "'owner'" : "NULL",
                  claimed ? "now()" : "NULL", event.outboxStatus == "PUBLISHED" ? "now()" : "NULL",
                  event.outboxStatus == "PUBLISHED" ? "'instance'" : "NULL"));
  if (event.ledgerStatus) {
    const bool leased = *event.ledgerStatus == "PROCESSING";
    database.execute(std::format(
        R"(INSERT INTO processed_message (outbox_id, status, retry_count, next_retry_at,
  lease_owner, lease_until, created_at, updated_at)
VALUES ({}, '{}', 6, {}, {}, {}, now(), now()))",
        planted.outboxId, *event.ledgerStatus,
        *event.ledgerStatus == "RETRY_WAIT" ? "now()" : "NULL", leased ? "'lease'" : "NULL",
        leased ? std::format("now() + interval '{}'", event.leaseLeft) : "NULL"));
  }
  return planted;
}

domain::DeadLetterId plantLetter(TestDatabase& database, domain::OutboxId outboxId) {
  return database.queryId<domain::DeadLetterId>(
      std::format(R"(INSERT INTO dead_letter (status, source, reason, error,
  outbox_id, retry_round, event_type, aggregate_type, aggregate_id, payload, traceparent, attempts,
  created_at)
SELECT 'OPEN', 'consumer', 'retries_exhausted', 'it failed', id, retry_round, event_type,
       aggregate_type, aggregate_id, payload, traceparent,
       jsonb_build_array(jsonb_build_object('stage', 'consume', 'attempt', 6, 'at', now(),
                                            'instance', 'i', 'error', 'it failed')), now()
FROM outbox_message WHERE id = {} RETURNING id)",
                  outboxId));
}

domain::DeadLetterId plantForeignLetter(TestDatabase& database, const std::string& body) {
  return database.queryId<domain::DeadLetterId>(
      std::format(R"(INSERT INTO dead_letter (status, source, reason, digest, body,
  body_encoding, headers, attempts, created_at)
VALUES ('OPEN', 'queue', 'foreign', sha256('{0}'), '{0}', 'text', '{{"a":"b"}}', '[]', now())
RETURNING id)",
                  body));
}

}  // namespace auth_errors::tests
