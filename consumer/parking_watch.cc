#include "consumer/parking_watch.h"

#include <utility>

namespace auth_errors::consumer {

ParkingWatch::ParkingWatch(trantor::EventLoop& loop, messaging::Publisher& publisher,
                           Options options)
    : Worker(loop, {.faultEvent = "consumer.parking_watch_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      publisher_(publisher),
      options_(std::move(options)) {}

drogon::Task<std::optional<std::uint32_t>> ParkingWatch::runOnce() {
  const auto depth = co_await publisher_.depth(
      options_.queue, std::chrono::steady_clock::now() + options_.deadline);
  if (depth) {
    options_.onDepth(*depth);
  }
  co_return depth;
}

}  // namespace auth_errors::consumer
