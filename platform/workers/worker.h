// Background work that runs repeatedly on one event loop: implements the waiting, waking, pausing
// after failures and stopping shared by all workers. A worker derives from Worker and has a
// runOnce(), which does the pending work, returns counters, and can be called without starting the
// worker.
//
// An exception from a run does not end the worker: the fault is logged once, and the next run
// starts after a pause. Used on its loop, except for wake(). REQUIRES: it is stopped before it is
// destroyed, which happens on its loop if it can still be woken.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "platform/telemetry/fault_log.h"
#include "platform/workers/signal.h"
#include "platform/workers/stop_signal.h"

namespace auth_errors::workers {

// The action after a run.
enum class Then : std::uint8_t {
  wait,   // nothing is left to do: the next run starts when woken, or after the interval
  hold,   // nothing can be done for now: like wait, but does not clear an earlier fault
  again,  // there is more work
  end,    // the worker is finished permanently
};

// Pauses between consecutive failures: exponential, with jitter.
struct Pauses {
  std::chrono::milliseconds shortest{};
  std::chrono::milliseconds longest{};
};
inline constexpr Pauses kShortPauses{.shortest = std::chrono::milliseconds(100),
                                     .longest = std::chrono::milliseconds(5'000)};

struct WorkerOptions {
  std::string faultEvent;  // the log's name for runs that fail: "outbox.reaper_failed"
  telemetry::LogLevel faultLevel = telemetry::LogLevel::warn;
  // Between runs, with jitter, so that instances do not run in step. Nothing: only when woken.
  std::optional<std::chrono::milliseconds> interval = {};
  std::optional<Pauses> afterFailures = {};  // by default the interval
  std::size_t lanes = 1;                     // concurrent runs
};

class Worker {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  // Starts with a run. No effect if it was started before.
  virtual void start();
  // Starts no further run, and returns when the current ones have ended; false if the deadline
  // passes first.
  virtual drogon::Task<bool> stop(Deadline deadline);
  // Reports possible work. Calls in quick succession are merged. Callable from any thread.
  void wake();

 protected:
  // If a run returns a Task of Then, that is the next action; after any other it waits.
  template <typename Run>
  Worker(trantor::EventLoop& loop, WorkerOptions options, Run run)
      : Worker(toThen(std::move(run)), loop, std::move(options)) {}

  [[nodiscard]] trantor::EventLoop& loop() const { return loop_; }
  // A long run may ask.
  [[nodiscard]] bool stopping() const { return stop_.raised(); }
  [[nodiscard]] StopSignal& stopSignal() { return stop_; }
  [[nodiscard]] telemetry::FaultLog& faults() { return faults_; }
  // For runs in chunks: pauses for as long as the last chunk took, to leave the database to others.
  drogon::Task<> restAfter(std::chrono::steady_clock::time_point began);
  // Returns when no run is in progress; false if one still is at the deadline.
  drogon::Task<bool> finishRuns(Deadline deadline);

 private:
  Worker(std::function<drogon::Task<Then>()> run, trantor::EventLoop& loop, WorkerOptions options);

  template <typename Run>
  static std::function<drogon::Task<Then>()> toThen(Run run) {
    if constexpr (std::is_same_v<std::invoke_result_t<Run&>, drogon::Task<Then>>) {
      return run;
    } else {
      return [run = std::move(run)]() mutable -> drogon::Task<Then> {
        co_await run();
        co_return Then::wait;
      };
    }
  }

  drogon::Task<> runUntilStopped();
  drogon::Task<> waitForWork();
  [[nodiscard]] Pauses pauses() const;

  trantor::EventLoop& loop_;
  WorkerOptions options_;
  std::function<drogon::Task<Then>()> run_;
  telemetry::FaultLog faults_;
  StopSignal stop_;
  Signal work_;
  Signal quiet_;            // notified when a run or a lane has ended
  std::size_t lanes_ = 0;   // started and not ended
  std::size_t runs_ = 0;    // in progress
  bool workWaits_ = false;  // woken while no lane waited
  std::atomic<bool> wakeQueued_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for a queued wake-up
};

}  // namespace auth_errors::workers
