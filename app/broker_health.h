// How the connections to the broker stand, for readiness and metrics. Any thread.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <string>

#include "messaging/broker.h"
#include "telemetry/metrics.h"

namespace auth_errors::app {

class BrokerHealth {
 public:
  // `needed`: this instance will have connections to it.
  BrokerHealth(telemetry::Metrics& metrics, bool needed) : metrics_(metrics), needed_(needed) {}

  void report(telemetry::BrokerConnection connection, messaging::BrokerState state,
              std::string problem);

  struct Summary {
    std::string state;    // "disabled" if this instance needs none, "pending" before the first one
    std::string problem;  // empty if there is none
  };
  // Of the connection that is worst off.
  [[nodiscard]] Summary summary() const;

 private:
  struct Connection {
    messaging::BrokerState state{};
    std::string problem;
  };

  telemetry::Metrics& metrics_;
  bool needed_;
  mutable std::mutex mutex_;
  std::array<std::optional<Connection>, 4> connections_;
};

}  // namespace auth_errors::app
