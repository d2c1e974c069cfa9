// The relay on a real PostgreSQL and a real RabbitMQ: from a due row to a confirmed message, and
// claims during an outage of either.
#include "outbox/claim_worker.h"

#include <chrono>
#include <format>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/name.h"
#include "outbox/metrics.h"
#include "outbox/reaper.h"
#include "outbox/sweeper.h"
#include "tests/support/database_fixture.h"
#include "tests/support/free_port.h"
#include "tests/support/messaging_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/tcp_proxy.h"

namespace auth_errors::outbox {
namespace {

using namespace std::chrono_literals;
using messaging::BrokerState;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using tests::becomes;
using tests::callOn;
using tests::eventually;
using tests::in;
using tests::kWaitLimit;
using tests::Row;
using tests::TcpProxy;

constexpr std::string_view kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

// A worker with its client and publisher on one loop, as in the service.
class Relay {
 public:
  struct Servers {
    database::ClientOptions database;
    std::string broker;
    messaging::Topology topology;
  };

  Relay(Servers servers, ClaimWorker::Options options) {
    callOn(loop(), [&] {
      servers.database.connections = options.lanes + 1;
      client_ = std::make_unique<database::Client>(loop(), servers.database);
      publisher_ = std::make_unique<messaging::Publisher>(
          loop(),
          messaging::Publisher::Options{.broker = tests::brokerAt(servers.broker),
                                        .topology = servers.topology,
                                        .window = 500,
                                        .onState = [this](BrokerState) { worker_->wake(); }});
      worker_ = std::make_unique<ClaimWorker>(*client_, *publisher_, servers.topology,
                                              std::move(options), metrics_);
    });
  }
  ~Relay() {
    if (started_) {
      stop(5s);
    }
    callOn(loop(), [this] {
      publisher_.reset();
      worker_.reset();
      client_.reset();
    });
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  Relay(Relay&&) = delete;
  Relay& operator=(Relay&&) = delete;

  void start() {
    started_ = true;
    callOn(loop(), [this] { worker_->start(); });
  }
  void stop(std::chrono::milliseconds time) {
    started_ = false;
    tests::runOn(loop(), [this, time] { return worker_->stop(in(time)); });
  }
  std::future<ClaimWorker::Counts> startOnce() {
    return tests::startOn(loop(), [this] { return worker_->runOnce(); });
  }
  ClaimWorker::Counts runOnce() { return tests::await(startOnce(), kWaitLimit); }

  [[nodiscard]] double counted(RelayOutcome outcome) { return metrics_.messages[outcome].value(); }
  [[nodiscard]] trantor::EventLoop& loop() { return thread_.loop(); }
  [[nodiscard]] database::Client& client() { return *client_; }
  [[nodiscard]] messaging::Publisher& publisher() { return *publisher_; }
  [[nodiscard]] ClaimWorker& worker() { return *worker_; }
  [[nodiscard]] Metrics& metrics() { return metrics_; }

 private:
  telemetry::Registry registry_;
  Metrics metrics_{registry_};
  tests::LoopThread thread_;
  std::unique_ptr<database::Client> client_;
  std::unique_ptr<messaging::Publisher> publisher_;
  std::unique_ptr<ClaimWorker> worker_;
  bool started_ = false;
};

class ClaimWorkerTest : public tests::MessagingTest {
 protected:
  [[nodiscard]] Relay::Servers servers() const {
    return {.database = {.url = database_.url()}, .broker = url_, .topology = topology_};
  }
  [[nodiscard]] Relay::Servers serversBehind(const TcpProxy& broker) const {
    Relay::Servers all = servers();
    all.broker = tests::urlWithPort(url_, broker.port());
    return all;
  }
  static ClaimWorker::Options options() {
    return {.instance = domain::InstanceName("instance-1"), .policy = {}, .pollInterval = 1h};
  }

  void insert(int count, const std::string& eventType = "auth.error.recorded.v1") {
    database_.execute(std::format(
        "INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, "
        "payload, status, retry_count, created_at, traceparent) SELECT 'auth_error', n, '{0}', "
        "'auth_error:recorded:' || n || ':' || nextval(pg_get_serial_sequence('outbox_message', "
        "'id')), jsonb_build_object('authErrorId', n), 'PENDING', 0, '2026-01-31T09:30:00Z', '{1}' "
        "FROM generate_series(1, {2}) n",
        eventType, kTraceparent, count));
  }
  std::string count(const std::string& where, const std::string& table = "outbox_message") {
    return database_.queryValue("SELECT count(*) FROM " + table + " WHERE " + where);
  }
  bool eventuallyCounts(const std::string& where, const std::string& expected) {
    return eventually([&] { return count(where) == expected; });
  }
  // All rows with the transactions that wrote them, to show that none was written.
  std::vector<tests::TextRow> wholeOutbox() {
    return database_.queryText("SELECT xmin, * FROM outbox_message ORDER BY id");
  }
  void expectUntouched() {
    EXPECT_EQ(count("status = 'PENDING' AND retry_count = 0 AND next_retry_at IS NULL AND "
                    "processing_owner IS NULL"),
              count("true"));
    EXPECT_EQ(count("true", "delivery_attempt"), "0");
  }

  tests::TestDatabase database_;
};

TEST_F(ClaimWorkerTest, PublishesDueMessagesAndMarksThemPublished) {
  insert(3);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  const ClaimWorker::Counts counts = relay.runOnce();
  EXPECT_EQ(counts.claimed, 3U);
  EXPECT_EQ(counts.published, 3U);
  EXPECT_EQ(counts.retried + counts.dead + counts.handedBack + counts.lost, 0U);
  EXPECT_EQ(count("status = 'PUBLISHED' AND published_by = 'instance-1'"), "3");
  EXPECT_EQ(relay.counted(RelayOutcome::published), 3);
  EXPECT_EQ(tests::AmqpClient(url_).countMessages(topology_.workQueue), 3U);
  EXPECT_EQ(relay.runOnce().claimed, 0U);
}

TEST_F(ClaimWorkerTest, SendsAnEventWithEverythingItsConsumersNeed) {
  insert(1);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  ASSERT_EQ(relay.runOnce().published, 1U);
  tests::Inbox inbox;
  connectSubscriber(inbox);
  const auto deliveries = inbox.waitFor(1);
  const messaging::Delivery& delivery = deliveries.front();
  EXPECT_EQ(delivery.from.exchange, topology_.exchange);
  EXPECT_EQ(delivery.from.routingKey, "auth.error.recorded.v1");
  const messaging::Message& message = delivery.message;
  const std::string id = database_.queryValue("SELECT id FROM outbox_message");
  EXPECT_EQ(message.messageId, database_.queryValue("SELECT idempotency_key FROM outbox_message"));
  EXPECT_EQ(message.type, "auth.error.recorded.v1");
  EXPECT_EQ(message.contentType, "application/json");
  EXPECT_EQ(message.timestamp, 1'769'851'800);
  EXPECT_EQ(message.text("outboxId"), id);
  EXPECT_EQ(message.text("eventType"), "auth.error.recorded.v1");
  EXPECT_EQ(message.text("aggregateType"), "auth_error");
  EXPECT_EQ(message.text("installationId"), database_.queryValue("SELECT id FROM installation"));
  EXPECT_EQ(message.text("eventId"), database_.queryValue("SELECT event_id FROM outbox_message"));
  EXPECT_EQ(message.text("traceparent"), kTraceparent);
  EXPECT_EQ(message.body, R"({"authErrorId": 1})");
  const auto event = messaging::decodeEvent(message);
  ASSERT_TRUE(event);
  EXPECT_EQ(std::format("{}", event->outboxId), id);
}

// Delivery mode 2, parsed from the encoded properties: flags, content type, headers, delivery mode.
TEST_F(ClaimWorkerTest, SendsPersistentMessages) {
  insert(1);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  ASSERT_EQ(relay.runOnce().published, 1U);
  const auto got = tests::AmqpClient(url_).get(topology_.workQueue);
  ASSERT_TRUE(got);
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(got->properties.at(at)));
  };
  constexpr std::size_t kContentTypeHeadersAndDeliveryMode = 0x80 | 0x20 | 0x10;
  ASSERT_EQ(byte(0) & (kContentTypeHeadersAndDeliveryMode | 0x40),
            kContentTypeHeadersAndDeliveryMode);
  const std::size_t table = 2 + 1 + byte(2);
  const std::size_t headers =
      byte(table) << 24U | byte(table + 1) << 16U | byte(table + 2) << 8U | byte(table + 3);
  EXPECT_EQ(byte(table + 4 + headers), 2U);
}

TEST_F(ClaimWorkerTest, SpendsAnAttemptOnAnUnroutableMessage) {
  insert(1);
  insert(1, "nobody.listens");
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  const ClaimWorker::Counts counts = relay.runOnce();
  EXPECT_EQ(counts.claimed, 2U);
  EXPECT_EQ(counts.published, 1U);
  EXPECT_EQ(counts.retried, 1U);
  EXPECT_EQ(count("event_type = 'nobody.listens' AND status = 'PENDING' AND retry_count = 1 AND "
                  "published_at IS NULL AND next_retry_at > now()"),
            "1");
  EXPECT_THAT(database_.queryText("SELECT stage, attempt, error, instance FROM delivery_attempt"),
              ElementsAre(Row("publish", 1, "returned by the broker: no queue is bound for it",
                              "instance-1")));
  EXPECT_EQ(relay.runOnce().claimed, 0U) << "it is not due yet";
}

TEST_F(ClaimWorkerTest, GivesUpAMessageWhoseRetriesAreExhausted) {
  insert(2, "nobody.listens");
  database_.execute("UPDATE outbox_message SET retry_count = 5");
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  EXPECT_EQ(relay.runOnce().dead, 2U);
  EXPECT_EQ(count("status = 'DEAD'"), "2");
  EXPECT_EQ(count("status = 'OPEN' AND reason = 'retries_exhausted'", "dead_letter"), "2");
  EXPECT_EQ(relay.counted(RelayOutcome::dead), 2);
}

TEST_F(ClaimWorkerTest, SpendsAnAttemptOnARefusedMessage) {
  insert(1, std::string(300, 'x'));  // longer than an AMQP routing key
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  EXPECT_EQ(relay.runOnce().retried, 1U);
  EXPECT_EQ(count("error LIKE 'unsendable%'", "delivery_attempt"), "1");
}

TEST_F(ClaimWorkerTest, ClaimsNothingDuringABrokerOutage) {
  insert(5);
  const auto before = wholeOutbox();
  TcpProxy proxy(tests::portOf(url_));
  proxy.setMode(TcpProxy::Mode::reset);
  ClaimWorker::Options often = options();
  often.pollInterval = 1ms;
  Relay relay(serversBehind(proxy), often);
  relay.start();
  // Each reconnect waits for a backoff of at least 20 ms, which leaves time for many polls.
  ASSERT_TRUE(eventually([&] { return proxy.counters().resets >= 5; }));
  relay.worker().wake();
  relay.stop(1s);
  EXPECT_EQ(wholeOutbox(), before);
}

TEST_F(ClaimWorkerTest, ClaimsOnceTheBrokerConnects) {
  insert(5);
  TcpProxy proxy(tests::portOf(url_));
  proxy.setMode(TcpProxy::Mode::reset);
  Relay relay(serversBehind(proxy), options());
  relay.start();
  ASSERT_TRUE(eventually([&] { return proxy.counters().resets >= 2; }));
  proxy.setMode(TcpProxy::Mode::pass);
  EXPECT_TRUE(eventuallyCounts("status = 'PUBLISHED'", "5")) << "the next poll is in an hour";
}

TEST_F(ClaimWorkerTest, ReleasesMessagesInFlightWhenTheBrokerDies) {
  insert(50);
  TcpProxy proxy(tests::portOf(url_));
  Relay relay(serversBehind(proxy), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  proxy.setMode(TcpProxy::Mode::silence);
  auto running = relay.startOnce();
  ASSERT_TRUE(eventuallyCounts("status = 'PROCESSING'", "50"));
  ASSERT_TRUE(eventually([&] { return proxy.counters().swallowedBytes > 0; }));
  proxy.setMode(TcpProxy::Mode::reset);
  // Long before the deadline of 15 s.
  const ClaimWorker::Counts counts = tests::await(std::move(running), 5s);
  EXPECT_EQ(counts.claimed, 50U);
  EXPECT_EQ(counts.handedBack, 50U);
  EXPECT_EQ(counts.published + counts.retried + counts.dead + counts.lost, 0U);
  EXPECT_EQ(relay.counted(RelayOutcome::handedBack), 50);
  expectUntouched();

  proxy.setMode(TcpProxy::Mode::pass);
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  EXPECT_EQ(relay.runOnce().published, 50U);
}

TEST_F(ClaimWorkerTest, ReleasesMessagesNotConfirmedInTime) {
  insert(3);
  TcpProxy proxy(tests::portOf(url_));
  ClaimWorker::Options impatient = options();
  impatient.publishDeadline = 200ms;
  Relay relay(serversBehind(proxy), impatient);
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  proxy.setMode(TcpProxy::Mode::silence);
  EXPECT_EQ(relay.runOnce().handedBack, 3U);
  EXPECT_GT(proxy.counters().swallowedBytes, 0U);
  expectUntouched();
}

TEST_F(ClaimWorkerTest, ReleasesItsClaimsWhenItStops) {
  insert(20);
  TcpProxy proxy(tests::portOf(url_));
  Relay relay(serversBehind(proxy), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  proxy.setMode(TcpProxy::Mode::silence);
  relay.start();
  ASSERT_TRUE(eventuallyCounts("status = 'PROCESSING'", "20"));
  const auto began = std::chrono::steady_clock::now();
  relay.stop(2s);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
  expectUntouched();
}

TEST_F(ClaimWorkerTest, FinishesMessagesInFlightBeforeItStops) {
  insert(2'000);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  relay.start();
  ASSERT_TRUE(eventually([&] { return count("status = 'PUBLISHED'") != "0"; }));
  relay.stop(10s);
  EXPECT_EQ(count("status = 'PROCESSING'"), "0");
  EXPECT_EQ(relay.counted(RelayOutcome::handedBack), 0);
  EXPECT_EQ(std::to_string(tests::AmqpClient(url_).countMessages(topology_.workQueue)),
            count("status = 'PUBLISHED'"));
}

TEST_F(ClaimWorkerTest, RecordsTheOutcomeAfterADatabaseOutage) {
  insert(10);
  TcpProxy broker(tests::portOf(url_));
  TcpProxy database(tests::portOf(database_.url()));
  Relay::Servers behind = serversBehind(broker);
  behind.database = {.url = tests::urlWithPort(database_.url(), database.port()),
                     .reconnectDelayMin = 10ms,
                     .reconnectDelayMax = 20ms};
  ClaimWorker::Options quick = options();
  quick.databaseDeadline = 1s;
  Relay relay(behind, quick);
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  ASSERT_TRUE(eventually([&] { return relay.client().connected(); }));
  broker.setMode(TcpProxy::Mode::silence);
  auto running = relay.startOnce();
  ASSERT_TRUE(eventuallyCounts("status = 'PROCESSING'", "10"));
  ASSERT_TRUE(eventually([&] { return broker.counters().swallowedBytes > 0; }));
  database.setMode(TcpProxy::Mode::reset);
  broker.setMode(TcpProxy::Mode::reset);
  const auto resets = database.counters().resets;
  ASSERT_TRUE(eventually([&] { return database.counters().resets > resets + 20; }));
  EXPECT_EQ(running.wait_for(0s), std::future_status::timeout);
  database.setMode(TcpProxy::Mode::pass);
  EXPECT_EQ(tests::await(std::move(running), kWaitLimit).handedBack, 10U);
  expectUntouched();
}

// The first UPDATE was executed, but its answer was lost.
TEST_F(ClaimWorkerTest, CountsMessagesMarkedPublishedByAStatementWhoseAnswerWasLost) {
  insert(10);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  // Sets the state that the statement left, at the moment of the claim.
  database_.execute(R"(CREATE FUNCTION finish() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.status := 'PUBLISHED'; NEW.published_at := now(); NEW.published_by := 'instance-1';
  NEW.processing_owner := NULL; NEW.processing_started_at := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER finish BEFORE UPDATE ON outbox_message
  FOR EACH ROW WHEN (NEW.status = 'PROCESSING' AND NEW.id % 2 = 0) EXECUTE FUNCTION finish())");
  const ClaimWorker::Counts counts = relay.runOnce();
  EXPECT_EQ(counts.published, 10U);
  EXPECT_EQ(counts.lost, 0U);
}

// The reaper gave the claims to another worker, which has finished them.
TEST_F(ClaimWorkerTest, CountsClaimsLostToTheReaperAndChangesNothing) {
  insert(4);
  TcpProxy proxy(tests::portOf(url_));
  Relay slow(serversBehind(proxy), options());
  ASSERT_TRUE(becomes(slow.publisher(), BrokerState::ready));
  proxy.setMode(TcpProxy::Mode::silence);
  auto running = slow.startOnce();
  ASSERT_TRUE(eventuallyCounts("status = 'PROCESSING'", "4"));

  ClaimWorker::Options other = options();
  other.instance = domain::InstanceName("instance-2");
  Relay quick(servers(), other);
  ASSERT_TRUE(becomes(quick.publisher(), BrokerState::ready));
  Reaper reaper(quick.client(), {.claimTimeout = 0ms, .onReaped = [] {}}, quick.metrics());
  EXPECT_EQ(tests::runOn(quick.loop(), [&] { return reaper.runOnce(); }), 4U);
  EXPECT_EQ(quick.runOnce().published, 4U);
  const auto before = wholeOutbox();

  proxy.setMode(TcpProxy::Mode::reset);
  const ClaimWorker::Counts counts = tests::await(std::move(running), kWaitLimit);
  EXPECT_EQ(counts.lost, 4U);
  EXPECT_EQ(counts.handedBack, 0U);
  EXPECT_EQ(slow.counted(RelayOutcome::lost), 4);
  EXPECT_EQ(wholeOutbox(), before);
}

TEST_F(ClaimWorkerTest, WakesForNewWork) {
  insert(1);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  relay.start();
  ASSERT_TRUE(eventuallyCounts("status = 'PUBLISHED'", "1"));
  for (int round = 2; round <= 20; ++round) {
    insert(1);
    relay.worker().wake();
    ASSERT_TRUE(eventuallyCounts("status = 'PUBLISHED'", std::to_string(round)))
        << "the next poll is in an hour";
  }
}

TEST_F(ClaimWorkerTest, CoalescesWakesInQuickSuccession) {
  TcpProxy proxy(tests::portOf(url_));
  Relay relay(serversBehind(proxy), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  relay.start();
  std::promise<void> gate;
  relay.loop().queueInLoop([opened = gate.get_future().share()] { opened.wait(); });
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&relay] {
      for (int wake = 0; wake < 1'000; ++wake) {
        relay.worker().wake();
      }
    });
  }
  threads.clear();
  gate.set_value();
  callOn(relay.loop(), [] {});
  // The owner's name counts its claims; a silent broker keeps it in the row.
  proxy.setMode(TcpProxy::Mode::silence);
  insert(1);
  relay.worker().wake();
  ASSERT_TRUE(eventuallyCounts("status = 'PROCESSING'", "1"));
  const std::string owner = database_.queryValue("SELECT processing_owner FROM outbox_message");
  ASSERT_THAT(owner, ::testing::StartsWith("instance-1/"));
  // One per lane at the start, one or two for the wakes, one for the message.
  EXPECT_LE(std::stoi(owner.substr(owner.find('/') + 1)), 6);
}

TEST_F(ClaimWorkerTest, FindsWorkByPollingWithoutAWake) {
  ClaimWorker::Options often = options();
  often.pollInterval = 20ms;
  Relay relay(servers(), often);
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  relay.start();
  for (int round = 1; round <= 3; ++round) {
    insert(1);
    ASSERT_TRUE(eventuallyCounts("status = 'PUBLISHED'", std::to_string(round)));
  }
}

TEST_F(ClaimWorkerTest, ClaimsAgainAtOnceAfterAFullBatch) {
  insert(1'050);
  ClaimWorker::Options small = options();
  small.batchRows = 100;
  Relay relay(servers(), small);
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  relay.start();
  EXPECT_TRUE(eventuallyCounts("status = 'PUBLISHED'", "1050"));
}

TEST_F(ClaimWorkerTest, SharesTheWorkWithAnotherAndSendsEachMessageOnce) {
  constexpr int kMessages = 5'000;
  insert(kMessages);
  ClaimWorker::Options first = options();
  first.batchRows = 50;
  ClaimWorker::Options second = first;
  second.instance = domain::InstanceName("instance-2");
  Relay one(servers(), first);
  Relay two(servers(), second);
  ASSERT_TRUE(becomes(one.publisher(), BrokerState::ready));
  ASSERT_TRUE(becomes(two.publisher(), BrokerState::ready));
  tests::Inbox inbox;
  auto subscription = subscriberOptions(inbox);
  subscription.prefetch = 2 * kMessages;
  connectSubscriber(std::move(subscription));
  one.start();
  two.start();
  ASSERT_TRUE(eventuallyCounts("status = 'PUBLISHED'", std::to_string(kMessages)));
  std::multiset<std::string> ids;
  for (const messaging::Delivery& delivery : inbox.waitFor(kMessages)) {
    ids.insert(delivery.message.text("outboxId").value_or("none"));
  }
  EXPECT_THAT(ids, SizeIs(kMessages));
  EXPECT_THAT(std::set<std::string>(ids.begin(), ids.end()), SizeIs(kMessages));
  EXPECT_EQ(one.counted(RelayOutcome::published) + two.counted(RelayOutcome::published), kMessages);
  EXPECT_EQ(database_.queryValue("SELECT count(DISTINCT published_by) FROM outbox_message"), "2");
}

TEST_F(ClaimWorkerTest, FinishesClaimsReturnedByTheReaper) {
  insert(7);
  database_.execute(
      "UPDATE outbox_message SET status = 'PROCESSING', processing_owner = 'gone/1', "
      "processing_started_at = now() - interval '2 minutes'");
  Relay relay(servers(), options());
  int woken = 0;
  Reaper reaper(relay.client(),
                {.claimTimeout = 60s, .chunk = 3, .onReaped = [&woken] { ++woken; }},
                relay.metrics());
  EXPECT_EQ(tests::runOn(relay.loop(), [&] { return reaper.runOnce(); }), 7U);
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(relay.metrics().reaped.value(), 7);
  expectUntouched();
  EXPECT_EQ(tests::runOn(relay.loop(), [&] { return reaper.runOnce(); }), 0U);
  EXPECT_EQ(woken, 1);
}

TEST_F(ClaimWorkerTest, PublishesMessagesClaimedByADeadInstance) {
  insert(3);
  database_.execute(
      "UPDATE outbox_message SET status = 'PROCESSING', processing_owner = 'gone/1', "
      "processing_started_at = now() - interval '2 minutes'");
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  relay.start();
  Reaper reaper(relay.client(), {.interval = 10ms, .onReaped = [&] { relay.worker().wake(); }},
                relay.metrics());
  callOn(relay.loop(), [&] { reaper.start(); });
  EXPECT_TRUE(eventuallyCounts("status = 'PUBLISHED'", "3"));
  tests::runOn(relay.loop(), [&] { return reaper.stop(in(5s)); });
}

class SweeperTest : public ClaimWorkerTest {
 protected:
  // Inserts messages that were published two hours ago and never consumed.
  void insertLost(int number) {
    insert(number);
    database_.execute(
        "UPDATE outbox_message SET status = 'PUBLISHED', published_by = 'before', "
        "published_at = now() - interval '2 hours' + id * interval '1 second'");
  }
  std::unique_ptr<Sweeper> sweeperOf(Relay& relay) {
    return std::make_unique<Sweeper>(relay.client(), relay.publisher(),
                                     Sweeper::Options{.workQueue = topology_.workQueue,
                                                      .longestBacklog = 2,
                                                      .chunk = 3,
                                                      .deadline = 5s,
                                                      .onSwept = [this] { ++woken_; }},
                                     relay.metrics());
  }
  static SweepCounts run(Relay& relay, Sweeper& sweeper) {
    return tests::runOn(relay.loop(), [&] { return sweeper.runOnce(); });
  }

  int woken_ = 0;
};

TEST_F(SweeperTest, RepublishesMessagesThatTheBrokerLost) {
  insertLost(7);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  const auto sweeper = sweeperOf(relay);
  const SweepCounts counts = run(relay, *sweeper);
  EXPECT_EQ(counts.looked, 7U);
  EXPECT_EQ(counts.missing, 7U);
  EXPECT_EQ(woken_, 1);
  EXPECT_EQ(relay.metrics().swept.value(), 7);
  EXPECT_EQ(relay.runOnce().published, 7U);
  EXPECT_EQ(tests::AmqpClient(url_).countMessages(topology_.workQueue), 7U);
}

TEST_F(SweeperTest, WaitsWhileTheWorkQueueHasABacklog) {
  insertLost(2);
  Relay relay(servers(), options());
  ASSERT_TRUE(becomes(relay.publisher(), BrokerState::ready));
  tests::AmqpClient client(url_);
  for (int message = 0; message < 3; ++message) {
    client.publish({}, topology_.workQueue.text(), "", "{}");
  }
  const auto before = wholeOutbox();
  const auto sweeper = sweeperOf(relay);
  EXPECT_EQ(run(relay, *sweeper).looked, 0U);
  EXPECT_EQ(wholeOutbox(), before);
  EXPECT_EQ(woken_, 0);
  // Two waiting messages do not count as a backlog.
  ASSERT_TRUE(client.get(topology_.workQueue));
  EXPECT_EQ(run(relay, *sweeper).missing, 2U);
}

TEST_F(SweeperTest, WaitsDuringABrokerOutage) {
  insertLost(2);
  const auto before = wholeOutbox();
  Relay::Servers nowhere = servers();
  nowhere.broker = tests::urlWithPort(url_, tests::freePort());
  Relay relay(nowhere, options());
  const auto sweeper = sweeperOf(relay);
  const SweepCounts counts = run(relay, *sweeper);
  EXPECT_EQ(counts.looked + counts.missing + counts.stranded, 0U);
  EXPECT_EQ(wholeOutbox(), before);
  EXPECT_EQ(woken_, 0);
}

}  // namespace
}  // namespace auth_errors::outbox
