#include "outbox/outbox_store.h"

#include <algorithm>
#include <format>
#include <optional>
#include <string_view>
#include <utility>

#include "outbox/identity/event_identity.h"
#include "outbox/identity/installation.h"
#include "platform/workers/jitter.h"
#include "triage/dead_letters/dead_letter_writer.h"

namespace auth_errors::outbox {
namespace {

// = ANY(ARRAY(…)) is planned as one index scan and primary key lookups; IN (SELECT …) was a tenth
// slower.
const database::Statement kClaim{.name = "claim_messages",
                                 .sql = std::format(R"(UPDATE outbox_message
SET status = 'PROCESSING', processing_owner = $1, processing_started_at = now()
WHERE id = ANY(ARRAY(
  SELECT id FROM outbox_message
  WHERE status = 'PENDING' AND coalesce(next_retry_at, created_at) <= now()
  ORDER BY coalesce(next_retry_at, created_at), id
  LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING id, event_id::text, {}, retry_round, aggregate_type, event_type, idempotency_key,
          payload::text, extract(epoch FROM created_at)::bigint, traceparent, retry_count)",
                                                    outbox::kInstallationId)};

const database::Statement kMarkPublished{.name = "mark_published", .sql = R"(UPDATE outbox_message
SET status = 'PUBLISHED', published_at = now(), published_by = $3, next_retry_at = NULL,
    claimed_at = processing_started_at, processing_owner = NULL, processing_started_at = NULL
WHERE id = ANY($1::bigint[]) AND status = 'PROCESSING' AND processing_owner = $2)"};

// Rows published by this instance, with whichever claim.
const database::Statement kCountPublished{.name = "count_published", .sql = R"(SELECT count(*)
FROM outbox_message WHERE id = ANY($1::bigint[]) AND status = 'PUBLISHED' AND published_by = $2)"};

const database::Statement kHandBack{.name = "hand_back", .sql = R"(UPDATE outbox_message
SET status = 'PENDING', processing_owner = NULL, processing_started_at = NULL
WHERE id = ANY($1::bigint[]) AND status = 'PROCESSING' AND processing_owner = $2)"};

const database::Statement kMarkFailed{.name = "mark_failed", .sql = R"(UPDATE outbox_message m
SET status = CASE WHEN given.delay IS NULL THEN 'DEAD' ELSE 'PENDING' END,
    retry_count = given.retry_count,
    next_retry_at = now() + given.delay,
    processing_owner = NULL, processing_started_at = NULL
FROM unnest($1::bigint[], $2::int[], $3::interval[]) AS given (id, retry_count, delay)
WHERE m.id = given.id AND m.status = 'PROCESSING' AND m.processing_owner = $4
RETURNING m.id, m.event_type, m.aggregate_id)"};

const database::Statement kReap{.name = "reap_claims", .sql = R"(UPDATE outbox_message
SET status = 'PENDING', processing_owner = NULL, processing_started_at = NULL
WHERE id = ANY(ARRAY(
  SELECT id FROM outbox_message
  WHERE status = 'PROCESSING' AND processing_started_at < now() - $1::interval
  ORDER BY processing_started_at
  LIMIT $2 FOR UPDATE SKIP LOCKED)))"};

constexpr const char* kSweepParameters = "grace chunk has_backlog";

// The time before which everything in the work queue has been delivered, minus the grace period.
// Without a backlog that is now. With one, it follows from the queue's order: messages published
// before the newest event of the ledger was created were ahead of it.
std::string overdueSql() {
  return std::format(R"(overdue AS (
  SELECT CASE WHEN $has_backlog THEN coalesce((
      SELECT m.created_at FROM processed_message p JOIN outbox_message m ON m.id = p.outbox_id
      WHERE NOT {} ORDER BY p.outbox_id DESC LIMIT 1), '-infinity')
    ELSE now() END - $grace::interval AS since
))",
                     outbox::isStale("p"));
}

// Examines a time range at once: republished messages get a new time. WITH TIES, because all rows
// of one finalised batch have the same time. The mark is a scalar; otherwise the planner would scan
// the index from its beginning. "Without a ledger row" means at the time of the statement, because
// the row created by a message is never removed before its outbox row. A row of another event that
// had the same id counts as none.
const database::Statement kSweepMissing{.name = "sweep_missing",
                                        .parameters = kSweepParameters,
                                        .sql = std::format(R"(WITH mark AS (
  SELECT swept_until FROM sweeper_mark FOR UPDATE
), {}, due AS (
  SELECT m.id, m.published_at FROM outbox_message m
  WHERE m.status = 'PUBLISHED' AND m.published_at > (SELECT swept_until FROM mark)
    AND m.published_at <= (SELECT since FROM overdue)
  ORDER BY m.published_at
  FETCH FIRST $chunk ROWS WITH TIES
), lost AS (
  UPDATE outbox_message m
  SET status = 'PENDING', published_at = NULL, published_by = NULL
  FROM due
  WHERE m.id = due.id AND m.status = 'PUBLISHED'
    AND NOT EXISTS (SELECT FROM processed_message p WHERE p.outbox_id = m.id AND NOT {})
  RETURNING m.id
), moved AS (
  UPDATE sweeper_mark
  SET swept_until = greatest(swept_until, CASE
    WHEN (SELECT count(*) FROM due) < $chunk THEN (SELECT since FROM overdue)
    ELSE (SELECT max(published_at) FROM due) END)
)
SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM lost))",
                                                           overdueSql(), outbox::isStale("p"))};

// updated_at alone finds the candidates, using the index on open rows.
const database::Statement kSweepStranded{.name = "sweep_stranded",
                                         .parameters = kSweepParameters,
                                         .sql = std::format(R"(WITH {}
UPDATE outbox_message
SET status = 'PENDING', published_at = NULL, published_by = NULL
WHERE status = 'PUBLISHED' AND id = ANY(ARRAY(
  SELECT m.id
  FROM processed_message p JOIN outbox_message m ON m.id = p.outbox_id
  WHERE p.status IN ('PENDING', 'PROCESSING', 'RETRY_WAIT')
    AND p.updated_at < (SELECT since FROM overdue)
    AND greatest(p.next_retry_at, p.lease_until, m.published_at) < (SELECT since FROM overdue)
    AND m.status = 'PUBLISHED'
  ORDER BY p.updated_at
  LIMIT $chunk FOR UPDATE OF m SKIP LOCKED)))",
                                                            overdueSql())};

struct SpentAttempt {
  domain::OutboxId id;
  std::int32_t attempt = 0;
  std::optional<std::chrono::milliseconds> delay;  // none: DEAD
};

struct FailedEvent {
  domain::OutboxId id;
  std::string_view eventType;
  domain::ErrorId authErrorId;
};

}  // namespace

drogon::Task<std::vector<ClaimedMessage>> claimMessages(database::Client& client, ClaimOwner owner,
                                                        std::int64_t limit,
                                                        database::Deadline deadline) {
  const database::Result claimed = co_await client.run(kClaim, deadline, owner, limit);
  auto messages = claimed.as<ClaimedMessage>();
  std::ranges::sort(messages, {},
                    [](const ClaimedMessage& message) { return message.event.outboxId; });
  co_return messages;
}

drogon::Task<std::size_t> markPublished(database::Client& client, ClaimOwner owner,
                                        std::vector<domain::OutboxId> ids,
                                        domain::InstanceName instance,
                                        database::Deadline deadline) {
  const database::Result result =
      co_await client.run(kMarkPublished, deadline, ids, owner, instance);
  if (result.affectedRows() == ids.size()) {
    co_return ids.size();
  }
  // An earlier run of this function, whose response was lost, may have published the rest.
  const database::Result published = co_await client.run(kCountPublished, deadline, ids, instance);
  co_return static_cast<std::size_t>(published.only<std::int64_t>());
}

drogon::Task<std::size_t> handBack(database::Client& client, ClaimOwner owner,
                                   std::vector<domain::OutboxId> ids, database::Deadline deadline) {
  const database::Result result = co_await client.run(kHandBack, deadline, ids, owner);
  co_return result.affectedRows();
}

drogon::Task<FailureCounts> markFailed(database::Client& client, ClaimOwner owner,
                                       std::vector<FailedPublication> failed,
                                       domain::RetryPolicy policy, domain::InstanceName instance,
                                       database::Deadline deadline) {
  std::vector<SpentAttempt> spent;
  spent.reserve(failed.size());
  for (const FailedPublication& failure : failed) {
    const auto retry = policy.afterFailure(failure.retryCount);
    spent.push_back({.id = failure.id,
                     .attempt = failure.retryCount + 1,
                     .delay = retry ? std::optional(domain::RetryPolicy::jittered(
                                          retry->delay, workers::randomShare(0, 1)))
                                    : std::nullopt});
  }

  database::Transaction transaction = co_await client.begin(deadline);
  const database::Result changed = co_await transaction.run(
      kMarkFailed,
      database::columns(spent, &SpentAttempt::id, &SpentAttempt::attempt, &SpentAttempt::delay),
      owner);
  FailureCounts result;
  std::vector<triage::FailedAttempt> attempts;
  std::vector<triage::DeadEvent> dead;
  for (const auto& [id, eventType, authErrorId] : changed.as<FailedEvent>()) {
    const auto at =
        static_cast<std::size_t>(std::ranges::find(spent, id, &SpentAttempt::id) - spent.begin());
    attempts.push_back(
        {.outboxId = id, .attempt = spent.at(at).attempt, .error = failed.at(at).error});
    if (spent.at(at).delay) {
      ++result.retried;
    } else {
      ++result.dead;
      dead.push_back({.outboxId = id,
                      .eventType = eventType,
                      .authErrorId = authErrorId,
                      .reason = domain::DeadLetterReason::retriesExhausted,
                      .error = failed.at(at).error});
    }
  }
  co_await triage::recordAttempts(transaction, triage::DeliveryStage::publish, std::move(attempts),
                                  std::move(instance));
  co_await triage::recordDeadLetters(transaction, domain::DeadLetterSource::outbox,
                                     std::move(dead));
  co_await transaction.commit();
  co_return result;
}

drogon::Task<std::size_t> reapClaims(database::Client& client, std::chrono::milliseconds longest,
                                     std::int64_t limit, database::Deadline deadline) {
  const database::Result result = co_await client.run(kReap, deadline, longest, limit);
  co_return result.affectedRows();
}

drogon::Task<SweepCounts> sweepLost(database::Client& client, std::chrono::milliseconds grace,
                                    Backlog backlog, std::int64_t limit,
                                    database::Deadline deadline) {
  const bool hasBacklog = backlog == Backlog::yes;
  const database::Result swept =
      co_await client.run(kSweepMissing, deadline, grace, limit, hasBacklog);
  const database::Result stranded =
      co_await client.run(kSweepStranded, deadline, grace, limit, hasBacklog);
  const auto [looked, missing] = swept.only<std::pair<std::int64_t, std::int64_t>>();
  co_return SweepCounts{.looked = static_cast<std::size_t>(looked),
                        .missing = static_cast<std::size_t>(missing),
                        .stranded = stranded.affectedRows()};
}

}  // namespace auth_errors::outbox
