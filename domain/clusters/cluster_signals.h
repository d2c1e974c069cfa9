// What stands out in a cluster right now: a burst, or a fault that was never seen before. Pure; the
// counts and the time are handed in. Everything goes by when errors occurred.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ratio>

#include "domain/values/instant.h"

namespace auth_errors::domain {

// Errors are counted by five minutes.
using ActivityBucket = std::chrono::duration<std::int64_t, std::ratio<300>>;
// The current bucket, of which a part is still to come, and the two before it.
inline constexpr ActivityBucket kSignalWindow{3};
// What is usual is learnt from the time before the window; of a younger cluster from its life, but
// not from less than an hour, or its first errors would make anything usual.
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
