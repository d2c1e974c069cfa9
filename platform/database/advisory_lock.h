// The advisory locks of the service, and the lock order of its transactions. Call on the loop of
// the transaction.
//
// Lock order, which prevents deadlocks; rows of one table are locked in the order of their ids:
//   rule, auth_error, routes, makeRules, cluster
//   outbox_message, processed_message, auth_error, dead_letter
// Locks that are only tried have no place in it, because nothing waits for them.
#pragma once

#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"

namespace auth_errors::database {

// Arbitrary keys, identical in every version of the service.
enum class AdvisoryLock : std::int64_t {
  migrations = 0x617574682d657272,  // "auth-err"
  // Makes counting the rules and adding one atomic.
  makeRules = 0x61655f72756c6531,  // "ae_rule1"
  // Only one instance at a time aggregates the deltas of rules.
  flushRules = 0x61655f72756c6573,  // "ae_rules"
  // Only one instance at a time re-analyses errors.
  reanalysis = 0x61655f7265616e,  // "ae_rean"
  // Shared lock to place errors, exclusive lock to reroute them, so that errors are never placed by
  // an outdated route.
  routes = 0x61655f726f757465,  // "ae_route"
};

drogon::Task<void> lock(Transaction& transaction, AdvisoryLock which);
drogon::Task<void> lockShared(Transaction& transaction, AdvisoryLock which);
// Does not wait; returns whether the lock was taken, until the end of the transaction.
drogon::Task<bool> tryLock(Transaction& transaction, AdvisoryLock which);
// Likewise, until the end of the session.
drogon::Task<bool> tryLock(Session& session, AdvisoryLock which);

}  // namespace auth_errors::database
