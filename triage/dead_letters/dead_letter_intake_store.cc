#include "triage/dead_letters/dead_letter_intake_store.h"

#include <format>
#include <ranges>
#include <string>
#include <unordered_set>
#include <utility>

#include "domain/identity/ids.h"
#include "triage/dead_letters/dead_letter_writer.h"

namespace auth_errors::triage {
namespace {

// Locked, so that no retry starts another round meanwhile; in the order of ids, and before the
// ledger, as everywhere.
const database::Statement kFindEvents{.name = "find_queued_events",
                                      .parameters = std::string(outbox::kIdentityParameters),
                                      .sql = std::format(R"(SELECT given.place, m.retry_round
FROM {} JOIN outbox_message m ON m.id = given.outbox_id
WHERE {}
ORDER BY m.id FOR SHARE OF m)",
                                                         outbox::kGivenEvents, outbox::kIsEvent)};

struct FoundEvent {
  std::int64_t place = 0;  // counts from 1
  std::int32_t retryRound = 0;
};

// Returns the rows that are DEAD now. The others are DONE or under a lease. A row of another event
// that had the same id is no hindrance.
const database::Statement kBuryInLedger{.name = "bury_in_ledger",
                                        .sql = std::format(R"(INSERT INTO processed_message AS p
  (outbox_id, event_id, status, retry_count, created_at, updated_at)
SELECT m.id, m.event_id, 'DEAD', 0, greatest(now(), m.created_at), now()
FROM outbox_message m WHERE m.id = ANY($1::bigint[]) ORDER BY m.id
ON CONFLICT (outbox_id) DO UPDATE
SET status = 'DEAD', event_id = excluded.event_id, next_retry_at = NULL, lease_owner = NULL,
    lease_until = NULL, completed_by = NULL, updated_at = now(),
    created_at = CASE WHEN {0} THEN excluded.created_at ELSE p.created_at END,
    lease_expired_at = CASE WHEN {0} THEN NULL ELSE p.lease_expired_at END
WHERE {0} OR p.status IN ('PENDING', 'RETRY_WAIT', 'DEAD')
   OR (p.status = 'PROCESSING' AND p.lease_until < now())
RETURNING p.outbox_id)",
                                                           outbox::isStaleOnConflict())};

const database::Statement kRecordForeign{
    .name = "record_foreign",
    .parameters = "digests reasons errors event_types bodies body_encodings headers",
    .sql = R"(INSERT INTO dead_letter
  (status, source, reason, error, digest, event_type, body, body_encoding, headers, attempts, created_at)
SELECT 'OPEN', 'queue', given.reason, given.error, given.digest, given.event_type, given.body,
       given.body_encoding, given.headers, '[]', now()
FROM unnest($digests::bytea[], $reasons::text[], $errors::text[], $event_types::text[],
            $bodies::text[], $body_encodings::text[], $headers::jsonb[])
  AS given (digest, reason, error, event_type, body, body_encoding, headers)
ORDER BY given.digest
ON CONFLICT (digest) DO NOTHING)"};

}  // namespace

drogon::Task<std::vector<QueuedEventFate>> recordFromQueue(database::Transaction& transaction,
                                                           std::vector<QueuedEvent> events) {
  std::vector<QueuedEventFate> fates(events.size(), QueuedEventFate::foreign);
  if (events.empty()) {
    co_return fates;
  }
  std::vector<outbox::EventIdentity> identities;
  identities.reserve(events.size());
  for (const QueuedEvent& event : events) {
    identities.push_back(event.identity);
  }
  const database::Result found =
      co_await transaction.run(kFindEvents, outbox::identityParameters(identities));
  std::vector<std::size_t> ofThisRound;  // places in `events`
  std::vector<domain::OutboxId> ids;
  for (const FoundEvent& event : found.as<FoundEvent>()) {
    const std::size_t place = static_cast<std::size_t>(event.place) - 1;
    fates.at(place) = QueuedEventFate::stale;
    if (event.retryRound == events[place].retryRound) {
      ofThisRound.push_back(place);
      ids.push_back(identities[place].outboxId);
    }
  }
  if (ids.empty()) {
    co_return fates;
  }
  const database::Result buried = co_await transaction.run(kBuryInLedger, ids);
  const std::unordered_set<domain::OutboxId> dead(std::from_range,
                                                  buried.column<domain::OutboxId>());
  std::vector<DeadEvent> letters;
  for (const std::size_t place : ofThisRound) {
    QueuedEvent& event = events[place];
    if (dead.contains(event.identity.outboxId)) {
      fates[place] = QueuedEventFate::recorded;
      letters.push_back({.outboxId = event.identity.outboxId,
                         .eventType = event.identity.eventType,
                         .authErrorId = event.identity.authErrorId,
                         .reason = event.reason,
                         .error = std::move(event.error)});
    }
  }
  co_await recordDeadLetters(transaction, domain::DeadLetterSource::queue, std::move(letters));
  co_return fates;
}

drogon::Task<std::size_t> recordForeign(database::Transaction& transaction,
                                        std::vector<ForeignMessage> messages) {
  if (messages.empty()) {
    co_return 0;
  }
  const auto digest = [](const ForeignMessage& message) { return database::Bytes(message.digest); };
  const auto headers = [](const ForeignMessage& message) {
    return message.headers.transform([](const std::string& text) { return database::Jsonb{text}; });
  };
  const database::Result inserted = co_await transaction.run(
      kRecordForeign,
      database::columns(messages, digest, &ForeignMessage::reason, &ForeignMessage::error,
                        &ForeignMessage::eventType, &ForeignMessage::body,
                        &ForeignMessage::bodyEncoding, headers));
  co_return inserted.affectedRows();
}

}  // namespace auth_errors::triage
