// Merges one cluster into another, and previews it. Runs in the caller's transaction.
#pragma once

#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "triage/clusters/clusters_to_move.h"

namespace auth_errors::clusters {

drogon::Task<MoveAnswer<jobs::Job>> mergeIn(database::Transaction& transaction,
                                            domain::ClusterId source, domain::ClusterId target,
                                            MoveOrder order);

drogon::Task<MoveAnswer<MergePreview>> previewMergeIn(database::Transaction& transaction,
                                                      domain::ClusterId source,
                                                      domain::ClusterId target);

}  // namespace auth_errors::clusters
