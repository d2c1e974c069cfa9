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

// Arbitrary keys, but the same in every version of the service.
enum class AdvisoryLock : std::int64_t {
  migrations = 0x617574682d657272,  // "auth-err"
  // Makes counting the rules and adding one atomic.
  makeRules = 0x61655f72756c6531,  // "ae_rule1"
  // One instance at a time adds up the deltas of rules.
  flushRules = 0x61655f72756c6573,  // "ae_rules"
  // One instance at a time analyses errors again.
  reanalysis = 0x61655f7265616e,  // "ae_rean"
  // Shared lock to place errors, exclusive lock to reroute them: no error is placed by a route that
  // has changed.
  routes = 0x61655f726f757465,  // "ae_route"
};

drogon::Task<void> lock(Transaction& transaction, AdvisoryLock which);
drogon::Task<void> lockShared(Transaction& transaction, AdvisoryLock which);
// Does not wait; returns whether the transaction has the lock until its end.
drogon::Task<bool> tryLock(Transaction& transaction, AdvisoryLock which);
// The same, until the end of the session.
drogon::Task<bool> tryLock(Session& session, AdvisoryLock which);

}  // namespace auth_errors::database
