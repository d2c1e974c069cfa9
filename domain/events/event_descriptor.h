// The contract of each event: its type, and the key that makes it unique. Producer and consumer
// share it. Keys are built from the AuthError's id, never from a request id.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "domain/identity/ids.h"
#include "domain/values/traceparent.h"

namespace auth_errors::domain {

inline constexpr std::string_view kAuthErrorAggregate = "auth_error";

struct EventDescriptor {
  std::string_view aggregateType;
  std::string_view eventType;
  std::string_view keyPrefix;

  // The first round's key has no suffix; round n ≥ 2 appends ":n".
  [[nodiscard]] std::string idempotencyKey(ErrorId authErrorId, std::int32_t round = 1) const;
};

inline constexpr EventDescriptor kRecorded{.aggregateType = kAuthErrorAggregate,
                                           .eventType = "auth.error.recorded.v1",
                                           .keyPrefix = "auth_error:recorded:"};
inline constexpr EventDescriptor kAnalysisRequested{.aggregateType = kAuthErrorAggregate,
                                                    .eventType = "auth.error.analysis.requested.v1",
                                                    .keyPrefix = "auth_error:analysis_requested:"};

inline constexpr std::array kEventDescriptors = {kRecorded, kAnalysisRequested};

// Null for an event type that this version does not know.
constexpr const EventDescriptor* descriptorOf(std::string_view eventType) {
  const auto* found = std::ranges::find(kEventDescriptors, eventType, &EventDescriptor::eventType);
  return found == kEventDescriptors.end() ? nullptr : found;
}

// The keys of an event's JSON payload.
namespace payload_key {
inline constexpr std::string_view kAuthErrorId = "authErrorId";
inline constexpr std::string_view kRequestId = "requestId";
inline constexpr std::string_view kOccurredAt = "occurredAt";
inline constexpr std::string_view kRequestedAt = "requestedAt";
}  // namespace payload_key

// The headers of an event's message. The first three are required.
namespace event_header {
inline constexpr std::string_view kOutboxId = "outboxId";
inline constexpr std::string_view kEventType = "eventType";
inline constexpr std::string_view kAggregateType = "aggregateType";
// The one event that the outbox id stands for: ids, and with them idempotency keys, are given anew
// after a restore. Older versions send none.
inline constexpr std::string_view kEventId = "eventId";
// Whose event it is, where several installations share a broker by mistake. Older versions send
// none.
inline constexpr std::string_view kInstallationId = "installationId";
inline constexpr std::string_view kTraceparent = kTraceparentHeader;
// How often a person has sent the event again, if ever; tells an old copy from the present one.
inline constexpr std::string_view kRetryRound = "retryRound";
// Of a message in the dead-letter queue.
inline constexpr std::string_view kDeadLetterReason = "deadLetterReason";
inline constexpr std::string_view kDeadLetterError = "deadLetterError";
}  // namespace event_header

}  // namespace auth_errors::domain
