// A call waiting for its answer, with its coroutine and its deadline. Belongs to one event loop.
// The call is answered once, at the latest by its deadline, and its coroutine resumes from the
// loop's queue, never inside the code that answers: no state is half changed when foreign code
// runs.
#pragma once

#include <chrono>
#include <coroutine>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace trantor {
class EventLoop;
}

namespace auth_errors::workers {

class Pending;

// One timer for all deadlines: trantor keeps a cancelled timer until it is due, and at thousands of
// calls per second these would pile up.
class Deadlines : public std::enable_shared_from_this<Deadlines> {
 public:
  using Deadline = std::chrono::steady_clock::time_point;
  using Entries = std::multimap<Deadline, std::weak_ptr<Pending>>;

  explicit Deadlines(trantor::EventLoop& loop) : loop_(loop) {}

  Entries::iterator add(Deadline deadline, const std::shared_ptr<Pending>& pending);
  void remove(Entries::iterator entry) { entries_.erase(entry); }

 private:
  void arm();
  void sweep();

  trantor::EventLoop& loop_;
  Entries entries_;
  std::optional<Deadline> armedFor_;
};

class Pending : public std::enable_shared_from_this<Pending> {
 public:
  explicit Pending(trantor::EventLoop& loop) : loop_(loop) {}
  virtual ~Pending() = default;
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  Pending(Pending&&) = delete;
  Pending& operator=(Pending&&) = delete;

  [[nodiscard]] bool done() const { return done_; }
  void startClock(const std::shared_ptr<Deadlines>& deadlines, Deadlines::Deadline deadline);
  // Completes with the current answer. Only the first call has an effect.
  void complete();

  void resumeWith(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  void forgetWaiter() { waiter_ = nullptr; }

 private:
  friend class Deadlines;

  // The deadline has passed: the call must complete now or soon.
  virtual void expire() { complete(); }

  trantor::EventLoop& loop_;
  std::shared_ptr<Deadlines> deadlines_;  // while the deadline is running
  Deadlines::Entries::iterator entry_;
  std::coroutine_handle<> waiter_;
  bool done_ = false;
};

// co_await Answered(pending). The awaiting coroutine may be destroyed while it waits.
class Answered {
 public:
  explicit Answered(std::shared_ptr<Pending> pending) : pending_(std::move(pending)) {}
  ~Answered() { pending_->forgetWaiter(); }
  Answered(const Answered&) = delete;
  Answered& operator=(const Answered&) = delete;
  Answered(Answered&&) = delete;
  Answered& operator=(Answered&&) = delete;

  // NOLINTBEGIN(readability-identifier-naming): the language's own names
  [[nodiscard]] bool await_ready() const { return pending_->done(); }
  void await_suspend(std::coroutine_handle<> waiter) { pending_->resumeWith(waiter); }
  void await_resume() const {}
  // NOLINTEND(readability-identifier-naming)

 private:
  std::shared_ptr<Pending> pending_;
};

}  // namespace auth_errors::workers
