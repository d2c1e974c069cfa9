// The consumer's ledger: one row for each event, with a lease. Every function is one statement over
// many rows, judged by the database's clock. A lease's owner fences it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "outbox/identity/event_identity.h"
#include "platform/database/client.h"

namespace auth_errors::consumer {

// Unique for each batch across all processes; the same owner may take its leases again.
using LeaseOwner = domain::Name<struct LeaseOwnerTag>;

enum class LedgerState : std::uint8_t {
  leased,   // by us, just now
  held,     // by another one
  waiting,  // RETRY_WAIT and not yet due
  suspect,  // free, but a lease of it expired before: to be leased alone
  done,
  dead,
  foreign,    // the database has no such event
  elsewhere,  // another installation's
};

struct LedgerEntry {
  LedgerState state{};
  std::int32_t retryCount = 0;
  std::chrono::milliseconds rest{};  // until it is due, if it waits
};

// An event whose lease has once expired may be what killed its consumer. Among others it is left
// alone, so that it can't take them along again.
enum class Company : std::uint8_t { others, alone };

// Makes the rows that are missing and takes the lease of each that is free: PENDING, RETRY_WAIT and
// due, or, alone, PROCESSING with an expired lease, which spends an attempt. A row of another event
// that had the same outbox id becomes this event's. One entry for each event, in their order; of
// several that stand for the same outbox row one is leased, and the others find it held.
drogon::Task<std::vector<LedgerEntry>> takeLeases(database::Client& client, LeaseOwner owner,
                                                  std::vector<outbox::EventIdentity> events,
                                                  Company company, std::chrono::milliseconds lease,
                                                  domain::InstanceName instance,
                                                  database::Deadline deadline);

// Their state, unchanged. PENDING counts as held: someone else is about to take it.
drogon::Task<std::vector<LedgerEntry>> readLedger(database::Client& client,
                                                  std::vector<outbox::EventIdentity> events,
                                                  database::Deadline deadline);

// These return the ids that were still the owner's, sorted.
drogon::Task<std::vector<domain::OutboxId>> renewLeases(database::Client& client, LeaseOwner owner,
                                                        std::vector<domain::OutboxId> outboxIds,
                                                        std::chrono::milliseconds lease,
                                                        database::Deadline deadline);
// The first statement of every transaction that has effects, which apply to the returned ids only.
drogon::Task<std::vector<domain::OutboxId>> completeLeases(database::Transaction& transaction,
                                                           LeaseOwner owner,
                                                           std::vector<domain::OutboxId> outboxIds,
                                                           domain::InstanceName instance);
struct LeaseFailure {
  domain::OutboxId outboxId;
  std::int32_t retryCount = 0;                     // with this failure
  std::optional<std::chrono::milliseconds> delay;  // none: DEAD
};
drogon::Task<std::vector<domain::OutboxId>> failLeases(database::Transaction& transaction,
                                                       LeaseOwner owner,
                                                       std::vector<LeaseFailure> failures);
// PENDING again, no attempt spent: for a clean shutdown.
drogon::Task<std::vector<domain::OutboxId>> releaseLeases(database::Client& client,
                                                          LeaseOwner owner,
                                                          std::vector<domain::OutboxId> outboxIds,
                                                          database::Deadline deadline);

}  // namespace auth_errors::consumer
