// The advisory locks of PostgreSQL that the service takes, and the order in which a transaction
// takes its locks. Belongs to the loop of the transaction it is given.
//
// Lock order, so that no two transactions wait for each other; rows of one table in the order of
// their ids:
//   rule, auth_error, routes, makeRules, cluster
//   outbox_message, processed_message, auth_error, dead_letter
// Locks that are only tried have no place in it: nobody waits for them.
#pragma once

#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"

namespace auth_errors::database {

// Any keys do, as long as every version of the service uses the same ones.
enum class AdvisoryLock : std::int64_t {
  migrations = 0x617574682d657272,  // "auth-err"
  // One at a time counts the rules and adds one.
  makeRules = 0x61655f72756c6531,  // "ae_rule1"
  // One instance at a time adds up what rules did.
  flushRules = 0x61655f72756c6573,  // "ae_rules"
  // One instance at a time analyses errors again.
  reanalysis = 0x61655f7265616e,  // "ae_rean"
  // Shared to place errors, exclusive to change where they go: nothing is placed by a route that
  // has changed meanwhile.
  routes = 0x61655f726f757465,  // "ae_route"
};

drogon::Task<void> lock(Transaction& transaction, AdvisoryLock which);
drogon::Task<void> lockShared(Transaction& transaction, AdvisoryLock which);
// Without waiting; whether the lock is there now, until the end of the transaction.
drogon::Task<bool> tryLock(Transaction& transaction, AdvisoryLock which);
// The same until the end of the session.
drogon::Task<bool> tryLock(Session& session, AdvisoryLock which);

}  // namespace auth_errors::database
