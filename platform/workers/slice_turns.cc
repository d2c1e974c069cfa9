#include "platform/workers/slice_turns.h"

namespace auth_errors::workers {
namespace {

using namespace std::chrono_literals;

// A client that sends short work repeatedly does so within this time.
constexpr auto kShortWorkLasts = 50ms;
constexpr int kPauseInSlices = 4;

}  // namespace

class SliceTurns::Turn {
 public:
  explicit Turn(SliceTurns& turns) : turns_(turns) {}

  // NOLINTBEGIN(readability-identifier-naming): the language's own names
  [[nodiscard]] static bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> caller) {
    turns_.waiting_.push_back(caller);
    if (!turns_.atWork_) {
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
  atWork_ = true;
  const bool shared = Clock::now() - lastShort_ < kShortWorkLasts;
  const auto pause = shared ? kPauseInSlices * lastSlice_ : Clock::duration::zero();
  // By a timer: functions queued in the loop run before it polls the sockets again.
  timer_ = loop_.runAfter(std::chrono::duration<double>(pause).count(), [this] { takeTurn(); });
}

void SliceTurns::takeTurn() {
  const std::coroutine_handle<> caller = waiting_.front();
  waiting_.pop_front();
  const auto begun = Clock::now();
  caller.resume();
  lastSlice_ = Clock::now() - begun;
  if (waiting_.empty()) {
    atWork_ = false;
  } else {
    arm();
  }
}

}  // namespace auth_errors::workers
