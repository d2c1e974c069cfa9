// SQL that records changes of membership as deltas: the statement that creates or ends memberships
// writes these rows in the same transaction, and the flusher aggregates them. Pure; usable from any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::clusters {

// One row for each (cluster_id, auth_error_id, stack_hash) of `source`, a table or CTE with these
// columns; `change` is 1 or -1. The hash is the one that the membership is counted by, which may be
// older than the error's own: the subtracted delta must match the added one.
std::string insertDeltas(std::string_view source, int change);

}  // namespace auth_errors::clusters
