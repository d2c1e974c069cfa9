// Resends an event, in its next round. Runs in the caller's transaction. REQUIRES: the row of the
// event is locked.
#pragma once

#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"

namespace auth_errors::outbox {

// Only affects a DEAD or PUBLISHED event.
drogon::Task<void> sendAgain(database::Transaction& transaction, domain::OutboxId outboxId);
// Affects an event in any state; returns the number of the round.
drogon::Task<std::int32_t> redeliver(database::Transaction& transaction, domain::OutboxId outboxId);

}  // namespace auth_errors::outbox
