#include "controllers/http/gatekeeper.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "platform/hashing/digest.h"

namespace auth_errors::controllers {
namespace {

using namespace std::chrono_literals;
using security::KeyRole;

class GatekeeperTest : public testing::Test {
 protected:
  static security::ActiveKey key(KeyRole role, const std::string& secret, std::int32_t rateLimit) {
    return {.key = {.id = domain::KeyId(static_cast<std::int64_t>(role) + 1),
                    .name = std::string(security::toText(role)),
                    .role = role,
                    .serviceName = {},
                    .rateLimit = rateLimit},
            .digest = hashing::sha256(secret)};
  }

  std::optional<RejectReason> admit(const std::string& secret, Access access) {
    RequestContext context;
    context.startedAt = now_;
    const auto refusal =
        gatekeeper_.admitCaller(context, {.authorization = {}, .apiKey = secret}, access);
    lastKey_ = context.keyName();
    return refusal ? std::optional(refusal->reason) : std::nullopt;
  }

  std::chrono::steady_clock::time_point now_{1h};
  std::string ingest_ = security::makeSecret();
  std::string viewer_ = security::makeSecret();
  std::string operator_ = security::makeSecret();
  std::shared_ptr<const security::KeyRing> ring_ = std::make_shared<const security::KeyRing>(
      std::vector{key(KeyRole::ingest, ingest_, 1), key(KeyRole::viewer, viewer_, 0),
                  key(KeyRole::operate, operator_, 0)},
      security::Rate{0}, nullptr);
  Gatekeeper gatekeeper_{[this] { return ring_; }, security::Rate{1}};
  std::string lastKey_;
};

TEST_F(GatekeeperTest, AdmitsTheRolesOfThePolicy) {
  struct Case {
    Access access;
    bool ingest;
    bool viewer;
    bool operate;
  };
  for (const Case& c :
       {Case{Access::open, true, true, true}, Case{Access::ingest, true, false, false},
        Case{Access::viewer, false, true, true}, Case{Access::operate, false, false, true}}) {
    EXPECT_EQ(permits(c.access, KeyRole::ingest), c.ingest);
    EXPECT_EQ(permits(c.access, KeyRole::viewer), c.viewer);
    EXPECT_EQ(permits(c.access, KeyRole::operate), c.operate);
  }
  EXPECT_EQ(admit(viewer_, Access::viewer), std::nullopt);
  EXPECT_EQ(admit(viewer_, Access::operate), RejectReason::forbidden);
}

TEST_F(GatekeeperTest, ChecksTheKeyThenItsRateThenItsRole) {
  EXPECT_EQ(admit("", Access::ingest), RejectReason::unauthenticated);
  EXPECT_EQ(admit(security::makeSecret(), Access::ingest), RejectReason::unauthenticated);
  EXPECT_EQ(lastKey_, "");
  EXPECT_EQ(admit(ingest_, Access::operate), RejectReason::forbidden);
  EXPECT_EQ(lastKey_, "ingest");
  EXPECT_EQ(admit(ingest_, Access::ingest), std::nullopt);
  EXPECT_EQ(admit(ingest_, Access::operate), RejectReason::rateLimited);
  EXPECT_EQ(lastKey_, "ingest");
  now_ += 1s;
  EXPECT_EQ(admit(ingest_, Access::ingest), std::nullopt);
}

TEST_F(GatekeeperTest, RefusesNoKeyBeforeTheKeysAreLoaded) {
  ring_ = nullptr;
  EXPECT_EQ(admit(viewer_, Access::viewer), RejectReason::databaseUnavailable);
  EXPECT_EQ(admit("", Access::viewer), RejectReason::unauthenticated);
}

TEST_F(GatekeeperTest, ChargesABatchToItsKey) {
  RequestContext context;
  context.startedAt = now_;
  context.charge(100);
  ASSERT_FALSE(
      gatekeeper_.admitCaller(context, {.authorization = {}, .apiKey = ingest_}, Access::ingest));
  context.charge(9);
  const auto refusal =
      gatekeeper_.admitCaller(context, {.authorization = {}, .apiKey = ingest_}, Access::ingest);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->details.retryAfter, 9s);
}

TEST_F(GatekeeperTest, AppliesAKeysOwnRateButNotTheDefaultToLoopback) {
  const std::string plain = security::makeSecret();
  security::ActiveKey key{.key = {.id = domain::KeyId(9),
                                  .name = "plain",
                                  .role = KeyRole::viewer,
                                  .serviceName = {},
                                  .rateLimit = {}},
                          .digest = hashing::sha256(plain)};
  const auto admitted = [&](const char* address) {
    ring_ = std::make_shared<const security::KeyRing>(std::vector{key}, security::Rate{1}, nullptr);
    RequestContext context;
    context.startedAt = now_;
    context.client = *domain::IpAddress::parse(address);
    context.local = context.client.isLoopback();
    int count = 0;
    while (count < 10 && !gatekeeper_.admitCaller(context, {.authorization = {}, .apiKey = plain},
                                                  Access::viewer)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(admitted("203.0.113.1"), 2);
  EXPECT_EQ(admitted("127.0.0.1"), 10);
  key.key.rateLimit = 3;
  EXPECT_EQ(admitted("127.0.0.1"), 6);
}

TEST_F(GatekeeperTest, LimitsAddresses) {
  RequestContext context;
  context.startedAt = now_;
  context.client = *domain::IpAddress::parse("203.0.113.7");
  EXPECT_FALSE(gatekeeper_.admitAddress(context));
  EXPECT_FALSE(gatekeeper_.admitAddress(context));
  EXPECT_EQ(gatekeeper_.admitAddress(context)->reason, RejectReason::rateLimited);
}

TEST_F(GatekeeperTest, ExemptsALocalPeerButNotAForwardedLoopbackAddress) {
  RequestContext context;
  context.startedAt = now_;
  context.client = *domain::IpAddress::parse("127.0.0.1");
  context.local = true;
  for (int request = 0; request < 10; ++request) {
    EXPECT_FALSE(gatekeeper_.admitAddress(context));
  }
  context.local = false;
  EXPECT_FALSE(gatekeeper_.admitAddress(context));
  EXPECT_FALSE(gatekeeper_.admitAddress(context));
  EXPECT_TRUE(gatekeeper_.admitAddress(context));
}

TEST(SentKey, IsTheOnlyKeyInBothHeaders) {
  EXPECT_EQ(sentKey({.authorization = "Bearer a", .apiKey = ""}), "a");
  EXPECT_EQ(sentKey({.authorization = "bEARER  a\t", .apiKey = " a "}), "a");
  EXPECT_EQ(sentKey({.authorization = "", .apiKey = "b"}), "b");
  EXPECT_EQ(sentKey({.authorization = "Basic a", .apiKey = "b"}), "b");
  EXPECT_EQ(sentKey({.authorization = "Bearer", .apiKey = ""}), "");
  EXPECT_EQ(sentKey({.authorization = "Bearera", .apiKey = ""}), "");
  EXPECT_EQ(sentKey({.authorization = "Bearer a", .apiKey = "b"}).error().reason,
            RejectReason::unauthenticated);
}

}  // namespace
}  // namespace auth_errors::controllers
