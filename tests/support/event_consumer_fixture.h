// Consumers with scripted or real handlers, on a real PostgreSQL and a real RabbitMQ.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <format>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "consumer/analysis_handler.h"
#include "consumer/event_consumer.h"
#include "consumer/metrics.h"
#include "consumer/recorded_handler.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/messaging_fixture.h"
#include "tests/support/test_database.h"

namespace auth_errors::consumer {

inline constexpr domain::RetryRungs kRungs{
    std::chrono::milliseconds(100), std::chrono::milliseconds(200), std::chrono::milliseconds(400)};

// A handler that the test scripts.
class ScriptedHandler final : public Handler {
 public:
  using Script = std::function<drogon::Task<Prepared>(std::vector<EventInHand>)>;

  explicit ScriptedHandler(Script script) : script_(std::move(script)) {}

  [[nodiscard]] const domain::EventDescriptor& event() const override { return domain::kRecorded; }
  drogon::Task<Prepared> prepare(std::vector<EventInHand> events) override {
    return script_(std::move(events));
  }

 private:
  Script script_;
};

inline Prepared allOf(std::size_t count, const Outcome& outcome) {
  return {.outcomes = std::vector<Outcome>(count, outcome),
          .apply = [](database::Transaction& transaction,
                      std::vector<EventInHand> events) -> drogon::Task<database::AfterCommit> {
            for (const EventInHand& event : events) {
              co_await transaction.run(
                  {.name = "", .sql = "INSERT INTO effect (outbox_id) VALUES ($1)"},
                  event.outboxId);
            }
            co_return database::AfterCommit();
          }};
}

inline ScriptedHandler::Script always(const Outcome& outcome) {
  return [outcome](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    co_return allOf(events.size(), outcome);
  };
}

class EventConsumerTest : public tests::MessagingTest {
 protected:
  EventConsumerTest() : MessagingTest(tests::brokerUrl(), tests::uniqueTopology(kRungs)) {
    database_.execute("CREATE TABLE effect (outbox_id bigint NOT NULL)");
    publisher_ = &connectPublisher();
  }
  ~EventConsumerTest() override {
    stopConsumers();
    loop_.call([this] { clients_.clear(); });
  }

  database::Client& makeClient(const std::string& url) {
    return loop_.call([&]() -> database::Client& {
      return *clients_.emplace_back(std::make_unique<database::Client>(
          loop_.loop(),
          database::ClientOptions{.url = url,
                                  .connections = 2,
                                  .reconnectDelayMin = std::chrono::milliseconds(20),
                                  .reconnectDelayMax = std::chrono::milliseconds(200)}));
    });
  }

  [[nodiscard]] EventConsumer::Options options() const {
    return {.instance = domain::InstanceName("test"),
            .broker = tests::brokerAt(url_),
            .topology = topology_,
            .policy = {.rungs = kRungs},
            .onState = {}};
  }

  EventConsumer& startConsumer(std::vector<std::unique_ptr<Handler>> handlers,
                               EventConsumer::Options options, database::Client& client,
                               messaging::Publisher& copies) {
    auto& consumer = loop_.call([&]() -> EventConsumer& {
      auto made = std::make_unique<EventConsumer>(client, copies, std::move(handlers),
                                                  std::move(options), metrics_);
      made->start();
      return *consumers_.emplace_back(std::move(made));
    });
    EXPECT_TRUE(tests::becomes(consumer, messaging::BrokerState::ready)) << consumer.problem();
    return consumer;
  }
  EventConsumer& startScripted(ScriptedHandler::Script script, EventConsumer::Options options) {
    std::vector<std::unique_ptr<Handler>> handlers;
    handlers.push_back(std::make_unique<ScriptedHandler>(std::move(script)));
    return startConsumer(std::move(handlers), std::move(options), makeClient(database_.url()),
                         connectPublisher());
  }
  EventConsumer& startScripted(ScriptedHandler::Script script) {
    return startScripted(std::move(script), options());
  }
  // Starts a consumer with the handlers of the service.
  EventConsumer& startReal() {
    auto& client = makeClient(database_.url());
    std::vector<std::unique_ptr<Handler>> handlers;
    handlers.push_back(
        std::make_unique<RecordedHandler>(domain::InstanceName("test"), [this] { ++wakes_; }));
    handlers.push_back(std::make_unique<AnalysisHandler>(client, domain::InstanceName("test"),
                                                         std::chrono::seconds(5), ruleMetrics_));
    return startConsumer(std::move(handlers), options(), client, connectPublisher());
  }
  void stop(EventConsumer& consumer, std::chrono::milliseconds time = std::chrono::seconds(5)) {
    tests::runOn(loop_.loop(), [&consumer, time] {
      return consumer.stop(std::chrono::steady_clock::now() + time);
    });
  }
  void stopConsumers() {
    for (const auto& consumer : consumers_) {
      stop(*consumer, std::chrono::milliseconds(500));
    }
    loop_.call([this] { consumers_.clear(); });
  }

  [[nodiscard]] static messaging::Message messageOf(domain::OutboxId outboxId,
                                                    domain::ErrorId authErrorId,
                                                    std::string_view event = "recorded") {
    const auto& descriptor = event == "recorded" ? domain::kRecorded : domain::kAnalysisRequested;
    return messaging::encodeEvent({.outboxId = outboxId,
                                   .aggregateType = std::string(descriptor.aggregateType),
                                   .eventType = std::string(descriptor.eventType),
                                   .idempotencyKey = descriptor.idempotencyKey(authErrorId),
                                   .payload = std::format(R"({{"authErrorId":{}}})", authErrorId),
                                   .createdAt = 1'700'000'000,
                                   .traceparent = {}});
  }
  void deliver(std::vector<messaging::Message> messages) {
    std::vector<messaging::Publication> publications;
    for (messaging::Message& message : messages) {
      publications.push_back({.to = topology_.event(message.type), .message = std::move(message)});
    }
    EXPECT_THAT(loop_.publish(*publisher_, std::move(publications)),
                testing::Each(messaging::PublishResult::confirmed));
  }
  // A NEW error with its recorded event, delivered.
  struct Planted {
    domain::ErrorId authErrorId;
    domain::OutboxId outboxId;
  };
  Planted plant(const std::string& status = "NEW") {
    Planted planted;
    planted.authErrorId = tests::plantError(database_, status);
    planted.outboxId = tests::plantEvent(database_, planted.authErrorId);
    return planted;
  }
  Planted plantAndDeliver(const std::string& status = "NEW") {
    const Planted planted = plant(status);
    deliver({messageOf(planted.outboxId, planted.authErrorId)});
    return planted;
  }

  [[nodiscard]] bool ledgerBecomes(domain::OutboxId outboxId, const std::string& status) {
    return tests::eventually([&] { return tests::statusInLedger(database_, outboxId) == status; });
  }
  [[nodiscard]] std::string ledger(domain::OutboxId outboxId, const std::string& column) {
    return database_.queryValue(
        std::format("SELECT coalesce({}::text, 'null') FROM processed_message WHERE outbox_id = {}",
                    column, outboxId));
  }
  [[nodiscard]] int effectsOf(domain::OutboxId outboxId) {
    return std::stoi(database_.queryValue(
        std::format("SELECT count(*) FROM effect WHERE outbox_id = {}", outboxId)));
  }
  // No message is left in any queue except the dead-letter queue.
  [[nodiscard]] bool queuesAreEmpty() {
    return tests::eventually([&] {
      return std::ranges::all_of(topology_.queues, [&](const auto& queue) {
        return queue.name == topology_.deadLetterQueue ||
               loop_.depth(*publisher_, queue.name) == 0U;
      });
    });
  }
  messaging::Message takeDeadLetter() {
    tests::Inbox inbox;
    auto options = subscriberOptions(inbox);
    options.queue = topology_.deadLetterQueue;
    auto& subscriber = connectSubscriber(std::move(options));
    auto delivery = inbox.waitFor(1).front();
    loop_.call([&] { subscriber.settle(std::vector{delivery.tag}); });
    finish(subscriber);
    return delivery.message;
  }

  tests::TestDatabase database_;
  telemetry::Registry registry_;
  Metrics metrics_{registry_};
  rules::Metrics ruleMetrics_{registry_};
  std::atomic<int> wakes_ = 0;
  std::vector<std::unique_ptr<database::Client>> clients_;
  std::vector<std::unique_ptr<EventConsumer>> consumers_;
  messaging::Publisher* publisher_ = nullptr;
};

}  // namespace auth_errors::consumer
