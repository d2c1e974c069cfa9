// Lets a coroutine on an event loop wait for a notification or a timeout. Used on its loop only; it
// must outlive all waiting coroutines.
#pragma once

#include <chrono>
#include <coroutine>
#include <functional>
#include <list>
#include <optional>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

namespace auth_errors::workers {

class Signal {
  struct Waiter {
    std::coroutine_handle<> caller;
    std::optional<trantor::TimerId> timer = {};  // for waits with a timeout
  };

 public:
  class Wait {
   public:
    Wait(Signal& signal, std::optional<std::chrono::duration<double>> longest)
        : signal_(signal), longest_(longest) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> caller);
    void await_resume() const noexcept {}

   private:
    friend class Signal;

    Signal& signal_;
    std::optional<std::chrono::duration<double>> longest_;
    Waiter waiter_;
  };

  explicit Signal(trantor::EventLoop& loop) : loop_(loop) {}

  [[nodiscard]] Wait wait(std::chrono::duration<double> longest) { return {*this, longest}; }
  // Waits for a notification only, without a timer: trantor keeps a cancelled timer until it is
  // due.
  [[nodiscard]] Wait wait() { return {*this, std::nullopt}; }
  // Waits until the condition holds, checking it after each notification. False if it does not hold
  // at the deadline.
  drogon::Task<bool> until(std::function<bool()> condition,
                           std::chrono::steady_clock::time_point deadline);
  // Resumes one waiting coroutine in a later turn of the loop. False if there is none.
  bool notifyOne();
  void notifyAll();

 private:
  void end(Waiter& waiter);

  trantor::EventLoop& loop_;
  std::list<Waiter*> waiters_;
};

}  // namespace auth_errors::workers
