#include "consumer/ledger_store.h"

#include <algorithm>
#include <array>
#include <format>
#include <iterator>
#include <string_view>
#include <utility>

#include "domain/values/names.h"
#include "triage/dead_letters/dead_letter_writer.h"

namespace auth_errors::consumer {
namespace {

// One statement finds the events, creates missing rows and takes the leases, so that a message
// costs one commit before its handler. Ids are sorted, because batches that overlap in another
// order would deadlock. Leases that are already ours are kept: the statement may be repeated after
// its response was lost. A takeover is recorded as a failed attempt, if the snapshot still shows
// the previous owner.
std::string takeLeasesSql() {
  return std::format(
      R"(WITH event AS (
  SELECT DISTINCT ON (m.id) given.place, m.id, m.event_id, m.retry_round, m.created_at
  FROM {0} JOIN outbox_message m ON m.id = given.outbox_id
  WHERE {1} AND NOT {4}
  ORDER BY m.id, given.place
), before AS (
  SELECT p.outbox_id, p.lease_owner, p.retry_count
  FROM event m JOIN processed_message p ON p.outbox_id = m.id
  WHERE p.status = 'PROCESSING' AND NOT {2}
), leased AS (
  INSERT INTO processed_message AS p
    (outbox_id, event_id, status, retry_count, lease_owner, lease_until, created_at, updated_at)
  SELECT id, event_id, 'PROCESSING', 0, $owner, now() + $lease::interval,
         greatest(now(), created_at), now()
  FROM event ORDER BY id
  ON CONFLICT (outbox_id) DO UPDATE
  SET status = 'PROCESSING', event_id = excluded.event_id, lease_owner = excluded.lease_owner,
      lease_until = excluded.lease_until, updated_at = now(),
      retry_count = CASE
        WHEN {3} THEN 0
        WHEN p.status = 'PROCESSING' AND p.lease_owner <> excluded.lease_owner THEN p.retry_count + 1
        ELSE p.retry_count END,
      lease_expired_at = CASE
        WHEN {3} THEN NULL
        WHEN p.status = 'PROCESSING' AND p.lease_owner <> excluded.lease_owner THEN now()
        ELSE p.lease_expired_at END,
      created_at = CASE WHEN {3} THEN excluded.created_at ELSE p.created_at END,
      next_retry_at = CASE WHEN {3} THEN NULL ELSE p.next_retry_at END,
      completed_by = CASE WHEN {3} THEN NULL ELSE p.completed_by END
  WHERE {3}
     OR (p.status = 'PROCESSING' AND p.lease_owner = excluded.lease_owner)
     OR (p.status = 'PROCESSING' AND p.lease_until < now() AND $alone)
     OR ((p.status = 'PENDING' OR (p.status = 'RETRY_WAIT' AND p.next_retry_at <= now()))
         AND (p.lease_expired_at IS NULL OR $alone))
  RETURNING p.outbox_id, p.retry_count
), noted AS (
  {5}
)
SELECT event.place, leased.retry_count FROM leased JOIN event ON event.id = leased.outbox_id)",
      outbox::kGivenEvents, outbox::kIsEvent, outbox::isStale("p"), outbox::isStaleOnConflict(),
      outbox::kIsElsewhere,
      triage::insertAttempts(
          R"(SELECT leased.outbox_id, event.retry_round, 'consume', leased.retry_count,
         'the lease of ' || before.lease_owner || ' expired', $instance
  FROM leased
  JOIN before ON before.outbox_id = leased.outbox_id AND before.retry_count + 1 = leased.retry_count
  JOIN event ON event.id = leased.outbox_id)"));
}

const database::Statement kTakeLeases{
    .name = "take_leases",
    .parameters = std::format("{} owner lease instance alone", outbox::kIdentityParameters),
    .sql = takeLeasesSql()};

// PENDING rows, and RETRY_WAIT rows that have become due, are about to be leased for another
// message. An event whose outbox row was cleaned up is still identified by its ledger row.
const database::Statement kReadLedger{
    .name = "read_ledger",
    .parameters = std::string(outbox::kIdentityParameters),
    .sql = std::format(R"(SELECT
  CASE
    WHEN {3} THEN 'ELSEWHERE'
    WHEN m.id IS NULL AND p.event_id = given.event_id::uuid AND p.status IN ('DONE', 'DEAD')
      THEN p.status
    WHEN m.id IS NULL OR NOT {1} THEN 'FOREIGN'
    WHEN p.outbox_id IS NULL OR {2} THEN 'PENDING'
    WHEN p.status = 'PROCESSING' AND p.lease_until < now() THEN 'SUSPECT'
    WHEN p.status = 'PENDING' OR (p.status = 'RETRY_WAIT' AND p.next_retry_at <= now())
      THEN CASE WHEN p.lease_expired_at IS NULL THEN 'PENDING' ELSE 'SUSPECT' END
    ELSE p.status END,
  coalesce(p.retry_count, 0),
  ceil(coalesce(extract(epoch FROM p.next_retry_at - now()), 0) * 1000)::bigint
FROM {0}
LEFT JOIN outbox_message m ON m.id = given.outbox_id
LEFT JOIN processed_message p ON p.outbox_id = given.outbox_id
ORDER BY given.place)",
                       outbox::kGivenEvents, outbox::kIsEvent, outbox::isStale("p"),
                       outbox::kIsElsewhere)};

const database::Statement kRenew{.name = "renew_leases", .sql = R"(UPDATE processed_message
SET lease_until = now() + $3::interval, updated_at = now()
WHERE outbox_id = ANY($1::bigint[]) AND status = 'PROCESSING' AND lease_owner = $2
RETURNING outbox_id)"};

const database::Statement kComplete{.name = "complete_leases", .sql = R"(UPDATE processed_message
SET status = 'DONE', lease_owner = NULL, lease_until = NULL, next_retry_at = NULL,
    updated_at = now(), completed_by = $3
WHERE outbox_id = ANY($1::bigint[]) AND status = 'PROCESSING' AND lease_owner = $2
RETURNING outbox_id)"};

const database::Statement kFail{.name = "fail_leases", .sql = R"(UPDATE processed_message p
SET status = CASE WHEN given.delay IS NULL THEN 'DEAD' ELSE 'RETRY_WAIT' END,
    retry_count = given.retry_count,
    next_retry_at = now() + given.delay,
    lease_owner = NULL, lease_until = NULL, updated_at = now()
FROM unnest($1::bigint[], $2::int[], $3::interval[]) AS given (outbox_id, retry_count, delay)
WHERE p.outbox_id = given.outbox_id AND p.status = 'PROCESSING' AND p.lease_owner = $4
RETURNING p.outbox_id)"};

const database::Statement kRelease{.name = "release_leases", .sql = R"(UPDATE processed_message
SET status = 'PENDING', lease_owner = NULL, lease_until = NULL, updated_at = now()
WHERE outbox_id = ANY($1::bigint[]) AND status = 'PROCESSING' AND lease_owner = $2
RETURNING outbox_id)"};

// The states of rows that could not be leased.
constexpr std::array<std::pair<LedgerState, std::string_view>, 6> kStatesOfOthers{{
    {LedgerState::waiting, "RETRY_WAIT"},
    {LedgerState::suspect, "SUSPECT"},
    {LedgerState::done, "DONE"},
    {LedgerState::dead, "DEAD"},
    {LedgerState::foreign, "FOREIGN"},
    {LedgerState::elsewhere, "ELSEWHERE"},
}};

struct Lease {
  std::int64_t place = 0;
  std::int32_t retryCount = 0;
};

struct LedgerRow {
  std::string_view state;
  std::int32_t retryCount = 0;
  std::int64_t restMilliseconds = 0;
};

LedgerEntry toEntry(const LedgerRow& row) {
  return {.state = domain::named(kStatesOfOthers, row.state).value_or(LedgerState::held),
          .retryCount = row.retryCount,
          .rest = std::chrono::milliseconds(row.restMilliseconds)};
}

std::vector<domain::OutboxId> sortedIds(const database::Result& result) {
  std::vector<domain::OutboxId> ids = result.column<domain::OutboxId>();
  std::ranges::sort(ids);
  return ids;
}

}  // namespace

drogon::Task<std::vector<LedgerEntry>> takeLeases(database::Client& client, LeaseOwner owner,
                                                  std::vector<outbox::EventIdentity> events,
                                                  Company company, std::chrono::milliseconds lease,
                                                  domain::InstanceName instance,
                                                  database::Deadline deadline) {
  const database::Result taken =
      co_await client.run(kTakeLeases, deadline, outbox::identityParameters(events), owner, lease,
                          instance, company == Company::alone);
  std::vector<LedgerEntry> entries(events.size(), LedgerEntry{.state = LedgerState::held});
  for (const auto& [place, retryCount] : taken.as<Lease>()) {
    entries.at(static_cast<std::size_t>(place - 1)) = {.state = LedgerState::leased,
                                                       .retryCount = retryCount};
  }
  if (taken.rows() < events.size()) {
    std::vector<outbox::EventIdentity> rest;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (entries[i].state != LedgerState::leased) {
        rest.push_back(std::move(events[i]));
      }
    }
    const std::vector<LedgerEntry> others = co_await readLedger(client, std::move(rest), deadline);
    auto other = others.begin();
    for (LedgerEntry& entry : entries) {
      if (entry.state != LedgerState::leased) {
        entry = *other++;
      }
    }
  }
  co_return entries;
}

drogon::Task<std::vector<LedgerEntry>> readLedger(database::Client& client,
                                                  std::vector<outbox::EventIdentity> events,
                                                  database::Deadline deadline) {
  const database::Result read =
      co_await client.run(kReadLedger, deadline, outbox::identityParameters(events));
  std::vector<LedgerEntry> entries;
  entries.reserve(read.rows());
  std::ranges::transform(read.as<LedgerRow>(), std::back_inserter(entries), toEntry);
  co_return entries;
}

drogon::Task<std::vector<domain::OutboxId>> renewLeases(database::Client& client, LeaseOwner owner,
                                                        std::vector<domain::OutboxId> outboxIds,
                                                        std::chrono::milliseconds lease,
                                                        database::Deadline deadline) {
  const database::Result renewed = co_await client.run(kRenew, deadline, outboxIds, owner, lease);
  co_return sortedIds(renewed);
}

drogon::Task<std::vector<domain::OutboxId>> completeLeases(database::Transaction& transaction,
                                                           LeaseOwner owner,
                                                           std::vector<domain::OutboxId> outboxIds,
                                                           domain::InstanceName instance) {
  const database::Result completed =
      co_await transaction.run(kComplete, outboxIds, owner, instance);
  co_return sortedIds(completed);
}

drogon::Task<std::vector<domain::OutboxId>> failLeases(database::Transaction& transaction,
                                                       LeaseOwner owner,
                                                       std::vector<LeaseFailure> failures) {
  const database::Result failed =
      co_await transaction.run(kFail,
                               database::columns(failures, &LeaseFailure::outboxId,
                                                 &LeaseFailure::retryCount, &LeaseFailure::delay),
                               owner);
  co_return sortedIds(failed);
}

drogon::Task<std::vector<domain::OutboxId>> releaseLeases(database::Client& client,
                                                          LeaseOwner owner,
                                                          std::vector<domain::OutboxId> outboxIds,
                                                          database::Deadline deadline) {
  const database::Result released = co_await client.run(kRelease, deadline, outboxIds, owner);
  co_return sortedIds(released);
}

}  // namespace auth_errors::consumer
