// State of the connections to the broker, for readiness and metrics. Usable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "app/metrics.h"
#include "platform/messaging/broker.h"
#include "platform/messaging/message.h"

namespace auth_errors::app {

class BrokerHealth {
 public:
  // `needed`: this instance connects to the broker.
  BrokerHealth(BrokerMetrics& metrics, bool needed) : metrics_(metrics), needed_(needed) {}

  void report(BrokerConnection connection, messaging::BrokerState state, std::string problem);
  // Reports the number of messages of other installations in this queue.
  void reportParked(std::uint32_t messages, const messaging::QueueName& queue);

  struct Summary {
    std::string state;    // "disabled" if this instance needs none, "pending" before the first one
    std::string problem;  // empty if there is none
  };
  // The worst of all connections. Parked messages count as a mismatch: another installation uses
  // the same queues.
  [[nodiscard]] Summary summary() const;

 private:
  struct Connection {
    messaging::BrokerState state{};
    std::string problem;
  };

  BrokerMetrics& metrics_;
  bool needed_;
  mutable std::mutex mutex_;
  std::array<std::optional<Connection>, 5> connections_;
  std::string parkedProblem_;  // empty if nothing is parked
};

}  // namespace auth_errors::app
