// Periodically queries the number of parked messages of other installations, for readiness and the
// metric. Belongs to the loop of its publisher.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "platform/messaging/publisher.h"
#include "platform/workers/worker.h"

namespace auth_errors::consumer {

class ParkingWatch final : public workers::Worker {
 public:
  struct Options {
    messaging::QueueName queue;
    std::chrono::milliseconds interval{2'000};
    std::chrono::milliseconds deadline{5'000};
    std::function<void(std::uint32_t)> onDepth;  // called after each successful query
  };

  ParkingWatch(trantor::EventLoop& loop, messaging::Publisher& publisher, Options options);

  // Returns the number of parked messages; nothing while the broker cannot be queried.
  drogon::Task<std::optional<std::uint32_t>> runOnce();

 private:
  messaging::Publisher& publisher_;
  Options options_;
};

}  // namespace auth_errors::consumer
