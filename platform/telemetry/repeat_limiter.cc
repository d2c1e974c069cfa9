#include "platform/telemetry/repeat_limiter.h"

#include <utility>

namespace auth_errors::telemetry {

std::optional<std::uint64_t> RepeatLimiter::admit(std::string_view key, Clock::time_point now) {
  Window& window = windowOf(key);
  if (now - window.start >= std::chrono::seconds(1)) {
    window.start = now;
    window.passed = 0;
  }
  if (window.passed >= perSecond_) {
    ++window.heldBack;
    return std::nullopt;
  }
  ++window.passed;
  return std::exchange(window.heldBack, 0);
}

RepeatLimiter::Window& RepeatLimiter::windowOf(std::string_view key) {
  if (const auto found = windows_.find(key); found != windows_.end()) {
    return found->second;
  }
  return windows_[windows_.size() < kMaxKeys ? std::string(key) : std::string()];
}

}  // namespace auth_errors::telemetry
