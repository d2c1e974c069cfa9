// Splits a new cluster off another, and previews it. Runs in the caller's transaction.
#pragma once

#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "triage/clusters/clusters_to_move.h"

namespace auth_errors::clusters {

// Searches for the errors to move before it takes the routing lock: the search may take seconds,
// during which no error could be placed.
drogon::Task<MoveAnswer<SplitMade>> splitIn(database::Transaction& transaction,
                                            domain::ClusterId source, SplitChoice choice,
                                            MoveOrder order);

drogon::Task<MoveAnswer<SplitPreview>> previewSplitIn(database::Transaction& transaction,
                                                      domain::ClusterId source, SplitChoice choice);

}  // namespace auth_errors::clusters
