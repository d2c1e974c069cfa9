// What merges and splits share: finding and locking their clusters, and the job that moves the
// errors. Runs in the caller's transaction.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"
#include "triage/clusters/move_store.h"
#include "triage/jobs/job.h"

namespace auth_errors::clusters {

template <typename T>
using MoveAnswer = MoveStore::Answer<T>;

// The cluster $source and those merged into it, directly or indirectly.
inline constexpr std::string_view kMergedIn = R"(WITH RECURSIVE merged_in (id) AS (
  SELECT $source::bigint
  UNION ALL
  SELECT c.id FROM cluster c JOIN merged_in ON c.merged_into = merged_in.id
))";

inline std::unexpected<MoveRefusal> refuse(MoveRefusal::Reason reason) {
  return std::unexpected(MoveRefusal{.reason = reason});
}

struct FoundCluster {
  domain::ClusterId id;
  std::string title;
  std::string state;
  std::optional<domain::ClusterId> mergedInto;
};

// The clusters in the order of the ids. Fails unless they are different and none was merged into
// another.
drogon::Task<MoveAnswer<std::vector<FoundCluster>>> findToMove(database::Transaction& transaction,
                                                               std::vector<domain::ClusterId> ids);

// With the exclusive routing lock, and with the clusters locked in the order of their ids.
drogon::Task<MoveAnswer<std::vector<FoundCluster>>> lockToMove(database::Transaction& transaction,
                                                               std::vector<domain::ClusterId> ids);

drogon::Task<jobs::Job> enqueueMove(database::Transaction& transaction, domain::ClusterId source,
                                    domain::ClusterId target, SplitChoice choice, MoveOrder order);

}  // namespace auth_errors::clusters
