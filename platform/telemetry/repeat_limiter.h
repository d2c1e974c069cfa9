// Lets at most n events of one key pass per second and counts the rest. Not thread-safe: its owner
// locks. Memory is bounded: beyond `kMaxKeys` keys, all further ones share a single budget.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::telemetry {

class RepeatLimiter {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxKeys = 256;

  explicit RepeatLimiter(std::uint32_t perSecond) : perSecond_(perSecond) {}

  // If the event passes: the number of suppressed events of this key since the last one that
  // passed; otherwise nullopt.
  std::optional<std::uint64_t> admit(std::string_view key, Clock::time_point now);

 private:
  struct Window {
    Clock::time_point start;
    std::uint32_t passed = 0;
    std::uint64_t heldBack = 0;
  };

  Window& windowOf(std::string_view key);

  std::uint32_t perSecond_;
  std::map<std::string, Window, std::less<>> windows_;
};

}  // namespace auth_errors::telemetry
