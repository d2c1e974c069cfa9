#include "platform/workers/loop_lag.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include <trantor/net/EventLoop.h>

namespace auth_errors::workers {
namespace {

constexpr std::chrono::duration<double> kLagInterval{0.1};

}  // namespace

void measureLag(trantor::EventLoop& loop, telemetry::Histogram lag) {
  using Clock = std::chrono::steady_clock;
  loop.runEvery(kLagInterval.count(), [lag, last = std::optional<Clock::time_point>()]() mutable {
    const auto now = Clock::now();
    // The timer is rearmed each time that it has run.
    if (last) {
      lag.observe(
          std::max(0.0, (std::chrono::duration<double>(now - *last) - kLagInterval).count()));
    }
    last = now;
  });
}

}  // namespace auth_errors::workers
