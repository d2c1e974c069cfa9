// Every name the service has in the broker, as one table of data. Pure. Names carry a version,
// because a queue can't be declared again with other arguments; the retry queues' names carry their
// TTL for the same reason, so that a changed setting makes new queues instead of a mismatch.
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
  // Dead-lettered to this queue, through the default exchange; empty: nowhere.
  QueueName deadLetterQueue;
  std::chrono::milliseconds ttl{};  // 0: none
  int deliveryLimit = -1;           // -1: none
  std::int64_t maxLength = 0;       // past it the oldest are dropped; 0: none
};

struct Topology {
  ExchangeName exchange;  // topic; events are published to it under their type
  QueueName workQueue;
  std::array<QueueName, domain::kRetryRungs> retryQueues;
  QueueName deadLetterQueue;
  QueueName foreignQueue;                // messages of other installations, which nobody consumes
  std::vector<QueueDeclaration> queues;  // all of them
  std::vector<std::string> bindingKeys;  // of the work queue

  [[nodiscard]] Address event(std::string_view eventType) const;
  [[nodiscard]] Address retry(std::size_t rung) const;
  [[nodiscard]] Address deadLetter() const;
  [[nodiscard]] Address foreign() const;
};

// `prefix` keeps several services apart on one broker.
Topology makeTopology(std::string_view prefix, const domain::RetryRungs& ttls,
                      const std::vector<std::string_view>& eventTypes);

}  // namespace auth_errors::messaging
