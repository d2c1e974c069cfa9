#include "triage/clusters/clusters_to_move.h"

#include <algorithm>
#include <format>
#include <utility>

#include "platform/database/advisory_lock.h"
#include "triage/jobs/job_store.h"

namespace auth_errors::clusters {
namespace {

constexpr std::string_view kClusterColumns = "id, title, state, merged_into";
const database::Statement kFindClusters{
    .name = "find_clusters_to_move",
    .sql = std::format("SELECT {} FROM cluster WHERE id = ANY($1::bigint[]) ORDER BY id",
                       kClusterColumns)};
const database::Statement kLockClusters{
    .name = "lock_clusters_to_move", .sql = std::format("{} FOR NO KEY UPDATE", kFindClusters.sql)};

const database::Statement kOpenDecision{
    .name = "open_decision_of_cluster",
    .sql = std::format("SELECT FROM job WHERE cluster_id = $1 AND kind = '{}' "
                       "AND status IN ('{}', '{}') LIMIT 1",
                       jobs::toText(jobs::JobKind::decide), jobs::toText(jobs::JobStatus::queued),
                       jobs::toText(jobs::JobStatus::running))};

drogon::Task<MoveAnswer<std::vector<FoundCluster>>> findBy(database::Transaction& transaction,
                                                           const database::Statement& statement,
                                                           std::vector<domain::ClusterId> ids) {
  const auto rows = (co_await transaction.run(statement, ids)).as<FoundCluster>();
  std::vector<FoundCluster> found;
  for (const domain::ClusterId id : ids) {
    const auto row = std::ranges::find(rows, id, &FoundCluster::id);
    if (row == rows.end()) {
      co_return refuse(found.empty() ? MoveRefusal::Reason::unknown
                                     : MoveRefusal::Reason::targetUnknown);
    }
    found.push_back(*row);
  }
  for (const FoundCluster& cluster : found) {
    if (cluster.mergedInto) {
      co_return std::unexpected(MoveRefusal{.reason = MoveRefusal::Reason::mergedAway,
                                            .clusterId = cluster.id,
                                            .mergedInto = *cluster.mergedInto});
    }
  }
  co_return found;
}

}  // namespace

drogon::Task<MoveAnswer<std::vector<FoundCluster>>> findToMove(database::Transaction& transaction,
                                                               std::vector<domain::ClusterId> ids) {
  return findBy(transaction, kFindClusters, std::move(ids));
}

drogon::Task<MoveAnswer<std::vector<FoundCluster>>> lockToMove(database::Transaction& transaction,
                                                               std::vector<domain::ClusterId> ids) {
  const domain::ClusterId source = ids.front();
  co_await database::lock(transaction, database::AdvisoryLock::routes);
  auto found = co_await findBy(transaction, kLockClusters, std::move(ids));
  if (!found) {
    co_return found;
  }
  // Errors must not be moved during a decision on them.
  if (!(co_await transaction.run(kOpenDecision, source)).empty()) {
    co_return refuse(MoveRefusal::Reason::beingDecided);
  }
  co_return found;
}

drogon::Task<jobs::Job> enqueueMove(database::Transaction& transaction, domain::ClusterId source,
                                    domain::ClusterId target, SplitChoice choice, MoveOrder order) {
  return jobs::enqueue(transaction, {.kind = jobs::JobKind::move,
                                     .clusterId = source,
                                     .requestedBy = std::move(order.by),
                                     .traceparent = std::nullopt,
                                     .decision = std::nullopt,
                                     .note = std::move(order.note),
                                     .targetClusterId = target,
                                     .stackHashes = std::move(choice.stackHashes),
                                     .match = std::move(choice.match)});
}

}  // namespace auth_errors::clusters
