// From posted errors to exact cluster counts: the real service on real servers, with instances that
// are killed on the way.
#include <algorithm>
#include <chrono>
#include <format>
#include <future>
#include <iostream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/delivery_fixture.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;

constexpr int kShapes = 200;
constexpr int kBatchSize = 250;

// Letters only, since digits would be normalised as a counter.
std::string shapeName(int shape) {
  return {static_cast<char>('A' + (shape / 26)), static_cast<char>('a' + (shape % 26))};
}

// Each error has its own shape, line, message and user.
std::string batchBody(int first, int count) {
  std::string body;
  for (int i = first; i < first + count; ++i) {
    const std::string shape = shapeName(i % kShapes);
    body += std::format(
        R"j({}{{"requestId":"r-{}","occurredAt":"2026-01-05T10:15:30Z","httpStatus":401,)j"
        R"j("exceptionClass":"com.acme.Refused","exceptionMessage":"no {} for {}",)j"
        R"j("stacktrace":"com.acme.Refused: no\n\tat com.acme.Shape{}.check(Shape.java:{})\n)j"
        R"j(\tat com.acme.Main.run(Main.java:{})","serviceName":"{}","environment":"production"}})j",
        body.empty() ? "[" : ",", i, i, i + 1, shape, 1 + (i % 977), 1 + (i % 61),
        i % 3 == 0 ? "login" : "shop");
  }
  return body + "]";
}

class ClusterDelivery : public DeliveryTest {
 protected:
  // Posts until each error is stored, since an instance may be killed at any moment.
  static void postAll(ServiceProcess& one, ServiceProcess& other, int from, int to) {
    for (int first = from; first < to; first += kBatchSize) {
      const std::string body = batchBody(first, std::min(kBatchSize, to - first));
      for (int attempt = 0;; ++attempt) {
        HttpClient client = (first / kBatchSize + attempt) % 2 == 0 ? one.client() : other.client();
        const auto answer = client.post("/api/auth-errors/batch", body, 30s);
        const bool stored =
            answer && answer->status == 200 &&
            std::ranges::all_of(parseJson(answer->body)["results"], [](const Json::Value& result) {
              return result["status"].asInt() / 100 == 2;
            });
        if (stored) {
          break;
        }
        ASSERT_LT(attempt, 1'000);
        std::this_thread::sleep_for(20ms);
      }
    }
  }
};

TEST_F(ClusterDelivery, CountsExactlyWhileTwoInstancesAreKilled) {
  const int errors = std::stoi(environmentVariable("AUTH_ERRORS_CLUSTER_ERRORS").value_or("10000"));
  constexpr int kKills = 6;
  ServiceProcess& one = start(options("api,outbox,consumer,ops"));
  ServiceProcess& other = start(options("api,outbox,consumer,ops"));
  const auto begin = std::chrono::steady_clock::now();
  auto posting = std::async(std::launch::async, [&] { postAll(one, other, 0, errors); });
  for (int kill = 1; kill <= kKills; ++kill) {
    // Kills in the middle of analysis, spread over the whole run.
    ASSERT_TRUE(eventually(
        [&] {
          return number("SELECT count(*) FROM cluster_member") >= errors / (kKills + 1) * kill;
        },
        120s));
    ServiceProcess& victim = kill % 2 == 0 ? one : other;
    victim.kill9();
    victim.start();
  }
  posting.get();
  posted_ = errors;
  ASSERT_TRUE(allAnalysed(180s));
  ASSERT_TRUE(eventually([&] { return number("SELECT count(*) FROM cluster_delta") == 0; }, 30s));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << std::format("{} errors of {} shapes, {} kills: {:.1f} s\n", errors, kShapes, kKills,
                           took.count());
  expectEachDoneOnce();
  EXPECT_EQ(number("SELECT count(*) FROM cluster"), kShapes);
  EXPECT_EQ(
      number(std::format("SELECT count(*) FROM cluster WHERE error_count = {}", errors / kShapes)),
      kShapes);
  EXPECT_EQ(number("SELECT count(*) FROM cluster_member"), errors);
  EXPECT_EQ(number("SELECT count(*) FROM cluster c WHERE error_count <> (SELECT count(*) FROM "
                   "cluster_member m WHERE m.cluster_id = c.id)"),
            0);
  EXPECT_EQ(number("SELECT sum(error_count) FROM cluster_facet WHERE kind = 'service'"), errors);
}

}  // namespace
}  // namespace auth_errors::tests
