// Puts analysed errors into the clusters that their hashes lead to, in the caller's transaction: a
// new hash makes a new cluster, a new error in a RESOLVED one makes it REGRESSED, and an error that
// is in its cluster already, or was put into one by a person, stays there and is counted by its
// hash of now.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "triage/clusters/fault.h"

namespace auth_errors::clusters {

// Held in common by whoever places errors, alone by whoever changes where they go: so nothing is
// placed by a route that has changed meanwhile.
inline constexpr std::int64_t kRoutingLock = 0x61655f726f757465;  // "ae_route"
drogon::Task<void> lockRoutes(database::Transaction& transaction, database::Deadline deadline);
drogon::Task<void> lockRoutesAlone(database::Transaction& transaction, database::Deadline deadline);

struct AnalysedError {
  std::int64_t authErrorId = 0;
  Fault fault;
};

// The errors' rows have their hashes by now, and are locked. `instance` is named where a new error
// changes a cluster's state.
drogon::Task<void> placeErrors(database::Transaction& transaction,
                               std::vector<AnalysedError> errors, std::string instance,
                               database::Deadline deadline);

// Where errors that come to this cluster belong, over what people have split and merged since, in
// the order of the given ids. The caller holds the routes.
drogon::Task<std::vector<std::int64_t>> destinationsFrom(database::Transaction& transaction,
                                                         std::int64_t clusterId,
                                                         std::vector<std::int64_t> authErrorIds,
                                                         database::Deadline deadline);

}  // namespace auth_errors::clusters
