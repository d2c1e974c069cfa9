#include "consumer/foreign_message.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <drogon/utils/Utilities.h>
#include <json/value.h>

#include "domain/errors/submission.h"
#include "domain/events/event_descriptor.h"
#include "domain/scrub/sanitiser.h"
#include "domain/scrub/scrubber.h"
#include "domain/values/names.h"
#include "domain/values/utf8.h"
#include "platform/encoding/json_reader.h"
#include "platform/encoding/json_writer.h"
#include "platform/hashing/digest.h"
#include "platform/messaging/event_codec.h"
#include "triage/dead_letters/dead_letter_writer.h"
#include "triage/dead_letters/message_secrets.h"

namespace auth_errors::consumer {
namespace {

namespace header = domain::event_header;
using messaging::HeaderValue;

constexpr std::string_view kDeliveryLimit = "delivery_limit";
constexpr std::string_view kText = "text";
constexpr std::string_view kBase64 = "base64";

// Headers added by the broker, or different each time that the message is delivered.
bool isBrokers(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kPrefixes = {
      "x-death", "x-first-death-", "x-last-death-", "x-delivery-count", "x-acquired-count"};
  return std::ranges::any_of(kPrefixes,
                             [name](std::string_view prefix) { return name.starts_with(prefix); });
}

struct ToText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return std::format("{}", number); }
  std::string operator()(const std::string& text) const { return text; }
};

std::string textOf(const HeaderValue& value) { return std::visit(ToText{}, value); }

// Prefixes each part with its length, so that different messages never hash the same text.
hashing::Digest digestOf(const messaging::Delivery& delivery) {
  const messaging::Message& message = delivery.message;
  std::string content;
  const auto append = [&content](std::string_view part) {
    content.append(std::format("{}:", part.size())).append(part);
  };
  append(delivery.from.routingKey);
  append(message.messageId);
  append(message.type);
  append(message.contentType);
  append(std::to_string(message.timestamp));
  auto headers = message.headers;
  std::erase_if(headers, [](const auto& entry) { return isBrokers(entry.first); });
  std::ranges::sort(headers, {}, [](const auto& entry) { return entry.first; });
  for (const auto& [name, value] : headers) {
    append(name);
    append(std::format("{}{}", value.index(), textOf(value)));
  }
  append(message.body);
  return hashing::sha256(content);
}

std::optional<std::string> sanitised(std::string_view text, std::size_t maxCodePoints) {
  return domain::sanitise(text, maxCodePoints, {}).text;
}

// Scrubbed together with its name, which may identify it as a secret: {"password": "hunter2"}.
HeaderValue withoutSecrets(const std::string& name, const HeaderValue& value) {
  const std::string lead = name + ": ";
  const auto line = domain::sanitise(lead + textOf(value), domain::kMaxMessageCodePoints, {});
  if (line.counts.total() == 0 && !std::holds_alternative<std::string>(value)) {
    return value;
  }
  const std::string& text = line.text.value_or("");
  return text.starts_with(lead) ? text.substr(lead.size()) : text;
}

Json::Value headerJson(const std::string& name, const HeaderValue& value) {
  const HeaderValue plain = withoutSecrets(name, value);
  const auto* const number = std::get_if<double>(&plain);
  if (number != nullptr && !std::isfinite(*number)) {
    return textOf(plain);
  }
  return std::visit(
      [](const auto& kept) -> Json::Value {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(kept)>, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(kept)>, std::int64_t>) {
          return static_cast<Json::Int64>(kept);
        } else {
          return kept;
        }
      },
      plain);
}

std::string headersJson(const messaging::Headers& headers) {
  Json::Value object(Json::objectValue);
  for (const auto& [name, value] : headers) {
    if (object.size() == kMaxHeaders) {
      break;
    }
    const std::string key = sanitised(name, domain::kMaxNameCodePoints).value_or("");
    object[key] = headerJson(key, value);
  }
  return encoding::toJson(object);
}

bool isText(std::string_view body) { return !body.contains('\0') && domain::isValidUtf8(body); }

// By the first bytes of gzip, zstd, zip, bzip2, xz and zlib.
bool isCompressed(std::string_view body) {
  using namespace std::string_view_literals;
  static constexpr std::array kBeginnings = {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv, "PK\x03\x04"sv,
                                             "BZh"sv,      "\xfd\x37zXZ"sv,      "\x78\x01"sv,
                                             "\x78\x5e"sv, "\x78\x9c"sv,         "\x78\xda"sv};
  return std::ranges::any_of(kBeginnings,
                             [body](std::string_view begin) { return body.starts_with(begin); });
}

// A generated id may look like these by chance.
bool mayBeId(domain::RedactionKind kind) {
  return kind == domain::RedactionKind::card || kind == domain::RedactionKind::opaque;
}

// Exactly the output of encodeEvent(), without secrets.
bool isEventAsMade(const messaging::Message& message) {
  static constexpr std::array kHeaders = {
      header::kOutboxId,   header::kEventType,        header::kAggregateType,
      header::kEventId,    header::kInstallationId,   header::kTraceparent,
      header::kRetryRound, header::kDeadLetterReason, header::kDeadLetterError};
  static constexpr std::array kMembers = {
      domain::payload_key::kAuthErrorId, domain::payload_key::kRequestId,
      domain::payload_key::kOccurredAt, domain::payload_key::kRequestedAt};
  const auto event = messaging::decodeEvent(message);
  const auto payload = encoding::readJsonObject(message.body);
  if (!event || !payload || !message.messageId.starts_with(event->descriptor->keyPrefix) ||
      message.type != event->descriptor->eventType) {
    return false;
  }
  const std::vector<std::string> members = payload->getMemberNames();
  if (!std::ranges::all_of(
          members, [](std::string_view name) { return std::ranges::contains(kMembers, name); })) {
    return false;
  }
  domain::RedactionCounts counts = domain::scrub(message.body, {}).counts;
  counts.add(domain::scrub(message.messageId, {}).counts);
  counts.add(domain::scrub(message.contentType, {}).counts);
  for (const auto& [name, value] : message.headers) {
    if (!isBrokers(name) && !std::ranges::contains(kHeaders, name)) {
      return false;
    }
    counts.add(domain::scrub(std::format("{}: {}", name, textOf(value)), {}).counts);
  }
  return std::ranges::none_of(domain::kRedactionKinds, [&](const domain::RedactionKindRow& row) {
    return counts.of(row.kind) > 0 && !mayBeId(row.kind);
  });
}

void describeBody(std::string_view body, triage::ForeignMessage& foreign) {
  if (isText(body)) {
    foreign.body = sanitised(body, domain::kMaxStacktraceCodePoints);
  } else if (isCompressed(body) || triage::showsSecrets(body)) {
    foreign.body = domain::markerOf(domain::RedactionKind::wholeText);
  } else {
    foreign.body = drogon::utils::base64Encode(body.substr(0, kMaxBinaryBytes));
    foreign.bodyEncoding = kBase64;
    return;
  }
  if (foreign.body) {
    foreign.bodyEncoding = kText;
  }
}

}  // namespace

domain::DeadLetterReason reasonOf(const messaging::Message& message) {
  if (const auto named = domain::named(domain::kDeadLetterReasonNames,
                                       message.text(header::kDeadLetterReason).value_or(""))) {
    return *named;
  }
  const bool limit = message.text("x-first-death-reason") == kDeliveryLimit ||
                     message.text("x-last-death-reason") == kDeliveryLimit;
  return limit ? domain::DeadLetterReason::deliveryLimit : domain::DeadLetterReason::foreign;
}

triage::ForeignMessage describeForeign(const messaging::Delivery& delivery) {
  const messaging::Message& message = delivery.message;
  triage::ForeignMessage foreign{.digest = digestOf(delivery),
                                 .reason = reasonOf(message),
                                 .error = {},
                                 .eventType = {},
                                 .body = {},
                                 .bodyEncoding = {},
                                 .headers = headersJson(message.headers)};
  foreign.error = message.text(header::kDeadLetterError).transform(triage::storableError);
  if (const auto type = message.text(header::kEventType)) {
    foreign.eventType = sanitised(*type, domain::kMaxNameCodePoints);
  }
  describeBody(message.body, foreign);
  return foreign;
}

messaging::Message fitToPark(messaging::Message message) {
  if (isEventAsMade(message)) {
    return message;
  }
  const auto name = [](std::string_view text) {
    return sanitised(text, domain::kMaxNameCodePoints).value_or("");
  };
  messaging::Message fit{.messageId = name(message.messageId),
                         .type = name(message.type),
                         .contentType = name(message.contentType),
                         .timestamp = message.timestamp,
                         .headers = {},
                         .body = {}};
  for (const auto& [key, value] : message.headers) {
    if (fit.headers.size() == kMaxHeaders) {
      break;
    }
    const std::string plain = name(key);
    fit.headers.emplace_back(plain, withoutSecrets(plain, value));
  }
  if (isText(message.body)) {
    fit.body = sanitised(message.body, domain::kMaxStacktraceCodePoints).value_or("");
  } else if (isCompressed(message.body) || triage::showsSecrets(message.body)) {
    fit.body = domain::markerOf(domain::RedactionKind::wholeText);
  } else {
    fit.body = message.body.substr(0, kMaxBinaryBytes);
  }
  return fit;
}

triage::ForeignMessage describeBriefly(const messaging::Delivery& delivery) {
  return {.digest = digestOf(delivery),
          .reason = reasonOf(delivery.message),
          .error = "its content could not be stored",
          .eventType = {},
          .body = {},
          .bodyEncoding = {},
          .headers = {}};
}

}  // namespace auth_errors::consumer
