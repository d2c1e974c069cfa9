#include "triage/dead_letters/redelivery_store.h"

#include <format>
#include <utility>

#include "domain/errors/auth_error_transitions.h"
#include "domain/events/event_descriptor.h"
#include "outbox/identity/event_identity.h"
#include "platform/database/ids.h"
#include "platform/database/transact.h"
#include "platform/telemetry/log.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

// Rows are locked in the order outbox_message, processed_message, auth_error, dead_letter, as with
// whoever retries or writes letters.
const database::Statement kLockNewestEvent{
    .name = "lock_newest_event",
    .sql = std::format("SELECT id, event_type FROM outbox_message WHERE aggregate_id = $1 AND "
                       "aggregate_type = '{}' ORDER BY id DESC LIMIT 1 FOR UPDATE",
                       domain::kAuthErrorAggregate)};

// Whether a lease of this very event still holds.
const database::Statement kLockLedgerRow{
    .name = "lock_ledger_row",
    .sql = std::format(R"(SELECT p.status = 'PROCESSING' AND p.lease_until >= now() AND NOT {}
FROM processed_message p JOIN outbox_message m ON m.id = p.outbox_id
WHERE p.outbox_id = $1
FOR UPDATE OF p)",
                       isStale("p"))};

// A claim is fenced by its owner: the worker that held it changes nothing any more.
const database::Statement kRedeliverEvent{.name = "redeliver_event", .sql = R"(UPDATE outbox_message
SET status = 'PENDING', retry_count = 0, next_retry_at = NULL, processing_owner = NULL,
    processing_started_at = NULL, published_at = NULL, published_by = NULL,
    retry_round = retry_round + 1
WHERE id = $1
RETURNING retry_round)"};

const database::Statement kRedeliverLedger{.name = "redeliver_ledger",
                                           .sql = R"(UPDATE processed_message p
SET status = 'PENDING', event_id = m.event_id, retry_count = 0, next_retry_at = NULL,
    lease_owner = NULL, lease_until = NULL, completed_by = NULL, updated_at = now(),
    created_at = greatest(p.created_at, m.created_at)
FROM outbox_message m
WHERE p.outbox_id = $1 AND m.id = p.outbox_id)"};

const database::Statement kRetryLetters{.name = "retry_letters_of_event",
                                        .sql = std::format(R"(UPDATE dead_letter d
SET status = 'RETRIED', closed_at = now(), closed_by = $2
FROM outbox_message m
WHERE d.outbox_id = $1 AND m.id = d.outbox_id AND d.status = 'OPEN' AND NOT {}
RETURNING d.id)",
                                                           isStale("d"))};

database::Parameters parametersOfId(std::int64_t id) {
  database::Parameters parameters;
  parameters.add(id);
  return parameters;
}

std::unexpected<RedeliveryRefusal> refused(
    RedeliveryFault fault,
    std::optional<domain::StoredName<domain::AuthErrorStatus>> currentStatus = std::nullopt) {
  return std::unexpected(
      RedeliveryRefusal{.fault = fault, .currentStatus = std::move(currentStatus)});
}

drogon::Task<RedeliveryStore::Answer> redeliverIn(database::Transaction& transaction,
                                                  std::int64_t authErrorId, std::string by,
                                                  database::Deadline deadline) {
  const database::Result event =
      co_await transaction.run(kLockNewestEvent, parametersOfId(authErrorId), deadline);
  bool leased = false;
  if (!event.empty()) {
    const database::Result ledger = co_await transaction.run(
        kLockLedgerRow, parametersOfId(event.value<std::int64_t>(0, 0)), deadline);
    leased = !ledger.empty() && ledger.value<bool>(0, 0);
  }
  const auto status = co_await lockedStatus(transaction, authErrorId, deadline);
  if (!status) {
    co_return refused(RedeliveryFault::unknown);
  }
  // What a dead letter could still end is what still waits for its analysis.
  if (!status->value() ||
      !domain::transition(*status->value(), domain::StatusEvent::deadLetterFailed)) {
    co_return refused(RedeliveryFault::analysed, status);
  }
  if (event.empty()) {
    co_return refused(RedeliveryFault::eventGone);
  }
  if (leased) {
    co_return refused(RedeliveryFault::beingHandled);
  }
  Redelivery redelivery{.authErrorId = authErrorId,
                        .outboxId = event.value<std::int64_t>(0, 0),
                        .eventType = event.value<std::string>(0, 1),
                        .retriedLetters = {}};
  const database::Result sent =
      co_await transaction.run(kRedeliverEvent, parametersOfId(redelivery.outboxId), deadline);
  redelivery.retryRound = sent.value<std::int32_t>(0, 0);
  co_await transaction.run(kRedeliverLedger, parametersOfId(redelivery.outboxId), deadline);
  database::Parameters letters = parametersOfId(redelivery.outboxId);
  letters.add(by);
  redelivery.retriedLetters =
      database::idsOf(co_await transaction.run(kRetryLetters, std::move(letters), deadline));
  co_return redelivery;
}

RedeliveryRefusal redeliveryRefusal(const database::Error& error, bool lost) {
  telemetry::log(telemetry::LogLevel::warn, "redelivery.failed", {{"reason", error.what()}});
  return {.fault = lost ? RedeliveryFault::outcomeUnknown : RedeliveryFault::unavailable,
          .currentStatus = {}};
}

}  // namespace

drogon::Task<RedeliveryStore::Answer> RedeliveryStore::redeliver(std::int64_t authErrorId,
                                                                 std::string by,
                                                                 database::Deadline deadline) {
  return database::transact(
      client_,
      [=](database::Transaction& transaction) {
        return redeliverIn(transaction, authErrorId, by, deadline);
      },
      redeliveryRefusal, deadline);
}

}  // namespace auth_errors::triage
