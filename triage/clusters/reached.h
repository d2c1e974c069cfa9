// SQL for the clusters reachable by merges and splits. Pure; usable from any thread.
#pragma once

#include <format>
#include <string>
#include <string_view>

namespace auth_errors::clusters {

// WITH RECURSIVE defining `reached (id)`: the clusters given by `start`, a set-returning
// expression, and all clusters that merges and splits may pass their errors to.
inline std::string reachedFrom(std::string_view start) {
  return std::format(R"(WITH RECURSIVE reached (id) AS (
  SELECT {}
  UNION
  SELECT next.id FROM reached CROSS JOIN LATERAL (
    SELECT merged_into AS id FROM cluster WHERE cluster.id = reached.id AND merged_into IS NOT NULL
    UNION ALL
    SELECT to_cluster_id FROM cluster_split WHERE from_cluster_id = reached.id) next
))",
                     start);
}

}  // namespace auth_errors::clusters
