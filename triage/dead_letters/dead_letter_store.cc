#include "triage/dead_letters/dead_letter_store.h"

#include <format>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "consumer/ledger/ledger_rows.h"
#include "domain/errors/auth_error_transitions.h"
#include "domain/values/names.h"
#include "outbox/events/sending_again.h"
#include "outbox/identity/event_identity.h"
#include "platform/database/answer.h"
#include "platform/database/conditions.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

using domain::DeadLetterStatus;
using Reason = DeadLetterRefusal::Reason;
template <typename T>
using LetterAnswer = DeadLetterStore::Answer<T>;

constexpr std::string_view kFailed = "dead_letters.failed";

// The columns of a DeadLetter, and of its content.
constexpr std::string_view kLetterColumns =
    "id, status, source, reason, error, outbox_id, retry_round, aggregate_type, aggregate_id, "
    "event_type, jsonb_array_length(attempts), created_at, closed_at, closed_by, note, decision";
constexpr std::string_view kContentColumns =
    "payload::text, body, body_encoding, headers::text, traceparent, attempts::text";

const database::Statement kFindLetter{
    .name = "find_dead_letter",
    .sql = std::format("SELECT {}, {} FROM dead_letter WHERE id = $1", kLetterColumns,
                       kContentColumns)};

const database::Statement kCloseLetter{
    .name = "close_dead_letter",
    .parameters = "id status closed_by note decision",
    .sql = std::format(
        "UPDATE dead_letter SET status = $status, closed_at = now(), closed_by = $closed_by, "
        "note = $note, decision = $decision WHERE id = $id AND status = 'OPEN' RETURNING {}, {}",
        kLetterColumns, kContentColumns)};

// No row if the outbox now has another event under the dead letter's id.
const database::Statement kLockEvent{.name = "lock_event",
                                     .sql = std::format(R"(SELECT m.status, m.retry_round
FROM dead_letter d JOIN outbox_message m ON m.id = d.outbox_id
WHERE d.id = $1 AND NOT {}
FOR UPDATE OF m)",
                                                        outbox::isStale("d"))};

const database::Statement kLockLedger{
    .name = "lock_ledger",
    .sql = std::format(R"(SELECT CASE WHEN {} THEN 'PENDING' ELSE p.status END
FROM processed_message p JOIN outbox_message m ON m.id = p.outbox_id
WHERE p.outbox_id = $1
FOR UPDATE OF p)",
                       outbox::isStale("p"))};

struct LockedEvent {
  std::string status;
  std::int32_t retryRound = 0;
};

std::unexpected<DeadLetterRefusal> refuse(Reason reason, std::string_view currentStatus = {}) {
  return std::unexpected(
      DeadLetterRefusal{.reason = reason, .currentStatus = std::string(currentStatus)});
}

drogon::Task<LetterAnswer<WholeDeadLetter>> findOpen(database::Transaction& transaction,
                                                     domain::DeadLetterId id) {
  const database::Result result = co_await transaction.run(kFindLetter, id);
  auto found = result.first<WholeDeadLetter>();
  if (!found) {
    co_return refuse(Reason::unknown);
  }
  if (found->letter.status != DeadLetterStatus::open) {
    co_return refuse(Reason::closed, found->letter.status.text());
  }
  co_return *std::move(found);
}

// A concurrent action waits here for the first one, and then finds the dead letter closed. Dead
// letters come last in the lock order (outbox_message, processed_message, auth_error, dead_letter),
// also where they are written: by the holder of an event, a lease or an error.
drogon::Task<LetterAnswer<WholeDeadLetter>> close(database::Transaction& transaction,
                                                  domain::DeadLetterId id, DeadLetterStatus status,
                                                  std::string by, Resolution resolution) {
  const auto decision = resolution.decision.transform(
      [](domain::DeadLetterDecision given) { return domain::rowOf(given).name; });
  const database::Result closed =
      co_await transaction.run(kCloseLetter, id, status, by, resolution.note, decision);
  if (auto whole = closed.first<WholeDeadLetter>()) {
    co_return *std::move(whole);
  }
  auto meanwhile = co_await findOpen(transaction, id);
  if (meanwhile) {
    throw std::logic_error("an open dead letter could not be closed");
  }
  co_return std::unexpected(std::move(meanwhile.error()));
}

drogon::Task<LetterAnswer<WholeDeadLetter>> retryIn(database::Transaction& transaction,
                                                    domain::DeadLetterId id, std::string by) {
  const auto found = co_await findOpen(transaction, id);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  if (!found->letter.outboxId) {
    co_return refuse(Reason::eventGone);
  }
  const domain::OutboxId outboxId = *found->letter.outboxId;
  const database::Result eventRow = co_await transaction.run(kLockEvent, id);
  const auto event = eventRow.first<LockedEvent>();
  const database::Result ledger = co_await transaction.run(kLockLedger, outboxId);
  auto closed = co_await close(transaction, id, DeadLetterStatus::retried, std::move(by), {});
  if (!closed) {
    co_return closed;
  }
  if (!event) {
    co_return refuse(Reason::eventGone);
  }
  if (ledger.first<std::string_view>() == "DONE") {
    co_return refuse(Reason::eventApplied);
  }
  // The sweeper or the retry of another dead letter has resent it. Resetting it now would take it
  // from the worker that holds it; its outcome will be known soon, and the dead letter is open
  // until then.
  if ((event->status != "DEAD" && event->status != "PUBLISHED") ||
      event->retryRound != found->letter.retryRound) {
    co_return refuse(Reason::eventUnderWay);
  }
  co_await outbox::sendAgain(transaction, outboxId);
  co_await consumer::reopenRow(transaction, outboxId);
  co_return closed;
}

// After a restore an id may belong to a different error than the dead letter's.
const database::Statement kIsOfItsError{.name = "letter_is_of_its_error",
                                        .sql = std::format(R"(SELECT count(*) FROM dead_letter d
JOIN auth_error e ON e.id = d.aggregate_id
WHERE d.id = $1 AND d.created_at >= e.received_at
  AND NOT EXISTS (SELECT FROM outbox_message m WHERE m.id = d.outbox_id AND {}))",
                                                           outbox::isStale("d"))};

drogon::Task<LetterAnswer<WholeDeadLetter>> resolveIn(database::Transaction& transaction,
                                                      domain::DeadLetterId id,
                                                      Resolution resolution, std::string by) {
  const auto found = co_await findOpen(transaction, id);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  const auto decision = resolution.decision;
  std::optional<domain::StoredName<domain::AuthErrorStatus>> errorStatus;
  const database::Result ofItsError = co_await transaction.run(kIsOfItsError, id);
  if (found->letter.authErrorId && ofItsError.only<std::int64_t>() > 0) {
    errorStatus = co_await lockedStatus(transaction, *found->letter.authErrorId);
  }
  auto closed =
      co_await close(transaction, id, DeadLetterStatus::resolved, by, std::move(resolution));
  if (!closed) {
    co_return closed;
  }
  if (!errorStatus) {
    co_return decision ? LetterAnswer<WholeDeadLetter>(refuse(Reason::nothingToDecide)) : closed;
  }
  const bool waits =
      errorStatus->value() &&
      domain::transition(*errorStatus->value(), domain::StatusEvent::deadLetterFailed);
  if (waits != decision.has_value()) {
    co_return refuse(waits ? Reason::decisionRequired : Reason::alreadyAnalysed,
                     errorStatus->text());
  }
  if (decision) {
    co_await changeStatus(transaction, domain::rowOf(*decision).event, {*found->letter.authErrorId},
                          std::move(by));
  }
  co_return closed;
}

database::Conditions conditionsOf(const DeadLetterPage& page) {
  const DeadLetterFilter& filter = page.filter;
  database::Conditions conditions;
  conditions.add("id < ?", page.before);
  conditions.add("status = ?", filter.status);
  conditions.add("source = ?", filter.source);
  conditions.add("reason = ?", filter.reason);
  conditions.add("event_type = ?", filter.eventType);
  conditions.add("aggregate_id = ?", filter.authErrorId);
  conditions.add("created_at >= ?", filter.from);
  conditions.add("created_at < ?", filter.to);
  return conditions;
}

// Whether the page can be read from an index.
bool isLookup(const DeadLetterFilter& filter) {
  DeadLetterFilter open;
  open.status = DeadLetterStatus::open;
  DeadLetterFilter ofError;
  ofError.authErrorId = filter.authErrorId;
  return filter == ofError || filter == open;
}

}  // namespace

drogon::Task<domain::Answer<std::vector<DeadLetter>>> DeadLetterStore::page(
    DeadLetterPage page, database::Deadline deadline) {
  const database::Conditions conditions = conditionsOf(page);
  // Not prepared: the planner should see the values, and prepared plans would pile up per
  // combination.
  const database::Statement statement{
      .name = {},
      .sql = std::format("SELECT {} FROM dead_letter{} ORDER BY id DESC LIMIT {}", kLetterColumns,
                         conditions.sql(), page.rows)};
  database::Client& client = isLookup(page.filter) ? clients_.lookups : clients_.searches;
  co_return co_await database::read(
      {.client = client, .deadline = deadline, .event = kFailed, .searches = true},
      [&]() -> drogon::Task<domain::Answer<std::vector<DeadLetter>>> {
        const database::Result result =
            co_await client.run(statement, deadline, conditions.parameters());
        co_return result.as<DeadLetter>();
      });
}

drogon::Task<LetterAnswer<WholeDeadLetter>> DeadLetterStore::find(domain::DeadLetterId id,
                                                                  database::Deadline deadline) {
  co_return co_await database::read(
      {.client = clients_.lookups, .deadline = deadline, .event = kFailed},
      [&]() -> drogon::Task<LetterAnswer<WholeDeadLetter>> {
        const database::Result result = co_await clients_.lookups.run(kFindLetter, deadline, id);
        auto found = result.first<WholeDeadLetter>();
        if (!found) {
          co_return refuse(Reason::unknown);
        }
        co_return *std::move(found);
      });
}

drogon::Task<LetterAnswer<WholeDeadLetter>> DeadLetterStore::retry(domain::DeadLetterId id,
                                                                   std::string by,
                                                                   database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kFailed},
      [&](database::Transaction& transaction) { return retryIn(transaction, id, by); });
}

drogon::Task<LetterAnswer<WholeDeadLetter>> DeadLetterStore::resolve(domain::DeadLetterId id,
                                                                     Resolution resolution,
                                                                     std::string by,
                                                                     database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kFailed},
      [&](database::Transaction& transaction) {
        return resolveIn(transaction, id, resolution, by);
      });
}

}  // namespace auth_errors::triage
