// Long work that is done in slices takes turns on its event loop: in each round of the loop one
// slice of one of those at work, however many there are. So whatever else the loop serves waits for
// one slice at most. Used on its loop only.
#pragma once

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

 private:
  class Turn;

  void arm();

  trantor::EventLoop& loop_;
  trantor::TimerId timer_ = 0;
  std::deque<std::coroutine_handle<>> waiting_;
};

}  // namespace auth_errors::workers
