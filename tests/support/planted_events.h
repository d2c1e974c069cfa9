// Errors with an event in its final state, and dead letters, planted by plain SQL. Blocking; any
// one thread. REQUIRES: the schema is migrated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  std::int64_t authErrorId = 0;
  std::int64_t outboxId = 0;
};

PlantedEvent plantEvent(TestDatabase& database, const EventToPlant& event = {});

// Plants the open letter of the event's round, with one attempt; returns its id.
std::int64_t plantLetter(TestDatabase& database, std::int64_t outboxId);
// Plants the open letter of a foreign message.
std::int64_t plantForeignLetter(TestDatabase& database, const std::string& body);

}  // namespace auth_errors::tests
