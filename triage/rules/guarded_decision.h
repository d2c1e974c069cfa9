// Work for a rule inside a transaction that must go on whatever becomes of it: behind a savepoint
// and with a limit on its time, so that a fault leaves nothing of it but its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "triage/errors/decisions.h"

namespace auth_errors::rules {

// What the work failed with. Throws what is no fault of the work and may pass: an outage, a
// conflict.
drogon::Task<std::optional<std::string>> runGuarded(database::Transaction& transaction,
                                                    std::function<drogon::Task<void>()> work,
                                                    database::Deadline deadline);

struct Deciding {
  std::size_t decided = 0;
  std::size_t failed = 0;
  std::optional<std::string> failure;  // of the last that failed
};

// Until when a caller with this deadline may let rules decide: half of its time, for it has more to
// do.
database::Deadline patienceUntil(database::Deadline deadline);

// Errors that can't be decided on together are tried in halves, so that one that fails stands
// alone; but nothing is begun after `patience`, which all rules of a transaction share. The errors
// that failed are as they were.
drogon::Task<Deciding> decideGuarded(database::Transaction& transaction, triage::Verdict verdict,
                                     std::vector<std::int64_t> authErrorIds,
                                     database::Deadline patience, database::Deadline deadline);

}  // namespace auth_errors::rules
