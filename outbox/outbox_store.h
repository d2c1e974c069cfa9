// The outbox's rows on their way: claimed, finalised, taken over, swept. Every function is one
// statement (or one transaction) over many rows, judged by the database's clock. A claim's owner
// fences it: what another one has taken meanwhile is left alone.
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

// Due PENDING rows that nobody else is claiming, in the order of their ids.
drogon::Task<std::vector<ClaimedMessage>> claimMessages(database::Client& client, ClaimOwner owner,
                                                        std::int64_t limit,
                                                        database::Deadline deadline);

// How many of the rows are PUBLISHED by this instance now: those that were still the owner's, and
// those that an earlier run of the same, whose answer was lost, has changed.
drogon::Task<std::size_t> markPublished(database::Client& client, ClaimOwner owner,
                                        std::vector<domain::OutboxId> ids,
                                        domain::InstanceName instance, database::Deadline deadline);
// PENDING again as if never claimed: no attempt is spent. How many rows were still the owner's.
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

// Spends an attempt of each: PENDING with a later date, or DEAD with its dead letter.
drogon::Task<FailureCounts> markFailed(database::Client& client, ClaimOwner owner,
                                       std::vector<FailedPublication> failed,
                                       domain::RetryPolicy policy, domain::InstanceName instance,
                                       database::Deadline deadline);

// Rows that stay PROCESSING for longer than this go back to PENDING, whoever holds them.
drogon::Task<std::size_t> reapClaims(database::Client& client, std::chrono::milliseconds longest,
                                     std::int64_t limit, database::Deadline deadline);

struct SweepCounts {
  std::size_t looked = 0;    // published rows that came of age
  std::size_t missing = 0;   // of them: without a ledger row, and so published again
  std::size_t stranded = 0;  // published again because their ledger row got no further
};

// Whether many messages wait in the work queue. Then only what stood in front of an event that has
// reached the ledger is judged; the rest may be late and not lost.
enum class Backlog : std::uint8_t { no, yes };

// PUBLISHED rows that never reached the ledger, or whose ledger row has been overdue for longer
// than `grace`, go back to PENDING. One chunk; more may be left if `looked` reaches the limit.
drogon::Task<SweepCounts> sweepLost(database::Client& client, std::chrono::milliseconds grace,
                                    Backlog backlog, std::int64_t limit,
                                    database::Deadline deadline);

}  // namespace auth_errors::outbox
