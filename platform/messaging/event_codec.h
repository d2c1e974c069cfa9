// Encodes and decodes events as messages, for both producer and consumer. Pure.
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

// An event as stored in the outbox.
struct OutgoingEvent {
  domain::OutboxId outboxId;
  std::optional<domain::EventId> eventId = std::nullopt;  // absent in rows of older versions
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
  std::optional<domain::EventId> eventId;                // absent in messages of older versions
  std::optional<domain::InstallationId> installationId;  // likewise
  std::string messageId;  // the idempotency key; empty if it cannot be one of ours
  const domain::EventDescriptor* descriptor = nullptr;
  domain::ErrorId authErrorId;
};

// A fault that a retry cannot fix.
struct PermanentFault {
  domain::DeadLetterReason reason{};
  std::string error;
};

std::expected<IncomingEvent, PermanentFault> decodeEvent(const Message& message);

// Nothing if the message has no installation id, or one that cannot be ours because it is not text.
std::optional<domain::InstallationId> readInstallationId(const Message& message);

// The message's event id, if it has one; a fault if it is not valid.
std::expected<std::optional<domain::EventId>, PermanentFault> readEventId(const Message& message);

// Empty if the text cannot equal any of ours, which are UTF-8 without NUL and can therefore be
// passed to a statement.
std::string comparableText(std::string text);

// The authErrorId of an event's payload.
std::expected<domain::ErrorId, PermanentFault> readAuthErrorId(std::string_view payload);

// The copy for the dead-letter queue, with the reason.
Message withReason(Message message, domain::DeadLetterReason reason, std::string_view error);

}  // namespace auth_errors::messaging
