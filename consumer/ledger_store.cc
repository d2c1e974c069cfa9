#include "consumer/ledger_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "database/ids.h"

namespace auth_errors::consumer {
namespace {

// One statement ensures the rows and takes the leases, so that a message costs one commit before
// its handler. Ids are sorted: batches that overlap in another order would deadlock. What is ours
// already stays so: the same statement may be run again after its answer was lost. A takeover is
// noted as a failed attempt, if the snapshot still shows whose lease it was.
const database::Statement kTakeLeases{.name = "take_leases", .sql = R"(WITH before AS (
  SELECT outbox_id, lease_owner, retry_count FROM processed_message
  WHERE outbox_id = ANY($1::bigint[]) AND status = 'PROCESSING'
), leased AS (
  INSERT INTO processed_message AS p
    (outbox_id, status, retry_count, lease_owner, lease_until, created_at, updated_at)
  SELECT id, 'PROCESSING', 0, $2, now() + $3 * interval '1 millisecond', now(), now()
  FROM unnest($1::bigint[]) AS given (id) ORDER BY id
  ON CONFLICT (outbox_id) DO UPDATE
  SET status = 'PROCESSING', lease_owner = excluded.lease_owner, lease_until = excluded.lease_until,
      retry_count = p.retry_count + CASE
        WHEN p.status = 'PROCESSING' AND p.lease_owner <> excluded.lease_owner THEN 1 ELSE 0 END,
      updated_at = now()
  WHERE p.status = 'PENDING'
     OR (p.status = 'RETRY_WAIT' AND p.next_retry_at <= now())
     OR (p.status = 'PROCESSING' AND (p.lease_until < now() OR p.lease_owner = excluded.lease_owner))
  RETURNING p.outbox_id, p.retry_count
), noted AS (
  INSERT INTO delivery_attempt (outbox_id, retry_round, stage, attempt, error, instance, failed_at)
  SELECT leased.outbox_id, coalesce(m.retry_round, 0), 'consume', leased.retry_count,
         'the lease of ' || before.lease_owner || ' expired', $4, now()
  FROM leased
  JOIN before ON before.outbox_id = leased.outbox_id AND before.retry_count + 1 = leased.retry_count
  LEFT JOIN outbox_message m ON m.id = leased.outbox_id
)
SELECT outbox_id, retry_count FROM leased)"};

// PENDING, and RETRY_WAIT that has come due meanwhile, are about to be taken by another message.
const database::Statement kReadLedger{.name = "read_ledger", .sql = R"(SELECT given.id,
  coalesce(CASE WHEN status = 'RETRY_WAIT' AND next_retry_at <= now() THEN 'PENDING' ELSE status END,
           'PENDING'),
  coalesce(retry_count, 0),
  ceil(coalesce(extract(epoch FROM next_retry_at - now()), 0) * 1000)::bigint
FROM unnest($1::bigint[]) AS given (id) LEFT JOIN processed_message ON outbox_id = given.id)"};

const database::Statement kRenew{.name = "renew_leases", .sql = R"(UPDATE processed_message
SET lease_until = now() + $3 * interval '1 millisecond', updated_at = now()
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
    next_retry_at = now() + given.delay * interval '1 millisecond',
    lease_owner = NULL, lease_until = NULL, updated_at = now()
FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS given (outbox_id, retry_count, delay)
WHERE p.outbox_id = given.outbox_id AND p.status = 'PROCESSING' AND p.lease_owner = $4
RETURNING p.outbox_id)"};

const database::Statement kRelease{.name = "release_leases", .sql = R"(UPDATE processed_message
SET status = 'PENDING', lease_owner = NULL, lease_until = NULL, updated_at = now()
WHERE outbox_id = ANY($1::bigint[]) AND status = 'PROCESSING' AND lease_owner = $2
RETURNING outbox_id)"};

double milliseconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()); }

LedgerState stateOf(std::string_view status) {
  if (status == "DONE") {
    return LedgerState::done;
  }
  if (status == "DEAD") {
    return LedgerState::dead;
  }
  return status == "RETRY_WAIT" ? LedgerState::waiting : LedgerState::held;
}

}  // namespace

drogon::Task<std::vector<LedgerEntry>> takeLeases(database::Client& client, LeaseOwner owner,
                                                  std::vector<std::int64_t> outboxIds,
                                                  std::chrono::milliseconds lease,
                                                  std::string instance,
                                                  database::Deadline deadline) {
  std::ranges::sort(outboxIds);
  database::Parameters parameters;
  parameters.addArray(outboxIds).add(owner.name).add(milliseconds(lease)).add(instance);
  const database::Result taken = co_await client.run(kTakeLeases, std::move(parameters), deadline);
  std::vector<LedgerEntry> entries;
  entries.reserve(outboxIds.size());
  for (std::size_t row = 0; row < taken.rows(); ++row) {
    entries.push_back({.outboxId = taken.value<std::int64_t>(row, 0),
                       .state = LedgerState::leased,
                       .retryCount = taken.value<std::int32_t>(row, 1)});
  }
  if (entries.size() == outboxIds.size()) {
    co_return entries;
  }
  std::ranges::sort(entries, {}, &LedgerEntry::outboxId);
  std::erase_if(outboxIds, [&entries](std::int64_t id) {
    return std::ranges::binary_search(entries, id, {}, &LedgerEntry::outboxId);
  });
  const std::vector<LedgerEntry> others =
      co_await readLedger(client, std::move(outboxIds), deadline);
  entries.insert(entries.end(), others.begin(), others.end());
  co_return entries;
}

drogon::Task<std::vector<LedgerEntry>> readLedger(database::Client& client,
                                                  std::vector<std::int64_t> outboxIds,
                                                  database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(outboxIds);
  const database::Result read = co_await client.run(kReadLedger, std::move(parameters), deadline);
  std::vector<LedgerEntry> entries;
  entries.reserve(read.rows());
  for (std::size_t row = 0; row < read.rows(); ++row) {
    entries.push_back({.outboxId = read.value<std::int64_t>(row, 0),
                       .state = stateOf(read.value<std::string_view>(row, 1)),
                       .retryCount = read.value<std::int32_t>(row, 2),
                       .rest = std::chrono::milliseconds(read.value<std::int64_t>(row, 3))});
  }
  co_return entries;
}

drogon::Task<std::vector<std::int64_t>> renewLeases(database::Client& client, LeaseOwner owner,
                                                    std::vector<std::int64_t> outboxIds,
                                                    std::chrono::milliseconds lease,
                                                    database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(outboxIds).add(owner.name).add(milliseconds(lease));
  co_return database::idsOf(co_await client.run(kRenew, std::move(parameters), deadline));
}

drogon::Task<std::vector<std::int64_t>> completeLeases(database::Transaction& transaction,
                                                       LeaseOwner owner,
                                                       std::vector<std::int64_t> outboxIds,
                                                       std::string instance,
                                                       database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(outboxIds).add(owner.name).add(instance);
  co_return database::idsOf(co_await transaction.run(kComplete, std::move(parameters), deadline));
}

drogon::Task<std::vector<std::int64_t>> failLeases(database::Transaction& transaction,
                                                   LeaseOwner owner,
                                                   std::vector<LeaseFailure> failures,
                                                   database::Deadline deadline) {
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> counts;
  std::vector<std::optional<std::int64_t>> delays;
  for (const LeaseFailure& failure : failures) {
    ids.push_back(failure.outboxId);
    counts.push_back(failure.retryCount);
    delays.push_back(failure.delay ? std::optional(failure.delay->count()) : std::nullopt);
  }
  database::Parameters parameters;
  parameters.addArray(ids).addArray(counts).addArray(delays).add(owner.name);
  co_return database::idsOf(co_await transaction.run(kFail, std::move(parameters), deadline));
}

drogon::Task<std::vector<std::int64_t>> releaseLeases(database::Client& client, LeaseOwner owner,
                                                      std::vector<std::int64_t> outboxIds,
                                                      database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(outboxIds).add(owner.name);
  co_return database::idsOf(co_await client.run(kRelease, std::move(parameters), deadline));
}

}  // namespace auth_errors::consumer
