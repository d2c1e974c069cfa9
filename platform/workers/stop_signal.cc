#include "platform/workers/stop_signal.h"

namespace auth_errors::workers {

void StopSignal::raise() {
  isRaised_ = true;
  raised_.notifyAll();
}

drogon::Task<> StopSignal::rest(std::chrono::duration<double> time) {
  if (!isRaised_) {
    co_await raised_.wait(time);
  }
}

}  // namespace auth_errors::workers
