#include "triage/dead_letters/dead_letter_intake_store.h"

#include <format>
#include <unordered_set>
#include <utility>

#include "platform/database/ids.h"
#include "triage/dead_letters/dead_letter_writer.h"

namespace auth_errors::triage {
namespace {

// Locked, so that no retry starts another round meanwhile; in the order of ids, and before the
// ledger, as everybody does it.
const database::Statement kFindEvents{.name = "find_queued_events",
                                      .sql = std::format(R"(SELECT given.place, m.retry_round
FROM {} JOIN outbox_message m ON m.id = given.outbox_id
WHERE {}
ORDER BY m.id FOR SHARE OF m)",
                                                         kGivenEvents, kIsEvent)};

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
                                                           isStaleOnConflict())};

const database::Statement kRecordForeign{.name = "record_foreign", .sql = R"(INSERT INTO dead_letter
  (status, source, reason, error, digest, event_type, body, body_encoding, headers, attempts, created_at)
SELECT 'OPEN', 'queue', given.reason, given.error, given.digest, given.event_type, given.body,
       given.body_encoding, given.headers, '[]', now()
FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
  AS given (digest, reason, error, event_type, body, body_encoding, headers)
ORDER BY given.digest
ON CONFLICT (digest) DO NOTHING)"};

}  // namespace

drogon::Task<std::vector<QueuedEventFate>> recordFromQueue(database::Transaction& transaction,
                                                           std::vector<QueuedEvent> events,
                                                           database::Deadline deadline) {
  std::vector<QueuedEventFate> fates(events.size(), QueuedEventFate::foreign);
  if (events.empty()) {
    co_return fates;
  }
  std::vector<EventIdentity> identities;
  identities.reserve(events.size());
  for (const QueuedEvent& event : events) {
    identities.push_back(event.identity);
  }
  database::Parameters given;
  addIdentities(given, identities);
  const database::Result found = co_await transaction.run(kFindEvents, std::move(given), deadline);
  std::vector<std::size_t> ofThisRound;  // places in `events`
  std::vector<std::int64_t> ids;
  for (std::size_t row = 0; row < found.rows(); ++row) {
    const auto place = static_cast<std::size_t>(found.value<std::int64_t>(row, 0)) - 1;
    fates.at(place) = QueuedEventFate::stale;
    if (found.value<std::int32_t>(row, 1) == events[place].retryRound) {
      ofThisRound.push_back(place);
      ids.push_back(identities[place].outboxId);
    }
  }
  if (ids.empty()) {
    co_return fates;
  }
  database::Parameters parameters;
  parameters.addArray(ids);
  const database::Result buried =
      co_await transaction.run(kBuryInLedger, std::move(parameters), deadline);
  const std::vector<std::int64_t> buriedIds = database::idsOf(buried);
  const std::unordered_set<std::int64_t> dead(buriedIds.begin(), buriedIds.end());
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
  co_await recordDeadLetters(transaction, domain::DeadLetterSource::queue, std::move(letters),
                             deadline);
  co_return fates;
}

drogon::Task<std::size_t> recordForeign(database::Transaction& transaction,
                                        std::vector<ForeignMessage> messages,
                                        database::Deadline deadline) {
  if (messages.empty()) {
    co_return 0;
  }
  const auto column = [&messages](auto&& value) {
    std::vector<std::remove_cvref_t<decltype(value(messages.front()))>> values;
    values.reserve(messages.size());
    for (const ForeignMessage& message : messages) {
      values.push_back(value(message));
    }
    return values;
  };
  const auto json = [](const std::string& text) { return database::Jsonb{text}; };
  database::Parameters parameters;
  parameters.addArray(column([](const ForeignMessage& m) { return database::Bytes(m.digest); }))
      .addArray(column([](const ForeignMessage& m) { return domain::toText(m.reason); }))
      .addArray(column([](const ForeignMessage& m) { return m.error; }))
      .addArray(column([](const ForeignMessage& m) { return m.eventType; }))
      .addArray(column([](const ForeignMessage& m) { return m.body; }))
      .addArray(column([](const ForeignMessage& m) { return m.bodyEncoding; }))
      .addArray(column([&json](const ForeignMessage& m) { return m.headers.transform(json); }));
  const database::Result inserted =
      co_await transaction.run(kRecordForeign, std::move(parameters), deadline);
  co_return inserted.affectedRows();
}

}  // namespace auth_errors::triage
