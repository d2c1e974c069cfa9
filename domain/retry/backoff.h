// Delays between reconnection attempts: exponential with jitter, so that many connections do not
// reconnect at the same time. Used by one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace auth_errors::domain {

class Backoff {
 public:
  Backoff(std::chrono::milliseconds shortest, std::chrono::milliseconds longest)
      : shortest_(shortest), longest_(longest), current_(shortest) {}

  // Between half of the current step and the whole step.
  std::chrono::duration<double> next() {
    std::uniform_real_distribution<double> share(0.5, 1.0);
    const std::chrono::duration<double> delay = current_ * share(random_);
    current_ = std::min(current_ * 2, longest_);
    return delay;
  }
  void reset() { current_ = shortest_; }

 private:
  std::chrono::milliseconds shortest_;
  std::chrono::milliseconds longest_;
  std::chrono::milliseconds current_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace auth_errors::domain
