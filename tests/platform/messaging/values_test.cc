#include <chrono>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/messaging/broker.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/topology.h"

namespace auth_errors::messaging {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

std::vector<std::string> namesOf(const Topology& topology) {
  std::vector<std::string> names;
  for (const auto& queue : topology.queues) {
    names.push_back(queue.name.text());
  }
  return names;
}

// What must not compile.
static_assert(!std::is_convertible_v<QueueName, ExchangeName>);
static_assert(!std::is_invocable_v<decltype(addressOf), ExchangeName>);
static_assert(!std::is_invocable_v<decltype(&Publisher::depth), Publisher&, ExchangeName,
                                   std::chrono::steady_clock::time_point>);

TEST(MessagingTopology, HasAWorkQueueThreeRetryQueuesAndTwoTerminalQueues) {
  const auto topology = makeTopology("auth-errors", {10s, 60s, 600s}, {"a.v1", "b.v1"});
  EXPECT_EQ(topology.exchange, ExchangeName("auth-errors.v1.events"));
  EXPECT_THAT(namesOf(topology),
              ElementsAre("auth-errors.v1.dead", "auth-errors.v1.foreign", "auth-errors.v1.work",
                          "auth-errors.v1.retry.10000", "auth-errors.v1.retry.60000",
                          "auth-errors.v1.retry.600000"));
  EXPECT_THAT(topology.bindingKeys, ElementsAre("a.v1", "b.v1"));
  EXPECT_EQ(topology.event("a.v1").exchange, topology.exchange);
  EXPECT_EQ(topology.event("a.v1").routingKey, "a.v1");
  EXPECT_EQ(topology.retry(1).exchange, ExchangeName());
  EXPECT_EQ(topology.retry(1).routingKey, "auth-errors.v1.retry.60000");
  EXPECT_EQ(topology.deadLetter().routingKey, topology.deadLetterQueue.text());
  for (const auto& queue : topology.queues) {
    const bool retry = queue.ttl != 0ms;
    const bool last = queue.name == topology.deadLetterQueue || queue.name == topology.foreignQueue;
    EXPECT_EQ(queue.deadLetterQueue, last    ? QueueName()
                                     : retry ? topology.workQueue
                                             : topology.deadLetterQueue);
    EXPECT_EQ(queue.deliveryLimit, queue.name == topology.workQueue ? 1000 : -1);
    EXPECT_EQ(queue.maxLength, queue.name == topology.foreignQueue ? 100'000 : 0);
  }
}

TEST(MessagingTopology, DeclaresARetryQueueSharedByTwoRungsOnce) {
  const auto topology = makeTopology("p", {50ms, 50ms, 90ms}, {});
  EXPECT_THAT(namesOf(topology), ElementsAre("p.v1.dead", "p.v1.foreign", "p.v1.work",
                                             "p.v1.retry.50", "p.v1.retry.90"));
  EXPECT_EQ(topology.retry(0).routingKey, topology.retry(1).routingKey);
}

TEST(MessagingBrokerUrl, AcceptsValidUrls) {
  for (const std::string_view url :
       {"amqp://user:password@broker:5672/", "amqp://user:password@broker",
        "amqps://us%40er:p%2Fw@broker.example:5671/a%2Fb", "amqp://user:p@[::1]:5672/vhost",
        "amqp://user:pass@word@127.0.0.1/", "amqps://user:p@10.0.0.1/",
        "amqp://user:p@one,two:5673,[::1],[fd00::1]:5674/vhost"}) {
    EXPECT_NO_THROW(checkBrokerUrl(url)) << url;
  }
}

TEST(MessagingBrokerUrl, RefusesInvalidUrlsWithoutQuotingThem) {
  for (const std::string_view url :
       {"", "http://user:secret@broker/", "amqp://broker/", "amqp://secret@broker/",
        "amqp://user:secret@/", "amqp://user:secret@broker:0/", "amqp://user:secret@broker:port/",
        "amqp://user:secret@broker:70000/", "amqp://user:secret%zz@broker/",
        "amqp://user:secret%0@broker/", "amqp://user:secret%00@broker/", "amqp://user:secret@[::1/",
        "amqp://user:secret@[::1]5/", "amqp://user:secret@broker/?heartbeat=1",
        "amqp://user:secret@one,/", "amqp://user:secret@,two/", "amqp://user:secret@one,two:0/"}) {
    try {
      checkBrokerUrl(url);
      ADD_FAILURE() << url;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_THAT(refusal.what(), Not(HasSubstr("secret"))) << url;
    }
  }
}

TEST(MessagingBrokerState, HasANameForEachValue) {
  EXPECT_EQ(toText(BrokerState::connecting), "connecting");
  EXPECT_EQ(toText(BrokerState::mismatch), "mismatch");
  EXPECT_EQ(toText(BrokerState::blocked), "blocked");
  EXPECT_EQ(toText(BrokerState::ready), "ready");
  EXPECT_EQ(toText(BrokerState::closed), "closed");
}

}  // namespace
}  // namespace auth_errors::messaging
