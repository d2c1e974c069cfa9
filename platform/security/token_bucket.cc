#include "platform/security/token_bucket.h"

#include <algorithm>

namespace auth_errors::security {
namespace {

// The time in which one token is refilled.
std::chrono::nanoseconds intervalOf(Rate rate) {
  return std::chrono::nanoseconds(std::chrono::seconds(1)) / rate.perSecond;
}

}  // namespace

std::optional<TokenBucket::Wait> TokenBucket::take(Rate rate, Time now) {
  if (rate.perSecond == 0) {
    return std::nullopt;
  }
  Time fullAt = fullAt_.load(std::memory_order_relaxed);
  for (;;) {
    const Time next = std::max(fullAt, now) + intervalOf(rate);
    if (next > now + kBurst) {
      return next - (now + kBurst);
    }
    if (fullAt_.compare_exchange_weak(fullAt, next, std::memory_order_relaxed)) {
      return std::nullopt;
    }
  }
}

void TokenBucket::charge(Rate rate, std::int64_t tokens, Time now) {
  if (rate.perSecond == 0 || tokens <= 0) {
    return;
  }
  Time fullAt = fullAt_.load(std::memory_order_relaxed);
  while (!fullAt_.compare_exchange_weak(fullAt, std::max(fullAt, now) + tokens * intervalOf(rate),
                                        std::memory_order_relaxed)) {
  }
}

std::chrono::seconds toRetryAfter(TokenBucket::Wait wait) {
  return std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds(1));
}

}  // namespace auth_errors::security
