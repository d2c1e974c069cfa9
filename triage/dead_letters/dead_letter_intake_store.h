// What was found in the broker's dead-letter queue, written down: events of ours, and messages of
// strangers. Inside the caller's transaction; each function is a few statements over many rows.
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

// A message that says it is an event of ours.
struct QueuedEvent {
  outbox::EventIdentity identity;
  std::int32_t retryRound = 0;
  domain::DeadLetterReason reason{};
  std::string error;  // made storable here
};

enum class QueuedEventFate : std::uint8_t {
  recorded,  // it has its letter, and its ledger row is DEAD
  stale,     // the event has gone on without this message: no letter
  foreign,   // it is not the event that the outbox has under its id, or the outbox has none
};

// One fate for each event, in their order.
//
// Stale is what is DONE, what a person has sent again since (the message is of an earlier round),
// and what is being worked on under a lease that still holds: another copy is under way, and its
// worker either completes it or writes the letter itself. Should that worker die, the sweeper sends
// the event again.
drogon::Task<std::vector<QueuedEventFate>> recordFromQueue(database::Transaction& transaction,
                                                           std::vector<QueuedEvent> events);

// Everything in it is scrubbed, cut and valid UTF-8 already.
struct ForeignMessage {
  std::array<std::byte, 32> digest{};  // tells it from all others
  domain::DeadLetterReason reason{};
  std::optional<std::string> error;
  std::optional<std::string> eventType;
  std::optional<std::string> body;
  std::optional<std::string> bodyEncoding;
  std::optional<std::string> headers;  // a JSON object
};

// Returns how many of them are new; the same content again makes no second letter.
drogon::Task<std::size_t> recordForeign(database::Transaction& transaction,
                                        std::vector<ForeignMessage> messages);

}  // namespace auth_errors::triage
