// Stores messages found in the broker's dead-letter queue: our own events and foreign messages.
// Inside the caller's transaction; each function is a few statements on many rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/dead_letter.h"
#include "outbox/identity/event_identity.h"
#include "platform/database/client.h"

namespace auth_errors::triage {

// A message that claims to be one of our events.
struct QueuedEvent {
  outbox::EventIdentity identity;
  std::int32_t retryRound = 0;
  domain::DeadLetterReason reason{};
  std::string error;  // made storable here
};

enum class QueuedEventFate : std::uint8_t {
  recorded,  // it has its dead letter, and its ledger row is DEAD
  stale,     // the event has progressed without this message: no dead letter
  foreign,   // not the event that the outbox has under its id, or the outbox has none
};

// One fate for each event, in order.
//
// A message is stale if its event is DONE, was resent manually since (the message is of an earlier
// round), or is being processed under a valid lease: another copy is in progress, and its worker
// either completes it or writes the dead letter itself. If that worker dies, the sweeper resends
// the event.
drogon::Task<std::vector<QueuedEventFate>> recordFromQueue(database::Transaction& transaction,
                                                           std::vector<QueuedEvent> events);

// Everything in it is already scrubbed, truncated and valid UTF-8.
struct ForeignMessage {
  std::array<std::byte, 32> digest{};  // distinguishes it from all others
  domain::DeadLetterReason reason{};
  std::optional<std::string> error;
  std::optional<std::string> eventType;
  std::optional<std::string> body;
  std::optional<std::string> bodyEncoding;
  std::optional<std::string> headers;  // a JSON object
};

// Returns the number of new ones; the same content creates no second dead letter.
drogon::Task<std::size_t> recordForeign(database::Transaction& transaction,
                                        std::vector<ForeignMessage> messages);

}  // namespace auth_errors::triage
