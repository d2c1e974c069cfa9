#include "app/components.h"

namespace auth_errors::app {

Components::Components(const Settings& settings, telemetry::Metrics& metrics)
    : settings_(settings), metrics_(metrics) {}

controllers::ReadinessProbes Components::readinessProbes() {
  return {.databaseConnected = [] { return false; },
          .migrationsUpToDate = [] { return false; },
          .broker = [] { return std::string_view("disabled"); },
          .draining = {}};
}

void Components::start(const std::vector<trantor::EventLoop*>& /*ioLoops*/) {
  metrics_.databaseConnections().Set(0);
  (void)settings_;
}

drogon::Task<> Components::stop(std::chrono::steady_clock::time_point /*deadline*/) { co_return; }

}  // namespace auth_errors::app
