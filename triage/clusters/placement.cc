#include "triage/clusters/placement.h"

#include <format>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "domain/clusters/cluster.h"
#include "domain/clusters/cluster_routing.h"
#include "platform/database/advisory_lock.h"
#include "platform/database/sql_list.h"
#include "triage/clusters/member_deltas.h"
#include "triage/clusters/reached.h"
#include "triage/errors/error_matching.h"

namespace auth_errors::clusters {
namespace {

// `moved`: the cluster was merged or split.
const database::Statement kFindRoutes{.name = "find_routes",
                                      .sql = R"(SELECT r.stack_hash, r.cluster_id,
       c.merged_into IS NOT NULL
       OR EXISTS (SELECT FROM cluster_split s WHERE s.from_cluster_id = c.id) AS moved
FROM cluster_route r JOIN cluster c ON c.id = r.cluster_id
WHERE r.stack_hash = ANY($1::text[]))"};

// Two transactions with the same new hashes insert them in the same order; the second waits for the
// first, and then finds its routes.
const database::Statement kMakeClusters{
    .name = "make_clusters",
    .parameters = "stack_hashes titles fingerprints sample_ids instance",
    .sql = std::format(R"(WITH given AS (
  SELECT * FROM unnest($stack_hashes::text[], $titles::text[], $fingerprints::text[], $sample_ids::bigint[])
    AS given (stack_hash, title, fingerprint, auth_error_id)
), routed AS (
  INSERT INTO cluster_route (stack_hash, version, cluster_id, fingerprint, created_at)
  SELECT stack_hash, {0}, nextval(pg_get_serial_sequence('cluster', 'id')), fingerprint::jsonb, now()
  FROM given ORDER BY stack_hash
  ON CONFLICT (stack_hash) DO NOTHING
  RETURNING stack_hash, cluster_id
)
INSERT INTO cluster (id, title, exception_class, state, state_changed_at, state_changed_by,
                     sample_error_id, error_count, actor_count, first_seen_at, last_seen_at,
                     created_at)
OVERRIDING SYSTEM VALUE
SELECT routed.cluster_id, given.title, e.exception_class, '{1}', now(), $instance, e.id, 0, 0,
       e.occurred_at, e.occurred_at, now()
FROM routed JOIN given USING (stack_hash) JOIN auth_error e ON e.id = given.auth_error_id)",
                       domain::kStackHashVersion, domain::toText(domain::ClusterState::open))};

const database::Statement kFindMoves{.name = "find_moves",
                                     .sql = reachedFrom("unnest($1::bigint[])") + R"(
SELECT c.id, c.merged_into, s.id, s.to_cluster_id
FROM reached JOIN cluster c USING (id) LEFT JOIN cluster_split s ON s.from_cluster_id = c.id
WHERE c.merged_into IS NOT NULL OR s.id IS NOT NULL
ORDER BY c.id, s.id)"};

const database::Statement kFindSplits{
    .name = "find_splits",
    .sql = std::format("SELECT s.id, {} FROM cluster_split s WHERE s.id = ANY($1::bigint[])",
                       triage::loweredMatchColumns("s"))};

// Members with an older hash are counted by the new one from now on: nothing joins or leaves.
//
// Only an error received after the cluster was resolved reopens it: one that was already in
// progress is not evidence of a regression.
const database::Statement kJoinClusters{
    .name = "join_clusters",
    .parameters = "cluster_ids error_ids stack_hashes instance",
    .sql = std::format(R"(WITH given AS (
  SELECT * FROM unnest($cluster_ids::bigint[], $error_ids::bigint[], $stack_hashes::text[])
    AS given (cluster_id, auth_error_id, stack_hash)
), outdated AS (
  SELECT m.cluster_id, m.auth_error_id, m.stack_hash, given.stack_hash AS new_hash
  FROM given JOIN cluster_member m ON m.auth_error_id = given.auth_error_id
  WHERE m.stack_hash <> given.stack_hash FOR UPDATE OF m
), updated AS (
  UPDATE cluster_member m SET stack_hash = outdated.new_hash FROM outdated
  WHERE m.cluster_id = outdated.cluster_id AND m.auth_error_id = outdated.auth_error_id
  RETURNING m.cluster_id, m.auth_error_id, m.stack_hash
), uncounted AS (
  {4}
), recounted AS (
  {5}
), joined AS (
  INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at)
  SELECT cluster_id, auth_error_id, stack_hash, now() FROM given
  WHERE NOT EXISTS (SELECT FROM cluster_member placed
                    WHERE placed.auth_error_id = given.auth_error_id AND placed.placed_by IS NOT NULL)
  ORDER BY cluster_id, auth_error_id
  ON CONFLICT DO NOTHING
  RETURNING cluster_id, auth_error_id, stack_hash
), counted AS (
  {0}
), newest AS (
  SELECT joined.cluster_id, max(e.received_at) AS received_at
  FROM joined JOIN auth_error e ON e.id = joined.auth_error_id GROUP BY joined.cluster_id
), regressing AS (
  SELECT c.id, c.state FROM cluster c JOIN newest ON newest.cluster_id = c.id
  WHERE c.state IN ({1}) AND newest.received_at > c.state_changed_at
  ORDER BY c.id FOR UPDATE OF c
), regressed AS (
  UPDATE cluster SET state = '{2}', state_changed_at = now(), state_changed_by = $instance,
                     state_note = NULL
  FROM regressing WHERE cluster.id = regressing.id
)
INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, changed_at)
SELECT id, state, '{2}', '{3}', $instance, now() FROM regressing)",
                       insertDeltas("joined", 1),
                       database::sqlList(domain::sourcesOf(domain::ClusterEvent::errorArrived)),
                       domain::toText(domain::targetOf(domain::ClusterEvent::errorArrived)),
                       domain::toText(domain::ClusterEvent::errorArrived),
                       insertDeltas("outdated", -1), insertDeltas("updated", 1))};

struct Route {
  domain::ClusterId clusterId;
  bool moved = false;
};
using Routes = std::unordered_map<std::string, Route>;
// One error for each hash, in the order of the hashes.
using ByHash = std::map<std::string_view, const AnalysedError*>;

drogon::Task<void> findRoutes(database::Transaction& transaction, std::vector<std::string> hashes,
                              Routes& routes) {
  const database::Result found = co_await transaction.run(kFindRoutes, hashes);
  for (auto& [hash, route] : found.as<std::pair<std::string, Route>>()) {
    routes.insert_or_assign(std::move(hash), route);
  }
}

std::vector<std::string> unrouted(const ByHash& errors, const Routes& routes) {
  std::vector<std::string> hashes;
  for (const auto& [hash, error] : errors) {
    if (!routes.contains(std::string(hash))) {
      hashes.emplace_back(hash);
    }
  }
  return hashes;
}

struct NewCluster {
  std::string_view stackHash;
  std::string title;
  std::string fingerprint;
  domain::ErrorId sampleErrorId;
};

drogon::Task<void> makeClusters(database::Transaction& transaction, std::vector<std::string> hashes,
                                ByHash errors, domain::InstanceName instance) {
  std::vector<NewCluster> clusters;
  clusters.reserve(hashes.size());
  for (const std::string& hash : hashes) {
    const AnalysedError& error = *errors.at(hash);
    clusters.push_back({.stackHash = hash,
                        .title = domain::clusterTitle(error.fault.fingerprint),
                        .fingerprint = fingerprintJson(error.fault.fingerprint),
                        .sampleErrorId = error.authErrorId});
  }
  co_await transaction.run(kMakeClusters,
                           database::columns(clusters, &NewCluster::stackHash, &NewCluster::title,
                                             &NewCluster::fingerprint, &NewCluster::sampleErrorId),
                           instance);
}

struct Moves {
  domain::ClusterMoves ways;
  std::set<std::pair<domain::SplitId, domain::ErrorId>> matches;

  [[nodiscard]] domain::ClusterId destination(domain::ClusterId cluster,
                                              domain::ErrorId error) const {
    return ways.destination(
        cluster, [&](domain::SplitId split) { return matches.contains({split, error}); });
  }
};

drogon::Task<void> matchSplits(database::Transaction& transaction,
                               std::vector<domain::SplitId> splitIds,
                               std::vector<domain::ErrorId> errorIds, Moves& moves) {
  const database::Result splits = co_await transaction.run(kFindSplits, splitIds);
  const triage::ErrorsToMatch loaded =
      co_await triage::loadErrorsToMatch(transaction, std::move(errorIds), true);
  for (const auto& [splitId, match] : splits.as<std::pair<domain::SplitId, triage::ErrorMatch>>()) {
    for (const triage::ErrorToMatch& error : loaded.errors) {
      if (triage::meets(error, match)) {
        moves.matches.emplace(splitId, error.id);
      }
    }
  }
}

struct MoveRow {
  domain::ClusterId clusterId;
  std::optional<domain::ClusterId> mergedInto;
  std::optional<domain::SplitId> splitId;
  std::optional<domain::ClusterId> splitInto;
};

drogon::Task<Moves> findMoves(database::Transaction& transaction,
                              std::vector<domain::ClusterId> clusterIds,
                              std::vector<domain::ErrorId> errorIds) {
  Moves moves;
  std::vector<domain::SplitId> splits;
  const database::Result found = co_await transaction.run(kFindMoves, clusterIds);
  for (const MoveRow& row : found.as<MoveRow>()) {
    if (row.mergedInto) {
      moves.ways.addMerge(row.clusterId, *row.mergedInto);
    }
    if (row.splitId && row.splitInto) {
      moves.ways.addSplit(row.clusterId, *row.splitId, *row.splitInto);
      splits.push_back(*row.splitId);
    }
  }
  if (!splits.empty()) {
    co_await matchSplits(transaction, std::move(splits), std::move(errorIds), moves);
  }
  co_return moves;
}

}  // namespace

drogon::Task<void> placeErrors(database::Transaction& transaction,
                               std::vector<AnalysedError> errors, domain::InstanceName instance) {
  if (errors.empty()) {
    co_return;
  }
  ByHash byHash;
  for (const AnalysedError& error : errors) {
    byHash.emplace(error.fault.stackHash, &error);
  }
  co_await database::lockShared(transaction, database::AdvisoryLock::routes);
  Routes routes;
  co_await findRoutes(transaction, unrouted(byHash, {}), routes);
  if (const std::vector<std::string> fresh = unrouted(byHash, routes); !fresh.empty()) {
    co_await makeClusters(transaction, fresh, byHash, instance);
    co_await findRoutes(transaction, fresh, routes);
  }

  std::vector<domain::ClusterId> movedClusters;
  std::vector<domain::ErrorId> movedErrors;
  for (const AnalysedError& error : errors) {
    if (const Route& route = routes.at(error.fault.stackHash); route.moved) {
      movedClusters.push_back(route.clusterId);
      movedErrors.push_back(error.authErrorId);
    }
  }
  Moves moves;
  if (!movedClusters.empty()) {
    moves = co_await findMoves(transaction, std::move(movedClusters), std::move(movedErrors));
  }

  const auto destination = [&](const AnalysedError& error) {
    return moves.destination(routes.at(error.fault.stackHash).clusterId, error.authErrorId);
  };
  const auto stackHash = [](const AnalysedError& error) -> std::string_view {
    return error.fault.stackHash;
  };
  co_await transaction.run(
      kJoinClusters, database::columns(errors, destination, &AnalysedError::authErrorId, stackHash),
      instance);
}

drogon::Task<std::vector<domain::ClusterId>> destinationsFrom(
    database::Transaction& transaction, domain::ClusterId clusterId,
    std::vector<domain::ErrorId> authErrorIds) {
  const Moves moves = co_await findMoves(transaction, {clusterId}, authErrorIds);
  std::vector<domain::ClusterId> destinations;
  destinations.reserve(authErrorIds.size());
  for (const domain::ErrorId error : authErrorIds) {
    destinations.push_back(moves.destination(clusterId, error));
  }
  co_return destinations;
}

}  // namespace auth_errors::clusters
