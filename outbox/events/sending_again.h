// An event on its way once more, from the beginning of its next round. In the caller's transaction.
// REQUIRES: the event's row is locked.
#pragma once

#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"

namespace auth_errors::outbox {

// One that is DEAD or PUBLISHED; any other is left alone.
drogon::Task<void> sendAgain(database::Transaction& transaction, domain::OutboxId outboxId);
// In whatever state it is; returns the number of the round.
drogon::Task<std::int32_t> redeliver(database::Transaction& transaction, domain::OutboxId outboxId);

}  // namespace auth_errors::outbox
