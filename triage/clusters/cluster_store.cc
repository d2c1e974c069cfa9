#include "triage/clusters/cluster_store.h"

#include <array>
#include <chrono>
#include <expected>
#include <format>
#include <string_view>
#include <utility>

#include "platform/database/advisory_lock.h"
#include "platform/database/answer.h"
#include "platform/database/sql_list.h"
#include "triage/jobs/job_store.h"

namespace auth_errors::clusters {
namespace {

using domain::ClusterEvent;
using domain::ClusterState;
template <typename T>
using ClusterAnswer = ClusterStore::Answer<T>;

constexpr std::string_view kClustersFailed = "clusters.failed";

// A year, leap or not.
constexpr std::chrono::days kLongestMute{366};

// In the order of a ClusterStanding's fields.
constexpr std::string_view kStandingColumns =
    "id, state, state_changed_at, state_changed_by, state_note, muted_until, muted_until_count, "
    "muted_by";

const database::Statement kLockCluster{
    .name = "lock_cluster",
    .sql = "SELECT state, merged_into, now() FROM cluster WHERE id = $1 FOR NO KEY UPDATE"};

// Dated by the time when the locks were granted, not when they were requested.
database::Statement stateChange(ClusterEvent event) {
  return {.name = std::format("change_cluster_state_{}", domain::toText(event)),
          .parameters = "cluster changed_by note",
          .sql = std::format(R"(WITH before AS (
  SELECT id AS cluster_id, state AS from_state, clock_timestamp() AS changed_at FROM cluster
  WHERE id = $cluster AND merged_into IS NULL AND state IN ({0}) FOR NO KEY UPDATE
), changed AS (
  UPDATE cluster SET state = '{1}', state_changed_at = changed_at,
                     state_changed_by = $changed_by, state_note = $note
  FROM before WHERE id = cluster_id
  RETURNING {3}
), logged AS (
  INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, changed_at,
                                  note)
  SELECT cluster_id, from_state, '{1}', '{2}', $changed_by, changed_at, $note FROM before
)
SELECT * FROM changed)",
                             database::sqlList(domain::sourcesOf(event)),
                             domain::toText(domain::targetOf(event)), domain::toText(event),
                             kStandingColumns)};
}

const auto kStateChanges = [] {
  std::array<database::Statement, domain::kClusterEventNames.size()> statements;
  for (const auto& [event, name] : domain::kClusterEventNames) {
    statements.at(static_cast<std::size_t>(event)) = stateChange(event);
  }
  return statements;
}();

// The cluster is locked, so pending deltas are not in its count yet; they are not further errors.
const database::Statement kMute{.name = "mute_cluster",
                                .parameters = "cluster until count muted_by",
                                .sql = std::format(R"(UPDATE cluster
SET muted_until = $until, muted_by = $muted_by, muted_until_count = error_count + $count
      + coalesce((SELECT sum(change) FROM cluster_delta WHERE cluster_id = $cluster), 0)
WHERE id = $cluster AND merged_into IS NULL RETURNING {})",
                                                   kStandingColumns)};

std::unexpected<ClusterRefusal> refuse(ClusterRefusal::Reason reason) {
  return std::unexpected(ClusterRefusal{.reason = reason});
}

struct LockedCluster {
  domain::StoredName<ClusterState> state;
  std::optional<domain::ClusterId> mergedInto;
  domain::Instant now;
};

// A cluster that was not merged into another.
drogon::Task<ClusterAnswer<LockedCluster>> lockCluster(database::Transaction& transaction,
                                                       domain::ClusterId clusterId) {
  auto found = (co_await transaction.run(kLockCluster, clusterId)).first<LockedCluster>();
  if (!found) {
    co_return refuse(ClusterRefusal::Reason::unknown);
  }
  if (found->mergedInto) {
    co_return std::unexpected(
        ClusterRefusal{.reason = ClusterRefusal::Reason::merged, .mergedInto = found->mergedInto});
  }
  co_return *std::move(found);
}

// Nothing if the event has no effect in the cluster's state.
drogon::Task<std::optional<ClusterStanding>> apply(database::Transaction& transaction,
                                                   NewState change) {
  co_return (co_await transaction.run(kStateChanges.at(static_cast<std::size_t>(change.event)),
                                      change.clusterId, change.changedBy, change.note))
      .first<ClusterStanding>();
}

// Taken before the cluster's row, as everywhere. Errors placed by now precede the resolution; later
// ones find the cluster RESOLVED: there is nothing in between.
drogon::Task<void> holdPlacements(database::Transaction& transaction,
                                  std::optional<ClusterEvent> event) {
  if (event == ClusterEvent::resolved) {
    co_await database::lock(transaction, database::AdvisoryLock::routes);
  }
}

drogon::Task<ClusterAnswer<ClusterStanding>> changeIn(database::Transaction& transaction,
                                                      NewState change) {
  co_await holdPlacements(transaction, change.event);
  const auto cluster = co_await lockCluster(transaction, change.clusterId);
  if (!cluster) {
    co_return std::unexpected(cluster.error());
  }
  const auto state = cluster->state.value();
  if (!state || !domain::transition(*state, change.event)) {
    co_return std::unexpected(ClusterRefusal{.reason = ClusterRefusal::Reason::sameState,
                                             .currentState = cluster->state});
  }
  co_return (co_await apply(transaction, std::move(change))).value();
}

drogon::Task<ClusterAnswer<ClusterStanding>> muteIn(database::Transaction& transaction,
                                                    NewMute mute) {
  const auto cluster = co_await lockCluster(transaction, mute.clusterId);
  if (!cluster) {
    co_return std::unexpected(cluster.error());
  }
  if (mute.until && (*mute.until <= cluster->now || *mute.until > cluster->now + kLongestMute)) {
    co_return refuse(ClusterRefusal::Reason::untilOutOfRange);
  }
  const bool muted = mute.until || mute.count;
  const std::optional<std::string> mutedBy = muted ? std::optional(mute.mutedBy) : std::nullopt;
  co_return (co_await transaction.run(kMute, mute.clusterId, mute.until, mute.count, mutedBy))
      .only<ClusterStanding>();
}

// The effect of a decision on all its errors on the cluster itself.
std::optional<ClusterEvent> eventOf(domain::Decision decision) {
  switch (decision) {
    case domain::Decision::resolve:
      return ClusterEvent::resolved;
    case domain::Decision::ignore:
      return ClusterEvent::ignored;
    case domain::Decision::process:
    case domain::Decision::fail:
    case domain::Decision::retry:
      return std::nullopt;
  }
  std::unreachable();
}

drogon::Task<ClusterAnswer<jobs::Job>> decideIn(database::Transaction& transaction,
                                                ClusterDecision decision) {
  const auto event = eventOf(decision.type);
  co_await holdPlacements(transaction, event);
  const auto cluster = co_await lockCluster(transaction, decision.clusterId);
  if (!cluster) {
    co_return std::unexpected(cluster.error());
  }
  if (event) {
    co_await apply(transaction, {.clusterId = decision.clusterId,
                                 .event = *event,
                                 .note = decision.note,
                                 .changedBy = decision.decidedBy});
  }
  co_return co_await jobs::enqueue(transaction, {.kind = jobs::JobKind::decide,
                                                 .clusterId = decision.clusterId,
                                                 .requestedBy = std::move(decision.decidedBy),
                                                 .traceparent = std::move(decision.traceparent),
                                                 .decision = decision.type,
                                                 .note = std::move(decision.note),
                                                 .targetClusterId = {},
                                                 .stackHashes = {},
                                                 .match = {}});
}

}  // namespace

drogon::Task<ClusterAnswer<ClusterStanding>> ClusterStore::changeState(
    NewState change, database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = client_, .deadline = deadline, .event = kClustersFailed},
      [&](database::Transaction& transaction) { return changeIn(transaction, change); });
}

drogon::Task<ClusterAnswer<ClusterStanding>> ClusterStore::mute(NewMute mute,
                                                                database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = client_, .deadline = deadline, .event = kClustersFailed},
      [&](database::Transaction& transaction) { return muteIn(transaction, mute); });
}

drogon::Task<ClusterAnswer<ClusterStanding>> ClusterStore::unmute(domain::ClusterId clusterId,
                                                                  database::Deadline deadline) {
  return mute({.clusterId = clusterId, .until = {}, .count = {}, .mutedBy = {}}, deadline);
}

drogon::Task<ClusterAnswer<jobs::Job>> ClusterStore::decide(ClusterDecision decision,
                                                            database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = client_, .deadline = deadline, .event = kClustersFailed},
      [&](database::Transaction& transaction) { return decideIn(transaction, decision); });
}

}  // namespace auth_errors::clusters
