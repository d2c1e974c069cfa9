// Where in the ids a time begins. Pure; any thread.
#pragma once

#include <format>
#include <string>
#include <string_view>

namespace auth_errors::triage {

// SQL for the first id that was received since then; one more than the last if there is none, NULL
// in an empty table. Ids rise with the time of arrival, by which no index is, so it is searched for
// by halving, in some thirty look-ups. A statement of its own, because a planner that does not see
// the id takes the bound for a third of the table. `from` is an id to begin with.
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
