// A job that runs again and again on one event loop, with jitter, so that many instances do not run
// it in step. Used on that loop only. A run that throws is logged and does not end the job.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "platform/workers/signal.h"

namespace auth_errors::workers {

class PeriodicJob {
 public:
  // `name` is the event under which failures are logged.
  PeriodicJob(trantor::EventLoop& loop, std::string name, std::chrono::milliseconds interval,
              std::function<drogon::Task<>()> runOnce);

  // Once is enough: while it runs, another start changes nothing.
  void start();
  // Returns when the run at hand has ended.
  drogon::Task<> stop();
  // A long run may ask.
  [[nodiscard]] bool stopping() const { return stop_; }
  // For a run that works in chunks: as long as the last one took it leaves the database to others;
  // less when it is to stop.
  drogon::Task<> restAfter(std::chrono::steady_clock::time_point began);

 private:
  drogon::Task<> runUntilStopped();

  std::string name_;
  std::chrono::milliseconds interval_;
  std::function<drogon::Task<>()> runOnce_;
  Signal stopping_;
  Signal stopped_;
  bool stop_ = false;
  bool running_ = false;
};

}  // namespace auth_errors::workers
