// The consumer's ledger: one row for each event, with a lease. Every function is one statement on
// many rows, using the database's clock. Leases are fenced by their owner.
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
  leased,   // to us, just now
  held,     // by another owner
  waiting,  // RETRY_WAIT and not yet due
  suspect,  // free, but its lease expired before: must be leased alone
  done,
  dead,
  foreign,    // the database has no such event
  elsewhere,  // belongs to another installation
};

struct LedgerEntry {
  LedgerState state{};
  std::int32_t retryCount = 0;
  std::chrono::milliseconds rest{};  // until it is due, if waiting
};

// An event whose lease has expired may have crashed its consumer. It is not leased together with
// others, so that it cannot fail them too.
enum class Company : std::uint8_t { others, alone };

// Creates missing rows and leases each one that is free: PENDING, RETRY_WAIT and due, or, alone,
// PROCESSING with an expired lease, which costs an attempt. A row of another event that had the
// same outbox id becomes this event's. Returns one entry for each event, in order; if several have
// the same outbox row, one gets the lease and the others find it held.
drogon::Task<std::vector<LedgerEntry>> takeLeases(database::Client& client, LeaseOwner owner,
                                                  std::vector<outbox::EventIdentity> events,
                                                  Company company, std::chrono::milliseconds lease,
                                                  domain::InstanceName instance,
                                                  database::Deadline deadline);

// Reads their state without changing it. PENDING counts as held: another consumer is about to lease
// it.
drogon::Task<std::vector<LedgerEntry>> readLedger(database::Client& client,
                                                  std::vector<outbox::EventIdentity> events,
                                                  database::Deadline deadline);

// These return the ids that were still leased to the owner, sorted.
drogon::Task<std::vector<domain::OutboxId>> renewLeases(database::Client& client, LeaseOwner owner,
                                                        std::vector<domain::OutboxId> outboxIds,
                                                        std::chrono::milliseconds lease,
                                                        database::Deadline deadline);
// The first statement of every transaction with effects, which only apply to the returned ids.
drogon::Task<std::vector<domain::OutboxId>> completeLeases(database::Transaction& transaction,
                                                           LeaseOwner owner,
                                                           std::vector<domain::OutboxId> outboxIds,
                                                           domain::InstanceName instance);
struct LeaseFailure {
  domain::OutboxId outboxId;
  std::int32_t retryCount = 0;                     // including this failure
  std::optional<std::chrono::milliseconds> delay;  // none: DEAD
};
drogon::Task<std::vector<domain::OutboxId>> failLeases(database::Transaction& transaction,
                                                       LeaseOwner owner,
                                                       std::vector<LeaseFailure> failures);
// Back to PENDING, without costing an attempt: for a clean shutdown.
drogon::Task<std::vector<domain::OutboxId>> releaseLeases(database::Client& client,
                                                          LeaseOwner owner,
                                                          std::vector<domain::OutboxId> outboxIds,
                                                          database::Deadline deadline);

}  // namespace auth_errors::consumer
