// From hashes of an older version to today's: the new hash of an old fault leads where the old one
// does. So a cluster's state, and what people merged, split and decided, outlives the algorithm.
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

// A new hash that leads somewhere already is left as it is.
// REQUIRES: the caller holds the lock of the routes.
drogon::Task<void> inheritRoutes(database::Transaction& transaction,
                                 std::vector<RouteUpgrade> upgrades);

// Every outdated route hands its cluster on, by one of its errors. To be done before the first
// error is placed by a new version, so that it does not open a second cluster for a known fault.
drogon::Task<void> upgradeRoutes(database::Client& client, std::chrono::milliseconds deadline);

}  // namespace auth_errors::clusters
