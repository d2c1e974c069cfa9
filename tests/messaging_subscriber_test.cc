#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "messaging/subscriber.h"
#include "tests/support/messaging_fixture.h"

namespace auth_errors::tests {
namespace {

using messaging::BrokerState;
using messaging::DeliveryTag;
using messaging::PublishResult;
using testing::Each;

using MessagingSubscriber = MessagingTest;

TEST_F(MessagingSubscriber, DeliversWhatWasPublishedAndAcknowledgesWhatIsSettled) {
  auto& publisher = connectPublisher();
  Inbox inbox;
  auto& subscriber = connectSubscriber(inbox);
  auto publication = event("m-1", std::string("{\0}", 3));
  publication.message.type = "a-type";
  publication.message.timestamp = 1'700'000'000;
  publication.message.headers = {{"outboxId", std::int64_t{7}}, {"eventType", std::string("x")}};
  EXPECT_THAT(loop_.publish(publisher, {publication}), Each(PublishResult::confirmed));

  const auto delivery = inbox.waitFor(1).front();
  EXPECT_FALSE(delivery.redelivered);
  EXPECT_EQ(delivery.from.exchange, topology_.exchange);
  EXPECT_EQ(delivery.from.routingKey, kEventType);
  EXPECT_EQ(delivery.message.messageId, "m-1");
  EXPECT_EQ(delivery.message.type, "a-type");
  EXPECT_EQ(delivery.message.contentType, "application/json");
  EXPECT_EQ(delivery.message.timestamp, 1'700'000'000);
  EXPECT_EQ(delivery.message.body, std::string("{\0}", 3));
  EXPECT_EQ(delivery.message.integer("outboxId"), 7);
  EXPECT_EQ(delivery.message.text("outboxId"), "7");
  EXPECT_EQ(delivery.message.text("eventType"), "x");

  loop_.call([&] { subscriber.settle(std::vector{delivery.tag}); });
  loop_.call([&] { subscriber.close(); });
  EXPECT_EQ(AmqpClient(url_).countMessages(topology_.workQueue), 0U);
}

}  // namespace
}  // namespace auth_errors::tests
