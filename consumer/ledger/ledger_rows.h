// Updates the ledger row of an event that is resent or given up on. Runs in the caller's
// transaction. REQUIRES: the row of the event in outbox_message is locked.
#pragma once

#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"

namespace auth_errors::consumer {

// Affects DEAD rows, and rows of events that the outbox gave up on after an earlier copy was
// consumed. Does not change leases: they fence their owners, and the consumer of the new copy
// treats them like any other lease.
drogon::Task<void> reopenRow(database::Transaction& transaction, domain::OutboxId outboxId);

// Resets a row in any state to the event that has the outbox id now.
// REQUIRES: no lease holds.
drogon::Task<void> resetRow(database::Transaction& transaction, domain::OutboxId outboxId);

// Returns the rows that are now DEAD. The others are DONE or leased. Overwrites rows of other
// events that had the same id.
drogon::Task<std::vector<domain::OutboxId>> buryRows(database::Transaction& transaction,
                                                     std::vector<domain::OutboxId> outboxIds);

}  // namespace auth_errors::consumer
