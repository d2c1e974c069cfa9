// The form of keys, the validation of new ones, and the ring that finds them.
#include "platform/security/key_ring.h"

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/values/hex.h"
#include "platform/hashing/digest.h"
#include "platform/security/api_key.h"

namespace auth_errors::security {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const TokenBucket::Time kRingStart{std::chrono::hours(1)};

ActiveKey active(std::int64_t id, const std::string& secret,
                 std::optional<std::int32_t> rateLimit = {}) {
  return {.key = {.id = domain::KeyId(id),
                  .name = "key-" + std::to_string(id),
                  .role = KeyRole::viewer,
                  .serviceName = {},
                  .rateLimit = rateLimit},
          .digest = hashing::sha256(secret)};
}

TEST(ApiKeySecret, IsAPrefixAnd256RandomBits) {
  std::set<std::string> secrets;
  for (int i = 0; i < 100; ++i) {
    const std::string secret = makeSecret();
    EXPECT_TRUE(isSecret(secret)) << secret;
    secrets.insert(secret);
  }
  EXPECT_EQ(secrets.size(), 100U);
  const std::string good = "aek_" + std::string(43, 'a');
  EXPECT_TRUE(isSecret(good));
  for (const std::string& bad : {std::string(), "aek_" + std::string(42, 'a'), good + "a",
                                 "AEK_" + std::string(43, 'a'), "aek_" + std::string(43, '+')}) {
    EXPECT_FALSE(isSecret(bad)) << bad;
  }
}

TEST(KeyRing, FindsKeysOnlyByTheirSecret) {
  const std::string first = makeSecret();
  const std::string second = makeSecret();
  const KeyRing ring({active(1, first), active(2, second)}, {0}, nullptr);
  ASSERT_NE(ring.find(first), nullptr);
  EXPECT_EQ(ring.find(first)->key().id, domain::KeyId(1));
  EXPECT_EQ(ring.find(second)->key().id, domain::KeyId(2));
  EXPECT_EQ(ring.find(makeSecret()), nullptr);
  EXPECT_EQ(ring.find(domain::toHex(hashing::sha256(first))), nullptr);
  EXPECT_EQ(ring.find(""), nullptr);
  EXPECT_EQ(KeyRing({}, {0}, nullptr).find(first), nullptr);
}

TEST(KeyRing, GivesKeysTheirOwnRateOrTheDefault) {
  const std::string plain = makeSecret();
  const std::string slow = makeSecret();
  const std::string free = makeSecret();
  const KeyRing ring({active(1, plain), active(2, slow, 1), active(3, free, 0)}, {2}, nullptr);
  const auto burst = [&](const std::string& secret) {
    int taken = 0;
    while (taken < 100 && !ring.find(secret)->take(kRingStart)) {
      ++taken;
    }
    return taken;
  };
  EXPECT_EQ(burst(plain), 4);
  EXPECT_EQ(burst(slow), 2);
  EXPECT_EQ(burst(free), 100);
}

TEST(KeyRing, KeepsTheTokenBucketsOfThePreviousRing) {
  const std::string secret = makeSecret();
  const KeyRing before({active(1, secret)}, {1}, nullptr);
  before.find(secret)->charge(2, kRingStart);
  const KeyRing after({active(1, secret)}, {1}, &before);
  EXPECT_EQ(after.find(secret)->take(kRingStart), 1s);
}

std::vector<std::string> problemsOf(KeyRequest request) {
  std::vector<std::string> problems;
  if (const auto key = checkKeyRequest(std::move(request)); !key) {
    for (const domain::FieldProblem& problem : key.error()) {
      problems.emplace_back(problem.field);
    }
  }
  return problems;
}

TEST(KeyRequest, ReportsAllProblemsAtOnce) {
  EXPECT_THAT(problemsOf({.name = "shop.ingest_1-a",
                          .role = "ingest",
                          .serviceName = "Shop Frontend",
                          .rateLimit = kMaxRate}),
              IsEmpty());
  EXPECT_THAT(problemsOf({.name = {}, .role = {}, .serviceName = " ", .rateLimit = -1}),
              UnorderedElementsAre("name", "role", "serviceName", "rateLimit"));
  for (const std::string& name :
       {std::string(), std::string(65, 'a'), std::string("-a"), std::string("a b"),
        std::string("ä"), std::string("none"), std::string("other"), std::string("a\nb")}) {
    EXPECT_THAT(problemsOf({.name = name, .role = "viewer", .serviceName = {}, .rateLimit = {}}),
                UnorderedElementsAre("name"))
        << name;
  }
  for (const std::string& service : {std::string(), std::string(" shop"), std::string("sh\x01op"),
                                     std::string(256, 's'), std::string("password=hunter22")}) {
    EXPECT_THAT(
        problemsOf({.name = "a", .role = "ingest", .serviceName = service, .rateLimit = {}}),
        UnorderedElementsAre("serviceName"))
        << service;
  }
  EXPECT_THAT(problemsOf({.name = "a", .role = "operator", .serviceName = "shop", .rateLimit = {}}),
              UnorderedElementsAre("serviceName"));
}

}  // namespace
}  // namespace auth_errors::security
