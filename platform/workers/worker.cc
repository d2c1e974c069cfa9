#include "platform/workers/worker.h"

#include <exception>
#include <memory>
#include <utility>

#include "domain/retry/backoff.h"
#include "platform/workers/jitter.h"

namespace auth_errors::workers {

Worker::Worker(std::function<drogon::Task<Then>()> run, trantor::EventLoop& loop,
               WorkerOptions options)
    : loop_(loop),
      options_(std::move(options)),
      run_(std::move(run)),
      faults_(options_.faultEvent, options_.faultLevel),
      stop_(loop),
      work_(loop),
      quiet_(loop) {}

void Worker::start() {
  if (lanes_ > 0) {
    return;
  }
  lanes_ = options_.lanes;
  for (std::size_t lane = 0; lane < options_.lanes; ++lane) {
    drogon::async_run([this]() -> drogon::Task<> {
      co_await runUntilStopped();
      --lanes_;
      quiet_.notifyAll();
    });
  }
}

drogon::Task<bool> Worker::stop(Deadline deadline) {
  stop_.raise();
  work_.notifyAll();
  co_return co_await quiet_.until([this] { return lanes_ == 0; }, deadline);
}

drogon::Task<bool> Worker::finishRuns(Deadline deadline) {
  return quiet_.until([this] { return runs_ == 0; }, deadline);
}

void Worker::wake() {
  if (wakeQueued_.exchange(true)) {
    return;
  }
  loop_.queueInLoop([this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) {
      return;
    }
    wakeQueued_ = false;
    workWaits_ = !work_.notifyOne();
  });
}

drogon::Task<> Worker::restAfter(std::chrono::steady_clock::time_point began) {
  return stop_.rest(std::chrono::steady_clock::now() - began);
}

drogon::Task<> Worker::runUntilStopped() {
  domain::Backoff backoff(pauses().shortest, pauses().longest);
  while (!stopping()) {
    std::optional<Then> then;
    std::string fault;
    ++runs_;
    try {
      then = co_await run_();
    } catch (const std::exception& error) {
      fault = error.what();
    }
    --runs_;
    quiet_.notifyAll();
    if (stopping()) {
      co_return;
    }
    if (!then) {
      faults_.failed(fault);
      co_await stop_.rest(backoff.next());
      continue;
    }
    if (*then != Then::hold) {
      backoff.reset();
      faults_.succeeded();
    }
    if (*then == Then::end) {
      co_return;
    }
    if (*then != Then::again) {
      co_await waitForWork();
    }
  }
}

drogon::Task<> Worker::waitForWork() {
  if (std::exchange(workWaits_, false)) {
    co_return;
  }
  if (options_.interval) {
    co_await work_.wait(*options_.interval * randomShare(0.5, 1));
  } else {
    co_await work_.wait();
  }
}

Pauses Worker::pauses() const {
  if (options_.afterFailures) {
    return *options_.afterFailures;
  }
  return options_.interval ? Pauses{.shortest = *options_.interval, .longest = *options_.interval}
                           : kShortPauses;
}

}  // namespace auth_errors::workers
