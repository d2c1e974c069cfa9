// Rate limits as token buckets: a rate per second with a burst of two seconds' worth. A bucket is a
// single number, the time at which it will be full again, so any thread may use it without a lock.
// Time and rate are parameters; the rate of a bucket may change.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace auth_errors::security {

struct Rate {
  std::int64_t perSecond = 0;  // 0: unlimited

  bool operator==(const Rate&) const = default;
};

inline constexpr std::chrono::seconds kBurst{2};
inline constexpr std::int64_t kMaxRate = 1'000'000;

class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Wait = std::chrono::nanoseconds;

  // Takes one token; if there is none, returns the time until there is.
  std::optional<Wait> take(Rate rate, Time now);
  // Takes tokens even if there are too few: the bucket goes into debt, and later callers wait for
  // it.
  void charge(Rate rate, std::int64_t tokens, Time now);

 private:
  std::atomic<Time> fullAt_{Time::min()};
};

// For a Retry-After header: whole seconds, never 0.
std::chrono::seconds toRetryAfter(TokenBucket::Wait wait);

}  // namespace auth_errors::security
