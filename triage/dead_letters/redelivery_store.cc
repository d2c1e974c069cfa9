#include "triage/dead_letters/redelivery_store.h"

#include <format>
#include <string_view>
#include <utility>

#include "consumer/ledger/ledger_rows.h"
#include "domain/errors/auth_error_transitions.h"
#include "domain/events/event_descriptor.h"
#include "outbox/events/sending_again.h"
#include "outbox/identity/event_identity.h"
#include "platform/database/answer.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

constexpr std::string_view kRedeliveryFailed = "redelivery.failed";

// Locks rows in the order outbox_message, processed_message, auth_error, dead_letter, as where dead
// letters are retried or written.
const database::Statement kLockNewestEvent{
    .name = "lock_newest_event",
    .sql = std::format("SELECT id, event_type FROM outbox_message WHERE aggregate_id = $1 AND "
                       "aggregate_type = '{}' ORDER BY id DESC LIMIT 1 FOR UPDATE",
                       domain::kAuthErrorAggregate)};

// Whether a lease of this event is still valid.
const database::Statement kLockLedgerRow{
    .name = "lock_ledger_row",
    .sql = std::format(R"(SELECT p.status = 'PROCESSING' AND p.lease_until >= now() AND NOT {}
FROM processed_message p JOIN outbox_message m ON m.id = p.outbox_id
WHERE p.outbox_id = $1
FOR UPDATE OF p)",
                       outbox::isStale("p"))};

const database::Statement kRetryLetters{.name = "retry_letters_of_event",
                                        .sql = std::format(R"(UPDATE dead_letter d
SET status = 'RETRIED', closed_at = now(), closed_by = $2
FROM outbox_message m
WHERE d.outbox_id = $1 AND m.id = d.outbox_id AND d.status = 'OPEN' AND NOT {}
RETURNING d.id)",
                                                           outbox::isStale("d"))};

struct NewestEvent {
  domain::OutboxId outboxId;
  std::string eventType;
};

std::unexpected<RedeliveryRefusal> refused(
    RedeliveryRefusal::Reason reason,
    std::optional<domain::StoredName<domain::AuthErrorStatus>> currentStatus = std::nullopt) {
  return std::unexpected(
      RedeliveryRefusal{.reason = reason, .currentStatus = std::move(currentStatus)});
}

drogon::Task<RedeliveryStore::Answer> redeliverIn(database::Transaction& transaction,
                                                  domain::ErrorId authErrorId, std::string by) {
  const database::Result newest = co_await transaction.run(kLockNewestEvent, authErrorId);
  const auto event = newest.first<NewestEvent>();
  bool leased = false;
  if (event) {
    const database::Result ledger = co_await transaction.run(kLockLedgerRow, event->outboxId);
    leased = ledger.first<bool>().value_or(false);
  }
  const auto status = co_await lockedStatus(transaction, authErrorId);
  if (!status) {
    co_return refused(RedeliveryRefusal::Reason::unknown);
  }
  // An error that a dead letter could still end is one that is waiting for its analysis.
  if (!status->value() ||
      !domain::transition(*status->value(), domain::StatusEvent::deadLetterFailed)) {
    co_return refused(RedeliveryRefusal::Reason::analysed, status);
  }
  if (!event) {
    co_return refused(RedeliveryRefusal::Reason::eventGone);
  }
  if (leased) {
    co_return refused(RedeliveryRefusal::Reason::beingHandled);
  }
  const std::int32_t retryRound = co_await outbox::redeliver(transaction, event->outboxId);
  co_await consumer::resetRow(transaction, event->outboxId);
  const database::Result retried = co_await transaction.run(kRetryLetters, event->outboxId, by);
  co_return Redelivery{.authErrorId = authErrorId,
                       .outboxId = event->outboxId,
                       .eventType = event->eventType,
                       .retryRound = retryRound,
                       .retriedLetters = retried.column<domain::DeadLetterId>()};
}

}  // namespace

drogon::Task<RedeliveryStore::Answer> RedeliveryStore::redeliver(domain::ErrorId authErrorId,
                                                                 std::string by,
                                                                 database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = client_, .deadline = deadline, .event = kRedeliveryFailed},
      [&](database::Transaction& transaction) {
        return redeliverIn(transaction, authErrorId, by);
      });
}

}  // namespace auth_errors::triage
