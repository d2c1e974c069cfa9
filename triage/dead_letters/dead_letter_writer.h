// What the outbox and the consumer write when a delivery fails: the attempt, and the dead letter
// when it was the last. Inside the caller's transaction, so that state and story never disagree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/dead_letter.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"

namespace auth_errors::triage {

enum class DeliveryStage : std::uint8_t { publish, consume };
inline constexpr std::array<std::pair<DeliveryStage, std::string_view>, 2> kDeliveryStageNames{{
    {DeliveryStage::publish, "publish"},
    {DeliveryStage::consume, "consume"},
}};

constexpr const auto& namesOf(DeliveryStage /*any*/) { return kDeliveryStageNames; }
constexpr std::string_view toText(DeliveryStage stage) {
  return kDeliveryStageNames.at(static_cast<std::size_t>(stage)).second;
}

// SQL that inserts an attempt for each row of `rows`, a SELECT of outbox id, retry round, stage,
// attempt, error and instance.
std::string insertAttempts(std::string_view rows);

struct FailedAttempt {
  domain::OutboxId outboxId;
  std::int32_t attempt = 0;  // counted from 1
  std::string error;         // scrubbed here, and cut to what the table takes
};

drogon::Task<void> recordAttempts(database::Transaction& transaction, DeliveryStage stage,
                                  std::vector<FailedAttempt> attempts,
                                  domain::InstanceName instance);

struct DeadEvent {
  domain::OutboxId outboxId;
  // As the message has them, in case the outbox row has been cleaned up.
  std::string_view eventType;
  domain::ErrorId authErrorId;
  domain::DeadLetterReason reason{};
  std::string error;  // as in FailedAttempt
};

// Takes the event and its attempts from their tables. A letter of the same event and round that is
// there already stays as it is.
drogon::Task<void> recordDeadLetters(database::Transaction& transaction,
                                     domain::DeadLetterSource source,
                                     std::vector<DeadEvent> events);

// Scrubbed, without control characters, cut to 1,000 code points, never empty.
std::string storableError(std::string_view error);

}  // namespace auth_errors::triage
