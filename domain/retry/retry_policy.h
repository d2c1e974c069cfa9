// The retry policy shared by outbox and consumer: when a failed attempt is repeated, and which
// attempt is the last. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace auth_errors::domain {

// Number of retry delays; the broker has a queue for each.
inline constexpr std::size_t kRetryRungs = 3;
using RetryRungs = std::array<std::chrono::milliseconds, kRetryRungs>;

struct Retry {
  std::int32_t retryCount = 0;  // including this failure
  std::size_t rung = 0;
  std::chrono::milliseconds delay{};
};

struct RetryPolicy {
  static constexpr std::int32_t kMaxRetries = 5;

  RetryRungs rungs{std::chrono::seconds(10), std::chrono::minutes(1), std::chrono::minutes(10)};

  // The retry after a failure with `retryCount` earlier ones; nothing: DEAD.
  [[nodiscard]] constexpr std::optional<Retry> afterFailure(std::int32_t retryCount) const {
    if (retryCount >= kMaxRetries) {
      return std::nullopt;
    }
    const std::size_t rung =
        std::min(static_cast<std::size_t>(std::max(retryCount, 0)), kRetryRungs - 1);
    return Retry{.retryCount = retryCount + 1, .rung = rung, .delay = rungs.at(rung)};
  }

  // The smallest rung that covers the rest of a delay; the longest if none does.
  [[nodiscard]] constexpr std::size_t rungCovering(std::chrono::milliseconds rest) const {
    const auto* found = std::ranges::find_if(rungs, [rest](auto delay) { return delay >= rest; });
    return found == rungs.end() ? kRetryRungs - 1 : static_cast<std::size_t>(found - rungs.begin());
  }

  // Jitter only shortens the delay: a `share` from 0 to 1 removes up to a tenth.
  [[nodiscard]] static constexpr std::chrono::milliseconds jittered(std::chrono::milliseconds delay,
                                                                    double share) {
    return delay - std::chrono::milliseconds(static_cast<std::int64_t>(
                       static_cast<double>(delay.count()) * 0.1 * std::clamp(share, 0.0, 1.0)));
  }
};

}  // namespace auth_errors::domain
