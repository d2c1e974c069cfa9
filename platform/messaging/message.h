// Messages and their parts. Plain values that own their bytes, usable from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "domain/identity/name.h"

namespace auth_errors::messaging {

// Nested tables and arrays, which only foreign messages have, are kept as JSON text.
using HeaderValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
using Headers = std::vector<std::pair<std::string, HeaderValue>>;

struct Message {
  std::string messageId;
  std::string type;
  std::string contentType;
  std::int64_t timestamp = 0;  // seconds since 1970; 0: none
  Headers headers;
  std::string body;

  // The header as text, also for an integer; nothing if it is missing or of another type.
  [[nodiscard]] std::optional<std::string> text(std::string_view header) const;
  // The header as a number, also for a decimal text.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view header) const;
};

using ExchangeName = domain::Name<struct ExchangeNameTag>;
using QueueName = domain::Name<struct QueueNameTag>;

// The destination of a message.
struct Address {
  ExchangeName exchange;
  std::string routingKey;
};

// The default exchange, which has no name, uses the routing key as the queue's name.
inline Address addressOf(const QueueName& queue) {
  return {.exchange = {}, .routingKey = queue.text()};
}

// Identifies a message to acknowledge. Only valid on its connection: after a reconnect settling it
// has no effect, because the broker redelivers the message.
struct DeliveryTag {
  std::uint64_t connection = 0;
  std::uint64_t tag = 0;

  bool operator==(const DeliveryTag&) const = default;
};

struct Delivery {
  DeliveryTag tag;
  bool redelivered = false;
  Address from;  // its last publication
  Message message;
};

}  // namespace auth_errors::messaging
