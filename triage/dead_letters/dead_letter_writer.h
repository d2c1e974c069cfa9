// Records failed deliveries for the outbox and the consumer: the attempt, and the dead letter if it
// was the last. Inside the caller's transaction, so that state and history always agree.
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
  std::string error;         // scrubbed here, and truncated to the column's limit
};

drogon::Task<void> recordAttempts(database::Transaction& transaction, DeliveryStage stage,
                                  std::vector<FailedAttempt> attempts,
                                  domain::InstanceName instance);

struct DeadEvent {
  domain::OutboxId outboxId;
  // From the message, in case the outbox row has been cleaned up.
  std::string_view eventType;
  domain::ErrorId authErrorId;
  domain::DeadLetterReason reason{};
  std::string error;  // see FailedAttempt
};

// Reads the event and its attempts from their tables. An existing dead letter of the same event and
// round is kept.
drogon::Task<void> recordDeadLetters(database::Transaction& transaction,
                                     domain::DeadLetterSource source,
                                     std::vector<DeadEvent> events);

// Scrubbed, without control characters, truncated to 1,000 code points, never empty.
std::string storableError(std::string_view error);

}  // namespace auth_errors::triage
