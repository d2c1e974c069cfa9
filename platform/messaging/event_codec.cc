#include "platform/messaging/event_codec.h"

#include <algorithm>
#include <utility>

#include <json/value.h>

#include "domain/values/utf8.h"
#include "domain/values/uuid.h"
#include "platform/encoding/json_reader.h"

namespace auth_errors::messaging {
namespace {

namespace header = domain::event_header;
using domain::DeadLetterReason;

std::unexpected<PermanentFault> fault(DeadLetterReason reason, std::string error) {
  return std::unexpected(PermanentFault{.reason = reason, .error = std::move(error)});
}

void setHeader(Message& message, std::string_view name, std::string_view value) {
  std::erase_if(message.headers, [name](const auto& entry) { return entry.first == name; });
  message.headers.emplace_back(name, std::string(value));
}

bool hasHeader(const Message& message, std::string_view name) {
  return std::ranges::contains(message.headers, name, &Headers::value_type::first);
}

}  // namespace

Message encodeEvent(OutgoingEvent event) {
  Message message{
      .messageId = std::move(event.idempotencyKey),
      .type = event.eventType,
      .contentType = "application/json",
      .timestamp = event.createdAt,
      .headers = {{std::string(header::kOutboxId), event.outboxId.value()},
                  {std::string(header::kEventType), std::move(event.eventType)},
                  {std::string(header::kAggregateType), std::move(event.aggregateType)}},
      .body = std::move(event.payload)};
  if (event.eventId) {
    message.headers.emplace_back(header::kEventId, event.eventId->text());
  }
  if (event.installationId) {
    message.headers.emplace_back(header::kInstallationId, event.installationId->text());
  }
  if (event.retryRound > 0) {
    message.headers.emplace_back(header::kRetryRound, std::int64_t{event.retryRound});
  }
  if (event.traceparent) {
    message.headers.emplace_back(header::kTraceparent, *std::move(event.traceparent));
  }
  return message;
}

std::expected<IncomingEvent, PermanentFault> decodeEvent(const Message& message) {
  const auto outboxId = message.integer(header::kOutboxId);
  const auto eventType = message.text(header::kEventType);
  const auto aggregateType = message.text(header::kAggregateType);
  if (!outboxId || *outboxId < 1 || !eventType || !aggregateType) {
    return fault(
        DeadLetterReason::missingHeader,
        "the headers outboxId (a positive integer), eventType and aggregateType are required");
  }
  const domain::EventDescriptor* descriptor = domain::descriptorOf(*eventType);
  if (descriptor == nullptr) {
    return fault(DeadLetterReason::unknownEventType, "the event type is unknown to this version");
  }
  if (*aggregateType != descriptor->aggregateType) {
    return fault(DeadLetterReason::unknownAggregateType,
                 "the aggregate type is not that of the event type");
  }
  const auto authErrorId = readAuthErrorId(message.body);
  if (!authErrorId) {
    return std::unexpected(authErrorId.error());
  }
  auto eventId = readEventId(message);
  if (!eventId) {
    return std::unexpected(std::move(eventId.error()));
  }
  return IncomingEvent{.outboxId = domain::OutboxId(*outboxId),
                       .eventId = *std::move(eventId),
                       .installationId = readInstallationId(message),
                       .messageId = comparableText(message.messageId),
                       .descriptor = descriptor,
                       .authErrorId = *authErrorId};
}

std::optional<domain::InstallationId> readInstallationId(const Message& message) {
  if (!hasHeader(message, header::kInstallationId)) {
    return std::nullopt;
  }
  return domain::InstallationId(comparableText(message.text(header::kInstallationId).value_or("")));
}

std::expected<std::optional<domain::EventId>, PermanentFault> readEventId(const Message& message) {
  if (!hasHeader(message, header::kEventId)) {
    return std::nullopt;
  }
  auto eventId = domain::uuidFrom(message.text(header::kEventId).value_or(""));
  if (!eventId) {
    return fault(DeadLetterReason::foreignEvent, "the header eventId is not a UUID");
  }
  return domain::EventId(*std::move(eventId));
}

std::string comparableText(std::string text) {
  if (text.contains('\0') || !domain::isValidUtf8(text)) {
    text.clear();
  }
  return text;
}

std::expected<domain::ErrorId, PermanentFault> readAuthErrorId(std::string_view payload) {
  const auto object = encoding::readJsonObject(payload);
  if (!object) {
    return fault(DeadLetterReason::malformedPayload, "the payload " + object.error());
  }
  const std::string_view key = domain::payload_key::kAuthErrorId;
  const Json::Value* id = object->find(key.data(), key.data() + key.size());
  if (id == nullptr || !id->isInt64() || id->asInt64() < 1) {
    return fault(DeadLetterReason::missingAuthErrorId,
                 "the payload has no authErrorId that is a positive integer");
  }
  return domain::ErrorId(id->asInt64());
}

Message withReason(Message message, DeadLetterReason reason, std::string_view error) {
  setHeader(message, header::kDeadLetterReason, domain::toText(reason));
  setHeader(message, header::kDeadLetterError, error);
  return message;
}

}  // namespace auth_errors::messaging
