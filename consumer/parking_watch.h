// Looks how many messages of other installations are parked, again and again: for readiness and the
// metric. Belongs to the loop of its publisher.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "platform/messaging/publisher.h"
#include "platform/workers/periodic_job.h"

namespace auth_errors::consumer {

class ParkingWatch {
 public:
  struct Options {
    messaging::QueueName queue;
    std::chrono::milliseconds interval{2'000};
    std::chrono::milliseconds deadline{5'000};
    std::function<void(std::uint32_t)> onDepth;  // whenever the broker could be asked
  };

  ParkingWatch(trantor::EventLoop& loop, messaging::Publisher& publisher, Options options);

  void start() { job_.start(); }
  drogon::Task<> stop() { return job_.stop(); }

  drogon::Task<> runOnce();

 private:
  messaging::Publisher& publisher_;
  Options options_;
  workers::PeriodicJob job_;
};

}  // namespace auth_errors::consumer
