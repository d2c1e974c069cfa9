// Background work on one event loop, run again and again: the waiting, waking, pausing after
// failures and stopping that all workers share. A worker derives from Worker and has a runOnce(),
// which does what there is to do, returns counters, and can be called without starting the worker.
//
// A run that throws does not end the worker: the fault is logged once, and the next run begins
// after a pause. Used on its loop, except for wake(). It must be stopped before it is destroyed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
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

// What follows a run.
enum class Then : std::uint8_t {
  wait,   // nothing is left to do: the next run begins when it is woken, or after the interval
  hold,   // nothing can be done for now: as wait, but says nothing of an earlier fault
  again,  // there is more
  end,    // the worker is done for good
};

// Between attempts that fail in a row: doubling, with jitter.
struct Pauses {
  std::chrono::milliseconds shortest{};
  std::chrono::milliseconds longest{};
};
inline constexpr Pauses kShortPauses{.shortest = std::chrono::milliseconds(100),
                                     .longest = std::chrono::milliseconds(5'000)};

struct WorkerOptions {
  std::string faultEvent;  // the log's name for runs that fail: "outbox.reaper_failed"
  telemetry::LogLevel faultLevel = telemetry::LogLevel::warn;
  // Between runs, with jitter, so that instances do not run in step. None: only when woken.
  std::optional<std::chrono::milliseconds> interval = {};
  std::optional<Pauses> afterFailures = {};  // by default the interval
  std::size_t lanes = 1;                     // runs side by side
};

class Worker {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;

  // Begins with a run. Nothing more happens if it has been started before.
  virtual void start();
  // Begins no other run, and returns when those at hand have ended, but at the latest at the
  // deadline: then false.
  virtual drogon::Task<bool> stop(Deadline deadline);
  // There may be something to do. Calls in quick succession are one. Any thread.
  void wake();

 protected:
  // What a run returns a Task of says what follows it, if it is a Then; after any other it waits.
  template <typename Run>
  Worker(trantor::EventLoop& loop, WorkerOptions options, Run run)
      : Worker(toThen(std::move(run)), loop, std::move(options)) {}

  [[nodiscard]] trantor::EventLoop& loop() const { return loop_; }
  // A long run may ask.
  [[nodiscard]] bool stopping() const { return stop_.raised(); }
  [[nodiscard]] StopSignal& stopSignal() { return stop_; }
  [[nodiscard]] telemetry::FaultLog& faults() { return faults_; }
  // For a run that works in chunks: leaves the database to others for as long as the last one took.
  drogon::Task<> restAfter(std::chrono::steady_clock::time_point began);
  // Returns when no run is at hand; false if one still is at the deadline.
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
  Signal quiet_;            // a run or a lane has ended
  std::size_t lanes_ = 0;   // started and not ended
  std::size_t runs_ = 0;    // at hand
  bool workWaits_ = false;  // woken while no lane waited
  std::atomic<bool> wakeQueued_ = false;
};

}  // namespace auth_errors::workers
