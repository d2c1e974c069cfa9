#include "triage/rules/cluster_rules.h"

namespace auth_errors::rules {
namespace {

const database::Statement kPassOn{
    .name = "pass_rules_on",
    .sql =
        "UPDATE rule SET match_cluster_id = $2, changed_at = now(), changed_by = $3 "
        "WHERE id = ANY(ARRAY(SELECT id FROM rule WHERE match_cluster_id = $1 ORDER BY id FOR "
        "UPDATE))"};

const database::Statement kPassFreeOn{.name = "pass_free_rules_on", .sql = R"(WITH passed AS (
  UPDATE rule SET match_cluster_id = $2, changed_at = now(), changed_by = $3
  WHERE id = ANY(ARRAY(SELECT id FROM rule WHERE match_cluster_id = $1 ORDER BY id
                       FOR UPDATE SKIP LOCKED))
  RETURNING id
)
SELECT count(*) FROM rule WHERE match_cluster_id = $1 AND id NOT IN (SELECT id FROM passed))"};

const database::Statement kRestart{.name = "restart_rules_of_clusters", .sql = R"(UPDATE rule
SET scanned_until = '-infinity', scanned_id = 0
WHERE id = ANY(ARRAY(SELECT id FROM rule WHERE after_seconds IS NOT NULL
                     AND match_cluster_id = ANY($1::bigint[]) ORDER BY id FOR UPDATE)))"};

const database::Statement kRewind{.name = "rewind_rules_of_clusters", .sql = R"(UPDATE rule
SET scanned_until = $1, scanned_id = 0
WHERE id = ANY(ARRAY(SELECT id FROM rule WHERE match_cluster_id IS NOT NULL
                     AND after_seconds IS NOT NULL ORDER BY id FOR UPDATE))
  AND (scanned_until, scanned_id) > ($1, 0))"};

}  // namespace

drogon::Task<void> passRulesOn(database::Transaction& transaction, domain::ClusterId fromCluster,
                               domain::ClusterId toCluster, std::string changedBy) {
  co_await transaction.run(kPassOn, fromCluster, toCluster, changedBy);
}

drogon::Task<std::int64_t> passFreeRulesOn(database::Transaction& transaction,
                                           domain::ClusterId fromCluster,
                                           domain::ClusterId toCluster, std::string changedBy) {
  co_return (co_await transaction.run(kPassFreeOn, fromCluster, toCluster, changedBy))
      .only<std::int64_t>();
}

drogon::Task<void> restartRules(database::Transaction& transaction,
                                std::vector<domain::ClusterId> clusterIds) {
  co_await transaction.run(kRestart, clusterIds);
}

drogon::Task<void> rewindRules(database::Transaction& transaction, database::Timestamp since) {
  co_await transaction.run(kRewind, since);
}

}  // namespace auth_errors::rules
