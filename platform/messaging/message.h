// What travels through the broker. Plain values that own their bytes; free to use on any thread.
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

// Nested tables and arrays, which only strangers send, are held as their JSON text.
using HeaderValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
using Headers = std::vector<std::pair<std::string, HeaderValue>>;

struct Message {
  std::string messageId;
  std::string type;
  std::string contentType;
  std::int64_t timestamp = 0;  // seconds since 1970; 0: none
  Headers headers;
  std::string body;

  // The header's text, also of an integer; nothing if it is missing or something else.
  [[nodiscard]] std::optional<std::string> text(std::string_view header) const;
  // The header's number, also of a decimal text.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view header) const;
};

using ExchangeName = domain::Name<struct ExchangeNameTag>;
using QueueName = domain::Name<struct QueueNameTag>;

// Where a message goes.
struct Address {
  ExchangeName exchange;
  std::string routingKey;
};

// The default exchange, which has no name, takes a queue's name as the routing key.
inline Address addressOf(const QueueName& queue) {
  return {.exchange = {}, .routingKey = queue.text()};
}

// Names a message to acknowledge. Of one connection only: after a reconnect it means nothing, and
// settling it does nothing, because the broker delivers the message again.
struct DeliveryTag {
  std::uint64_t connection = 0;
  std::uint64_t tag = 0;

  bool operator==(const DeliveryTag&) const = default;
};

struct Delivery {
  DeliveryTag tag;
  bool redelivered = false;
  Address from;  // as it was published last
  Message message;
};

}  // namespace auth_errors::messaging
