#include "platform/messaging/topology.h"

#include <algorithm>
#include <format>

namespace auth_errors::messaging {
namespace {

// The ledger counts attempts, so the broker's own limit only stops messages that never reach the
// ledger.
constexpr int kWorkDeliveryLimit = 1000;

// Nobody consumes these messages, and the installations that own them republish them as long as
// they wait: they must not fill the broker's disk.
constexpr std::int64_t kMaxParked = 100'000;

}  // namespace

Address Topology::event(std::string_view eventType) const {
  return {.exchange = exchange, .routingKey = std::string(eventType)};
}

Address Topology::retry(std::size_t rung) const { return addressOf(retryQueues.at(rung)); }

Address Topology::deadLetter() const { return addressOf(deadLetterQueue); }

Address Topology::foreign() const { return addressOf(foreignQueue); }

Topology makeTopology(std::string_view prefix, const domain::RetryRungs& ttls,
                      const std::vector<std::string_view>& eventTypes) {
  Topology topology;
  topology.exchange = ExchangeName(std::format("{}.v1.events", prefix));
  topology.workQueue = QueueName(std::format("{}.v1.work", prefix));
  topology.deadLetterQueue = QueueName(std::format("{}.v1.dead", prefix));
  topology.foreignQueue = QueueName(std::format("{}.v1.foreign", prefix));
  topology.bindingKeys.assign(eventTypes.begin(), eventTypes.end());

  // Declares the targets first, so that no message is dead-lettered to a missing queue.
  topology.queues.push_back({.name = topology.deadLetterQueue, .deadLetterQueue = {}});
  topology.queues.push_back(
      {.name = topology.foreignQueue, .deadLetterQueue = {}, .maxLength = kMaxParked});
  topology.queues.push_back({.name = topology.workQueue,
                             .deadLetterQueue = topology.deadLetterQueue,
                             .deliveryLimit = kWorkDeliveryLimit});
  for (std::size_t rung = 0; rung < domain::kRetryRungs; ++rung) {
    QueueName name(std::format("{}.v1.retry.{}", prefix, ttls[rung].count()));
    topology.retryQueues[rung] = name;
    if (!std::ranges::contains(topology.queues, name, &QueueDeclaration::name)) {
      topology.queues.push_back(
          {.name = std::move(name), .deadLetterQueue = topology.workQueue, .ttl = ttls[rung]});
    }
  }
  return topology;
}

}  // namespace auth_errors::messaging
