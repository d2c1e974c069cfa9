// State changes of outbox rows: claimed, finalised, taken over, swept. Every function is one
// statement (or one transaction) on many rows, using the database's clock. Claims are fenced by
// their owner: rows taken by another owner are not changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/retry/retry_policy.h"
#include "platform/database/client.h"
#include "platform/messaging/event_codec.h"

namespace auth_errors::outbox {

// Unique for each claim, not for each instance.
using ClaimOwner = domain::Name<struct ClaimOwnerTag>;

struct ClaimedMessage {
  messaging::OutgoingEvent event;
  std::int32_t retryCount = 0;
};

// Due PENDING rows that are not being claimed by others, in the order of their ids.
drogon::Task<std::vector<ClaimedMessage>> claimMessages(database::Client& client, ClaimOwner owner,
                                                        std::int64_t limit,
                                                        database::Deadline deadline);

// Returns the number of rows now PUBLISHED by this instance: those still claimed by the owner, and
// those changed by an earlier run of the same call, whose response was lost.
drogon::Task<std::size_t> markPublished(database::Client& client, ClaimOwner owner,
                                        std::vector<domain::OutboxId> ids,
                                        domain::InstanceName instance, database::Deadline deadline);
// Back to PENDING as if never claimed, without costing an attempt. Returns the number of rows still
// claimed by the owner.
drogon::Task<std::size_t> handBack(database::Client& client, ClaimOwner owner,
                                   std::vector<domain::OutboxId> ids, database::Deadline deadline);

struct FailedPublication {
  domain::OutboxId id;
  std::int32_t retryCount = 0;  // before this failure
  std::string error;
};

struct FailureCounts {
  std::size_t retried = 0;
  std::size_t dead = 0;
};

// Costs an attempt of each: PENDING with a later due time, or DEAD with a dead letter.
drogon::Task<FailureCounts> markFailed(database::Client& client, ClaimOwner owner,
                                       std::vector<FailedPublication> failed,
                                       domain::RetryPolicy policy, domain::InstanceName instance,
                                       database::Deadline deadline);

// Rows that stay PROCESSING for longer than this go back to PENDING, regardless of their owner.
drogon::Task<std::size_t> reapClaims(database::Client& client, std::chrono::milliseconds longest,
                                     std::int64_t limit, database::Deadline deadline);

struct SweepCounts {
  std::size_t looked = 0;    // published rows that became old enough
  std::size_t missing = 0;   // of these: without a ledger row, and therefore republished
  std::size_t stranded = 0;  // republished because their ledger row made no progress
};

// Whether many messages are in the work queue. Then only messages that were ahead of an event in
// the ledger are examined; the others may be late rather than lost.
enum class Backlog : std::uint8_t { no, yes };

// PUBLISHED rows that never reached the ledger, or whose ledger row has been overdue for longer
// than `grace`, go back to PENDING. One chunk; there may be more if `looked` reaches the limit.
drogon::Task<SweepCounts> sweepLost(database::Client& client, std::chrono::milliseconds grace,
                                    Backlog backlog, std::int64_t limit,
                                    database::Deadline deadline);

}  // namespace auth_errors::outbox
