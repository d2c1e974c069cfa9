// A request to stop: checked by long work, and ends its pauses. Used on one event loop.
#pragma once

#include <chrono>
#include <stdexcept>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "platform/workers/signal.h"

namespace auth_errors::workers {

// Thrown by work that is stopped before it is done.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopping") {}
};

class StopSignal {
 public:
  explicit StopSignal(trantor::EventLoop& loop) : raised_(loop) {}

  void raise();
  [[nodiscard]] bool raised() const { return isRaised_; }
  // Returns after this time, or as soon as the signal is raised.
  drogon::Task<> rest(std::chrono::duration<double> time);

 private:
  Signal raised_;
  bool isRaised_ = false;
};

}  // namespace auth_errors::workers
