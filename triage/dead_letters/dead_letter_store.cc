#include "triage/dead_letters/dead_letter_store.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>

#include "domain/errors/auth_error_transitions.h"
#include "domain/values/names.h"
#include "outbox/identity/event_identity.h"
#include "platform/database/conditions.h"
#include "platform/database/row_reader.h"
#include "platform/database/transact.h"
#include "platform/telemetry/log.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::triage {
namespace {

using domain::DeadLetterStatus;
using Fault = DeadLetterFault;
template <typename T>
using LetterAnswer = DeadLetterStore::Answer<T>;

// In the order in which RowReader takes them.
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
    .sql = std::format(
        "UPDATE dead_letter SET status = $2, closed_at = now(), closed_by = $3, note = $4, "
        "decision = $5 WHERE id = $1 AND status = 'OPEN' RETURNING {}, {}",
        kLetterColumns, kContentColumns)};

// Nothing if the outbox has another event under the letter's number by now.
const database::Statement kLockEvent{.name = "lock_event",
                                     .sql = std::format(R"(SELECT m.status, m.retry_round
FROM dead_letter d JOIN outbox_message m ON m.id = d.outbox_id
WHERE d.id = $1 AND NOT {}
FOR UPDATE OF m)",
                                                        isStale("d"))};

const database::Statement kLockLedger{
    .name = "lock_ledger",
    .sql = std::format(R"(SELECT CASE WHEN {} THEN 'PENDING' ELSE p.status END
FROM processed_message p JOIN outbox_message m ON m.id = p.outbox_id
WHERE p.outbox_id = $1
FOR UPDATE OF p)",
                       isStale("p"))};

const database::Statement kSendAgain{.name = "send_event_again", .sql = R"(UPDATE outbox_message
SET status = 'PENDING', retry_count = 0, next_retry_at = NULL, published_at = NULL,
    published_by = NULL, retry_round = retry_round + 1
WHERE id = $1 AND status IN ('DEAD', 'PUBLISHED'))"};

// Beside DEAD there may be a row whose event died on the way to the broker after an earlier copy of
// it was taken. A lease is left alone: its owner is fenced by it, and whoever gets the new copy
// deals with it as with any other.
const database::Statement kReopenLedger{.name = "reopen_ledger", .sql = R"(UPDATE processed_message
SET status = 'PENDING', retry_count = 0, next_retry_at = NULL, updated_at = now()
WHERE outbox_id = $1 AND status IN ('DEAD', 'RETRY_WAIT', 'PENDING'))"};

DeadLetter letterOf(database::RowReader& reader) {
  DeadLetter letter;
  reader.next(letter.id);
  letter.status =
      domain::storedName(domain::kDeadLetterStatusNames, reader.take<std::string_view>());
  letter.source =
      domain::storedName(domain::kDeadLetterSourceNames, reader.take<std::string_view>());
  reader.next(letter.reason);
  reader.next(letter.error);
  reader.next(letter.outboxId);
  reader.next(letter.retryRound);
  reader.next(letter.aggregateType);
  reader.next(letter.authErrorId);
  reader.next(letter.eventType);
  reader.next(letter.attemptCount);
  reader.next(letter.createdAt);
  reader.next(letter.closedAt);
  reader.next(letter.closedBy);
  reader.next(letter.note);
  reader.next(letter.decision);
  return letter;
}

WholeDeadLetter wholeOf(const database::Result& result) {
  database::RowReader reader(result, 0);
  WholeDeadLetter whole{.letter = letterOf(reader), .content = {}};
  reader.next(whole.content.payload);
  reader.next(whole.content.body);
  reader.next(whole.content.bodyEncoding);
  reader.next(whole.content.headers);
  reader.next(whole.content.traceparent);
  reader.next(whole.content.attempts);
  return whole;
}

std::unexpected<DeadLetterRefusal> refuse(Fault fault, std::string_view currentStatus = {}) {
  return std::unexpected(
      DeadLetterRefusal{.fault = fault, .currentStatus = std::string(currentStatus)});
}

database::Parameters parametersOf(std::int64_t id) {
  database::Parameters parameters;
  parameters.add(id);
  return parameters;
}

// The first column of the only row, or nothing if there is none.
std::optional<std::string> textOf(const database::Result& result) {
  return result.empty() ? std::nullopt : std::optional(result.value<std::string>(0, 0));
}

drogon::Task<LetterAnswer<WholeDeadLetter>> findOpen(database::Transaction& transaction,
                                                     std::int64_t id, database::Deadline deadline) {
  const database::Result result = co_await transaction.run(kFindLetter, parametersOf(id), deadline);
  if (result.empty()) {
    co_return refuse(Fault::unknown);
  }
  WholeDeadLetter found = wholeOf(result);
  if (found.letter.status != DeadLetterStatus::open) {
    co_return refuse(Fault::closed, found.letter.status.text());
  }
  co_return found;
}

// Who comes second waits here for the first, and then finds the letter closed. Letters come last in
// the order of locks (outbox_message, processed_message, auth_error, dead_letter), as with whoever
// writes them: those hold an event, a lease or an error when they add its letter.
drogon::Task<LetterAnswer<WholeDeadLetter>> close(database::Transaction& transaction,
                                                  std::int64_t id, DeadLetterStatus status,
                                                  std::string by, Resolution resolution,
                                                  database::Deadline deadline) {
  std::optional<std::string_view> decision;
  if (resolution.decision) {
    decision = domain::rowOf(*resolution.decision).name;
  }
  database::Parameters parameters;
  parameters.add(id).add(domain::toText(status)).add(by).add(resolution.note).add(decision);
  const database::Result closed =
      co_await transaction.run(kCloseLetter, std::move(parameters), deadline);
  if (!closed.empty()) {
    co_return wholeOf(closed);
  }
  auto meanwhile = co_await findOpen(transaction, id, deadline);
  if (meanwhile) {
    throw std::logic_error("a dead letter is open and can't be closed");
  }
  co_return std::unexpected(std::move(meanwhile.error()));
}

drogon::Task<LetterAnswer<WholeDeadLetter>> retryIn(database::Transaction& transaction,
                                                    std::int64_t id, std::string by,
                                                    database::Deadline deadline) {
  const auto found = co_await findOpen(transaction, id, deadline);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  if (!found->letter.outboxId) {
    co_return refuse(Fault::eventGone);
  }
  const std::int64_t outboxId = *found->letter.outboxId;
  const database::Result event = co_await transaction.run(kLockEvent, parametersOf(id), deadline);
  const database::Result ledger =
      co_await transaction.run(kLockLedger, parametersOf(outboxId), deadline);
  auto closed =
      co_await close(transaction, id, DeadLetterStatus::retried, std::move(by), {}, deadline);
  if (!closed) {
    co_return closed;
  }
  if (event.empty()) {
    co_return refuse(Fault::eventGone);
  }
  if (textOf(ledger) == "DONE") {
    co_return refuse(Fault::eventApplied);
  }
  // The sweeper or another letter's retry has sent it on its way. To reset it now would take it
  // from the worker that holds it; what becomes of it is seen soon, and the letter is open until
  // then.
  const std::string status = *textOf(event);
  if ((status != "DEAD" && status != "PUBLISHED") ||
      event.value<std::int32_t>(0, 1) != found->letter.retryRound) {
    co_return refuse(Fault::eventUnderWay);
  }
  co_await transaction.run(kSendAgain, parametersOf(outboxId), deadline);
  co_await transaction.run(kReopenLedger, parametersOf(outboxId), deadline);
  co_return closed;
}

// After a restore an id may be another error's than the one that the letter is about.
const database::Statement kIsOfItsError{.name = "letter_is_of_its_error",
                                        .sql = std::format(R"(SELECT count(*) FROM dead_letter d
JOIN auth_error e ON e.id = d.aggregate_id
WHERE d.id = $1 AND d.created_at >= e.received_at
  AND NOT EXISTS (SELECT FROM outbox_message m WHERE m.id = d.outbox_id AND {}))",
                                                           isStale("d"))};

drogon::Task<LetterAnswer<WholeDeadLetter>> resolveIn(database::Transaction& transaction,
                                                      std::int64_t id, Resolution resolution,
                                                      std::string by, database::Deadline deadline) {
  const auto found = co_await findOpen(transaction, id, deadline);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  const auto decision = resolution.decision;
  std::optional<domain::StoredName<domain::AuthErrorStatus>> errorStatus;
  const database::Result ofItsError =
      co_await transaction.run(kIsOfItsError, parametersOf(id), deadline);
  if (found->letter.authErrorId && ofItsError.value<std::int64_t>(0, 0) > 0) {
    errorStatus = co_await lockedStatus(transaction, *found->letter.authErrorId, deadline);
  }
  auto closed = co_await close(transaction, id, DeadLetterStatus::resolved, by,
                               std::move(resolution), deadline);
  if (!closed) {
    co_return closed;
  }
  if (!errorStatus) {
    co_return decision ? LetterAnswer<WholeDeadLetter>(refuse(Fault::nothingToDecide)) : closed;
  }
  const bool waits =
      errorStatus->value() &&
      domain::transition(*errorStatus->value(), domain::StatusEvent::deadLetterFailed);
  if (waits != decision.has_value()) {
    co_return refuse(waits ? Fault::decisionRequired : Fault::alreadyAnalysed, errorStatus->text());
  }
  if (decision) {
    co_await changeStatus(transaction, domain::rowOf(*decision).event, {*found->letter.authErrorId},
                          std::move(by), deadline);
  }
  co_return closed;
}

DeadLetterRefusal letterRefusal(const database::Error& error, bool lost) {
  telemetry::log(telemetry::LogLevel::warn, "dead_letters.failed", {{"reason", error.what()}});
  return {.fault = lost ? Fault::outcomeUnknown : Fault::unavailable, .currentStatus = {}};
}

database::Conditions conditionsOf(const DeadLetterPage& page) {
  const DeadLetterFilter& filter = page.filter;
  const auto name = [](auto value) { return domain::toText(value); };
  database::Conditions conditions;
  conditions.add("id < ?", page.before);
  conditions.add("status = ?", filter.status.transform(name));
  conditions.add("source = ?", filter.source.transform(name));
  conditions.add("reason = ?", filter.reason.transform(name));
  conditions.add("event_type = ?", filter.eventType);
  conditions.add("aggregate_id = ?", filter.authErrorId);
  conditions.add("created_at >= ?", filter.from);
  conditions.add("created_at < ?", filter.to);
  return conditions;
}

// Is there an index that leads to the page?
bool isLookup(const DeadLetterFilter& filter) {
  DeadLetterFilter open;
  open.status = DeadLetterStatus::open;
  DeadLetterFilter ofError;
  ofError.authErrorId = filter.authErrorId;
  return filter == ofError || filter == open;
}

}  // namespace

drogon::Task<LetterAnswer<std::vector<DeadLetter>>> DeadLetterStore::page(
    DeadLetterPage page, database::Deadline deadline) {
  const database::Conditions conditions = conditionsOf(page);
  // No name: the planner is to see the values, and prepared plans would pile up per combination.
  const database::Statement statement{
      .name = {},
      .sql = std::format("SELECT {} FROM dead_letter{} ORDER BY id DESC LIMIT {}", kLetterColumns,
                         conditions.sql(), page.rows)};
  database::Client& client = isLookup(page.filter) ? clients_.lookups : clients_.searches;
  try {
    const database::Result result =
        co_await client.run(statement, conditions.parameters(), deadline);
    std::vector<DeadLetter> letters;
    letters.reserve(result.rows());
    for (std::size_t row = 0; row < result.rows(); ++row) {
      database::RowReader reader(result, row);
      letters.push_back(letterOf(reader));
    }
    co_return letters;
  } catch (const database::Error& error) {
    const bool tooSlow = database::ranOutOfTime(error, client, deadline);
    DeadLetterRefusal refusal = letterRefusal(error, false);
    refusal.fault = tooSlow ? Fault::tooSlow : Fault::unavailable;
    co_return std::unexpected(std::move(refusal));
  }
}

drogon::Task<LetterAnswer<WholeDeadLetter>> DeadLetterStore::find(std::int64_t id,
                                                                  database::Deadline deadline) {
  try {
    const database::Result result =
        co_await clients_.lookups.run(kFindLetter, parametersOf(id), deadline);
    if (result.empty()) {
      co_return refuse(Fault::unknown);
    }
    co_return wholeOf(result);
  } catch (const database::Error& error) {
    co_return std::unexpected(letterRefusal(error, false));
  }
}

drogon::Task<LetterAnswer<WholeDeadLetter>> DeadLetterStore::retry(std::int64_t id, std::string by,
                                                                   database::Deadline deadline) {
  return database::transact(
      clients_.actions,
      [=](database::Transaction& transaction) { return retryIn(transaction, id, by, deadline); },
      letterRefusal, deadline);
}

drogon::Task<LetterAnswer<WholeDeadLetter>> DeadLetterStore::resolve(std::int64_t id,
                                                                     Resolution resolution,
                                                                     std::string by,
                                                                     database::Deadline deadline) {
  return database::transact(
      clients_.actions,
      [=](database::Transaction& transaction) {
        return resolveIn(transaction, id, resolution, by, deadline);
      },
      letterRefusal, deadline);
}

}  // namespace auth_errors::triage
