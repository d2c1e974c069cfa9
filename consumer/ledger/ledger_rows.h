// What becomes of an event's row in the ledger when the event is sent again or given up on. In the
// caller's transaction, whose locks come in the order outbox_message, processed_message.
#pragma once

#include <cstdint>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"

namespace auth_errors::consumer {

// Beside DEAD there may be a row whose event died on the way to the broker after an earlier copy of
// it was taken. A lease is left alone: its owner is fenced by it, and the consumer of the new copy
// treats it as any other.
drogon::Task<void> reopenRow(database::Transaction& transaction, std::int64_t outboxId);

// In whatever state it is, and of the event that has the outbox id by now.
// REQUIRES: no lease holds.
drogon::Task<void> resetRow(database::Transaction& transaction, std::int64_t outboxId);

// Returns the rows that are DEAD now. The others are DONE or under a lease. A row of another event
// that had the same id is no hindrance.
drogon::Task<std::vector<std::int64_t>> buryRows(database::Transaction& transaction,
                                                 std::vector<std::int64_t> outboxIds);

}  // namespace auth_errors::consumer
