// Schedules long work in slices on an event loop: in each turn of the loop a single slice of one of
// the active tasks runs, however many there are, so other work on the loop waits for one slice at
// most. While short work arrives too, each slice is followed by a pause of four times its length,
// because both together would saturate the machine. Used on its loop only.
#pragma once

#include <chrono>
#include <coroutine>
#include <deque>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

namespace auth_errors::workers {

class SliceTurns {
 public:
  explicit SliceTurns(trantor::EventLoop& loop) : loop_(loop) {}
  ~SliceTurns() { loop_.invalidateTimer(timer_); }
  SliceTurns(const SliceTurns&) = delete;
  SliceTurns& operator=(const SliceTurns&) = delete;
  SliceTurns(SliceTurns&&) = delete;
  SliceTurns& operator=(SliceTurns&&) = delete;

  // Returns when it is the caller's turn, in a later turn of the loop.
  drogon::Task<> next();
  // Reports short work.
  void letPass() { lastShort_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  class Turn;

  void arm();
  void takeTurn();

  trantor::EventLoop& loop_;
  trantor::TimerId timer_ = 0;
  std::deque<std::coroutine_handle<>> waiting_;
  bool atWork_ = false;  // a slice is scheduled or running
  Clock::duration lastSlice_{};
  Clock::time_point lastShort_;
};

}  // namespace auth_errors::workers
