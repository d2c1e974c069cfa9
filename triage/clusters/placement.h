// Places analysed errors in the clusters that their hashes are routed to, in the caller's
// transaction: a new hash creates a new cluster, and a new error in a RESOLVED one makes it
// REGRESSED. An error that is already in its cluster, or was moved to one manually, stays there and
// is counted by its current hash.
#pragma once

#include <cstdint>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "triage/clusters/fault.h"

namespace auth_errors::clusters {

struct AnalysedError {
  domain::ErrorId authErrorId;
  Fault fault;
};

// `instance` is recorded as the author if a new error changes a cluster's state. REQUIRES: the
// errors' rows are locked and have their hashes.
drogon::Task<void> placeErrors(database::Transaction& transaction,
                               std::vector<AnalysedError> errors, domain::InstanceName instance);

// The clusters that errors routed to these clusters belong to, after later splits and merges, in
// the order of the given ids. REQUIRES: the caller holds the routing lock.
drogon::Task<std::vector<domain::ClusterId>> destinationsFrom(
    database::Transaction& transaction, domain::ClusterId clusterId,
    std::vector<domain::ErrorId> authErrorIds);

}  // namespace auth_errors::clusters
