#include "triage/clusters/cluster_store.h"

#include <array>
#include <chrono>
#include <format>
#include <string_view>
#include <utility>

#include "domain/values/names.h"
#include "platform/database/transact.h"
#include "platform/telemetry/log.h"
#include "triage/clusters/placement.h"
#include "triage/jobs/job_store.h"

namespace auth_errors::clusters {
namespace {

using domain::ClusterEvent;
using domain::ClusterState;
template <typename T>
using ClusterAnswer = ClusterStore::Answer<T>;

// A year, whether or not it is a leap year.
constexpr std::chrono::days kLongestMute{366};

// In the order in which standingOf() reads them.
constexpr std::string_view kStandingColumns =
    "id, state, state_changed_at, state_changed_by, state_note, muted_until, muted_until_count, "
    "muted_by";

const database::Statement kLockCluster{
    .name = "lock_cluster",
    .sql = "SELECT state, merged_into, now() FROM cluster WHERE id = $1 FOR NO KEY UPDATE"};

// Dated by the moment at which the locks are there, not by the one at which they were asked for.
database::Statement stateChange(ClusterEvent event) {
  return {
      .name = std::format("change_cluster_state_{}", domain::toText(event)),
      .sql = std::format(R"(WITH before AS (
  SELECT id AS cluster_id, state AS from_state, clock_timestamp() AS changed_at FROM cluster
  WHERE id = $1 AND merged_into IS NULL AND state IN ({0}) FOR NO KEY UPDATE
), changed AS (
  UPDATE cluster SET state = '{1}', state_changed_at = changed_at, state_changed_by = $2,
                     state_note = $3
  FROM before WHERE id = cluster_id
  RETURNING {3}
), logged AS (
  INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, changed_at,
                                  note)
  SELECT cluster_id, from_state, '{1}', '{2}', $2, changed_at, $3 FROM before
)
SELECT * FROM changed)",
                         domain::sourcesAsSqlList(event), domain::toText(domain::targetOf(event)),
                         domain::toText(event), kStandingColumns)};
}

const auto kStateChanges = [] {
  std::array<database::Statement, domain::kClusterEventNames.size()> statements;
  for (const auto& [event, name] : domain::kClusterEventNames) {
    statements.at(static_cast<std::size_t>(event)) = stateChange(event);
  }
  return statements;
}();

// The cluster is locked, so what waits in the deltas is not in its count; it is no further error.
const database::Statement kMute{.name = "mute_cluster",
                                .sql = std::format(R"(UPDATE cluster
SET muted_until = $2, muted_by = $4, muted_until_count = error_count + $3
      + coalesce((SELECT sum(change) FROM cluster_delta WHERE cluster_id = $1), 0)
WHERE id = $1 AND merged_into IS NULL RETURNING {})",
                                                   kStandingColumns)};

std::unexpected<ClusterRefusal> refuse(ClusterFault fault) {
  return std::unexpected(ClusterRefusal{.fault = fault, .mergedInto = {}, .currentState = {}});
}

domain::StoredName<ClusterState> storedState(std::string_view text) {
  return domain::storedName(domain::kClusterStateNames, text);
}

ClusterStanding standingOf(const database::Result& result) {
  return {.clusterId = result.value<std::int64_t>(0, 0),
          .state = storedState(result.value<std::string_view>(0, 1)),
          .stateChangedAt = result.value<database::Timestamp>(0, 2),
          .stateChangedBy = result.value<std::string>(0, 3),
          .stateNote = result.value<std::optional<std::string>>(0, 4),
          .mutedUntil = result.value<std::optional<database::Timestamp>>(0, 5),
          .mutedUntilCount = result.value<std::optional<std::int64_t>>(0, 6),
          .mutedBy = result.value<std::optional<std::string>>(0, 7)};
}

ClusterRefusal refusalOf(const database::Error& error, bool lost) {
  telemetry::log(telemetry::LogLevel::warn, "clusters.failed", {{"reason", error.what()}});
  return {.fault = lost ? ClusterFault::outcomeUnknown : ClusterFault::unavailable,
          .mergedInto = {},
          .currentState = {}};
}

struct LockedCluster {
  domain::StoredName<ClusterState> state;
  domain::Instant now;
};

drogon::Task<ClusterAnswer<LockedCluster>> lockCluster(database::Transaction& transaction,
                                                       std::int64_t clusterId,
                                                       database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(clusterId);
  const database::Result found =
      co_await transaction.run(kLockCluster, std::move(parameters), deadline);
  if (found.empty()) {
    co_return refuse(ClusterFault::unknown);
  }
  if (const auto into = found.value<std::optional<std::int64_t>>(0, 1)) {
    co_return std::unexpected(
        ClusterRefusal{.fault = ClusterFault::merged, .mergedInto = into, .currentState = {}});
  }
  co_return LockedCluster{.state = storedState(found.value<std::string_view>(0, 0)),
                          .now = found.value<database::Timestamp>(0, 2)};
}

// Nothing if the event leads nowhere from the state that the cluster is in.
drogon::Task<std::optional<ClusterStanding>> apply(database::Transaction& transaction,
                                                   NewState change, database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(change.clusterId).add(change.changedBy).add(change.note);
  const database::Result changed = co_await transaction.run(
      kStateChanges.at(static_cast<std::size_t>(change.event)), std::move(parameters), deadline);
  co_return changed.empty() ? std::nullopt : std::optional(standingOf(changed));
}

// Before the cluster, as everywhere. What was placed by now came before the resolution; what comes
// after it finds the cluster RESOLVED: nothing is in between.
drogon::Task<void> holdPlacements(database::Transaction& transaction,
                                  std::optional<ClusterEvent> event, database::Deadline deadline) {
  if (event == ClusterEvent::resolved) {
    co_await lockRoutesAlone(transaction, deadline);
  }
}

drogon::Task<ClusterAnswer<ClusterStanding>> changeIn(database::Transaction& transaction,
                                                      NewState change,
                                                      database::Deadline deadline) {
  co_await holdPlacements(transaction, change.event, deadline);
  const auto cluster = co_await lockCluster(transaction, change.clusterId, deadline);
  if (!cluster) {
    co_return std::unexpected(cluster.error());
  }
  const auto state = cluster->state.value();
  if (!state || !domain::transition(*state, change.event)) {
    co_return std::unexpected(ClusterRefusal{
        .fault = ClusterFault::sameState, .mergedInto = {}, .currentState = cluster->state});
  }
  co_return (co_await apply(transaction, std::move(change), deadline)).value();
}

drogon::Task<ClusterAnswer<ClusterStanding>> muteIn(database::Transaction& transaction,
                                                    NewMute mute, database::Deadline deadline) {
  const auto cluster = co_await lockCluster(transaction, mute.clusterId, deadline);
  if (!cluster) {
    co_return std::unexpected(cluster.error());
  }
  if (mute.until && (*mute.until <= cluster->now || *mute.until > cluster->now + kLongestMute)) {
    co_return refuse(ClusterFault::untilOutOfRange);
  }
  const bool muted = mute.until || mute.count;
  database::Parameters parameters;
  parameters.add(mute.clusterId)
      .add(mute.until)
      .add(mute.count)
      .add(muted ? std::optional(mute.mutedBy) : std::nullopt);
  co_return standingOf(co_await transaction.run(kMute, std::move(parameters), deadline));
}

// What a decision on all its errors says about the cluster itself.
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
                                                ClusterDecision decision,
                                                database::Deadline deadline) {
  const auto event = eventOf(decision.type);
  co_await holdPlacements(transaction, event, deadline);
  const auto cluster = co_await lockCluster(transaction, decision.clusterId, deadline);
  if (!cluster) {
    co_return std::unexpected(cluster.error());
  }
  if (event) {
    co_await apply(transaction,
                   {.clusterId = decision.clusterId,
                    .event = *event,
                    .note = decision.note,
                    .changedBy = decision.decidedBy},
                   deadline);
  }
  co_return co_await jobs::enqueue(transaction,
                                   {.kind = jobs::JobKind::decide,
                                    .clusterId = decision.clusterId,
                                    .requestedBy = std::move(decision.decidedBy),
                                    .traceparent = std::move(decision.traceparent),
                                    .decision = decision.type,
                                    .note = std::move(decision.note),
                                    .targetClusterId = {},
                                    .stackHashes = {},
                                    .match = {}},
                                   deadline);
}

}  // namespace

drogon::Task<ClusterAnswer<ClusterStanding>> ClusterStore::changeState(
    NewState change, database::Deadline deadline) {
  return database::transact(
      client_,
      [=](database::Transaction& transaction) { return changeIn(transaction, change, deadline); },
      refusalOf, deadline);
}

drogon::Task<ClusterAnswer<ClusterStanding>> ClusterStore::mute(NewMute mute,
                                                                database::Deadline deadline) {
  return database::transact(
      client_,
      [=](database::Transaction& transaction) { return muteIn(transaction, mute, deadline); },
      refusalOf, deadline);
}

drogon::Task<ClusterAnswer<ClusterStanding>> ClusterStore::unmute(std::int64_t clusterId,
                                                                  database::Deadline deadline) {
  return mute({.clusterId = clusterId, .until = {}, .count = {}, .mutedBy = {}}, deadline);
}

drogon::Task<ClusterAnswer<jobs::Job>> ClusterStore::decide(ClusterDecision decision,
                                                            database::Deadline deadline) {
  return database::transact(
      client_,
      [=](database::Transaction& transaction) { return decideIn(transaction, decision, deadline); },
      refusalOf, deadline);
}

}  // namespace auth_errors::clusters
