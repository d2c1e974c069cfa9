#include "platform/messaging/publisher.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messaging_fixture.h"
#include "tests/support/tcp_proxy.h"

namespace auth_errors::tests {
namespace {

using messaging::BrokerState;
using messaging::Publisher;
using messaging::PublishResult;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using namespace std::chrono_literals;

using MessagingPublisher = MessagingTest;

std::uint16_t portOfBroker(const std::string& url) {
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

std::string withPort(const std::string& url, std::uint16_t port) {
  return std::format("{}:{}/", url.substr(0, url.rfind(':')), port);
}

TEST_F(MessagingPublisher, ConfirmsAQueuedMessage) {
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

TEST_F(MessagingPublisher, ReportsAnUnroutableMessageAsReturned) {
  auto& publisher = connectPublisher();
  const auto unroutable = publicationTo(topology_.event("nobody.listens"), "m-2");
  EXPECT_THAT(
      loop_.publish(publisher, {event("m-1"), unroutable, event("m-2"), unroutable, unroutable}),
      ElementsAre(PublishResult::confirmed, PublishResult::returned, PublishResult::confirmed,
                  PublishResult::returned, PublishResult::returned));
  const auto noQueue =
      publicationTo(messaging::addressOf(messaging::QueueName("no-such-queue")), "m-3");
  EXPECT_THAT(loop_.publish(publisher, {noQueue}), ElementsAre(PublishResult::returned));
}

TEST_F(MessagingPublisher, ReportsAMessageRefusedByAFullQueue) {
  auto& publisher = connectPublisher();
  AmqpClient client(url_);
  const messaging::QueueName full(topology_.workQueue.text() + ".full");
  client.declareQueue(
      full, AmqpBytes().field("x-max-length", 1).field("x-overflow", "reject-publish").text());
  const auto toFull = publicationTo(messaging::addressOf(full), "m-1");
  EXPECT_THAT(loop_.publish(publisher, {toFull}), ElementsAre(PublishResult::confirmed));
  EXPECT_THAT(loop_.publish(publisher, {toFull, event("m-2")}),
              ElementsAre(PublishResult::nacked, PublishResult::confirmed));
  client.deleteQueue(full);
}

TEST_F(MessagingPublisher, AnswersTenThousandPublicationsOfOneCall) {
  auto& publisher = connectPublisher();
  const auto started = std::chrono::steady_clock::now();
  const auto results = loop_.publish(publisher, events(10'000), 60s);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  EXPECT_THAT(results, SizeIs(10'000));
  EXPECT_THAT(results, Each(PublishResult::confirmed));
  RecordProperty("confirmed_per_second", static_cast<int>(10'000 / took.count()));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), 10'000U);
}

TEST_F(MessagingPublisher, SeparatesCallsAndKeepsTheirResultsInOrder) {
  auto options = publisherOptions();
  options.window = 3;
  auto& publisher = connectPublisher(std::move(options));
  const auto unroutable = publicationTo(topology_.event("nobody.listens"), "m-1");
  std::vector<std::future<std::vector<PublishResult>>> calls;
  calls.reserve(20);
  for (int call = 0; call < 20; ++call) {
    calls.push_back(loop_.start(publisher, {event("m-1"), unroutable, event("m-1")}));
  }
  calls.push_back(loop_.start(publisher, {}));
  for (std::size_t call = 0; call < 20; ++call) {
    EXPECT_THAT(
        await(std::move(calls[call]), kWaitLimit),
        ElementsAre(PublishResult::confirmed, PublishResult::returned, PublishResult::confirmed));
  }
  EXPECT_THAT(await(std::move(calls[20]), kWaitLimit), SizeIs(0));
}

TEST_F(MessagingPublisher, RefusesAnUnsendableMessageWithoutAffectingItsNeighbours) {
  auto& publisher = connectPublisher();
  auto longId = event(std::string(256, 'i'));
  auto longName = event("m-2");
  longName.message.headers = {{std::string(256, 'n'), true}};
  auto largeHeaders = event("m-3");
  largeHeaders.message.headers = {{"large", std::string(200'000, 'h')}};
  auto longKey = publicationTo(topology_.event(std::string(256, 'k')), "m-4");
  EXPECT_THAT(
      loop_.publish(publisher,
                    {event("m-1"), longId, longName, largeHeaders, longKey, event("m-5")}),
      ElementsAre(PublishResult::confirmed, PublishResult::unsendable, PublishResult::unsendable,
                  PublishResult::unsendable, PublishResult::unsendable, PublishResult::confirmed));
}

TEST_F(MessagingPublisher, SendsABodyOfManyFrames) {
  auto& publisher = connectPublisher();
  std::string body(1'000'000, '\0');
  for (std::size_t at = 0; at < body.size(); ++at) {
    body[at] = static_cast<char>(at * 31 % 251);
  }
  EXPECT_THAT(loop_.publish(publisher, {event("m-1", body)}), Each(PublishResult::confirmed));
  Inbox inbox;
  connectSubscriber(inbox);
  EXPECT_TRUE(inbox.waitFor(1).front().message.body == body);
}

// The broker closes the channel; messages before and after it must arrive.
TEST_F(MessagingPublisher, RecoversAfterAMessageThatTheBrokerRejects) {
  auto& publisher = connectPublisher();
  EXPECT_THAT(loop_.publish(publisher, {event("m-1")}), Each(PublishResult::confirmed));
  const auto noExchange = publicationTo(
      {.exchange = messaging::ExchangeName("no-such-exchange"), .routingKey = "k"}, "m-2");
  EXPECT_THAT(loop_.publish(publisher, {noExchange}), Each(PublishResult::unavailable));
  EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
  EXPECT_THAT(loop_.publish(publisher, {event("m-3")}), Each(PublishResult::confirmed));
}

TEST_F(MessagingPublisher, ReportsTheDepthOfAnExistingQueueOnly) {
  auto& publisher = connectPublisher();
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), 0U);
  EXPECT_THAT(loop_.publish(publisher, events(3)), Each(PublishResult::confirmed));
  EXPECT_EQ(loop_.depth(publisher, topology_.workQueue), 3U);
  EXPECT_EQ(loop_.depth(publisher, messaging::QueueName("no-such-queue")), std::nullopt);
  EXPECT_EQ(loop_.depth(publisher, messaging::QueueName(std::string(300, 'q'))), std::nullopt);
  EXPECT_EQ(publisher.state(), BrokerState::ready);
  EXPECT_EQ(loop_.depth(publisher, topology_.deadLetterQueue), 0U);
}

TEST_F(MessagingPublisher, ReportsAMismatchAsAStateAndRecovers) {
  AmqpClient client(url_);
  client.declareQueue(topology_.workQueue, AmqpBytes().field("x-max-length", 5).text());
  auto& publisher = loop_.publisher(publisherOptions());
  EXPECT_TRUE(becomes(publisher, BrokerState::mismatch));
  EXPECT_THAT(publisher.problem(), HasSubstr("PRECONDITION_FAILED"));
  EXPECT_THAT(publisher.problem(), HasSubstr(topology_.workQueue.text()));
  EXPECT_THAT(loop_.publish(publisher, {event("m-1")}), Each(PublishResult::unavailable));
  client.deleteQueue(topology_.workQueue);
  EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
}

TEST_F(MessagingPublisher, ReportsEachChangeOfItsState) {
  std::vector<BrokerState> states;
  auto options = publisherOptions();
  options.onState = [&states](BrokerState state) { states.push_back(state); };
  auto& publisher = connectPublisher(std::move(options));
  loop_.call([&] { publisher.close(); });
  EXPECT_EQ(publisher.state(), BrokerState::closed);
  EXPECT_THAT(loop_.call([&] { return states; }),
              ElementsAre(BrokerState::ready, BrokerState::closed));
  EXPECT_THAT(loop_.publish(publisher, {event("m-1")}), Each(PublishResult::unavailable));
}

TEST_F(MessagingPublisher, ReportsAWrongPassword) {
  connectPublisher();
  auto options = publisherOptions();
  const auto at = url_.rfind('@');
  options.broker.url = "amqp://auth_errors:wrong-pa%73s" + url_.substr(at);
  auto& publisher = loop_.publisher(std::move(options));
  EXPECT_TRUE(eventually([&] { return publisher.problem().contains("ACCESS_REFUSED"); }))
      << publisher.problem();
  EXPECT_THAT(publisher.problem(), Not(HasSubstr("wrong-pass")));
  EXPECT_EQ(publisher.state(), BrokerState::connecting);
}

TEST_F(MessagingPublisher, AnswersAtOnceOnDestruction) {
  connectPublisher();
  TcpProxy proxy(portOfBroker(url_));
  auto options = publisherOptions();
  options.broker.url = withPort(url_, proxy.port());
  auto publisher = loop_.call([&] { return std::make_unique<Publisher>(loop_.loop(), options); });
  ASSERT_TRUE(becomes(*publisher, BrokerState::ready));
  proxy.setMode(TcpProxy::Mode::silence);
  auto call = loop_.start(*publisher, events(3));
  auto depth = startOn(loop_.loop(), [&] {
    return publisher->depth(topology_.workQueue, std::chrono::steady_clock::now() + 20s);
  });
  EXPECT_TRUE(eventually([&] { return proxy.counters().swallowedBytes > 0; }));
  loop_.call([&] { publisher.reset(); });
  EXPECT_THAT(await(std::move(call), 5s), Each(PublishResult::unavailable));
  EXPECT_EQ(await(std::move(depth), 5s), std::nullopt);
}

TEST_F(MessagingPublisher, MayBeDestroyedByACoroutineThatItResumed) {
  connectPublisher();
  auto publisher =
      loop_.call([&] { return std::make_unique<Publisher>(loop_.loop(), publisherOptions()); });
  ASSERT_TRUE(becomes(*publisher, BrokerState::ready));
  const auto results = runOn(loop_.loop(), [&]() -> drogon::Task<std::vector<PublishResult>> {
    auto answers = co_await publisher->publish(events(5), std::chrono::steady_clock::now() + 20s);
    publisher.reset();
    co_return answers;
  });
  EXPECT_THAT(results, Each(PublishResult::confirmed));
}

TEST_F(MessagingPublisher, RecoversFromAConnectionReset) {
  connectPublisher();
  TcpProxy proxy(portOfBroker(url_));
  auto options = publisherOptions();
  options.broker.url = withPort(url_, proxy.port());
  auto& publisher = connectPublisher(std::move(options));
  for (int round = 0; round < 3; ++round) {
    proxy.setMode(TcpProxy::Mode::silence);
    auto call = loop_.start(publisher, events(100));
    EXPECT_TRUE(eventually([&] { return proxy.counters().swallowedBytes > 0; }));
    proxy.setMode(TcpProxy::Mode::reset);
    EXPECT_THAT(await(std::move(call), 5s), Each(PublishResult::unavailable));
    proxy.setMode(TcpProxy::Mode::pass);
    EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
    EXPECT_THAT(loop_.publish(publisher, {event("m-1")}), Each(PublishResult::confirmed));
  }
}

}  // namespace
}  // namespace auth_errors::tests
