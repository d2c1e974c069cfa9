// Rules without an age, applied to errors that were analysed just now, inside the transaction that
// says so: of the enabled rules that mean an error the first decides. A fault of a rule is noted
// with it and leaves its errors analysed; it never fails the transaction.
#pragma once

#include <cstdint>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "triage/rules/rule_work.h"

namespace auth_errors::rules {

// The errors are in their clusters by now.
drogon::Task<RuleWork> applyRules(database::Transaction& transaction,
                                  std::vector<std::int64_t> authErrorIds,
                                  database::Deadline deadline);

}  // namespace auth_errors::rules
