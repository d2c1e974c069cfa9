#include "platform/workers/signal.h"

#include <algorithm>

namespace auth_errors::workers {
namespace {

using Clock = std::chrono::steady_clock;

// Distant deadlines overflow trantor's clock arithmetic.
constexpr std::chrono::hours kLongestTimer(1);

}  // namespace

void Signal::Wait::await_suspend(std::coroutine_handle<> caller) {
  waiter_.caller = caller;
  if (longest_) {
    waiter_.timer = signal_.loop_.runAfter(
        longest_->count(), [&signal = signal_, waiter = &waiter_] { signal.end(*waiter); });
  }
  signal_.waiters_.push_back(&waiter_);
}

void Signal::end(Waiter& waiter) {
  waiters_.remove(&waiter);
  // Not resumed directly: the notifying code may be in the middle of something.
  loop_.queueInLoop([caller = waiter.caller] { caller.resume(); });
}

drogon::Task<bool> Signal::until(std::function<bool()> condition, Clock::time_point deadline) {
  while (!condition()) {
    const auto left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) {
      co_return false;
    }
    co_await wait(std::min<std::chrono::duration<double>>(left, kLongestTimer));
  }
  co_return true;
}

bool Signal::notifyOne() {
  if (waiters_.empty()) {
    return false;
  }
  Waiter& waiter = *waiters_.front();
  if (waiter.timer) {
    loop_.invalidateTimer(*waiter.timer);
  }
  end(waiter);
  return true;
}

void Signal::notifyAll() {
  while (notifyOne()) {
  }
}

}  // namespace auth_errors::workers
