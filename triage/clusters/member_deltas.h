// Memberships as changes of numbers, as SQL: the statement that makes or ends memberships writes
// these rows in the same transaction, and the flusher adds them up. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::clusters {

// One row for each (cluster_id, auth_error_id, stack_hash) of `source`, a table or CTE with these
// columns; `change` is 1 or -1. The hash is the one by which the membership is counted, which may
// be older than the error's own: what is taken away must be what was added.
std::string insertDeltas(std::string_view source, int change);

}  // namespace auth_errors::clusters
