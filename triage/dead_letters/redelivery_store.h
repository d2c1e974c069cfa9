// Resends the newest event of an error, whatever happened to it: the remedy for an error that is
// stuck before its analysis. Belongs to the loop of the given client. An action is one transaction.
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
  std::int32_t retryRound = 0;                       // the new round
  std::vector<domain::DeadLetterId> retriedLetters;  // of the event, which were open
};

struct RedeliveryRefusal {
  enum class Reason : std::uint8_t {
    unknown,
    analysed,      // the error is analysed, or in a final status
    eventGone,     // the outbox has no event of the error
    beingHandled,  // a consumer is processing the event under a valid lease
  };
  Reason reason{};
  // analysed: the error's
  std::optional<domain::StoredName<domain::AuthErrorStatus>> currentStatus = {};
};

class RedeliveryStore {
 public:
  using Answer = domain::Answer<Redelivery, RedeliveryRefusal>;

  explicit RedeliveryStore(database::Client& client) : client_(client) {}

  // Sets the event to PENDING in the outbox and in the ledger, in the next round, and its open dead
  // letters to RETRIED.
  [[nodiscard]] drogon::Task<Answer> redeliver(domain::ErrorId authErrorId, std::string by,
                                               database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::triage
