#include "platform/messaging/subscriber.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messaging_fixture.h"

namespace auth_errors::tests {
namespace {

using messaging::BrokerState;
using messaging::Delivery;
using messaging::DeliveryTag;
using messaging::PublishResult;
using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

class MessagingSubscriber : public MessagingTest {
 protected:
  using MessagingTest::MessagingTest;

  // Publishes this many messages with a separate publisher.
  void fill(std::size_t count) {
    auto& publisher = connectPublisher();
    EXPECT_THAT(loop_.publish(publisher, events(count)), Each(PublishResult::confirmed));
  }
  // The ids of all messages in the work queue.
  std::vector<std::string> drain() {
    AmqpClient client(url_);
    std::vector<std::string> bodies;
    while (const auto got = client.get(topology_.workQueue)) {
      bodies.push_back(got->body);
    }
    return bodies;
  }
  static std::vector<DeliveryTag> tagsOf(const std::vector<Delivery>& deliveries,
                                         const std::vector<std::size_t>& indices) {
    std::vector<DeliveryTag> tags;
    for (const auto index : indices) {
      tags.push_back(deliveries.at(index).tag);
    }
    return tags;
  }
};

TEST_F(MessagingSubscriber, DeliversMessagesAndAcknowledgesSettledOnes) {
  auto& publisher = connectPublisher();
  Inbox inbox;
  auto& subscriber = connectSubscriber(inbox);
  auto publication = event("m-1", std::string("{\0}", 3));
  publication.message.type = "a-type";
  publication.message.timestamp = 1'700'000'000;
  publication.message.headers = {{"outboxId", std::int64_t{-7'000'000'000}},
                                 {"eventType", std::string("x")},
                                 {"count", std::string("12")},
                                 {"share", 0.25},
                                 {"flag", true},
                                 {"nothing", std::monostate{}}};
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
  EXPECT_THAT(delivery.message.headers,
              testing::UnorderedElementsAreArray(publication.message.headers));
  EXPECT_EQ(delivery.message.integer("outboxId"), -7'000'000'000);
  EXPECT_EQ(delivery.message.text("outboxId"), "-7000000000");
  EXPECT_EQ(delivery.message.integer("count"), 12);
  EXPECT_EQ(delivery.message.integer("eventType"), std::nullopt);
  EXPECT_EQ(delivery.message.text("share"), std::nullopt);
  EXPECT_EQ(delivery.message.text("missing"), std::nullopt);

  loop_.call([&] { subscriber.settle(std::vector{delivery.tag}); });
  finish(subscriber);
  EXPECT_THAT(drain(), IsEmpty());
}

TEST_F(MessagingSubscriber, AcknowledgesOnCloseWhatIsSettledOutOfOrder) {
  auto& publisher = connectPublisher();
  std::vector<messaging::Publication> publications;
  for (int number = 0; number < 6; ++number) {
    publications.push_back(event("m", std::to_string(number)));
  }
  EXPECT_THAT(loop_.publish(publisher, publications), Each(PublishResult::confirmed));
  Inbox inbox;
  auto& subscriber = connectSubscriber(inbox);
  const auto deliveries = inbox.waitFor(6);
  loop_.call([&] { subscriber.settle(tagsOf(deliveries, {4, 0, 1, 3})); });
  finish(subscriber);
  EXPECT_TRUE(
      eventually([&] { return loop_.depth(publisher, topology_.workQueue).value_or(0) == 2U; }));
  EXPECT_THAT(drain(), testing::UnorderedElementsAre("2", "5"));
}

TEST_F(MessagingSubscriber, AcknowledgesTheRestWhenTheGapIsClosed) {
  fill(6);
  Inbox inbox;
  auto& subscriber = connectSubscriber(inbox);
  const auto deliveries = inbox.waitFor(6);
  loop_.call([&] { subscriber.settle(tagsOf(deliveries, {1, 2, 5})); });
  loop_.call([&] { subscriber.settle(tagsOf(deliveries, {0, 3, 4, 4})); });
  finish(subscriber);
  EXPECT_THAT(drain(), IsEmpty());
}

TEST_F(MessagingSubscriber, RequeuesMessagesForOtherConsumers) {
  fill(3);
  Inbox inbox;
  auto options = subscriberOptions(inbox);
  options.prefetch = 3;
  auto& subscriber = connectSubscriber(std::move(options));
  const auto deliveries = inbox.waitFor(3);
  // A redelivered message has a new tag, and does not block later acknowledgements.
  loop_.call([&] {
    subscriber.giveBack(tagsOf(deliveries, {0}));
    subscriber.settle(tagsOf(deliveries, {1, 2}));
  });
  const auto again = inbox.waitFor(4).back();
  EXPECT_TRUE(again.redelivered);
  EXPECT_EQ(again.message.messageId, deliveries.front().message.messageId);
  finish(subscriber);
  EXPECT_THAT(drain(), SizeIs(1));
}

TEST_F(MessagingSubscriber, HoldsAtMostItsPrefetchUnsettled) {
  fill(20);
  Inbox inbox;
  auto options = subscriberOptions(inbox);
  options.prefetch = 4;
  auto& subscriber = connectSubscriber(std::move(options));
  auto& observer = connectPublisher();
  std::size_t settled = 0;
  while (settled < 20) {
    const auto deliveries = inbox.waitFor(settled + 4);
    EXPECT_EQ(loop_.depth(observer, topology_.workQueue), 16 - settled);
    EXPECT_EQ(inbox.size(), settled + 4);
    loop_.call([&] {
      subscriber.settle(tagsOf(deliveries, {settled, settled + 1, settled + 2, settled + 3}));
    });
    settled += 4;
  }
}

TEST_F(MessagingSubscriber, SubscribesAgainAfterItsQueueWasDeleted) {
  auto& publisher = connectPublisher();
  Inbox inbox;
  auto& subscriber = connectSubscriber(inbox);
  AmqpClient(url_).deleteQueue(topology_.workQueue);
  EXPECT_TRUE(eventually([&] {
    return loop_.publish(publisher, {event("m-1")}).front() == PublishResult::confirmed;
  }));
  EXPECT_EQ(inbox.waitFor(1).front().message.messageId, "m-1");
  EXPECT_TRUE(becomes(subscriber, BrokerState::ready)) << subscriber.problem();
}

TEST_F(MessagingSubscriber, ReceivesNothingWhilePausedButStillSettles) {
  fill(4);
  Inbox inbox;
  auto options = subscriberOptions(inbox);
  options.prefetch = 2;
  auto& subscriber = connectSubscriber(std::move(options));
  const auto deliveries = inbox.waitFor(2);
  loop_.call([&] { subscriber.pause(); });
  loop_.call([&] { subscriber.settle(tagsOf(deliveries, {0, 1})); });
  auto& observer = connectPublisher();
  EXPECT_TRUE(
      eventually([&] { return loop_.depth(observer, topology_.workQueue).value_or(0) == 2U; }));
  finish(subscriber);
  EXPECT_THAT(drain(), SizeIs(2));
  EXPECT_EQ(inbox.size(), 2U);
}

TEST_F(MessagingSubscriber, MayBeDestroyedByItsOwnCallback) {
  fill(5);
  Inbox inbox;
  std::unique_ptr<messaging::Subscriber> subscriber;
  auto options = subscriberOptions(inbox);
  options.onDelivery = [&](Delivery delivery) {
    inbox.add(std::move(delivery));
    subscriber.reset();
  };
  loop_.call([&] {
    subscriber = std::make_unique<messaging::Subscriber>(loop_.loop(), std::move(options));
  });
  inbox.waitFor(1);
  EXPECT_TRUE(loop_.call([&] { return subscriber == nullptr; }));
  EXPECT_EQ(inbox.size(), 1U);
  auto& observer = connectPublisher();
  EXPECT_TRUE(
      eventually([&] { return loop_.depth(observer, topology_.workQueue).value_or(0) == 5U; }));
}

TEST_F(MessagingSubscriber, SurvivesACallbackThatThrows) {
  fill(2);
  Inbox inbox;
  auto options = subscriberOptions(inbox);
  options.onDelivery = [&](Delivery delivery) {
    inbox.add(std::move(delivery));
    throw std::runtime_error("thrown by the handler");
  };
  auto& subscriber = connectSubscriber(std::move(options));
  const auto deliveries = inbox.waitFor(2);
  loop_.call([&] { subscriber.settle(tagsOf(deliveries, {0, 1})); });
  finish(subscriber);
  EXPECT_THAT(drain(), IsEmpty());
}

// Every field type of RabbitMQ, as other clients send them.
TEST_F(MessagingSubscriber, ReadsForeignHeadersOfEveryType) {
  Inbox inbox;
  connectSubscriber(inbox);
  const auto nested = AmqpBytes().field("name", "v\"\n").field("number", 5).text();
  const auto array = AmqpBytes().raw("I").number(std::int32_t{1}).raw("t").raw("\1").text();
  const auto headers =
      AmqpBytes()
          .field("bool", 't', "\1")
          .field("byte", 'b', "\xFF")
          .field("unsignedByte", 'B', "\xFF")
          .field("short", 's', AmqpBytes().number(std::int16_t{-2}).text())
          .field("unsignedShort", 'u', AmqpBytes().number(std::uint16_t{65'535}).text())
          .field("int", -3)
          .field("unsignedInt", 'i', AmqpBytes().number(std::uint32_t{4'000'000'000}).text())
          .field("long", 'l', AmqpBytes().number(std::int64_t{-5'000'000'000}).text())
          .field("float", 'f', AmqpBytes().number(std::uint32_t{0x3FC0'0000}).text())
          .field("double", 'd', AmqpBytes().number(std::uint64_t{0x3FF8'0000'0000'0000}).text())
          .field("decimal", 'D',
                 AmqpBytes().number(std::uint8_t{2}).number(std::int32_t{150}).text())
          .field("text", "words")
          .field("bytes", 'x', AmqpBytes().longText(std::string("\0\xFF", 2)).text())
          .field("time", 'T', AmqpBytes().number(std::uint64_t{1'700'000'000}).text())
          .field("void", 'V', "")
          .field("table", 'F', AmqpBytes().longText(nested).text())
          .field("array", 'A', AmqpBytes().longText(array).text())
          .field("last", "still in place")
          .text();
  AmqpClient(url_).publish(topology_.exchange, kEventType, headers, "body");
  const auto message = inbox.waitFor(1).front().message;
  EXPECT_EQ(message.body, "body");
  using messaging::HeaderValue;
  const std::vector<std::pair<std::string, HeaderValue>> expected{
      {"bool", true},
      {"byte", std::int64_t{-1}},
      {"unsignedByte", std::int64_t{255}},
      {"short", std::int64_t{-2}},
      {"unsignedShort", std::int64_t{65'535}},
      {"int", std::int64_t{-3}},
      {"unsignedInt", std::int64_t{4'000'000'000}},
      {"long", std::int64_t{-5'000'000'000}},
      {"float", 1.5},
      {"double", 1.5},
      {"decimal", 1.5},
      {"text", std::string("words")},
      {"bytes", std::string("\0\xFF", 2)},
      {"time", std::int64_t{1'700'000'000}},
      {"void", std::monostate{}},
      {"table", std::string(R"({"name":"v\"\n","number":5})")},
      {"array", std::string("[1,true]")},
      {"last", std::string("still in place")}};
  EXPECT_THAT(message.headers, testing::UnorderedElementsAreArray(expected));
}

TEST_F(MessagingSubscriber, AcceptsDeeplyNestedForeignHeadersAndEmptyBodies) {
  Inbox inbox;
  connectSubscriber(inbox);
  std::string nested;
  for (int depth = 0; depth < 2'000; ++depth) {
    nested = AmqpBytes().field("n", 'F', AmqpBytes().longText(nested).text()).text();
  }
  AmqpClient client(url_);
  client.publish(topology_.exchange, kEventType, nested, "");
  client.publish(topology_.exchange, kEventType, AmqpBytes().field("next", "one").text(), "");
  const auto deliveries = inbox.waitFor(2);
  EXPECT_TRUE(deliveries.at(0).message.text("n"));
  EXPECT_EQ(deliveries.at(0).message.body, "");
  EXPECT_EQ(deliveries.at(1).message.text("next"), "one");
}

TEST_F(MessagingSubscriber, LosesNoneOfTwentyThousandMessages) {
  constexpr std::size_t kCount = 20'000;
  auto& publisher = connectPublisher();
  std::multiset<std::string> seen;
  std::vector<DeliveryTag> batch;
  std::unique_ptr<messaging::Subscriber> subscriber;
  Inbox unused;
  auto options = subscriberOptions(unused);
  options.onDelivery = [&](const Delivery& delivery) {
    seen.insert(delivery.message.messageId);
    batch.push_back(delivery.tag);
    if (batch.size() == 50 || seen.size() == kCount) {
      subscriber->settle(batch);
      batch.clear();
    }
  };
  loop_.call([&] {
    subscriber = std::make_unique<messaging::Subscriber>(loop_.loop(), std::move(options));
  });
  EXPECT_THAT(loop_.publish(publisher, events(kCount), 60s), Each(PublishResult::confirmed));
  EXPECT_TRUE(eventually([&] { return loop_.call([&] { return seen.size(); }) >= kCount; }));
  loop_.call([&] { subscriber.reset(); });
  EXPECT_EQ(seen.size(), kCount);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), kCount);
  EXPECT_THAT(drain(), IsEmpty());
}

class MessagingRetry : public MessagingSubscriber {
 protected:
  MessagingRetry() : MessagingSubscriber(brokerUrl(), uniqueTopology({300ms, 300ms, 600'000ms})) {}
};

TEST_F(MessagingRetry, ReturnsFromARetryQueueAfterItsTtl) {
  auto& publisher = connectPublisher();
  Inbox inbox;
  connectSubscriber(inbox);
  auto copy = publicationTo(topology_.retry(0), "m-1", "again");
  copy.message.headers = {{"attempt", std::int64_t{2}}};
  const auto sent = std::chrono::steady_clock::now();
  EXPECT_THAT(loop_.publish(publisher, {copy}), Each(PublishResult::confirmed));
  const auto delivery = inbox.waitFor(1).front();
  EXPECT_GE(std::chrono::steady_clock::now() - sent, 250ms);
  EXPECT_EQ(delivery.message.messageId, "m-1");
  EXPECT_EQ(delivery.message.body, "again");
  EXPECT_EQ(delivery.message.integer("attempt"), 2);
}

// The broker's own delivery limit, far above that of the ledger.
TEST_F(MessagingRetry, IsDeadLetteredByTheBrokerAfterAThousandReturns) {
  auto& publisher = connectPublisher();
  Inbox unused;
  std::unique_ptr<messaging::Subscriber> subscriber;
  std::size_t deliveries = 0;
  auto options = subscriberOptions(unused);
  options.onDelivery = [&](const Delivery& delivery) {
    ++deliveries;
    subscriber->giveBack(std::vector{delivery.tag});
  };
  loop_.call([&] {
    subscriber = std::make_unique<messaging::Subscriber>(loop_.loop(), std::move(options));
  });
  EXPECT_THAT(loop_.publish(publisher, {event("m-1")}), Each(PublishResult::confirmed));
  EXPECT_TRUE(eventually(
      [&] { return loop_.depth(publisher, topology_.deadLetterQueue).value_or(0) == 1U; }));
  loop_.call([&] { subscriber.reset(); });
  EXPECT_GE(deliveries, 1000U);
}

TEST_F(MessagingRetry, ReachesTheDeadLetterQueueWhenPublishedThere) {
  auto& publisher = connectPublisher();
  Inbox inbox;
  auto options = subscriberOptions(inbox);
  options.queue = topology_.deadLetterQueue;
  connectSubscriber(std::move(options));
  EXPECT_THAT(loop_.publish(publisher, {publicationTo(topology_.deadLetter(), "m-1")}),
              Each(PublishResult::confirmed));
  EXPECT_EQ(inbox.waitFor(1).front().message.messageId, "m-1");
}

}  // namespace
}  // namespace auth_errors::tests
