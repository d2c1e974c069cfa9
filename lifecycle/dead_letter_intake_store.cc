#include "lifecycle/dead_letter_intake_store.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lifecycle/dead_letter_writer.h"

namespace auth_errors::lifecycle {
namespace {

// Locked, so that no retry starts another round meanwhile; in the order of ids, and before the
// ledger, as everybody does it.
const database::Statement kFindEvents{
    .name = "find_queued_events",
    .sql =
        "SELECT id, event_type, aggregate_id, retry_round FROM outbox_message "
        "WHERE id = ANY($1::bigint[]) ORDER BY id FOR SHARE"};

// Returns the rows that are DEAD now. The others are DONE or under a lease.
const database::Statement kBuryInLedger{.name = "bury_in_ledger",
                                        .sql = R"(INSERT INTO processed_message AS p
  (outbox_id, status, retry_count, created_at, updated_at)
SELECT id, 'DEAD', 0, now(), now() FROM unnest($1::bigint[]) AS given (id) ORDER BY id
ON CONFLICT (outbox_id) DO UPDATE
SET status = 'DEAD', next_retry_at = NULL, lease_owner = NULL, lease_until = NULL, updated_at = now()
WHERE p.status IN ('PENDING', 'RETRY_WAIT', 'DEAD')
   OR (p.status = 'PROCESSING' AND p.lease_until < now())
RETURNING p.outbox_id)"};

const database::Statement kRecordForeign{.name = "record_foreign", .sql = R"(INSERT INTO dead_letter
  (status, source, reason, error, digest, event_type, body, body_encoding, headers, attempts, created_at)
SELECT 'OPEN', 'queue', given.reason, given.error, given.digest, given.event_type, given.body,
       given.body_encoding, given.headers, '[]', now()
FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[])
  AS given (digest, reason, error, event_type, body, body_encoding, headers)
ORDER BY given.digest
ON CONFLICT (digest) DO NOTHING)"};

struct StoredEvent {
  std::string eventType;
  std::int64_t authErrorId = 0;
  std::int32_t retryRound = 0;
};

drogon::Task<std::unordered_map<std::int64_t, StoredEvent>> findEvents(
    database::Transaction& transaction, const std::vector<QueuedEvent>& events,
    database::Deadline deadline) {
  std::vector<std::int64_t> ids;
  ids.reserve(events.size());
  for (const QueuedEvent& event : events) {
    ids.push_back(event.outboxId);
  }
  database::Parameters parameters;
  parameters.addArray(ids);
  const database::Result found =
      co_await transaction.run(kFindEvents, std::move(parameters), deadline);
  std::unordered_map<std::int64_t, StoredEvent> stored;
  for (std::size_t row = 0; row < found.rows(); ++row) {
    stored.emplace(found.value<std::int64_t>(row, 0),
                   StoredEvent{.eventType = found.value<std::string>(row, 1),
                               .authErrorId = found.value<std::int64_t>(row, 2),
                               .retryRound = found.value<std::int32_t>(row, 3)});
  }
  co_return stored;
}

}  // namespace

drogon::Task<std::vector<QueuedEventFate>> recordFromQueue(database::Transaction& transaction,
                                                           std::vector<QueuedEvent> events,
                                                           database::Deadline deadline) {
  std::vector<QueuedEventFate> fates(events.size(), QueuedEventFate::foreign);
  if (events.empty()) {
    co_return fates;
  }
  const auto stored = co_await findEvents(transaction, events, deadline);
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto found = stored.find(events[i].outboxId);
    if (found == stored.end() || found->second.eventType != events[i].eventType ||
        found->second.authErrorId != events[i].authErrorId) {
      continue;
    }
    fates[i] = QueuedEventFate::stale;
    if (found->second.retryRound == events[i].retryRound) {
      ids.push_back(events[i].outboxId);
    }
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  if (ids.empty()) {
    co_return fates;
  }
  database::Parameters parameters;
  parameters.addArray(ids);
  const database::Result buried =
      co_await transaction.run(kBuryInLedger, std::move(parameters), deadline);
  std::unordered_set<std::int64_t> dead;
  for (std::size_t row = 0; row < buried.rows(); ++row) {
    dead.insert(buried.value<std::int64_t>(row, 0));
  }
  std::vector<DeadEvent> letters;
  for (std::size_t i = 0; i < events.size(); ++i) {
    QueuedEvent& event = events[i];
    if (fates[i] == QueuedEventFate::stale && dead.contains(event.outboxId) &&
        stored.at(event.outboxId).retryRound == event.retryRound) {
      fates[i] = QueuedEventFate::recorded;
      letters.push_back({.outboxId = event.outboxId,
                         .eventType = event.eventType,
                         .authErrorId = event.authErrorId,
                         .reason = event.reason,
                         .error = std::move(event.error)});
    }
  }
  std::ranges::stable_sort(letters, {}, &DeadEvent::outboxId);
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

}  // namespace auth_errors::lifecycle
