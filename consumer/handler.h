// The handler of an event type: the part of the consumer that differs between events. Lives on the
// consumer's loop.
//
// It works in two steps. prepare() decides without effects: it may take long and may be repeated.
// The function it returns writes, inside the transaction that also sets the events to DONE, and
// only for the events whose lease is still held; if it throws, everything is rolled back. It
// returns in turn what to do after the commit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/auth_error_status.h"
#include "domain/events/event_descriptor.h"
#include "domain/identity/ids.h"
#include "platform/database/after_commit.h"
#include "platform/database/client.h"

namespace auth_errors::consumer {

struct EventInHand {
  domain::OutboxId outboxId;
  domain::ErrorId authErrorId;
  domain::AuthErrorStatus status{};
};

enum class OutcomeKind : std::uint8_t {
  done,    // apply() has something to write
  skip,    // correctly has no effect
  retry,   // failed, may succeed later
  reject,  // failed permanently
};

struct Outcome {
  OutcomeKind kind = OutcomeKind::done;
  std::string error;  // of retry and reject
};

struct Prepared {
  std::vector<Outcome> outcomes;  // one for each event
  // Called with those done events that are still leased to us.
  std::function<drogon::Task<database::AfterCommit>(database::Transaction&,
                                                    std::vector<EventInHand>)>
      apply;
};

class Handler {
 public:
  Handler() = default;
  virtual ~Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  Handler(Handler&&) = delete;
  Handler& operator=(Handler&&) = delete;

  [[nodiscard]] virtual const domain::EventDescriptor& event() const = 0;

  // Called before every prepare(), for work needed once before the first event; repeated calls have
  // no effect. An exception counts as retry, like one of prepare(); several events are then first
  // tried one by one.
  virtual drogon::Task<void> setUp() { co_return; }
  virtual drogon::Task<Prepared> prepare(std::vector<EventInHand> events) = 0;
};

}  // namespace auth_errors::consumer
