// Long work that is done in slices takes turns on its event loop: in each round of the loop one
// slice of one of those at work, however many there are. So whatever else the loop serves waits for
// one slice at most. While short work comes too, each slice is followed by a pause of four times
// its length: with both, the machine would have no time left for the short one. Used on its loop
// only.
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

  // Returns when it is the caller's turn, in a later round of the loop.
  drogon::Task<> next();
  // Short work has come.
  void letPass() { lastShort_ = Clock::now(); }

 private:
  using Clock = std::chrono::steady_clock;
  class Turn;

  void arm();
  void takeTurn();

  trantor::EventLoop& loop_;
  trantor::TimerId timer_ = 0;
  std::deque<std::coroutine_handle<>> waiting_;
  bool atWork_ = false;  // a turn is planned or taken
  Clock::duration lastSlice_{};
  Clock::time_point lastShort_;
};

}  // namespace auth_errors::workers
