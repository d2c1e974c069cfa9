#include <chrono>
#include <format>
#include <future>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/messaging/publisher.h"
#include "platform/messaging/subscriber.h"
#include "tests/support/messaging_fixture.h"
#include "tests/support/rabbitmq_server.h"

namespace auth_errors::tests {
namespace {

using messaging::BrokerState;
using messaging::Publication;
using messaging::PublishResult;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using namespace std::chrono_literals;

// A dedicated broker, discarded with its queues.
class MessagingOutage : public testing::Test {
 protected:
  explicit MessagingOutage(const RabbitmqServer::Options& options = {}) : server_(options) {}

  [[nodiscard]] messaging::Publisher::Options publisherOptions() const {
    return {.broker = brokerAt(server_.url()), .topology = topology_, .onState = {}};
  }
  messaging::Publisher& connectPublisher(messaging::Publisher::Options options) {
    auto& publisher = loop_.publisher(std::move(options));
    EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
    return publisher;
  }
  messaging::Publisher& connectPublisher() { return connectPublisher(publisherOptions()); }
  messaging::Subscriber& connectSubscriber(Inbox& inbox) {
    auto& subscriber = loop_.subscriber(
        {.broker = brokerAt(server_.url()),
         .topology = topology_,
         .queue = topology_.workQueue,
         .onDelivery = [&inbox](messaging::Delivery delivery) { inbox.add(std::move(delivery)); },
         .onState = {}});
    EXPECT_TRUE(becomes(subscriber, BrokerState::ready)) << subscriber.problem();
    return subscriber;
  }
  [[nodiscard]] Publication event(const std::string& id) const {
    return publicationTo(topology_.event(kEventType), id);
  }
  [[nodiscard]] std::vector<Publication> events(std::size_t count) const {
    std::vector<Publication> all;
    for (std::size_t number = 1; number <= count; ++number) {
      all.push_back(event(std::format("m-{}", number)));
    }
    return all;
  }

  RabbitmqServer server_;
  messaging::Topology topology_ = uniqueTopology();
  BrokerLoop loop_;
};

TEST_F(MessagingOutage, ReconnectsRedeclaresAndFindsEarlierMessages) {
  auto& publisher = connectPublisher();
  EXPECT_THAT(loop_.publish(publisher, {event("before")}), Each(PublishResult::confirmed));
  server_.stop();
  EXPECT_TRUE(becomes(publisher, BrokerState::connecting));
  EXPECT_NE(publisher.problem(), "");
  const auto startedAt = std::chrono::steady_clock::now();
  EXPECT_THAT(loop_.publish(publisher, {event("during")}), Each(PublishResult::unavailable));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - startedAt, 2s);

  server_.start();
  EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
  EXPECT_THAT(loop_.publish(publisher, {event("after")}), Each(PublishResult::confirmed));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), 2U);
}

TEST_F(MessagingOutage, AnswersEveryPublicationInFlightWhenTheBrokerIsKilled) {
  auto& publisher = connectPublisher();
  std::vector<std::future<std::vector<PublishResult>>> calls;
  calls.reserve(20);
  for (int call = 0; call < 20; ++call) {
    calls.push_back(loop_.start(publisher, events(2'000), 30s));
  }
  auto first = await(std::move(calls.front()), kWaitLimit);
  server_.kill();
  std::size_t confirmed = 0;
  std::size_t unavailable = 0;
  for (std::size_t call = 1; call < calls.size(); ++call) {
    for (const auto result : await(std::move(calls[call]), 10s)) {
      EXPECT_THAT(result, AnyOf(PublishResult::confirmed, PublishResult::unavailable));
      ++(result == PublishResult::confirmed ? confirmed : unavailable);
    }
  }
  EXPECT_THAT(first, Each(PublishResult::confirmed));
  EXPECT_GT(unavailable, 0U);

  server_.start();
  EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
  // No confirmed message is lost; an unanswered one may or may not be stored.
  EXPECT_TRUE(eventually([&] {
    return loop_.depth(publisher, topology_.workQueue).value_or(0) >= confirmed + first.size();
  })) << loop_.depth(publisher, topology_.workQueue).value_or(0)
      << " of " << confirmed + first.size();
}

TEST_F(MessagingOutage, GivesUpAFrozenBrokerAfterTwoMissedHeartbeats) {
  auto options = publisherOptions();
  options.broker.heartbeat = 1s;
  options.broker.connectTimeout = 1s;
  auto& publisher = connectPublisher(std::move(options));
  server_.freeze();
  const auto frozen = std::chrono::steady_clock::now();
  EXPECT_THAT(loop_.publish(publisher, {event("m-1")}, 20s), Each(PublishResult::unavailable));
  const auto took = std::chrono::steady_clock::now() - frozen;
  EXPECT_GT(took, 1s);
  EXPECT_LT(took, 6s);
  EXPECT_EQ(publisher.state(), BrokerState::connecting);
  server_.thaw();
  EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
}

TEST_F(MessagingOutage, AnswersByTheDeadlineAndIgnoresALateConfirm) {
  auto& publisher = connectPublisher();
  server_.freeze();
  const auto startedAt = std::chrono::steady_clock::now();
  EXPECT_THAT(loop_.publish(publisher, events(3), 300ms), Each(PublishResult::unavailable));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue, 100ms), std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - startedAt, 3s);
  EXPECT_EQ(publisher.state(), BrokerState::ready);
  server_.thaw();
  EXPECT_THAT(loop_.publish(publisher, events(2)), Each(PublishResult::confirmed));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), 5U);
}

TEST_F(MessagingOutage, NeverHasMoreThanTheWindowUnconfirmed) {
  auto options = publisherOptions();
  options.window = 7;
  auto& publisher = connectPublisher(std::move(options));
  server_.freeze();
  EXPECT_THAT(loop_.publish(publisher, events(50), 300ms), Each(PublishResult::unavailable));
  EXPECT_THAT(loop_.publish(publisher, events(50), 300ms), Each(PublishResult::unavailable));
  server_.thaw();
  EXPECT_THAT(loop_.publish(publisher, {event("last")}), Each(PublishResult::confirmed));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), 8U);
}

TEST_F(MessagingOutage, IsBlockedByAnAlarmAndResumesAfterIt) {
  auto& publisher = connectPublisher();
  EXPECT_THAT(loop_.publish(publisher, {event("m-1")}), Each(PublishResult::confirmed));
  server_.control({"set_vm_memory_high_watermark", "0.0000001"});
  // RabbitMQ blocks a connection when it publishes, not before.
  auto stuck = loop_.start(publisher, {event("m-2")}, 1s);
  EXPECT_TRUE(becomes(publisher, BrokerState::blocked));
  EXPECT_THAT(await(std::move(stuck), kWaitLimit), Each(PublishResult::unavailable));
  EXPECT_THAT(publisher.problem(), HasSubstr("memory"));
  const auto startedAt = std::chrono::steady_clock::now();
  EXPECT_THAT(loop_.publish(publisher, {event("m-3")}), Each(PublishResult::unavailable));
  EXPECT_LT(std::chrono::steady_clock::now() - startedAt, 1s);
  server_.control({"set_vm_memory_high_watermark", "0.6"});
  EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
  EXPECT_THAT(loop_.publish(publisher, {event("m-4")}), Each(PublishResult::confirmed));
}

TEST_F(MessagingOutage, IgnoresTheTagsOfAnEarlierConnection) {
  auto& publisher = connectPublisher();
  Inbox inbox;
  auto& subscriber = connectSubscriber(inbox);
  EXPECT_THAT(loop_.publish(publisher, {event("m-1")}), Each(PublishResult::confirmed));
  const auto first = inbox.waitFor(1).at(0);
  server_.kill();
  server_.start();
  const auto again = inbox.waitFor(2).at(1);
  EXPECT_EQ(again.message.messageId, "m-1");
  EXPECT_EQ(again.tag.tag, first.tag.tag);
  EXPECT_NE(again.tag.connection, first.tag.connection);

  loop_.call([&] {
    subscriber.settle(std::vector{first.tag});
    subscriber.giveBack(std::vector{first.tag});
  });
  loop_.call([&] { subscriber.close(); });
  EXPECT_TRUE(becomes(publisher, BrokerState::ready));
  EXPECT_TRUE(eventually([&] { return loop_.depth(publisher, topology_.workQueue) == 1U; }));
}

class MessagingTls : public MessagingOutage {
 protected:
  MessagingTls() : MessagingOutage({.tls = true, .settings = {}}) {}

  messaging::Publisher& publisherTo(std::string url, std::filesystem::path certificate) {
    auto options = publisherOptions();
    options.broker.url = std::move(url);
    options.broker.certificate = std::move(certificate);
    return loop_.publisher(std::move(options));
  }
  static bool refuses(const messaging::Publisher& publisher) {
    return eventually([&] { return publisher.problem().contains("certificate"); });
  }
};

TEST_F(MessagingTls, AcceptsOnlyTheCertificateOfItsBroker) {
  auto& good = publisherTo(server_.tlsUrl(), server_.certificate());
  EXPECT_TRUE(becomes(good, BrokerState::ready)) << good.problem();
  EXPECT_THAT(loop_.publish(good, {event("m-1")}), Each(PublishResult::confirmed));

  auto& strange = publisherTo(server_.tlsUrl(), server_.otherCertificate());
  EXPECT_TRUE(refuses(strange)) << strange.problem();
  auto& system = publisherTo(server_.tlsUrl(), {});
  EXPECT_TRUE(refuses(system)) << system.problem();
  auto& byAddress = publisherTo(server_.tlsUrl("127.0.0.1"), server_.certificate());
  EXPECT_TRUE(becomes(byAddress, BrokerState::ready)) << byAddress.problem();
  auto& otherName = publisherTo(server_.tlsUrl("other.test"), server_.certificate());
  EXPECT_TRUE(refuses(otherName)) << otherName.problem();
  auto& missing = publisherTo(server_.tlsUrl(), "/nowhere/ca.crt");
  EXPECT_TRUE(eventually([&] { return missing.problem().contains("the file"); }))
      << missing.problem();
  for (const auto* publisher : {&strange, &system, &otherName, &missing}) {
    EXPECT_EQ(publisher->state(), BrokerState::connecting);
  }
}

}  // namespace
}  // namespace auth_errors::tests
