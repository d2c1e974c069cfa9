// Upgrades hashes of an older version to the current one: the new hash of an old fault is routed to
// the same cluster. So a cluster's state, merges, splits and decisions outlive the algorithm.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "triage/clusters/fault.h"

namespace auth_errors::clusters {

struct RouteUpgrade {
  std::string oldHash;
  Fault fault;  // with the new hash
};

// A new hash that already has a route keeps it. REQUIRES: the caller holds the routing lock.
drogon::Task<void> inheritRoutes(database::Transaction& transaction,
                                 std::vector<RouteUpgrade> upgrades);

// Every outdated route passes its cluster on, using one of its errors. Must run before a new
// version places its first error, so that it does not open a second cluster for a known fault.
drogon::Task<void> upgradeRoutes(database::Client& client, std::chrono::milliseconds deadline);

}  // namespace auth_errors::clusters
