// Rules without an age, applied to errors that were just analysed, inside the transaction that
// records the analysis: the first enabled rule that matches an error decides on it. A rule's fault
// is recorded with the rule and leaves its errors analysed; it never fails the transaction.
#pragma once

#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"
#include "triage/rules/rule_work.h"

namespace auth_errors::rules {

// REQUIRES: the errors have been placed in their clusters.
drogon::Task<RuleWork> applyRules(database::Transaction& transaction,
                                  std::vector<domain::ErrorId> authErrorIds);

}  // namespace auth_errors::rules
