// Work for a rule inside a transaction that must go on even if the work fails: behind a savepoint
// and with a time limit, so that a fault leaves nothing behind but its text.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"
#include "triage/errors/decisions.h"

namespace auth_errors::rules {

// Returns the failure of the work. Throws errors that are not the work's fault and may pass: an
// outage, a conflict.
drogon::Task<std::optional<std::string>> runGuarded(database::Transaction& transaction,
                                                    std::function<drogon::Task<void>()> work);

struct Deciding {
  std::size_t decided = 0;
  std::size_t failed = 0;
  std::optional<std::string> failure;  // of the last that failed
};

// Time budget for rules: half of what is left until the deadline.
database::Deadline patienceUntil(database::Deadline deadline);

// Errors that can't be decided on together are tried in halves, to isolate the one that fails. No
// attempt starts after `patience`, which all rules of a transaction share. Errors that failed stay
// as they were.
drogon::Task<Deciding> decideGuarded(database::Transaction& transaction, triage::Verdict verdict,
                                     std::vector<domain::ErrorId> authErrorIds,
                                     database::Deadline patience);

}  // namespace auth_errors::rules
