// Fixture with unique names in a broker and a loop for publishers and subscribers. They are closed
// on that loop and their queues deleted at the end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <format>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "platform/messaging/publisher.h"
#include "platform/messaging/subscriber.h"
#include "platform/messaging/topology.h"
#include "tests/support/amqp_client.h"
#include "tests/support/environment.h"
#include "tests/support/loop_runner.h"

namespace auth_errors::tests {

inline constexpr std::string_view kEventType = "auth.error.recorded.v1";

// AMQP_URL; throws if unset.
inline std::string brokerUrl() {
  const auto url = environmentVariable("AMQP_URL");
  if (!url) {
    throw std::runtime_error("AMQP_URL is not set: run the tests with ./dev test");
  }
  return *url;
}

inline messaging::Topology uniqueTopology(const domain::RetryRungs& ttls = {
                                              std::chrono::milliseconds(10'000),
                                              std::chrono::milliseconds(60'000),
                                              std::chrono::milliseconds(600'000)}) {
  return messaging::makeTopology(std::format("test-{:08x}", std::random_device{}()), ttls,
                                 {kEventType, "auth.error.analysis.requested.v1"});
}

inline messaging::BrokerOptions brokerAt(std::string url) {
  return {.url = std::move(url),
          .certificate = {},
          .connectionName = "messaging-test",
          .reconnectDelayMin = std::chrono::milliseconds(20),
          .reconnectDelayMax = std::chrono::milliseconds(200)};
}

inline messaging::Publication publicationTo(messaging::Address to, std::string id,
                                            std::string body = "{}") {
  return {.to = std::move(to),
          .message = {.messageId = std::move(id),
                      .type = "",
                      .contentType = "application/json",
                      .headers = {},
                      .body = std::move(body)}};
}

// Deliveries of a subscriber. Filled on the loop, read by the test.
class Inbox {
 public:
  void add(messaging::Delivery delivery) {
    const std::scoped_lock lock(mutex_);
    deliveries_.push_back(std::move(delivery));
    arrived_.notify_all();
  }
  [[nodiscard]] std::vector<messaging::Delivery> all() const {
    const std::scoped_lock lock(mutex_);
    return deliveries_;
  }
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return deliveries_.size();
  }
  // Waits for this many; throws on a timeout.
  std::vector<messaging::Delivery> waitFor(std::size_t count,
                                           std::chrono::milliseconds limit = kWaitLimit) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, limit, [&] { return deliveries_.size() >= count; })) {
      throw std::runtime_error(std::format("{} of {} messages came", deliveries_.size(), count));
    }
    return deliveries_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<messaging::Delivery> deliveries_;
};

// Publishers and subscribers on a dedicated loop.
class BrokerLoop {
 public:
  BrokerLoop() = default;
  ~BrokerLoop() { closeAll(); }
  BrokerLoop(const BrokerLoop&) = delete;
  BrokerLoop& operator=(const BrokerLoop&) = delete;
  BrokerLoop(BrokerLoop&&) = delete;
  BrokerLoop& operator=(BrokerLoop&&) = delete;

  [[nodiscard]] trantor::EventLoop& loop() { return thread_.loop(); }

  messaging::Publisher& publisher(messaging::Publisher::Options options) {
    return call([&]() -> messaging::Publisher& {
      return *publishers_.emplace_back(
          std::make_unique<messaging::Publisher>(loop(), std::move(options)));
    });
  }
  messaging::Subscriber& subscriber(messaging::Subscriber::Options options) {
    return call([&]() -> messaging::Subscriber& {
      return *subscribers_.emplace_back(
          std::make_unique<messaging::Subscriber>(loop(), std::move(options)));
    });
  }
  void closeAll() {
    call([this] {
      publishers_.clear();
      subscribers_.clear();
    });
  }

  template <typename Function>
  std::invoke_result_t<Function&> call(Function function) {
    return callOn(loop(), std::move(function));
  }
  std::future<std::vector<messaging::PublishResult>> start(
      messaging::Publisher& publisher, std::vector<messaging::Publication> publications,
      std::chrono::milliseconds time = std::chrono::seconds(20)) {
    return startOn(loop(), [&publisher, publications, time] {
      return publisher.publish(publications, std::chrono::steady_clock::now() + time);
    });
  }
  std::vector<messaging::PublishResult> publish(
      messaging::Publisher& publisher, std::vector<messaging::Publication> publications,
      std::chrono::milliseconds time = std::chrono::seconds(20)) {
    return await(start(publisher, std::move(publications), time), time + kWaitLimit);
  }
  std::optional<std::uint32_t> depth(messaging::Publisher& publisher,
                                     const messaging::QueueName& queue,
                                     std::chrono::milliseconds time = std::chrono::seconds(10)) {
    return runOn(loop(), [&publisher, queue, time] {
      return publisher.depth(queue, std::chrono::steady_clock::now() + time);
    });
  }

 private:
  LoopThread thread_;
  std::vector<std::unique_ptr<messaging::Publisher>> publishers_;
  std::vector<std::unique_ptr<messaging::Subscriber>> subscribers_;
};

template <typename Connected>
bool becomes(const Connected& connected, messaging::BrokerState state,
             std::chrono::milliseconds limit = kWaitLimit) {
  return eventually([&] { return connected.state() == state; }, limit);
}

// The publishers and subscribers returned are connected.
class MessagingTest : public testing::Test {
 protected:
  explicit MessagingTest(std::string url = brokerUrl(),
                         messaging::Topology topology = uniqueTopology())
      : url_(std::move(url)), topology_(std::move(topology)) {}
  ~MessagingTest() override {
    loop_.closeAll();
    removeTopology();
  }

  [[nodiscard]] messaging::Publisher::Options publisherOptions() const {
    return {.broker = brokerAt(url_), .topology = topology_, .window = 500, .onState = {}};
  }
  messaging::Publisher& connectPublisher(messaging::Publisher::Options options) {
    auto& publisher = loop_.publisher(std::move(options));
    EXPECT_TRUE(becomes(publisher, messaging::BrokerState::ready)) << publisher.problem();
    return publisher;
  }
  messaging::Publisher& connectPublisher() { return connectPublisher(publisherOptions()); }

  [[nodiscard]] messaging::Subscriber::Options subscriberOptions(Inbox& inbox) const {
    return {
        .broker = brokerAt(url_),
        .topology = topology_,
        .queue = topology_.workQueue,
        .onDelivery = [&inbox](messaging::Delivery delivery) { inbox.add(std::move(delivery)); },
        .onState = {}};
  }
  messaging::Subscriber& connectSubscriber(messaging::Subscriber::Options options) {
    auto& subscriber = loop_.subscriber(std::move(options));
    EXPECT_TRUE(becomes(subscriber, messaging::BrokerState::ready)) << subscriber.problem();
    return subscriber;
  }
  messaging::Subscriber& connectSubscriber(Inbox& inbox) {
    return connectSubscriber(subscriberOptions(inbox));
  }

  // Closes it once the broker has received every acknowledgement.
  void finish(messaging::Subscriber& subscriber) {
    runOn(loop_.loop(), [&subscriber] {
      return subscriber.finish(std::chrono::steady_clock::now() + std::chrono::seconds(10));
    });
  }

  [[nodiscard]] messaging::Publication event(std::string id, std::string body = "{}") const {
    return publicationTo(topology_.event(kEventType), std::move(id), std::move(body));
  }
  [[nodiscard]] std::vector<messaging::Publication> events(std::size_t count) const {
    std::vector<messaging::Publication> all;
    for (std::size_t number = 1; number <= count; ++number) {
      all.push_back(event(std::format("m-{}", number)));
    }
    return all;
  }

  std::string url_;
  messaging::Topology topology_;
  BrokerLoop loop_;

 private:
  void removeTopology() {
    try {
      AmqpClient client(url_);
      for (const auto& queue : topology_.queues) {
        client.deleteQueue(queue.name);
      }
      client.deleteExchange(topology_.exchange);
    } catch (const std::exception& failure) {
      ADD_FAILURE() << "the broker was not cleaned up: " << failure.what();
    }
  }
};

}  // namespace auth_errors::tests
