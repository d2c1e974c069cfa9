#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messaging/publisher.h"
#include "tests/support/messaging_fixture.h"

namespace auth_errors::tests {
namespace {

using messaging::BrokerState;
using messaging::PublishResult;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;
using namespace std::chrono_literals;

using MessagingPublisher = MessagingTest;

TEST_F(MessagingPublisher, ConfirmsAMessageThatIsInTheQueue) {
  auto& publisher = connectPublisher();
  EXPECT_EQ(publisher.problem(), "");
  EXPECT_THAT(loop_.publish(publisher, {event("m-1", R"({"authErrorId":1})")}),
              ElementsAre(PublishResult::confirmed));
  AmqpClient client(url_);
  const auto got = client.get(topology_.workQueue);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->body, R"({"authErrorId":1})");
  EXPECT_EQ(got->exchange, topology_.exchange);
  EXPECT_EQ(got->routingKey, kEventType);
}

TEST_F(MessagingPublisher, SaysThatAnUnroutableMessageWasReturned) {
  auto& publisher = connectPublisher();
  const auto nowhere = publicationTo(topology_.event("nobody.listens"), "m-2");
  EXPECT_THAT(
      loop_.publish(publisher, {event("m-1"), nowhere, event("m-2")}),
      ElementsAre(PublishResult::confirmed, PublishResult::returned, PublishResult::confirmed));
}

TEST_F(MessagingPublisher, AnswersTenThousandPublicationsOfOneCall) {
  auto& publisher = connectPublisher();
  const auto started = std::chrono::steady_clock::now();
  const auto results = loop_.publish(publisher, events(10'000), 60s);
  const auto took = std::chrono::steady_clock::now() - started;
  EXPECT_THAT(results, SizeIs(10'000));
  EXPECT_THAT(results, Each(PublishResult::confirmed));
  RecordProperty("confirmed_per_second",
                 static_cast<int>(10'000 / std::chrono::duration<double>(took).count()));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), 10'000U);
}

}  // namespace
}  // namespace auth_errors::tests
