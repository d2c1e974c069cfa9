// A job that runs periodically on one event loop, with jitter, so that instances do not run it in
// step. Used on that loop only. A run that throws is logged and does not end the job.
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
  // `name` is the log event of failures.
  PeriodicJob(trantor::EventLoop& loop, std::string name, std::chrono::milliseconds interval,
              std::function<drogon::Task<>()> runOnce);

  // Has no effect while the job is running.
  void start();
  // Returns when the current run has ended.
  drogon::Task<> stop();
  // For long runs.
  [[nodiscard]] bool stopping() const { return stop_; }
  // For runs in chunks: pauses for as long as the last chunk took, to leave the database to others;
  // shorter when stopping.
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
