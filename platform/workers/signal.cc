#include "platform/workers/signal.h"

namespace auth_errors::workers {

void Signal::Wait::await_suspend(std::coroutine_handle<> caller) {
  waiter_.caller = caller;
  waiter_.timer = signal_.loop_.runAfter(
      longest_.count(), [&signal = signal_, waiter = &waiter_] { signal.end(*waiter); });
  signal_.waiters_.push_back(&waiter_);
}

void Signal::end(Waiter& waiter) {
  waiters_.remove(&waiter);
  // Not resumed directly: the notifying code may be in the middle of something.
  loop_.queueInLoop([caller = waiter.caller] { caller.resume(); });
}

bool Signal::notifyOne() {
  if (waiters_.empty()) {
    return false;
  }
  Waiter& waiter = *waiters_.front();
  loop_.invalidateTimer(waiter.timer);
  end(waiter);
  return true;
}

void Signal::notifyAll() {
  while (notifyOne()) {
  }
}

}  // namespace auth_errors::workers
