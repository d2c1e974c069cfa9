#include "consumer/parking_watch.h"

#include <utility>

namespace auth_errors::consumer {

ParkingWatch::ParkingWatch(trantor::EventLoop& loop, messaging::Publisher& publisher,
                           Options options)
    : publisher_(publisher),
      options_(std::move(options)),
      job_(loop, "consumer.parking_watch_failed", options_.interval, [this] { return runOnce(); }) {
}

drogon::Task<> ParkingWatch::runOnce() {
  const auto depth = co_await publisher_.depth(
      options_.queue, std::chrono::steady_clock::now() + options_.deadline);
  if (depth) {
    options_.onDepth(*depth);
  }
}

}  // namespace auth_errors::consumer
