// How merges, splits and the re-analysis affect rules that match a cluster. Each function runs in
// the caller's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"

namespace auth_errors::rules {

// Makes the rules of a cluster that is merged away match the other cluster.
drogon::Task<void> passRulesOn(database::Transaction& transaction, domain::ClusterId fromCluster,
                               domain::ClusterId toCluster, std::string changedBy);
// The same, but skips rules that other transactions have locked and returns their number.
drogon::Task<std::int64_t> passFreeRulesOn(database::Transaction& transaction,
                                           domain::ClusterId fromCluster,
                                           domain::ClusterId toCluster, std::string changedBy);

// Makes rules with an age that match one of these clusters examine all errors again.
drogon::Task<void> restartRules(database::Transaction& transaction,
                                std::vector<domain::ClusterId> clusterIds);

// Makes rules with an age that match a cluster examine errors again whose status changed since
// then.
drogon::Task<void> rewindRules(database::Transaction& transaction, database::Timestamp since);

}  // namespace auth_errors::rules
