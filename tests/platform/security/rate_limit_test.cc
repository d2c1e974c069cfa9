// Token buckets and the bounded table of addresses. Time is a parameter, so no test waits.
#include <chrono>
#include <format>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "platform/security/address_connections.h"
#include "platform/security/address_limiter.h"
#include "platform/security/token_bucket.h"

namespace auth_errors::security {
namespace {

using namespace std::chrono_literals;

const TokenBucket::Time kStart{std::chrono::hours(1)};

domain::IpAddress address(const std::string& text) {
  return domain::IpAddress::parse(text).value();
}

int takenAtOnce(TokenBucket& bucket, Rate rate, TokenBucket::Time now, int attempts) {
  int taken = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    taken += bucket.take(rate, now) ? 0 : 1;
  }
  return taken;
}

TEST(TokenBucket, HoldsABurstOfTwoSecondsAndRefillsAtItsRate) {
  struct Case {
    std::int64_t perSecond;
    std::chrono::milliseconds later;
    int burst;
    int refilled;
  };
  for (const Case& c :
       std::vector<Case>{{.perSecond = 1, .later = 1s, .burst = 2, .refilled = 1},
                         {.perSecond = 1, .later = 999ms, .burst = 2, .refilled = 0},
                         {.perSecond = 3, .later = 1s, .burst = 6, .refilled = 3},
                         {.perSecond = 10, .later = 250ms, .burst = 20, .refilled = 2},
                         {.perSecond = 100, .later = 1h, .burst = 200, .refilled = 200}}) {
    SCOPED_TRACE(c.perSecond);
    TokenBucket bucket;
    EXPECT_EQ(takenAtOnce(bucket, {c.perSecond}, kStart, 1000), c.burst);
    EXPECT_EQ(takenAtOnce(bucket, {c.perSecond}, kStart + c.later, 1000), c.refilled);
  }
}

TEST(TokenBucket, ReturnsTheTimeUntilTheNextToken) {
  TokenBucket bucket;
  takenAtOnce(bucket, {2}, kStart, 4);
  EXPECT_EQ(bucket.take({2}, kStart), 500ms);
  EXPECT_EQ(bucket.take({2}, kStart + 200ms), 300ms);
  EXPECT_FALSE(bucket.take({2}, kStart + 500ms));
  EXPECT_EQ(toRetryAfter(1ns), 1s);
  EXPECT_EQ(toRetryAfter(1s), 1s);
  EXPECT_EQ(toRetryAfter(1001ms), 2s);
}

TEST(TokenBucket, GoesIntoDebtForABatch) {
  TokenBucket bucket;
  EXPECT_FALSE(bucket.take({10}, kStart));
  bucket.charge({10}, 99, kStart);
  EXPECT_EQ(bucket.take({10}, kStart), 8100ms);
  EXPECT_FALSE(bucket.take({10}, kStart + 8100ms));
}

TEST(TokenBucket, IsUnlimitedAtZero) {
  TokenBucket bucket;
  bucket.charge({0}, 1'000'000, kStart);
  EXPECT_EQ(takenAtOnce(bucket, {0}, kStart, 1000), 1000);
}

TEST(TokenBucket, GivesEachTokenToOneThread) {
  TokenBucket bucket;
  std::atomic<int> taken = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] { taken += takenAtOnce(bucket, {1000}, kStart, 1000); });
  }
  threads.clear();
  EXPECT_EQ(taken, 2000);
}

TEST(AddressLimiter, GivesEachAddressItsOwnBucket) {
  AddressLimiter limiter({1});
  for (const char* text :
       {"203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db8:0:1::1", "127.0.0.1", "::1"}) {
    EXPECT_FALSE(limiter.take(address(text), kStart)) << text;
    EXPECT_FALSE(limiter.take(address(text), kStart)) << text;
    EXPECT_EQ(limiter.take(address(text), kStart), 1s) << text;
  }
  EXPECT_TRUE(limiter.take(address("::ffff:203.0.113.1"), kStart));
}

TEST(AddressLimiter, TreatsAnIpv6NetworkAsOneAddress) {
  AddressLimiter limiter({1});
  EXPECT_FALSE(limiter.take(address("2001:db8::1"), kStart));
  EXPECT_FALSE(limiter.take(address("2001:db8::2"), kStart));
  EXPECT_TRUE(limiter.take(address("2001:db8::ffff:3"), kStart));
}

TEST(AddressLimiter, BoundsTheNumberOfAddressesAndEvictsIdleOnes) {
  constexpr std::size_t kMost = 160;
  AddressLimiter limiter({1}, kMost);
  const auto busy = address("203.0.113.1");
  EXPECT_FALSE(limiter.take(busy, kStart));
  EXPECT_FALSE(limiter.take(busy, kStart));
  for (int i = 0; i < 20'000; ++i) {
    limiter.take(address(std::format("10.{}.{}.1", i / 256, i % 256)), kStart);
    ASSERT_TRUE(limiter.take(busy, kStart)) << "an active address was evicted";
  }
  EXPECT_LE(limiter.addresses(), kMost);
}

TEST(AddressConnections, CountsAnIpv6NetworkAsOneAddress) {
  AddressConnections connections(2);
  EXPECT_TRUE(connections.enter(address("2001:db8::1")));
  EXPECT_TRUE(connections.enter(address("2001:db8::2")));
  EXPECT_FALSE(connections.enter(address("2001:db8::3")));
  EXPECT_TRUE(connections.enter(address("2001:db8:0:1::1")));
  EXPECT_TRUE(connections.enter(address("203.0.113.1")));
  EXPECT_TRUE(connections.enter(address("203.0.113.2")));
  EXPECT_TRUE(connections.enter(address("::ffff:203.0.113.1")));
  EXPECT_FALSE(connections.enter(address("203.0.113.1")));
}

TEST(AddressConnections, FreesASlotWhenAConnectionCloses) {
  AddressConnections connections(1);
  EXPECT_TRUE(connections.enter(address("2001:db8::1")));
  EXPECT_FALSE(connections.enter(address("2001:db8::2")));
  connections.leave(address("2001:db8::2"));
  EXPECT_FALSE(connections.enter(address("2001:db8::3")));
  connections.leave(address("2001:db8::3"));
  connections.leave(address("2001:db8::1"));
  EXPECT_TRUE(connections.enter(address("2001:db8::4")));
}

TEST(AddressLimiter, IsOffAtZero) {
  AddressLimiter limiter({0});
  for (int request = 0; request < 100; ++request) {
    EXPECT_FALSE(limiter.take(address("203.0.113.1"), kStart));
  }
  EXPECT_EQ(limiter.addresses(), 0U);
}

}  // namespace
}  // namespace auth_errors::security
