// From a 201 to an analysed error by the real service on real servers: two instances at once, a
// stopped broker, deleted bindings and queues, frozen and killed processes.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <format>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/amqp_client.h"
#include "tests/support/delivery_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/loop_runner.h"
#include "tests/support/project_paths.h"
#include "tests/support/rabbitmq_server.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"
#include "tests/support/server_process.h"
#include "tests/support/tcp_proxy.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(DeliveryTest, TwoInstancesShareTwentyThousandErrorsAndApplyEachOnce) {
  ServiceProcess& first = start(options());
  ServiceProcess& second = start(options());
  for (int i = 0; i < 40; ++i) {
    ASSERT_NO_FATAL_FAILURE(post(i % 2 == 0 ? first : second, 500));
  }
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(allAnalysed(120s));
  const std::chrono::duration<double> rest = std::chrono::steady_clock::now() - begin;
  expectEachDoneOnce();
  const int published = smallestShare("outbox_message", "published_by");
  const int consumed = smallestShare("processed_message", "completed_by");
  RecordProperty("SecondsAfterTheLastPost", std::to_string(rest.count()));
  std::cout << std::format(
      "20000 errors: analysed {:.1f} s after the last one was stored; shares of "
      "the smaller: {} % published, {} % consumed\n",
      rest.count(), published, consumed);
  EXPECT_GE(published, 20);
  EXPECT_GE(consumed, 20);
}

TEST_F(DeliveryTest, TheTraceparentOfARequestReachesItsEvents) {
  ServiceProcess& service = start(options());
  const std::string traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto answer =
      service.client().request("POST", "/api/auth-errors",
                               {{"Content-Type", "application/json"}, {"traceparent", traceparent}},
                               ErrorBody{.requestId = "traced"}.json(), 10s);
  ASSERT_TRUE(answer && answer->status == 201);
  posted_ = 1;
  ASSERT_TRUE(allAnalysed());
  EXPECT_EQ(number(std::format("SELECT count(*) FROM outbox_message WHERE traceparent = '{}'",
                               traceparent)),
            2);
}

TEST_F(DeliveryTest, ARetryDecisionReanalysesTheErrorUntilAnotherDecisionEndsIt) {
  ServiceProcess& service = start(options());
  ASSERT_NO_FATAL_FAILURE(post(service, 1));
  ASSERT_TRUE(allAnalysed());
  const std::string path = "/api/auth-errors/" + value("SELECT id FROM auth_error");
  HttpClient operatorClient(service.port(), bearer(kOperatorKey));
  const auto decide = [&](const std::string& type) {
    const auto answer =
        operatorClient.post(path + "/decisions", std::format(R"({{"type":"{}"}})", type), 10s);
    return answer ? std::to_string(answer->status) + " " +
                        parseJson(answer->body).get("status", "").asString()
                  : answer.error().message;
  };
  EXPECT_EQ(decide("RETRY"), "201 RETRY");
  ASSERT_TRUE(allAnalysed());
  EXPECT_EQ(decide("RETRY"), "201 RETRY");
  ASSERT_TRUE(allAnalysed());
  EXPECT_EQ(decide("PROCESS"), "201 PROCESSED");
  EXPECT_EQ(decide("RETRY"), "409 409");
  EXPECT_EQ(value("SELECT status FROM auth_error"), "PROCESSED");
  ASSERT_TRUE(eventually([&] {
    return number("SELECT count(*) FROM outbox_message WHERE status = 'PUBLISHED'") == 4 &&
           number("SELECT count(*) FROM processed_message WHERE status = 'DONE'") == 4;
  }));
  EXPECT_THAT(database_.queryText("SELECT split_part(idempotency_key, ':', 4) FROM outbox_message "
                                  "WHERE event_type LIKE '%analysis%' ORDER BY id"),
              ElementsAre(Row(""), Row(2), Row(3)));
  const auto answer = operatorClient.get(path, 5s);
  ASSERT_TRUE(answer && answer->status == 200);
  std::string statuses;
  int published = 0;
  int consumed = 0;
  for (const Json::Value& step : parseJson(answer->body)["journey"]) {
    const std::string name = step["step"].asString();
    published += name == "published" && !step["by"].asString().empty() ? 1 : 0;
    consumed += name == "consumed" && !step["by"].asString().empty() ? 1 : 0;
    statuses += name == "decided" ? " (" + step["type"].asString() + ")" : "";
    statuses += name == "status_changed" ? " " + step["to"].asString() : "";
  }
  EXPECT_EQ(statuses,
            " ANALYSIS_REQUESTED ANALYSIS_COMPLETED (RETRY) RETRY ANALYSIS_COMPLETED (RETRY) RETRY "
            "ANALYSIS_COMPLETED (PROCESS) PROCESSED");
  EXPECT_EQ(published, 4);
  EXPECT_EQ(consumed, 4);
}

TEST_F(DeliveryTest, RulesDecideOnNewAnalysesAndOnAgedErrors) {
  ServiceOptions all = options("api,outbox,consumer,ops");
  all.environment["AUTH_ERRORS_RULES_INTERVAL_MS"] = "100";
  ServiceProcess& service = start(std::move(all));
  ASSERT_NO_FATAL_FAILURE(post(service, 1));
  ASSERT_TRUE(allAnalysed());
  HttpClient operatorClient(service.port(), bearer(kOperatorKey));
  for (const std::string body :
       {R"({"name":"bots","match":{"httpStatus":401},"action":"IGNORE","note":"known"})",
        R"({"name":"again","match":{"httpStatus":401},"action":"RETRY","afterSeconds":60})"}) {
    const auto made = operatorClient.post("/api/rules", body, 10s);
    ASSERT_TRUE(made && made->status == 201);
  }
  const domain::ErrorId id(number("SELECT id FROM auth_error"));
  EXPECT_EQ(fateOf(database_, id), "ANALYSIS_COMPLETED")
      << "it was analysed before the rule existed";
  database_.execute("UPDATE auth_error SET status_changed_at = now() - interval '2 minutes'");
  ASSERT_TRUE(eventually(
      [&] { return fateOf(database_, id) == "IGNORED by rule:again, rule:bots"; }, kPatience))
      << fateOf(database_, id);
  const auto error = operatorClient.get(std::format("/api/auth-errors/{}", id), 5s);
  ASSERT_TRUE(error && error->status == 200);
  std::string journey;
  for (const Json::Value& step : parseJson(error->body)["journey"]) {
    const std::string name = step["step"].asString();
    journey += name == "decided" ? " (" + step["by"].asString() + ")" : "";
    journey += name == "status_changed" ? " " + step["to"].asString() : "";
  }
  EXPECT_EQ(journey,
            " ANALYSIS_REQUESTED ANALYSIS_COMPLETED (rule:again) RETRY ANALYSIS_COMPLETED "
            "(rule:bots) IGNORED");
  EXPECT_TRUE(eventually([&] {
    const auto rules = operatorClient.get("/api/rules", 5s);
    return rules && parseJson(rules->body)["items"][0]["hitCount"].asInt() == 1 &&
           parseJson(rules->body)["items"][1]["hitCount"].asInt() == 1;
  }));
}

TEST_F(DeliveryTest, AnInstanceWithoutTheApiServesOnlyMonitoringRoutes) {
  ServiceProcess& service = start(options("outbox,consumer"));
  HttpClient client = service.client();
  for (const auto& [path, status] :
       {std::pair{"/health/ready", 200}, std::pair{"/metrics", 200},
        std::pair{"/openapi.json", 200}, std::pair{"/api/auth-errors", 503},
        std::pair{"/api/dead-letters", 503}, std::pair{"/api/nothing", 404}}) {
    const auto answer = client.get(path, 5s);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, status) << path;
  }
}

TEST_F(DeliveryTest, AForeignMessageInTheDeadLetterQueueBecomesADeadLetter) {
  ServiceProcess& service = start(options("api,ops"));
  ASSERT_TRUE(eventually([&] {
    return metric(service, R"(auth_errors_broker_connection_ready{connection="dead_letters"})") ==
           1;
  }));
  AmqpClient(brokerUrl_)
      .publish({}, topology_.deadLetterQueue.text(), AmqpBytes().field("who", "a stranger").text(),
               "password=hunter2hunter2");
  ASSERT_TRUE(eventually([&] { return number("SELECT count(*) FROM dead_letter") == 1; }));
  HttpClient viewer(service.port(), bearer(kViewerKey));
  const auto answer = viewer.get("/api/dead-letters", 5s);
  ASSERT_TRUE(answer && answer->status == 200);
  const Json::Value letter = parseJson(answer->body)["items"][0];
  EXPECT_EQ(letter["reason"].asString(), "foreign");
  EXPECT_EQ(letter["status"].asString(), "OPEN");
  const auto retry =
      HttpClient(service.port(), bearer(kOperatorKey)).post("/api/dead-letters/1/retry", "{}", 5s);
  ASSERT_TRUE(retry);
  EXPECT_EQ(retry->status, 409);
  EXPECT_EQ(number("SELECT count(*) FROM dead_letter d WHERE d::text LIKE '%hunter2%'"), 0);
}

TEST_F(DeliveryTest, NothingIsPublishedUntilAMissingBindingIsRestored) {
  ServiceProcess& service = start(options());
  // Each of the service's connections declares the binding.
  ASSERT_TRUE(eventually([&] { return brokerOf(service) == "connected"; }));
  AmqpClient broker(brokerUrl_);
  const std::string key(domain::kRecorded.eventType);
  broker.unbindQueue(topology_.workQueue, topology_.exchange, key);
  ASSERT_NO_FATAL_FAILURE(post(service, 20));
  ASSERT_TRUE(eventually([&] {
    return number(
               "SELECT count(DISTINCT outbox_id) FROM delivery_attempt WHERE stage = 'publish' "
               "AND error LIKE 'returned%'") == 20;
  }));
  EXPECT_EQ(number("SELECT count(*) FROM outbox_message WHERE status = 'PUBLISHED'"), 0);
  broker.bindQueue(topology_.workQueue, topology_.exchange, key);
  ASSERT_TRUE(allAnalysed());
  expectEachDoneOnce();
}

TEST_F(DeliveryTest, TheSweeperRepublishesAfterTheWorkQueueWasPurged) {
  ServiceProcess& relay = start(options("api,outbox"));
  ASSERT_NO_FATAL_FAILURE(post(relay, 50));
  ASSERT_TRUE(eventually([&] {
    return number("SELECT count(*) FROM outbox_message WHERE status = 'PUBLISHED'") == 50;
  }));
  AmqpClient(brokerUrl_).purgeQueue(topology_.workQueue);
  static_cast<void>(start(options("consumer")));
  ASSERT_TRUE(allAnalysed());
  expectEachDoneOnce();
  EXPECT_GE(metric(relay, "auth_errors_outbox_swept_total"), 50);
}

TEST_F(DeliveryTest, AnInstanceFrozenPastItsClaimIsFencedOff) {
  TcpProxy proxy(portOf(brokerUrl_));
  auto slow = options("outbox");
  slow.environment["AMQP_URL"] = urlWithPort(brokerUrl_, proxy.port());
  slow.environment["AUTH_ERRORS_OUTBOX_CLAIM_TIMEOUT_MS"] = "20000";
  slow.environment["AUTH_ERRORS_BROKER_HEARTBEAT_MS"] = "60000";
  ServiceProcess& frozen = start(slow);
  ASSERT_TRUE(eventually([&] {
    return metric(frozen, R"(auth_errors_broker_connection_ready{connection="relay"})") == 1;
  }));
  proxy.setMode(TcpProxy::Mode::silence);
  for (int i = 0; i < 10; ++i) {
    plantEvent(database_, plantError(database_), "recorded", "PENDING");
  }
  ASSERT_TRUE(eventually([&] {
    return number("SELECT count(*) FROM outbox_message WHERE status = 'PROCESSING'") == 10;
  }));
  freezeProcess(frozen.pid());
  auto quick = options("outbox,consumer");
  quick.environment["AUTH_ERRORS_OUTBOX_CLAIM_TIMEOUT_MS"] = "1000";
  ServiceProcess& successor = start(quick);
  posted_ = 10;
  ASSERT_TRUE(allAnalysed());
  expectEachDoneOnce();
  EXPECT_GE(metric(successor, "auth_errors_outbox_reaped_total"), 10);
  const auto before = database_.queryText("SELECT * FROM outbox_message ORDER BY id");
  frozen.signal(SIGCONT);
  ASSERT_TRUE(eventually([&] {
    return metric(frozen, R"(auth_errors_outbox_messages_total{outcome="lost"})") == 10;
  }));
  EXPECT_EQ(database_.queryText("SELECT * FROM outbox_message ORDER BY id"), before);
  expectEachDoneOnce();
}

// Misbehaving consumers, each a process of its own.
class MisbehavingConsumerTest : public DeliveryTest {
 protected:
  MisbehavingConsumerTest() : log_(std::filesystem::temp_directory_path() / prefix_) {}
  void TearDown() override {
    while (!processes_.empty()) {
      end(processes_.back());
    }
    if (HasFailure()) {
      std::cerr << "---- output of the consumers\n" << textOf(log_) << "\n----\n";
    }
    std::filesystem::remove(log_);
    DeliveryTest::TearDown();
  }

  pid_t startConsumer(const std::string& mode, int leaseMilliseconds = 1'000) {
    processes_.push_back(spawnServer({builtBinary("misbehaving_consumer"), database_.url(),
                                      brokerUrl_, prefix_, std::to_string(leaseMilliseconds), mode},
                                     log_));
    return processes_.back();
  }
  void end(pid_t process) {
    endServer(process, SIGKILL);
    std::erase(processes_, process);
  }
  // A process that has ended is no longer a child.
  bool runs(pid_t process) {
    const bool alive = stillRuns(process);
    if (!alive) {
      std::erase(processes_, process);
    }
    return alive;
  }

 private:
  std::filesystem::path log_;
  std::vector<pid_t> processes_;
};

TEST_F(MisbehavingConsumerTest, AConsumerFrozenPastItsLeaseIsFencedOff) {
  ServiceProcess& service = start(options("api,outbox"));
  const pid_t frozen = startConsumer("slow");
  ASSERT_NO_FATAL_FAILURE(post(service, 5));
  ASSERT_TRUE(eventually([&] {
    return number(
               "SELECT count(*) FROM processed_message WHERE status = 'PROCESSING' AND "
               "lease_owner LIKE 'slow-%'") > 0;
  }));
  freezeProcess(frozen);
  const int held = number("SELECT count(*) FROM processed_message WHERE status = 'PROCESSING'");
  startConsumer("work");
  // The broker redelivers the frozen consumer's messages once its connection is found dead, or the
  // sweeper republishes them.
  ASSERT_TRUE(eventually(
      [&] { return number("SELECT count(*) FROM processed_message WHERE status = 'DONE'") == 5; },
      kPatience));
  EXPECT_EQ(number("SELECT count(*) FROM processed_message WHERE completed_by LIKE 'work-%'"), 5);
  const auto ledger = database_.queryText("SELECT * FROM processed_message ORDER BY outbox_id");
  ::kill(frozen, SIGCONT);
  // It resumes what it held, is fenced off and has nothing left to do.
  ASSERT_TRUE(
      eventually([&] { return AmqpClient(brokerUrl_).countMessages(topology_.workQueue) == 0; }));
  ASSERT_TRUE(eventually([&] {
    return number(
               "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
               "state_change > now() - interval '2 seconds' AND pid <> pg_backend_pid() AND "
               "query LIKE '%processed_message%'") == 0;
  }));
  EXPECT_EQ(database_.queryText("SELECT * FROM processed_message ORDER BY outbox_id"), ledger);
  EXPECT_EQ(number("SELECT count(*) FROM effect"), 5);
  EXPECT_GE(held, 1);
  EXPECT_EQ(number("SELECT sum(retry_count) FROM processed_message"), held);
}

TEST_F(MisbehavingConsumerTest, AHandlerThatKillsItsProcessEndsAsADeadLetter) {
  ServiceProcess& service = start(options("api,outbox"));
  ASSERT_NO_FATAL_FAILURE(post(service, 1));
  int kills = 0;
  while (statusInLedger(database_, domain::OutboxId(1)) != "DEAD") {
    ASSERT_LE(++kills, 7);
    const pid_t process = startConsumer("kill", 500);
    ASSERT_TRUE(eventually([&] {
      return !runs(process) || statusInLedger(database_, domain::OutboxId(1)) == "DEAD";
    }));
  }
  EXPECT_EQ(kills, 7);
  EXPECT_THAT(database_.queryRow(
                  "SELECT reason, jsonb_array_length(attempts) AS attempts FROM dead_letter"),
              Row("retries_exhausted", 6));
  EXPECT_EQ(statusOfError(database_, domain::ErrorId(1)), "NEW");
}

TEST_F(MisbehavingConsumerTest, OnePoisonEventAmongFiftyDiesAlone) {
  ServiceProcess& service = start(options("api,outbox"));
  ASSERT_NO_FATAL_FAILURE(post(service, 50));
  ASSERT_TRUE(eventually([&] {
    return number("SELECT count(*) FROM outbox_message WHERE status = 'PUBLISHED'") == 50;
  }));
  const auto letters = [this] { return number("SELECT count(*) FROM dead_letter"); };
  int processes = 0;
  while (letters() == 0) {
    ASSERT_LE(++processes, 7);
    const pid_t process = startConsumer("poison-25", 500);
    ASSERT_TRUE(eventually([&] { return !runs(process) || letters() > 0; }, kPatience));
  }
  ASSERT_TRUE(eventually(
      [&] { return number("SELECT count(*) FROM processed_message WHERE status = 'DONE'") == 49; },
      kPatience));
  EXPECT_EQ(number("SELECT count(*) FROM effect"), 49);
  EXPECT_THAT(database_.queryText("SELECT reason, aggregate_id, jsonb_array_length(attempts) "
                                  "FROM dead_letter"),
              ElementsAre(Row("retries_exhausted", 25, 6)));
}

TEST_F(MisbehavingConsumerTest, ConcurrentRetriesOfADeadLetterSucceedOnce) {
  ServiceProcess& service = start(options("api,outbox"));
  const pid_t failing = startConsumer("fail");
  ASSERT_NO_FATAL_FAILURE(post(service, 1));
  ASSERT_TRUE(eventually([&] { return statusInLedger(database_, domain::OutboxId(1)) == "DEAD"; },
                         kPatience));
  EXPECT_EQ(value("SELECT jsonb_array_length(attempts) FROM dead_letter"), "6");
  EXPECT_EQ(statusOfError(database_, domain::ErrorId(1)), "RETRY");
  end(failing);
  static_cast<void>(start(options("consumer")));

  std::atomic<int> accepted = 0;
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        HttpClient client(service.port(), bearer(kOperatorKey));
        const auto answer = client.post("/api/dead-letters/1/retry", "{}", 20s);
        accepted += answer && answer->status == 200 ? 1 : 0;
        refused += answer && answer->status == 409 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(accepted, 1);
  EXPECT_EQ(refused, 7);
  ASSERT_TRUE(allAnalysed());
  EXPECT_EQ(value("SELECT status FROM dead_letter"), "RETRIED");
  EXPECT_EQ(number("SELECT count(*) FROM processed_message WHERE status <> 'DONE'"), 0);
  EXPECT_EQ(number("SELECT retry_round FROM outbox_message WHERE id = 1"), 1);
}

// A dedicated broker, to be stopped.
class BrokerOutageTest : public DeliveryTest {
 protected:
  BrokerOutageTest() : BrokerOutageTest(std::make_unique<RabbitmqServer>()) {}
  explicit BrokerOutageTest(std::unique_ptr<RabbitmqServer> broker)
      : DeliveryTest(broker->url()), broker_(std::move(broker)) {}
  // The broker's queues are discarded with it.
  void TearDown() override { services_.clear(); }

  std::unique_ptr<RabbitmqServer> broker_;
};

TEST_F(BrokerOutageTest, ErrorsAreAcceptedDuringAnOutageAndAnalysedAfterIt) {
  ServiceProcess& service = start(options());
  ASSERT_NO_FATAL_FAILURE(post(service, 10));
  ASSERT_TRUE(allAnalysed());
  broker_->stop();
  std::atomic<int> created = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        HttpClient client = service.client();
        for (int i = 0; i < 500; ++i) {
          const auto answer = client.post(
              "/api/auth-errors",
              ErrorBody{.requestId = std::format("outage-{}-{}", thread, i)}.json(), 20s);
          created += answer && answer->status == 201 ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(created, 2'000);
  posted_ += 2'000;
  const auto ready = service.client().get("/health/ready", 5s);
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->status, 200);
  EXPECT_EQ(parseJson(ready->body)["broker"].asString(), "connecting");
  EXPECT_FALSE(parseJson(ready->body)["brokerProblem"].asString().empty());

  broker_->start();
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(allAnalysed(30s));
  std::cout << std::format(
      "2000 errors taken while the broker was away: analysed {:.1f} s after its return\n",
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  expectEachDoneOnce();
  EXPECT_EQ(number("SELECT sum(retry_count) FROM outbox_message"), 0);
  EXPECT_EQ(number("SELECT sum(retry_count) FROM processed_message"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM delivery_attempt"), 0);
}

TEST_F(BrokerOutageTest, TheServiceStartsAndAcceptsErrorsWithoutABroker) {
  broker_->stop();
  ServiceProcess& service = start(options());
  ASSERT_NO_FATAL_FAILURE(post(service, 100));
  EXPECT_EQ(number("SELECT count(*) FROM outbox_message WHERE status = 'PENDING'"), 100);
  // The log has the host and the cause; readiness, which needs no key, only the cause.
  EXPECT_TRUE(eventually([&] {
    const std::string log = service.logText();
    return log.contains(R"("host":"127.0.0.1")") && log.contains("Connection refused");
  }));
  EXPECT_TRUE(eventually([&] { return brokerOf(service) == "connecting"; }));
  const auto ready = service.client().get("/health/ready", 5s);
  ASSERT_TRUE(ready);
  EXPECT_THAT(ready->body, Not(HasSubstr("127.0.0.1")));
  EXPECT_THAT(parseJson(ready->body)["brokerProblem"].asString(), HasSubstr("refused"));
  broker_->start();
  ASSERT_TRUE(allAnalysed());
  expectEachDoneOnce();
}

TEST_F(BrokerOutageTest, KillingTheBrokerUnderLoadLosesNothing) {
  ServiceProcess& first = start(options());
  ServiceProcess& second = start(options());
  for (int round = 0; round < 3; ++round) {
    ASSERT_NO_FATAL_FAILURE(post(first, 500));
    ASSERT_NO_FATAL_FAILURE(post(second, 500));
    broker_->kill();
    ASSERT_NO_FATAL_FAILURE(post(second, 250));
    broker_->start();
  }
  ASSERT_TRUE(allAnalysed());
  expectEachDoneOnce();
}

TEST_F(BrokerOutageTest, AMismatchedQueueIsReportedByReadiness) {
  AmqpClient(broker_->url()).declareQueue(topology_.workQueue, "");
  ServiceProcess& service = start(options());
  ASSERT_TRUE(eventually([&] { return brokerOf(service) == "mismatch"; }));
  const auto ready = service.client().get("/health/ready", 5s);
  EXPECT_THAT(parseJson(ready->body)["brokerProblem"].asString(),
              HasSubstr(topology_.workQueue.text()));
  ASSERT_NO_FATAL_FAILURE(post(service, 5));
  AmqpClient(broker_->url()).deleteQueue(topology_.workQueue);
  ASSERT_TRUE(allAnalysed());
}

TEST_F(BrokerOutageTest, AShutdownReleasesItsClaims) {
  ServiceProcess& service = start(options("api,outbox"));
  ASSERT_NO_FATAL_FAILURE(post(service, 1));
  ASSERT_TRUE(eventually([&] {
    return number("SELECT count(*) FROM outbox_message WHERE status = 'PUBLISHED'") == 1;
  }));
  broker_->freeze();
  ASSERT_NO_FATAL_FAILURE(post(service, 100));
  ASSERT_TRUE(eventually([&] {
    return number("SELECT count(*) FROM outbox_message WHERE status = 'PROCESSING'") > 0;
  }));
  EXPECT_EQ(service.terminate(), ExitStatus{});
  EXPECT_EQ(number("SELECT count(*) FROM outbox_message WHERE status = 'PROCESSING'"), 0);
  EXPECT_EQ(number("SELECT sum(retry_count) FROM outbox_message"), 0);
  broker_->thaw();
}

}  // namespace
}  // namespace auth_errors::tests
