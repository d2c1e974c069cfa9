// All exchanges and queues of the service in one table. Pure. Names carry a version, because a
// queue cannot be redeclared with other arguments; the names of retry queues also carry their TTL,
// so that a changed setting creates new queues instead of a mismatch.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/retry/retry_policy.h"
#include "platform/messaging/message.h"

namespace auth_errors::messaging {

struct QueueDeclaration {
  QueueName name;
  // Dead-letter target, through the default exchange; empty: none.
  QueueName deadLetterQueue;
  std::chrono::milliseconds ttl{};  // 0: none
  int deliveryLimit = -1;           // -1: none
  std::int64_t maxLength = 0;       // beyond it the oldest messages are dropped; 0: none
};

struct Topology {
  ExchangeName exchange;  // topic exchange; the routing key of an event is its type
  QueueName workQueue;
  std::array<QueueName, domain::kRetryRungs> retryQueues;
  QueueName deadLetterQueue;
  QueueName foreignQueue;                // messages of other installations, which have no consumer
  std::vector<QueueDeclaration> queues;  // all of them
  std::vector<std::string> bindingKeys;  // of the work queue

  [[nodiscard]] Address event(std::string_view eventType) const;
  [[nodiscard]] Address retry(std::size_t rung) const;
  [[nodiscard]] Address deadLetter() const;
  [[nodiscard]] Address foreign() const;
};

// `prefix` separates several services on one broker.
Topology makeTopology(std::string_view prefix, const domain::RetryRungs& ttls,
                      const std::vector<std::string_view>& eventTypes);

}  // namespace auth_errors::messaging
