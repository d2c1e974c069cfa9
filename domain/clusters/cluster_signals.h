// Signals of a cluster: a burst, or a fault that was never seen before. Based on when errors
// occurred. Pure; counts and time are parameters.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ratio>

#include "domain/values/instant.h"

namespace auth_errors::domain {

// Errors are counted in five-minute buckets.
using ActivityBucket = std::chrono::duration<std::int64_t, std::ratio<300>>;
// The current, incomplete bucket and the two before it.
inline constexpr ActivityBucket kSignalWindow{3};
// The expected count is learnt from the time before the window; for a younger cluster from its
// lifetime, but at least an hour, because its first errors would otherwise make any rate look
// normal.
inline constexpr std::chrono::hours kLongestLearning{24};
inline constexpr std::chrono::hours kShortestLearning{1};

inline constexpr std::int64_t kBurstErrors = 10;
inline constexpr double kBurstFactor = 4.0;

struct ClusterCounts {
  Instant firstSeenAt;
  std::int64_t errorsInWindow = 0;
  std::int64_t errorsBefore = 0;  // in kLongestLearning before the window
};

struct ClusterSignals {
  Instant windowStartsAt;
  std::int64_t errors = 0;
  double expected = 0;
  bool burst = false;
  bool isNew = false;
};

constexpr Instant signalWindowStart(Instant now) {
  return std::chrono::floor<ActivityBucket>(now) - (kSignalWindow - ActivityBucket{1});
}

constexpr ClusterSignals clusterSignals(Instant now, const ClusterCounts& counts) {
  using Microseconds = std::chrono::duration<double, std::micro>;
  const Instant start = signalWindowStart(now);
  const Microseconds learnt = std::clamp<Instant::duration>(start - counts.firstSeenAt,
                                                            kShortestLearning, kLongestLearning);
  const double expected = static_cast<double>(counts.errorsBefore) * (kSignalWindow / learnt);
  return {.windowStartsAt = start,
          .errors = counts.errorsInWindow,
          .expected = expected,
          .burst = counts.errorsInWindow >= kBurstErrors &&
                   static_cast<double>(counts.errorsInWindow) > kBurstFactor * expected,
          .isNew = counts.firstSeenAt >= start};
}

}  // namespace auth_errors::domain
