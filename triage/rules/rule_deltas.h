// The effects of rules, recorded in the transaction that made them and aggregated later: the counts
// are exact, and hot rules cause no row contention.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"

namespace auth_errors::rules {

struct RuleDelta {
  domain::RuleId ruleId;
  std::int32_t hits = 0;
  std::int32_t failures = 0;
  std::optional<std::string> failure;  // of the last one; safe to display
};

drogon::Task<void> addDeltas(database::Transaction& transaction, std::vector<RuleDelta> deltas);

// Adds the oldest deltas, at most `rows`, to their rules' counts; returns how many there were. Does
// nothing while another caller is at it.
drogon::Task<std::size_t> flushDeltas(database::Client& client, std::int64_t rows,
                                      database::Deadline deadline);

}  // namespace auth_errors::rules
