// Finds the first id of a time range. Pure; usable from any thread.
#pragma once

#include <format>
#include <string>
#include <string_view>

namespace auth_errors::triage {

// SQL for the first id received since then; one more than the last if there is none, NULL in an
// empty table. There is no index on the time of arrival, but ids increase with it, so a binary
// search takes some thirty lookups. A separate statement, because without the value the planner
// would estimate the bound as a third of the table. `from` is an id to start with.
inline std::string firstIdReceivedSince(std::string_view since, std::string_view from = "min(id)") {
  return std::format(R"(WITH RECURSIVE halving (low, high) AS (
  SELECT {1}, max(id) + 1 FROM auth_error
  UNION ALL
  SELECT CASE WHEN probe.received_at < {0} THEN probe.id + 1 ELSE low END,
         CASE WHEN probe.received_at < {0} THEN high ELSE (low + high) / 2 END
  FROM halving, LATERAL (SELECT id, received_at FROM auth_error
                         WHERE id >= (low + high) / 2 ORDER BY id LIMIT 1) AS probe
  WHERE low < high
)
SELECT max(low) FROM halving)",
                     since, from);
}

}  // namespace auth_errors::triage
