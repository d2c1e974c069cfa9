// An event as a message: what the producer writes and the consumer reads, in one place. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "domain/errors/dead_letter.h"
#include "domain/events/event_descriptor.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/messaging/message.h"

namespace auth_errors::messaging {

// An event as the outbox holds it.
struct OutgoingEvent {
  domain::OutboxId outboxId;
  std::optional<domain::EventId> eventId = std::nullopt;  // rows of older versions have none
  std::optional<domain::InstallationId> installationId = std::nullopt;
  std::int32_t retryRound = 0;
  std::string aggregateType;
  std::string eventType;
  std::string idempotencyKey;
  std::string payload;         // JSON
  std::int64_t createdAt = 0;  // seconds since 1970
  std::optional<std::string> traceparent;
};

Message encodeEvent(OutgoingEvent event);

struct IncomingEvent {
  domain::OutboxId outboxId;
  std::optional<domain::EventId> eventId;                // messages of older versions have none
  std::optional<domain::InstallationId> installationId;  // likewise
  std::string messageId;  // the idempotency key; empty if it is none that we write
  const domain::EventDescriptor* descriptor = nullptr;
  domain::ErrorId authErrorId;
};

// A fault that no retry mends.
struct PermanentFault {
  domain::DeadLetterReason reason{};
  std::string error;
};

std::expected<IncomingEvent, PermanentFault> decodeEvent(const Message& message);

// Nothing if the message names none; what is no text names none that is ours.
std::optional<domain::InstallationId> readInstallationId(const Message& message);

// The event's id if the message has one; a fault if what it has is none.
std::expected<std::optional<domain::EventId>, PermanentFault> readEventId(const Message& message);

// Empty if no text of ours can be equal to it: ours is UTF-8 without NUL, and so fit for a
// statement.
std::string comparableText(std::string text);

// The authErrorId of an event's payload.
std::expected<domain::ErrorId, PermanentFault> readAuthErrorId(std::string_view payload);

// The copy that goes to the dead-letter queue, which says why.
Message withReason(Message message, domain::DeadLetterReason reason, std::string_view error);

}  // namespace auth_errors::messaging
