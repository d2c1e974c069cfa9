// What rules did, noted in the transaction in which they did it and added up later: so their
// numbers are exact, and busy rules are no rows that everybody waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"

namespace auth_errors::rules {

struct RuleDelta {
  std::int64_t ruleId = 0;
  std::int32_t hits = 0;
  std::int32_t failures = 0;
  std::optional<std::string> failure;  // of the last one; any text that a person may see
};

drogon::Task<void> addDeltas(database::Transaction& transaction, std::vector<RuleDelta> deltas,
                             database::Deadline deadline);

// Adds the oldest deltas, at most so many, to their rules' numbers; returns how many they were. One
// caller at a time does so, whoever else comes meanwhile does nothing.
drogon::Task<std::size_t> flushDeltas(database::Client& client, std::int64_t rows,
                                      database::Deadline deadline);

}  // namespace auth_errors::rules
