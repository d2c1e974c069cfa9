#include "triage/dead_letters/dead_letter_intake_store.h"

#include <format>
#include <ranges>
#include <string>
#include <unordered_set>
#include <utility>

#include "consumer/ledger/ledger_rows.h"
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
  const std::unordered_set<domain::OutboxId> dead(std::from_range,
                                                  co_await consumer::buryRows(transaction, ids));
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
