// Errors with an event that has come to its end, and dead letters, put into a database by plain
// SQL. Blocking; any one thread. The schema must be there.
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
  // Of a ledger row that is PROCESSING, from now on.
  std::string leaseLeft = "1 hour";
};
// NOLINTEND(readability-redundant-member-init)

struct PlantedEvent {
  domain::ErrorId authErrorId;
  domain::OutboxId outboxId;
};

PlantedEvent plantEvent(TestDatabase& database, const EventToPlant& event = {});

// The open letter of the event's round, with one attempt; returns its id.
domain::DeadLetterId plantLetter(TestDatabase& database, domain::OutboxId outboxId);
// The open letter of a stranger's message.
domain::DeadLetterId plantForeignLetter(TestDatabase& database, const std::string& body);

}  // namespace auth_errors::tests
