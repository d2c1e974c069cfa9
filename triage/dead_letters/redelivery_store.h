// Sends the newest event of an error again, whatever became of it before: the way out for an error
// that waits for its analysis and does not get it. Belongs to the loop of the client it is given.
// An action is one transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/auth_error_status.h"
#include "domain/identity/ids.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"

namespace auth_errors::triage {

struct Redelivery {
  domain::ErrorId authErrorId;
  domain::OutboxId outboxId;
  std::string eventType;
  std::int32_t retryRound = 0;                       // the one that begins
  std::vector<domain::DeadLetterId> retriedLetters;  // of the event, which were open
};

struct RedeliveryRefusal {
  enum class Reason : std::uint8_t {
    unknown,
    analysed,      // the error is analysed, or has ended
    eventGone,     // the outbox has no event of it
    beingHandled,  // a consumer is at work on the event under a lease that still holds
  };
  Reason reason{};
  // analysed: the error's
  std::optional<domain::StoredName<domain::AuthErrorStatus>> currentStatus = {};
};

class RedeliveryStore {
 public:
  using Answer = domain::Answer<Redelivery, RedeliveryRefusal>;

  explicit RedeliveryStore(database::Client& client) : client_(client) {}

  // The event is PENDING again in the outbox and in the ledger, and of the next round; its open
  // letters are RETRIED.
  [[nodiscard]] drogon::Task<Answer> redeliver(domain::ErrorId authErrorId, std::string by,
                                               database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::triage
