// From a message in the work queue to its effect, on a real PostgreSQL and a real RabbitMQ.
#include "consumer/event_consumer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <format>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "consumer/analysis_handler.h"
#include "consumer/recorded_handler.h"
#include "database/client.h"
#include "database/migrator.h"
#include "telemetry/metrics.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/messaging_fixture.h"
#include "tests/support/rule_rows.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/test_database.h"

namespace auth_errors::consumer {
namespace {

using namespace std::chrono_literals;
using messaging::PublishResult;
using testing::Each;
using testing::ElementsAre;
using tests::eventually;
using tests::plantError;
using tests::plantEvent;
using tests::statusInLedger;
using tests::statusOfError;

constexpr domain::RetryRungs kRungs{100ms, 200ms, 400ms};

// A handler that does what the test says.
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

Prepared allOf(std::size_t count, const Outcome& outcome) {
  return {.outcomes = std::vector<Outcome>(count, outcome),
          .apply = [](database::Transaction& transaction, std::vector<EventInHand> events,
                      database::Deadline deadline) -> drogon::Task<void> {
            for (const EventInHand& event : events) {
              database::Parameters parameters;
              parameters.add(event.outboxId);
              co_await transaction.run(
                  {.name = "", .sql = "INSERT INTO effect (outbox_id) VALUES ($1)"},
                  std::move(parameters), deadline);
            }
          }};
}

ScriptedHandler::Script always(const Outcome& outcome) {
  return [outcome](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    co_return allOf(events.size(), outcome);
  };
}

class EventConsumerTest : public tests::MessagingTest {
 protected:
  EventConsumerTest() : MessagingTest(tests::brokerUrl(), tests::uniqueTopology(kRungs)) {
    auto& migrating = makeClient(database_.url());
    tests::runOn(loop_.loop(), [&]() -> drogon::Task<> {
      co_await database::migrate(migrating, AUTH_ERRORS_MIGRATIONS,
                                 std::chrono::steady_clock::now() + 20s);
    });
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
          loop_.loop(), database::ClientOptions{.url = url,
                                                .connections = 2,
                                                .reconnectDelayMin = 20ms,
                                                .reconnectDelayMax = 200ms}));
    });
  }

  [[nodiscard]] EventConsumer::Options options() const {
    return {.instance = "test",
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
  // As the service has it.
  EventConsumer& startReal() {
    auto& client = makeClient(database_.url());
    std::vector<std::unique_ptr<Handler>> handlers;
    handlers.push_back(std::make_unique<RecordedHandler>("test", [this] { ++wakes_; }));
    handlers.push_back(std::make_unique<AnalysisHandler>(client, "test", 5s, metrics_));
    return startConsumer(std::move(handlers), options(), client, connectPublisher());
  }
  void stop(EventConsumer& consumer, std::chrono::milliseconds time = 5s) {
    tests::runOn(loop_.loop(), [&consumer, time] {
      return consumer.stop(std::chrono::steady_clock::now() + time);
    });
  }
  void stopConsumers() {
    for (const auto& consumer : consumers_) {
      stop(*consumer, 500ms);
    }
    loop_.call([this] { consumers_.clear(); });
  }

  [[nodiscard]] static messaging::Message messageOf(std::int64_t outboxId, std::int64_t authErrorId,
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
                Each(PublishResult::confirmed));
  }
  // A NEW error with its recorded event, delivered.
  struct Planted {
    std::int64_t authErrorId = 0;
    std::int64_t outboxId = 0;
  };
  Planted plant(const std::string& status = "NEW") {
    Planted planted;
    planted.authErrorId = plantError(database_, status);
    planted.outboxId = plantEvent(database_, planted.authErrorId);
    return planted;
  }
  Planted plantAndDeliver(const std::string& status = "NEW") {
    const Planted planted = plant(status);
    deliver({messageOf(planted.outboxId, planted.authErrorId)});
    return planted;
  }

  [[nodiscard]] bool ledgerBecomes(std::int64_t outboxId, const std::string& status) {
    return eventually([&] { return statusInLedger(database_, outboxId) == status; });
  }
  [[nodiscard]] std::string ledger(std::int64_t outboxId, const std::string& column) {
    return database_.queryValue(
        std::format("SELECT coalesce({}::text, 'null') FROM processed_message WHERE outbox_id = {}",
                    column, outboxId));
  }
  [[nodiscard]] int effectsOf(std::int64_t outboxId) {
    return std::stoi(database_.queryValue(
        std::format("SELECT count(*) FROM effect WHERE outbox_id = {}", outboxId)));
  }
  // Nothing of ours is left in any queue but the dead-letter queue.
  [[nodiscard]] bool queuesAreEmpty() {
    return eventually([&] {
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
  telemetry::Metrics metrics_{"test", "test"};
  std::atomic<int> wakes_ = 0;
  std::vector<std::unique_ptr<database::Client>> clients_;
  std::vector<std::unique_ptr<EventConsumer>> consumers_;
  messaging::Publisher* publisher_ = nullptr;
};

TEST_F(EventConsumerTest, ARecordedErrorAsksForItsAnalysisOnce) {
  startReal();
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "ANALYSIS_REQUESTED");
  EXPECT_EQ(database_.queryValue(std::format(
                "SELECT event_type || ' ' || status || ' ' || (payload ? 'requestedAt')::text FROM "
                "outbox_message WHERE idempotency_key = 'auth_error:analysis_requested:{}'",
                planted.authErrorId)),
            "auth.error.analysis.requested.v1 PENDING true");
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(ledger(planted.outboxId, "completed_by"), "test");
}

TEST_F(EventConsumerTest, AnAnalysisCompletesWithAStackHash) {
  startReal();
  const std::int64_t error = plantError(database_, "ANALYSIS_REQUESTED");
  const std::int64_t outboxId = plantEvent(database_, error, "analysis_requested");
  deliver({messageOf(outboxId, error, "analysis_requested")});
  ASSERT_TRUE(ledgerBecomes(outboxId, "DONE"));
  EXPECT_EQ(statusOfError(database_, error), "ANALYSIS_COMPLETED");
  EXPECT_EQ(database_.queryValue(
                std::format("SELECT length(stack_hash) FROM auth_error WHERE id = {}", error)),
            "64");
  EXPECT_EQ(database_.queryValue(std::format(
                "SELECT from_status || '>' || to_status || ' ' || cause || ' ' || changed_by FROM "
                "auth_error_transition WHERE auth_error_id = {}",
                error)),
            "ANALYSIS_REQUESTED>ANALYSIS_COMPLETED analysis_completed test");
}

TEST_F(EventConsumerTest, ARuleDecidesWithTheAnalysisAndOneThatFailsDoesNotStopIt) {
  tests::plantRule(database_, {.name = "bad", .match = "http_status = 401"});
  tests::plantRule(database_, {.name = "good", .match = "http_status = 403", .action = "RESOLVE"});
  tests::failDecisions(database_, "NEW.decided_by = 'rule:bad'");
  std::vector<std::int64_t> errors;
  std::vector<std::int64_t> events;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < 6; ++i) {
    errors.push_back(plantError(database_, "ANALYSIS_REQUESTED"));
    events.push_back(plantEvent(database_, errors.back(), "analysis_requested"));
    messages.push_back(messageOf(events.back(), errors.back(), "analysis_requested"));
  }
  database_.execute("UPDATE auth_error SET http_status = 403 WHERE id % 2 = 0");
  startReal();
  deliver(std::move(messages));
  for (std::size_t i = 0; i < errors.size(); ++i) {
    ASSERT_TRUE(ledgerBecomes(events[i], "DONE"));
    EXPECT_EQ(tests::fateOf(database_, errors[i]),
              errors[i] % 2 == 0 ? "RESOLVED by rule:good" : "ANALYSIS_COMPLETED");
    EXPECT_EQ(ledger(events[i], "retry_count"), "0") << "no attempt was spent";
  }
  EXPECT_TRUE(eventually([&] { return metrics_.ruleDecisions("RESOLVE").Value() == 3; }));
  EXPECT_EQ(metrics_.ruleFailures().Value(), 3);
  EXPECT_EQ(database_.queryValue("SELECT sum(hits) || ' ' || sum(failures) FROM rule_delta"),
            "3 3");
}

TEST_F(EventConsumerTest, SkipsATerminalErrorWhateverTheEvent) {
  startReal();
  for (const char* status : {"PROCESSED", "FAILED", "RESOLVED", "IGNORED"}) {
    const std::int64_t error = plantError(database_, status);
    const std::int64_t recorded = plantEvent(database_, error);
    const std::int64_t analysis = plantEvent(database_, error, "analysis_requested");
    deliver({messageOf(analysis, error, "analysis_requested"), messageOf(recorded, error)});
    EXPECT_TRUE(ledgerBecomes(recorded, "DONE"));
    EXPECT_TRUE(ledgerBecomes(analysis, "DONE"));
    EXPECT_EQ(statusOfError(database_, error), status);
  }
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error_transition"), "0");
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, EventsThatArriveInTheWrongOrderStillEndInTheRightState) {
  startReal();
  const std::int64_t error = plantError(database_, "ANALYSIS_REQUESTED");
  const std::int64_t recorded = plantEvent(database_, error);
  const std::int64_t analysis = plantEvent(database_, error, "analysis_requested");
  deliver({messageOf(analysis, error, "analysis_requested")});
  ASSERT_TRUE(ledgerBecomes(analysis, "DONE"));
  deliver({messageOf(recorded, error)});
  ASSERT_TRUE(ledgerBecomes(recorded, "DONE"));
  EXPECT_EQ(statusOfError(database_, error), "ANALYSIS_COMPLETED");
}

TEST_F(EventConsumerTest, ARepeatOfADoneOrDeadEventIsOnlyAcknowledged) {
  startScripted(always({.kind = OutcomeKind::done, .error = {}}));
  const Planted done = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(done.outboxId, "DONE"));
  const Planted dead = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, created_at, updated_at) "
      "VALUES ({}, 'DEAD', 6, now(), now())",
      dead.outboxId));
  for (int i = 0; i < 20; ++i) {
    deliver({messageOf(done.outboxId, done.authErrorId), messageOf(dead.outboxId, dead.authErrorId),
             messageOf(done.outboxId, done.authErrorId)});
  }
  EXPECT_TRUE(queuesAreEmpty());
  EXPECT_TRUE(eventually(
      [&] { return metrics_.consumed(telemetry::ConsumeOutcome::repeated).Value() == 60; }));
  EXPECT_EQ(effectsOf(done.outboxId), 1);
  EXPECT_EQ(effectsOf(dead.outboxId), 0);
  EXPECT_EQ(statusInLedger(database_, dead.outboxId), "DEAD");
}

TEST_F(EventConsumerTest, AFailingHandlerGoesDownTheLadderAndThenDies) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    ++calls;
    co_return allOf(events.size(), {.kind = OutcomeKind::retry, .error = "no luck"});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "6");
  // Each wait at least nine tenths of its rung, since jitter only shortens, and by so much.
  std::vector<std::string> waits;
  for (const auto& row : database_.queryText(std::format(
           "SELECT attempt::text, coalesce((lead(failed_at) OVER (ORDER BY id) - failed_at >= "
           "make_interval(secs => CASE attempt WHEN 1 THEN 0.1 WHEN 2 THEN 0.2 ELSE 0.4 END * "
           "0.9))::text, 'last'), error FROM delivery_attempt WHERE outbox_id = {} ORDER BY id",
           planted.outboxId))) {
    waits.push_back(*row.at(0) + " " + *row.at(1) + " " + *row.at(2));
  }
  EXPECT_THAT(waits, ElementsAre("1 true no luck", "2 true no luck", "3 true no luck",
                                 "4 true no luck", "5 true no luck", "6 last no luck"));
  EXPECT_EQ(database_.queryValue(std::format(
                "SELECT status || ' ' || source || ' ' || reason || ' ' || error || ' ' || "
                "jsonb_array_length(attempts) || ' ' || (payload->>'authErrorId') FROM dead_letter "
                "WHERE outbox_id = {}",
                planted.outboxId)),
            std::format("OPEN consumer retries_exhausted no luck 6 {}", planted.authErrorId));
  const messaging::Message letter = takeDeadLetter();
  EXPECT_EQ(letter.text("deadLetterReason"), "retries_exhausted");
  EXPECT_EQ(letter.integer("outboxId"), planted.outboxId);
  // Dead-lettering alone makes no error terminal.
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "RETRY");
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, ARetryPutsTheErrorIntoRetryAndASuccessGoesOnFromThere) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    const bool first = calls++ == 0;
    co_return allOf(events.size(),
                    first ? Outcome{.kind = OutcomeKind::retry, .error = "once"} : Outcome{});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "RETRY");
  EXPECT_EQ(effectsOf(planted.outboxId), 1);
  EXPECT_EQ(database_.queryValue("SELECT cause FROM auth_error_transition"), "handler_failed");
}

TEST_F(EventConsumerTest, APoisonEventStandsAlone) {
  const Planted poison = plant();
  std::vector<Planted> good;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < 20; ++i) {
    good.push_back(plant());
    messages.push_back(messageOf(good.back().outboxId, good.back().authErrorId));
    if (i == 10) {
      messages.push_back(messageOf(poison.outboxId, poison.authErrorId));
    }
  }
  deliver(std::move(messages));
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    if (std::ranges::contains(events, poison.outboxId, &EventInHand::outboxId)) {
      throw std::runtime_error("poison");
    }
    co_return allOf(events.size(), {});
  });
  for (const Planted& planted : good) {
    EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
    EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
    EXPECT_EQ(effectsOf(planted.outboxId), 1);
  }
  EXPECT_TRUE(ledgerBecomes(poison.outboxId, "DEAD"));
}

TEST_F(EventConsumerTest, AnEffectThatTheDatabaseRefusesFailsItsOwnEventAlone) {
  const Planted poison = plant();
  const Planted good = plant();
  database_.execute(std::format("ALTER TABLE effect ADD CHECK (outbox_id <> {})", poison.outboxId));
  deliver(
      {messageOf(good.outboxId, good.authErrorId), messageOf(poison.outboxId, poison.authErrorId)});
  startScripted(always({}));
  EXPECT_TRUE(ledgerBecomes(good.outboxId, "DONE"));
  EXPECT_TRUE(ledgerBecomes(poison.outboxId, "DEAD"));
  EXPECT_EQ(effectsOf(good.outboxId), 1);
}

struct PermanentCase {
  std::string name;
  std::string reason;
  std::function<void(messaging::Message&)> spoil;
};

std::ostream& operator<<(std::ostream& out, const PermanentCase& permanent) {
  return out << permanent.name;
}

void dropHeader(messaging::Message& message, std::string_view name) {
  std::erase_if(message.headers, [name](const auto& header) { return header.first == name; });
}

class PermanentFault : public EventConsumerTest,
                       public testing::WithParamInterface<PermanentCase> {};

TEST_P(PermanentFault, GoesStraightToTheDeadLetterQueueWithItsReason) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    ++calls;
    co_return allOf(events.size(), {});
  });
  const Planted planted = plant();
  messaging::Message message = messageOf(planted.outboxId, planted.authErrorId);
  GetParam().spoil(message);
  EXPECT_THAT(
      loop_.publish(*publisher_, {{.to = {.exchange = "", .routingKey = topology_.workQueue},
                                   .message = message}}),
      Each(PublishResult::confirmed));
  const messaging::Message letter = takeDeadLetter();
  EXPECT_EQ(letter.text("deadLetterReason"), GetParam().reason);
  EXPECT_TRUE(letter.text("deadLetterError").has_value());
  EXPECT_EQ(letter.body, message.body);
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(queuesAreEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, PermanentFault,
    testing::Values(
        PermanentCase{"NoOutboxId", "missing_header",
                      [](auto& message) { dropHeader(message, "outboxId"); }},
        PermanentCase{"NoEventType", "missing_header",
                      [](auto& message) { dropHeader(message, "eventType"); }},
        PermanentCase{"NoAggregateType", "missing_header",
                      [](auto& message) { dropHeader(message, "aggregateType"); }},
        PermanentCase{"NotJson", "malformed_payload", [](auto& message) { message.body = "{"; }},
        PermanentCase{"NoAuthErrorId", "missing_auth_error_id",
                      [](auto& message) { message.body = "{}"; }},
        PermanentCase{"UnknownEventType", "unknown_event_type",
                      [](auto& message) {
                        dropHeader(message, "eventType");
                        message.headers.emplace_back("eventType", std::string("auth.error.odd.v9"));
                      }},
        PermanentCase{"UnknownAggregateType", "unknown_aggregate_type",
                      [](auto& message) {
                        dropHeader(message, "aggregateType");
                        message.headers.emplace_back("aggregateType", std::string("invoice"));
                      }},
        PermanentCase{"UnknownAuthError", "unknown_auth_error",
                      [](auto& message) { message.body = R"({"authErrorId":987654321})"; }}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(EventConsumerTest, ARejectedEventIsDeadAtOnceAndSpendsNoAttempt) {
  startScripted(always({.kind = OutcomeKind::reject, .error = "never"}));
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
  EXPECT_EQ(database_.queryValue("SELECT reason || ' ' || error FROM dead_letter"),
            "rejected never");
  EXPECT_EQ(takeDeadLetter().text("deadLetterReason"), "rejected");
}

TEST_F(EventConsumerTest, ALeaseHeldElsewhereIsTriedLaterAndSpendsNoAttempt) {
  startScripted(always({}));
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, lease_owner, lease_until, "
      "created_at, updated_at) VALUES ({}, 'PROCESSING', 0, 'another/1', now() + interval '1 "
      "hour', "
      "now(), now())",
      planted.outboxId));
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(
      eventually([&] { return metrics_.consumed(telemetry::ConsumeOutcome::held).Value() >= 3; }));
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
  EXPECT_EQ(ledger(planted.outboxId, "lease_owner"), "another/1");
  database_.execute(
      "UPDATE processed_message SET status = 'PENDING', lease_owner = NULL, "
      "lease_until = NULL");
  EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(effectsOf(planted.outboxId), 1);
}

TEST_F(EventConsumerTest, TakingOverAnExpiredLeaseSpendsAnAttempt) {
  startScripted(always({}));
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, lease_owner, lease_until, "
      "created_at, updated_at) VALUES ({}, 'PROCESSING', 2, 'late/7', now() - interval '1 second', "
      "now(), now())",
      planted.outboxId));
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "3");
  EXPECT_EQ(database_.queryValue("SELECT attempt || ' ' || error FROM delivery_attempt"),
            "3 the lease of late/7 expired");
}

TEST_F(EventConsumerTest, AnEventWhoseEveryAttemptOutlivedItsLeaseDiesWithoutAnotherTry) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    ++calls;
    co_return allOf(events.size(), {});
  });
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, lease_owner, lease_until, "
      "created_at, updated_at) VALUES ({}, 'PROCESSING', 5, 'late/7', now() - interval '1 second', "
      "now(), now())",
      planted.outboxId));
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(database_.queryValue("SELECT reason FROM dead_letter"), "retries_exhausted");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "1");
}

TEST_F(EventConsumerTest, ARetryThatIsNotYetDueWaitsForTheDatabasesTime) {
  startScripted(always({}));
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, next_retry_at, created_at, "
      "updated_at) VALUES ({}, 'RETRY_WAIT', 2, now() + interval '150 milliseconds', now(), now())",
      planted.outboxId));
  const std::string due = ledger(planted.outboxId, "next_retry_at");
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_GE(metrics_.consumed(telemetry::ConsumeOutcome::waiting).Value(), 1);
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "2");
  EXPECT_EQ(database_.queryValue(
                std::format("SELECT updated_at >= '{}'::timestamptz FROM processed_message", due)),
            "t");
}

TEST_F(EventConsumerTest, ALongHandlerKeepsItsLease) {
  auto slow = options();
  slow.lease = 600ms;
  std::atomic<int> calls = 0;
  startScripted(
      [&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
        ++calls;
        co_await drogon::sleepCoro(&loop_.loop(), 2s);
        co_return allOf(events.size(), {});
      },
      slow);
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
}

TEST_F(EventConsumerTest, WhatAnotherConsumerTookOverIsFencedOff) {
  std::atomic<bool> stolen = false;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    if (!stolen.exchange(true)) {
      tests::PlainConnection(database_.url())
          .execute(
              "UPDATE processed_message SET lease_owner = 'thief/1', lease_until = now() + "
              "interval '1 hour'");
    }
    co_return allOf(events.size(), {});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(eventually(
      [&] { return metrics_.consumed(telemetry::ConsumeOutcome::fencedOff).Value() == 1; }));
  EXPECT_EQ(effectsOf(planted.outboxId), 0);
  EXPECT_EQ(statusInLedger(database_, planted.outboxId), "PROCESSING");
  EXPECT_EQ(ledger(planted.outboxId, "lease_owner"), "thief/1");
}

TEST_F(EventConsumerTest, ALateFailureOfALostLeaseChangesNothingEither) {
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    tests::PlainConnection(database_.url())
        .execute(
            "UPDATE processed_message SET lease_owner = NULL, lease_until = NULL, "
            "status = 'DONE'");
    co_return allOf(events.size(), {.kind = OutcomeKind::retry, .error = "late"});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(eventually(
      [&] { return metrics_.consumed(telemetry::ConsumeOutcome::fencedOff).Value() == 1; }));
  EXPECT_EQ(statusInLedger(database_, planted.outboxId), "DONE");
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "NEW");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "0");
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, AnOriginalIsAcknowledgedOnlyWhenItsCopyIsConfirmed) {
  auto nowhere = publisherOptions();
  nowhere.broker.url = "amqp://guest:guest@127.0.0.1:9/";
  auto& lost = loop_.publisher(std::move(nowhere));
  std::vector<std::unique_ptr<Handler>> handlers;
  handlers.push_back(
      std::make_unique<ScriptedHandler>(always({.kind = OutcomeKind::retry, .error = "again"})));
  auto& consumer = startConsumer(std::move(handlers), options(), makeClient(database_.url()), lost);
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "RETRY_WAIT"));
  stop(consumer, 500ms);
  EXPECT_TRUE(eventually([&] { return loop_.depth(*publisher_, topology_.workQueue) == 1U; }));
}

TEST_F(EventConsumerTest, DecidesNothingWhileTheDatabaseIsAway) {
  tests::TcpProxy proxy(tests::portOf(database_.url()));
  auto& client = makeClient(tests::urlWithPort(database_.url(), proxy.port()));
  ASSERT_TRUE(eventually([&] { return client.connected(); }));
  proxy.setMode(tests::TcpProxy::Mode::reset);
  std::vector<std::unique_ptr<Handler>> handlers;
  handlers.push_back(std::make_unique<ScriptedHandler>(always({})));
  auto fast = options();
  fast.databaseDeadline = 500ms;
  startConsumer(std::move(handlers), fast, client, connectPublisher());
  std::vector<Planted> planted;
  for (int i = 0; i < 10; ++i) {
    planted.push_back(plantAndDeliver());
  }
  ASSERT_TRUE(eventually([&] { return proxy.counters().resets >= 3; }));
  proxy.setMode(tests::TcpProxy::Mode::pass);
  for (const Planted& each : planted) {
    EXPECT_TRUE(ledgerBecomes(each.outboxId, "DONE"));
    EXPECT_EQ(ledger(each.outboxId, "retry_count"), "0");
    EXPECT_EQ(effectsOf(each.outboxId), 1);
  }
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, StoppingGivesLeasesBackThatAHandlerStillHolds) {
  auto& consumer = startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    co_await drogon::sleepCoro(&loop_.loop(), 1'500ms);
    co_return allOf(events.size(), {});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "PROCESSING"));
  stop(consumer, 400ms);
  EXPECT_EQ(statusInLedger(database_, planted.outboxId), "PENDING");
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
  EXPECT_TRUE(eventually([&] { return loop_.depth(*publisher_, topology_.workQueue) == 1U; }));
  // Its late writes find nothing of theirs.
  ASSERT_TRUE(eventually(
      [&] { return metrics_.consumed(telemetry::ConsumeOutcome::fencedOff).Value() == 1; }));
  EXPECT_EQ(effectsOf(planted.outboxId), 0);
}

TEST_F(EventConsumerTest, ThousandsOfRepeatsInAnyOrderHaveEachEffectOnce) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(std::format("seed {}", seed));
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
  startReal();
  startReal();
  constexpr int kErrors = 300;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < kErrors; ++i) {
    const std::int64_t error = plantError(database_);
    const std::int64_t recorded = plantEvent(database_, error);
    for (int copies = 0; copies < 10; ++copies) {
      messages.push_back(messageOf(recorded, error));
    }
  }
  std::ranges::shuffle(messages, random);
  deliver(std::move(messages));
  ASSERT_TRUE(eventually([&] {
    return database_.queryValue("SELECT count(*) FROM processed_message WHERE status = 'DONE'") ==
           std::to_string(kErrors);
  }));
  EXPECT_TRUE(queuesAreEmpty());
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error_transition"),
            std::to_string(kErrors));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM outbox_message WHERE event_type = "
                                 "'auth.error.analysis.requested.v1'"),
            std::to_string(kErrors));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error WHERE status <> "
                                 "'ANALYSIS_REQUESTED'"),
            "0");
}

TEST_F(EventConsumerTest, ALeaseWhoseAnswerWasLostIsStillOurs) {
  auto& client = makeClient(database_.url());
  const Planted planted = plant();
  const auto take = [&](const char* owner) {
    return tests::runOn(loop_.loop(), [&client, &planted, owner] {
      return takeLeases(client, {owner}, {planted.outboxId}, 10s, "test",
                        std::chrono::steady_clock::now() + 5s);
    });
  };
  EXPECT_EQ(take("one/1").front().state, LedgerState::leased);
  const LedgerEntry again = take("one/1").front();
  EXPECT_EQ(again.state, LedgerState::leased);
  EXPECT_EQ(again.retryCount, 0);
  EXPECT_EQ(take("two/1").front().state, LedgerState::held);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "0");
}

TEST_F(EventConsumerTest, AMessageThatCannotBeCopiedIsLeftToTheBrokerAndHoldsNobodyUp) {
  startScripted(always({}));
  messaging::Message monster = messageOf(1, 1);
  dropHeader(monster, "outboxId");
  monster.headers.emplace_back("ballast", std::string(130'000, 'x'));
  EXPECT_THAT(
      loop_.publish(*publisher_, {{.to = {.exchange = "", .routingKey = topology_.workQueue},
                                   .message = std::move(monster)}}),
      Each(PublishResult::confirmed));
  const Planted planted = plantAndDeliver();
  EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(takeDeadLetter().text("eventType"), std::string(domain::kRecorded.eventType));
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, ARetryQueueThatWasDeletedIsDeclaredAgain) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    const bool first = calls++ == 0;
    co_return allOf(events.size(),
                    first ? Outcome{.kind = OutcomeKind::retry, .error = "once"} : Outcome{});
  });
  tests::AmqpClient(url_).deleteQueue(topology_.retryQueues.front());
  const Planted planted = plantAndDeliver();
  EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
}

TEST_F(EventConsumerTest, AnAnalysisThatOvertakesItsRequestWaitsForIt) {
  startReal();
  const std::int64_t error = plantError(database_);
  const std::int64_t analysis = plantEvent(database_, error, "analysis_requested");
  deliver({messageOf(analysis, error, "analysis_requested")});
  ASSERT_TRUE(ledgerBecomes(analysis, "DONE"));
  EXPECT_EQ(statusOfError(database_, error), "ANALYSIS_COMPLETED");
  EXPECT_EQ(ledger(analysis, "retry_count"), "1");
}

TEST_F(EventConsumerTest, ARetryIsPlannedInTheErrorItself) {
  startScripted(always({.kind = OutcomeKind::retry, .error = "again"}));
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_EQ(database_.queryValue(std::format(
                "SELECT retry_count || ' ' || (next_retry_at > status_changed_at)::text FROM "
                "auth_error WHERE id = {}",
                planted.authErrorId)),
            "5 true");
}

TEST_F(EventConsumerTest, StaleAndReorderedCopiesByTheThousandKeepTerminalStatesAndApplyOnce) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(std::format("seed {}", seed));
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
  constexpr int kErrors = 250;
  constexpr int kCopies = 5;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < kErrors; ++i) {
    const std::int64_t error = plantError(database_, i % 5 == 0 ? "IGNORED" : "NEW");
    const std::int64_t recorded = plantEvent(database_, error);
    const std::int64_t analysis = plantEvent(database_, error, "analysis_requested");
    for (int copies = 0; copies < kCopies; ++copies) {
      messages.push_back(messageOf(recorded, error));
      messages.push_back(messageOf(analysis, error, "analysis_requested"));
    }
  }
  std::ranges::shuffle(messages, random);
  const std::vector<messaging::Message> stale = messages;
  startReal();
  startReal();
  deliver(std::move(messages));
  ASSERT_TRUE(eventually([&] {
    return database_.queryValue("SELECT count(*) FROM processed_message WHERE status = 'DONE'") ==
           std::to_string(2 * kErrors);
  }));
  database_.execute(
      "UPDATE auth_error SET status = 'RESOLVED' WHERE id % 2 = 0 AND status <> "
      "'IGNORED'");
  const std::string before =
      database_.queryValue("SELECT md5(string_agg(e::text, '' ORDER BY id)) FROM auth_error e");
  const auto repeated = [this] {
    return metrics_.consumed(telemetry::ConsumeOutcome::repeated).Value();
  };
  const double soFar = repeated();
  deliver(stale);
  ASSERT_TRUE(eventually([&] { return repeated() >= soFar + static_cast<double>(stale.size()); }));
  EXPECT_TRUE(queuesAreEmpty());
  EXPECT_EQ(
      database_.queryValue("SELECT md5(string_agg(e::text, '' ORDER BY id)) FROM auth_error e"),
      before);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error WHERE status NOT IN "
                                 "('IGNORED', 'RESOLVED', 'ANALYSIS_COMPLETED')"),
            "0");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error WHERE status = 'IGNORED'"),
            std::to_string(kErrors / 5));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error_transition WHERE to_status = "
                                 "'ANALYSIS_COMPLETED'"),
            std::to_string(kErrors / 5 * 4));
}

}  // namespace
}  // namespace auth_errors::consumer
