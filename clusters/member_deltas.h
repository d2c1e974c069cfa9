// Memberships as changes of numbers, as SQL: whoever makes or ends memberships writes these rows in
// the same transaction, and the flusher adds them up. Pure.
#pragma once

#include <string>
#include <string_view>

namespace auth_errors::clusters {

// One row for each (cluster_id, auth_error_id) of `source`, a table or CTE; `change` is 1 or -1.
// `stackHash` is an expression over the AuthError `e`.
std::string insertDeltas(std::string_view source, int change,
                         std::string_view stackHash = "e.stack_hash");

}  // namespace auth_errors::clusters
