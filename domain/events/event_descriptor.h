// The contract of each event: its type and its unique key, shared by producer and consumer. Keys
// are built from the AuthError's id, never from a request id.
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

// Null for an event type unknown to this version.
constexpr const EventDescriptor* descriptorOf(std::string_view eventType) {
  const auto* found = std::ranges::find(kEventDescriptors, eventType, &EventDescriptor::eventType);
  return found == kEventDescriptors.end() ? nullptr : found;
}

// Keys of an event's JSON payload.
namespace payload_key {
inline constexpr std::string_view kAuthErrorId = "authErrorId";
inline constexpr std::string_view kRequestId = "requestId";
inline constexpr std::string_view kOccurredAt = "occurredAt";
inline constexpr std::string_view kRequestedAt = "requestedAt";
}  // namespace payload_key

// Headers of an event's message. The first three are required.
namespace event_header {
inline constexpr std::string_view kOutboxId = "outboxId";
inline constexpr std::string_view kEventType = "eventType";
inline constexpr std::string_view kAggregateType = "aggregateType";
// Identifies the event beyond its outbox id, because ids, and with them idempotency keys, are
// reassigned after a restore. Older versions do not send it.
inline constexpr std::string_view kEventId = "eventId";
// The installation that the event belongs to, in case several share a broker by mistake. Older
// versions do not send it.
inline constexpr std::string_view kInstallationId = "installationId";
inline constexpr std::string_view kTraceparent = kTraceparentHeader;
// How many times the event was resent manually, if at all; distinguishes an old copy from the
// current one.
inline constexpr std::string_view kRetryRound = "retryRound";
// Header of messages in the dead-letter queue.
inline constexpr std::string_view kDeadLetterReason = "deadLetterReason";
inline constexpr std::string_view kDeadLetterError = "deadLetterError";
}  // namespace event_header

}  // namespace auth_errors::domain
