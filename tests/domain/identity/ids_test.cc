#include "domain/identity/ids.h"

#include <concepts>
#include <cstdint>
#include <format>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/clusters/cluster_routing.h"
#include "domain/events/event_descriptor.h"
#include "domain/identity/name.h"

namespace auth_errors::domain {
namespace {

using testing::ElementsAre;

using QueueOfTest = Name<struct QueueOfTestTag>;

// These must not compile.
static_assert(!std::constructible_from<OutboxId, ErrorId>);
static_assert(!std::convertible_to<ErrorId, OutboxId>);
static_assert(!std::convertible_to<std::int64_t, ErrorId>);
static_assert(!std::convertible_to<ErrorId, std::int64_t>);
static_assert(!std::constructible_from<std::int64_t, ErrorId>);
static_assert(!std::assignable_from<ErrorId&, std::int64_t>);
static_assert(!std::equality_comparable_with<ErrorId, OutboxId>);
static_assert(!std::equality_comparable_with<ErrorId, std::int64_t>);
static_assert(!std::is_invocable_v<void (*)(ErrorId, ClusterId), ClusterId, ErrorId>);
static_assert(!std::is_invocable_v<decltype(&ClusterMoves::addSplit), ClusterMoves&, ClusterId,
                                   ClusterId, SplitId>);
static_assert(!std::is_invocable_v<decltype(&EventDescriptor::idempotencyKey), EventDescriptor,
                                   OutboxId, int>);
static_assert(!std::constructible_from<QueueOfTest, InstanceName>);
static_assert(!std::is_convertible_v<InstanceName, InstallationId>);
static_assert(!std::convertible_to<std::string, InstanceName>);
static_assert(!std::convertible_to<InstanceName, std::string>);
static_assert(!std::equality_comparable_with<QueueOfTest, InstanceName>);

// An array of ids has the layout of an array of numbers.
static_assert(sizeof(ErrorId) == sizeof(std::int64_t));
static_assert(alignof(ErrorId) == alignof(std::int64_t));
static_assert(std::is_trivially_copyable_v<ErrorId>);

TEST(Ids, AreZeroByDefault) {
  EXPECT_EQ(ErrorId(), ErrorId(0));
  EXPECT_EQ(ErrorId(7).value(), 7);
}

TEST(Ids, AreOrderedAndHashedByTheirNumbers) {
  EXPECT_LT(ErrorId(1), ErrorId(2));
  EXPECT_THAT((std::set{ErrorId(3), ErrorId(1), ErrorId(3)}), ElementsAre(ErrorId(1), ErrorId(3)));
  EXPECT_TRUE((std::unordered_set{ErrorId(3)}).contains(ErrorId(3)));
}

TEST(Ids, AreFormattedAsTheirNumbers) {
  EXPECT_EQ(std::format("{}/{:03}", ErrorId(7), OutboxId(8)), "7/008");
  EXPECT_EQ(testing::PrintToString(ErrorId(7)), "7");
}

TEST(Names, AreOrderedHashedAndFormattedAsText) {
  const InstanceName a("a");
  EXPECT_EQ(a, InstanceName("a"));
  EXPECT_LT(a, InstanceName("b"));
  EXPECT_TRUE(InstanceName().empty());
  EXPECT_TRUE((std::unordered_set{a}).contains(a));
  EXPECT_EQ(std::format("{:>2}", a), " a");
  EXPECT_EQ(testing::PrintToString(a), "a");
}

}  // namespace
}  // namespace auth_errors::domain
