// What the service is made of beside HTTP: made in one place, started when the IO loops run,
// stopped in order. The main thread owns it; what lives on an IO loop is made and ended there.
#pragma once

#include <chrono>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "app/settings.h"
#include "controllers/health_controller.h"
#include "telemetry/metrics.h"

namespace auth_errors::app {

class Components {
 public:
  Components(const Settings& settings, telemetry::Metrics& metrics);

  // The draining probe is the server's to add.
  controllers::ReadinessProbes readinessProbes();

  // On the main loop, before the first connection is accepted: ioLoops[i] gets its own database
  // client and ingest batcher here.
  void start(const std::vector<trantor::EventLoop*>& ioLoops);

  // On the main loop, after the last request ended: flush the batchers, close the clients.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

 private:
  const Settings& settings_;
  telemetry::Metrics& metrics_;
};

}  // namespace auth_errors::app
