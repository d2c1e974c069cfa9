#include "triage/clusters/cluster_merge.h"

#include <cstddef>
#include <format>
#include <string>
#include <utility>
#include <vector>

#include "triage/rules/cluster_rules.h"

namespace auth_errors::clusters {
namespace {

constexpr std::size_t kShownHashes = 100;

// Without a name: it concerns clusters of any size, and is planned for the actual values.
//
// The gain is computed from the counts kept by the flusher, which are at most a second old.
const database::Statement kMergeFacts{.name = {},
                                      .parameters = "source target",
                                      .sql = std::format(R"({}, gained AS (
  SELECT kind, value FROM cluster_facet
  WHERE cluster_id = $source AND kind IN ('service', 'environment')
  EXCEPT
  SELECT kind, value FROM cluster_facet
  WHERE cluster_id = $target AND kind IN ('service', 'environment')
), hashes AS (
  SELECT r.stack_hash FROM cluster_route r JOIN merged_in ON r.cluster_id = merged_in.id
)
SELECT (SELECT count(*) FROM cluster_member WHERE cluster_id = $source),
       (SELECT count(*) FROM cluster_member WHERE cluster_id = $target),
       (SELECT count(*) FROM cluster_member s JOIN cluster_member t USING (auth_error_id)
        WHERE s.cluster_id = $source AND t.cluster_id = $target),
       ARRAY(SELECT value FROM gained WHERE kind = 'service' ORDER BY value),
       ARRAY(SELECT value FROM gained WHERE kind = 'environment' ORDER BY value),
       (SELECT count(*) FROM hashes),
       ARRAY(SELECT stack_hash FROM hashes ORDER BY stack_hash LIMIT {}))",
                                                         kMergedIn, kShownHashes)};

struct MergeFacts {
  std::int64_t sourceErrors = 0;
  std::int64_t targetErrors = 0;
  std::int64_t errorsInBoth = 0;
  std::vector<std::string> servicesGained;
  std::vector<std::string> environmentsGained;
  std::int64_t stackHashCount = 0;
  std::vector<std::string> stackHashes;
};

const database::Statement kMergeAway{.name = "merge_cluster_away",
                                     .sql = "UPDATE cluster SET merged_into = $2 WHERE id = $1"};

constexpr auto kSerializationFailure = "40001";

// REQUIRES: the transaction has the exclusive routing lock. Waiting for a rule now could deadlock,
// because its holder may wait for the routing lock; so the transaction is repeated and waits first.
drogon::Task<void> passLateRulesOn(database::Transaction& transaction, domain::ClusterId source,
                                   domain::ClusterId target, std::string by) {
  if (co_await rules::passFreeRulesOn(transaction, source, target, std::move(by)) > 0) {
    throw database::Error(database::Failure::statement, "a rule of the merged cluster is in use",
                          kSerializationFailure);
  }
}

ClusterInMerge inMerge(const FoundCluster& cluster, std::int64_t errorCount) {
  return {
      .id = cluster.id, .title = cluster.title, .state = cluster.state, .errorCount = errorCount};
}

}  // namespace

drogon::Task<MoveAnswer<jobs::Job>> mergeIn(database::Transaction& transaction,
                                            domain::ClusterId source, domain::ClusterId target,
                                            MoveOrder order) {
  // Before the routing lock: the holder of a rule may wait for errors, and the holder of errors for
  // the routing lock.
  co_await rules::passRulesOn(transaction, source, target, order.by);
  const auto locked = co_await lockToMove(transaction, {source, target});
  if (!locked) {
    co_return std::unexpected(locked.error());
  }
  // A rule that was created for the source, or passed on to it, since then; its writer held the
  // routing lock.
  co_await passLateRulesOn(transaction, source, target, order.by);
  co_await transaction.run(kMergeAway, source, target);
  co_return co_await enqueueMove(transaction, source, target, {}, std::move(order));
}

drogon::Task<MoveAnswer<MergePreview>> previewMergeIn(database::Transaction& transaction,
                                                      domain::ClusterId source,
                                                      domain::ClusterId target) {
  const auto found = co_await findToMove(transaction, {source, target});
  if (!found) {
    co_return std::unexpected(found.error());
  }
  auto facts = (co_await transaction.run(kMergeFacts, source, target)).only<MergeFacts>();
  co_return MergePreview{.source = inMerge(found->at(0), facts.sourceErrors),
                         .target = inMerge(found->at(1), facts.targetErrors),
                         .movingErrors = facts.sourceErrors - facts.errorsInBoth,
                         .errorsInBoth = facts.errorsInBoth,
                         .servicesGained = std::move(facts.servicesGained),
                         .environmentsGained = std::move(facts.environmentsGained),
                         .stackHashCount = facts.stackHashCount,
                         .stackHashes = std::move(facts.stackHashes)};
}

}  // namespace auth_errors::clusters
