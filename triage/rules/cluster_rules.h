// What merges, splits and the re-analysis of clusters do to the rules that name a cluster. In the
// caller's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"

namespace auth_errors::rules {

// The rules of a cluster that is merged away are the other's from now on.
drogon::Task<void> passRulesOn(database::Transaction& transaction, domain::ClusterId fromCluster,
                               domain::ClusterId toCluster, std::string changedBy);
// The same without waiting; returns the number of rules that other transactions hold.
drogon::Task<std::int64_t> passFreeRulesOn(database::Transaction& transaction,
                                           domain::ClusterId fromCluster,
                                           domain::ClusterId toCluster, std::string changedBy);

// Rules with an age, about these clusters, look at all errors once more.
drogon::Task<void> restartRules(database::Transaction& transaction,
                                std::vector<domain::ClusterId> clusterIds);

// Rules with an age, about any cluster, look again at what has its status since then.
drogon::Task<void> rewindRules(database::Transaction& transaction, database::Timestamp since);

}  // namespace auth_errors::rules
