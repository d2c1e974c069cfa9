// Errors with an event in its final state, and dead letters, planted by plain SQL. Blocking; any
// one thread. REQUIRES: the schema is migrated.
#pragma once

#include <optional>
#include <string>

#include "domain/identity/ids.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

// NOLINTBEGIN(readability-redundant-member-init): they let callers leave a member out.
struct EventToPlant {
  std::string errorStatus = "NEW";
  std::string outboxStatus = "DEAD";
  std::optional<std::string> ledgerStatus = {};
  std::string eventType = "auth.error.recorded.v1";
  // Time left on the lease of a ledger row that is PROCESSING.
  std::string leaseLeft = "1 hour";
};
// NOLINTEND(readability-redundant-member-init)

struct PlantedEvent {
  domain::ErrorId authErrorId;
  domain::OutboxId outboxId;
};

PlantedEvent plantEvent(TestDatabase& database, const EventToPlant& event = {});

// Plants the open letter of the event's round, with one attempt; returns its id.
domain::DeadLetterId plantLetter(TestDatabase& database, domain::OutboxId outboxId);
// Plants the open letter of a foreign message.
domain::DeadLetterId plantForeignLetter(TestDatabase& database, const std::string& body);

}  // namespace auth_errors::tests
