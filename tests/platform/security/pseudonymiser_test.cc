#include "platform/security/pseudonymiser.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/security/actor_key_store.h"

namespace auth_errors::security {
namespace {

using domain::ActorKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kOld(32, 'o');
const std::string kNew(32, 'n');

Pseudonymiser with(const std::string& keys) { return Pseudonymiser(*parsePseudonymKeys(keys)); }

TEST(Pseudonymiser, IsDeterministicAndHidesItsInput) {
  const auto pseudonymiser = with("1:" + kOld);
  const std::string alice = pseudonymiser.of(ActorKind::user, "alice");
  EXPECT_EQ(alice, pseudonymiser.of(ActorKind::user, "alice"));
  EXPECT_NE(alice, pseudonymiser.of(ActorKind::user, "alicf"));
  EXPECT_THAT(alice, Not(HasSubstr("alice")));
  EXPECT_EQ(alice.size(), 3 + 43U);
}

TEST(Pseudonymiser, SeparatesKindsAndKeys) {
  const auto pseudonymiser = with("1:" + kOld);
  EXPECT_NE(pseudonymiser.of(ActorKind::user, "x"), pseudonymiser.of(ActorKind::session, "x"));
  EXPECT_NE(pseudonymiser.of(ActorKind::user, "x"), with("1:" + kNew).of(ActorKind::user, "x"));
}

TEST(Pseudonymiser, WritesWithTheNewestKeyAndSearchesWithAll) {
  const auto pseudonymiser = with("1:" + kOld + ",12:" + kNew);
  EXPECT_THAT(pseudonymiser.of(ActorKind::user, "x"), StartsWith("v12:"));
  EXPECT_THAT(pseudonymiser.allOf(ActorKind::user, "x"),
              ElementsAre(pseudonymiser.of(ActorKind::user, "x"),
                          with("1:" + kOld).of(ActorKind::user, "x")));
}

TEST(ActorKeyFingerprint, DistinguishesSecretsWithoutRevealingThem) {
  const PseudonymKey key{.version = 1, .secret = kOld};
  EXPECT_EQ(fingerprintOf(key), fingerprintOf({.version = 2, .secret = kOld}));
  EXPECT_NE(fingerprintOf(key), fingerprintOf({.version = 1, .secret = kNew}));
  EXPECT_EQ(fingerprintOf(key).size(), 32U);
  EXPECT_FALSE(kOld.contains(fingerprintOf(key)));
}

TEST(ActorKeyComparison, ReportsDifferentMissingAndNewKeys) {
  const std::vector<PseudonymKey> ours = {{.version = 3, .secret = kNew},
                                          {.version = 2, .secret = kNew},
                                          {.version = 1, .secret = kOld}};
  const auto known = [](std::int32_t version, const std::string& secret) {
    return KnownActorKey{.version = version,
                         .fingerprint = fingerprintOf({.version = 1, .secret = secret}),
                         .firstSeenAt = {},
                         .firstSeenBy = {}};
  };
  const auto compared = compareActorKeys(ours, {known(1, kOld), known(2, kOld), known(7, kOld)});
  EXPECT_THAT(compared.different, ElementsAre(2));
  EXPECT_THAT(compared.missing, ElementsAre(7));
  EXPECT_THAT(compared.fresh, ElementsAre(3));
}

TEST(Pseudonymiser, RefusesInvalidKeysWithoutQuotingThem) {
  for (const std::string& text : {std::string(""), kOld, "0:" + kOld, "65536:" + kOld, "x:" + kOld,
                                  "1:" + kOld + ",1:" + kNew, "1:" + kOld.substr(1), ":" + kOld}) {
    const auto keys = parsePseudonymKeys(text);
    ASSERT_FALSE(keys) << text;
    EXPECT_THAT(keys.error(), Not(HasSubstr("ooo")));
  }
}

}  // namespace
}  // namespace auth_errors::security
