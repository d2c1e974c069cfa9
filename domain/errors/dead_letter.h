// The vocabulary of dead letters: messages that the system has given up on, waiting for a manual
// decision. JSON and SQL share the names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "domain/errors/auth_error_transitions.h"

namespace auth_errors::domain {

enum class DeadLetterStatus : std::uint8_t { open, retried, resolved };
inline constexpr std::array<std::pair<DeadLetterStatus, std::string_view>, 3>
    kDeadLetterStatusNames{{
        {DeadLetterStatus::open, "OPEN"},
        {DeadLetterStatus::retried, "RETRIED"},
        {DeadLetterStatus::resolved, "RESOLVED"},
    }};

// The part of the system that gave up.
enum class DeadLetterSource : std::uint8_t { outbox, consumer, queue };
inline constexpr std::array<std::pair<DeadLetterSource, std::string_view>, 3>
    kDeadLetterSourceNames{{
        {DeadLetterSource::outbox, "outbox"},
        {DeadLetterSource::consumer, "consumer"},
        {DeadLetterSource::queue, "queue"},  // found in the broker's dead-letter queue
    }};

enum class DeadLetterReason : std::uint8_t {
  retriesExhausted,
  missingHeader,
  malformedPayload,
  missingAuthErrorId,
  unknownEventType,
  unknownAggregateType,
  unknownAuthError,
  rejected,
  deliveryLimit,
  foreign,
  foreignEvent,
};
inline constexpr std::array<std::pair<DeadLetterReason, std::string_view>, 11>
    kDeadLetterReasonNames{{
        {DeadLetterReason::retriesExhausted, "retries_exhausted"},
        {DeadLetterReason::missingHeader, "missing_header"},
        {DeadLetterReason::malformedPayload, "malformed_payload"},
        {DeadLetterReason::missingAuthErrorId, "missing_auth_error_id"},
        {DeadLetterReason::unknownEventType, "unknown_event_type"},
        {DeadLetterReason::unknownAggregateType, "unknown_aggregate_type"},
        {DeadLetterReason::unknownAuthError, "unknown_auth_error"},
        {DeadLetterReason::rejected, "rejected"},             // by its handler
        {DeadLetterReason::deliveryLimit, "delivery_limit"},  // by the broker
        {DeadLetterReason::foreign, "foreign"},  // published to the queue by another program
        // Differs from the event that the database has under its outbox id.
        {DeadLetterReason::foreignEvent, "foreign_event"},
    }};

// A manual decision that ends an AuthError that was never analysed.
enum class DeadLetterDecision : std::uint8_t { fail, resolve, ignore };
struct DeadLetterDecisionRow {
  DeadLetterDecision decision;
  std::string_view name;
  StatusEvent event;
};
inline constexpr std::array<DeadLetterDecisionRow, 3> kDeadLetterDecisions{{
    {DeadLetterDecision::fail, "FAIL", StatusEvent::deadLetterFailed},
    {DeadLetterDecision::resolve, "RESOLVE", StatusEvent::deadLetterResolved},
    {DeadLetterDecision::ignore, "IGNORE", StatusEvent::deadLetterIgnored},
}};

constexpr const DeadLetterDecisionRow& rowOf(DeadLetterDecision decision) {
  return kDeadLetterDecisions.at(static_cast<std::size_t>(decision));
}

constexpr const auto& namesOf(DeadLetterStatus /*any*/) { return kDeadLetterStatusNames; }
constexpr const auto& namesOf(DeadLetterSource /*any*/) { return kDeadLetterSourceNames; }
constexpr const auto& namesOf(DeadLetterReason /*any*/) { return kDeadLetterReasonNames; }

constexpr std::string_view toText(DeadLetterStatus status) {
  return kDeadLetterStatusNames.at(static_cast<std::size_t>(status)).second;
}
constexpr std::string_view toText(DeadLetterSource source) {
  return kDeadLetterSourceNames.at(static_cast<std::size_t>(source)).second;
}
constexpr std::string_view toText(DeadLetterReason reason) {
  return kDeadLetterReasonNames.at(static_cast<std::size_t>(reason)).second;
}

}  // namespace auth_errors::domain
