#include "platform/workers/periodic_job.h"

#include <exception>
#include <utility>

#include "platform/telemetry/log.h"
#include "platform/workers/jitter.h"

namespace auth_errors::workers {

using namespace std::chrono_literals;

PeriodicJob::PeriodicJob(trantor::EventLoop& loop, std::string name,
                         std::chrono::milliseconds interval,
                         std::function<drogon::Task<>()> runOnce)
    : name_(std::move(name)),
      interval_(interval),
      runOnce_(std::move(runOnce)),
      stopping_(loop),
      stopped_(loop) {}

void PeriodicJob::start() {
  if (std::exchange(running_, true)) {
    return;
  }
  drogon::async_run([this]() -> drogon::Task<> {
    co_await runUntilStopped();
    running_ = false;
    stopped_.notifyAll();
  });
}

drogon::Task<> PeriodicJob::stop() {
  stop_ = true;
  stopping_.notifyAll();
  while (running_) {
    co_await stopped_.wait(1s);
  }
}

drogon::Task<> PeriodicJob::restAfter(std::chrono::steady_clock::time_point began) {
  if (!stop_) {
    co_await stopping_.wait(std::chrono::steady_clock::now() - began);
  }
}

drogon::Task<> PeriodicJob::runUntilStopped() {
  std::string lastFault;
  while (!stop_) {
    try {
      co_await runOnce_();
      lastFault.clear();
    } catch (const std::exception& error) {
      if (!stop_ && std::exchange(lastFault, error.what()) != error.what()) {
        telemetry::log(telemetry::LogLevel::warn, name_, {{"error", error.what()}});
      }
    }
    if (!stop_) {
      co_await stopping_.wait(interval_ * randomShare(0.5, 1));
    }
  }
}

}  // namespace auth_errors::workers
