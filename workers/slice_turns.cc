#include "workers/slice_turns.h"

namespace auth_errors::workers {

class SliceTurns::Turn {
 public:
  explicit Turn(SliceTurns& turns) : turns_(turns) {}

  // NOLINTBEGIN(readability-identifier-naming): the language's own names
  [[nodiscard]] static bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    turns_.waiting_.push_back(caller);
    if (turns_.waiting_.size() == 1) {
      turns_.arm();
    }
  }
  void await_resume() const {}
  // NOLINTEND(readability-identifier-naming)

 private:
  SliceTurns& turns_;
};

drogon::Task<> SliceTurns::next() { co_await Turn(*this); }

void SliceTurns::arm() {
  // By a timer: what is queued in the loop runs before its next look at the sockets.
  timer_ = loop_.runAfter(0.0, [this] {
    const std::coroutine_handle<> caller = waiting_.front();
    waiting_.pop_front();
    if (!waiting_.empty()) {
      arm();
    }
    caller.resume();
  });
}

}  // namespace auth_errors::workers
