// The whole service on real servers: a database, a broker topology of its own with a short retry
// ladder, and as many instances as the test starts. The owner's thread only.
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <format>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/messaging/topology.h"
#include "tests/support/amqp_client.h"
#include "tests/support/api_fixture.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/loop_runner.h"
#include "tests/support/metric_text.h"
#include "tests/support/service_process.h"
#include "tests/support/short_rungs.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

inline constexpr std::chrono::seconds kPatience{60};

class DeliveryTest : public testing::Test {
 protected:
  explicit DeliveryTest(std::string brokerUrl = environmentVariable("AMQP_URL").value_or(""))
      : brokerUrl_(std::move(brokerUrl)),
        prefix_(std::format("delivery-{:08x}", std::random_device{}())),
        topology_(shortTopology(prefix_)) {
    database_.execute("CREATE TABLE effect (outbox_id bigint NOT NULL)");
  }
  void TearDown() override {
    services_.clear();
    removeTopology();
  }

  [[nodiscard]] ServiceOptions options(const std::string& roles = "api,outbox,consumer") const {
    return {.databaseUrl = database_.url(),
            .environment = {{"AMQP_URL", brokerUrl_},
                            {"AUTH_ERRORS_ROLES", roles},
                            {"AUTH_ERRORS_BROKER_PREFIX", prefix_},
                            {"AUTH_ERRORS_BROKER_HEARTBEAT_MS", "2000"},
                            {"AUTH_ERRORS_RETRY_DELAYS_MS", kShortRungsSetting},
                            {"AUTH_ERRORS_CONSUMER_LEASE_MS", "1000"},
                            {"AUTH_ERRORS_OUTBOX_POLL_INTERVAL_MS", "200"},
                            {"AUTH_ERRORS_OUTBOX_CLAIM_TIMEOUT_MS", "5000"},
                            {"AUTH_ERRORS_OUTBOX_REAP_INTERVAL_MS", "200"},
                            {"AUTH_ERRORS_OUTBOX_SWEEP_INTERVAL_MS", "200"}}};
  }
  [[nodiscard]] ServiceProcess& start(ServiceOptions options) {
    return *services_.emplace_back(std::make_unique<ServiceProcess>(std::move(options)));
  }

  // Posts this many new errors in batches and expects each to be stored.
  void post(ServiceProcess& service, int count) {
    constexpr int kBatch = 250;
    HttpClient client = service.client();
    while (count > 0) {
      std::string body;
      for (int i = 0; i < std::min(count, kBatch); ++i) {
        const int number = ++posted_;
        body += std::format("{}{}", body.empty() ? "[" : ",",
                            ErrorBody{.requestId = std::format("r-{}", number)}.json());
      }
      count -= kBatch;
      const auto answer =
          client.post("/api/auth-errors/batch", body + "]", std::chrono::seconds(30));
      ASSERT_TRUE(answer) << answer.error().message;
      ASSERT_EQ(answer->status, 200) << answer->body;
      for (const Json::Value& result : parseJson(answer->body)["results"]) {
        ASSERT_EQ(result["status"].asInt(), 201);
      }
    }
  }

  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  int number(const std::string& sql) { return std::stoi(value(sql)); }
  bool allAnalysed(std::chrono::milliseconds limit = kPatience) {
    return eventually(
        [&] {
          return number("SELECT count(*) FROM auth_error WHERE status = 'ANALYSIS_COMPLETED'") ==
                 posted_;
        },
        limit);
  }
  // Expects that each effect happened once and nothing is in flight.
  void expectEachDoneOnce() {
    const auto unpublished = [this] {
      return database_.queryText(
          "SELECT id, status FROM outbox_message WHERE status <> 'PUBLISHED'");
    };
    const auto unprocessed = [this] {
      return database_.queryText(
          "SELECT outbox_id, status FROM processed_message WHERE status <> 'DONE'");
    };
    EXPECT_TRUE(eventually([&] { return unpublished().empty() && unprocessed().empty(); }));
    EXPECT_THAT(unpublished(), testing::IsEmpty());
    EXPECT_THAT(unprocessed(), testing::IsEmpty());
    EXPECT_EQ(number("SELECT count(*) FROM auth_error"), posted_);
    EXPECT_EQ(number("SELECT count(*) FROM outbox_message"), 2 * posted_);
    EXPECT_EQ(number("SELECT count(*) FROM processed_message"), 2 * posted_);
    EXPECT_EQ(number("SELECT count(*) FROM auth_error_transition"), 2 * posted_);
    EXPECT_EQ(number("SELECT count(*) FROM (SELECT FROM auth_error_transition GROUP BY "
                     "auth_error_id HAVING count(*) <> 2) odd"),
              0);
    EXPECT_EQ(number("SELECT count(*) FROM dead_letter"), 0);
  }
  // The smallest share of the work that any instance did, in percent.
  int smallestShare(const std::string& table, const std::string& column) {
    EXPECT_EQ(number(std::format("SELECT count(DISTINCT {}) FROM {}", column, table)), 2);
    return number(
        std::format("SELECT 100 * min(n) / sum(n) FROM (SELECT count(*) AS n FROM {} "
                    "GROUP BY {}) shares",
                    table, column));
  }
  static double metric(ServiceProcess& service, const std::string& line) {
    const auto answer = service.client().get("/metrics", std::chrono::seconds(5));
    return answer ? metricIn(answer->body, line).value_or(-1) : -1;
  }

  static std::string brokerOf(ServiceProcess& service) {
    const auto ready = service.client().get("/health/ready", std::chrono::seconds(5));
    return ready ? parseJson(ready->body)["broker"].asString() : "";
  }

  void removeTopology() {
    try {
      AmqpClient client(brokerUrl_);
      for (const auto& queue : topology_.queues) {
        client.deleteQueue(queue.name);
      }
      client.deleteExchange(topology_.exchange);
    } catch (const std::exception& failure) {
      ADD_FAILURE() << "the broker was not cleaned up: " << failure.what();
    }
  }

  std::string brokerUrl_;
  std::string prefix_;
  messaging::Topology topology_;
  TestDatabase database_;
  std::vector<std::unique_ptr<ServiceProcess>> services_;
  int posted_ = 0;
};

}  // namespace auth_errors::tests
