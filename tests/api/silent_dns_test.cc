// DNS that never answers, or stops answering: the real service, with the names of
// tests/support/test_dns.cc preloaded. It must serve requests even if it cannot connect to
// anything.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <format>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/environment.h"
#include "tests/support/loop_runner.h"
#include "tests/support/metric_text.h"
#include "tests/support/project_paths.h"
#include "tests/support/service_process.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

// Expected response time of a live instance, and the limit for an occasional outlier on a busy
// machine.
constexpr milliseconds kExpectedLatency = 50ms;
constexpr milliseconds kMaxLatency = 1s;

Environment withTestDns(Environment environment) {
  environment["LD_PRELOAD"] = builtBinary("preloaded_dns.so");
  environment["ASAN_OPTIONS"] =
      environmentVariable("ASAN_OPTIONS").value_or("") + ":verify_asan_link_order=0";
  environment["AUTH_ERRORS_DATABASE_CONNECT_TIMEOUT_MS"] = "500";
  return environment;
}

// Polls on a new connection each time, and therefore on any of the loops.
void expectLiveFor(const ServiceProcess& service, milliseconds time) {
  std::vector<milliseconds> times;
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    HttpClient client = service.client();
    const auto begin = Clock::now();
    const auto answer = client.get("/health/live", 20s);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->status, 200);
    times.push_back(std::chrono::ceil<milliseconds>(Clock::now() - begin));
  }
  std::ranges::sort(times);
  std::cout << std::format("/health/live {} times: median {}, longest {}\n", times.size(),
                           times[times.size() / 2], times.back());
  EXPECT_LE(times[times.size() / 2], kExpectedLatency);
  EXPECT_LE(times.back(), kMaxLatency);
}

// The service's own metric must show that no loop was blocked.
void expectNoLoopBlocked(const ServiceProcess& service) {
  HttpClient client = service.client();
  const auto metrics = client.get("/metrics", 20s);
  ASSERT_TRUE(metrics) << metrics.error().message;
  for (const std::string loop : {"main", "io"}) {
    const auto all = metricIn(
        metrics->body, std::format(R"(auth_errors_loop_lag_seconds_count{{loop="{}"}})", loop));
    const auto inTime =
        metricIn(metrics->body,
                 std::format(R"(auth_errors_loop_lag_seconds_bucket{{loop="{}",le="1"}})", loop));
    ASSERT_TRUE(all && inTime) << metrics->body;
    EXPECT_GT(*all, 0) << loop;
    EXPECT_EQ(*inTime, *all) << loop;
  }
}

bool isReady(const ServiceProcess& service) {
  HttpClient client = service.client();
  const auto answer = client.get("/health/ready", 20s);
  return answer && answer->status == 200;
}

std::string readiness(const ServiceProcess& service) {
  HttpClient client = service.client();
  const auto answer = client.get("/health/ready", 20s);
  return answer ? answer->body : answer.error().message;
}

TEST(SilentDns, KeepsAnInstanceLiveThatNeverConnected) {
  ServiceProcess service({.databaseUrl = "postgresql://user@db.silent.test/x",
                          .environment = withTestDns({{"AMQP_URL", "amqp://u:p@mq.silent.test/"}}),
                          .waitUntilReady = false});
  expectLiveFor(service, 2s);
  expectNoLoopBlocked(service);
  EXPECT_FALSE(isReady(service));
  EXPECT_THAT(service.logText(), HasSubstr("its host name was not resolved within the time limit"));
  // The route is public, so its answer names neither server.
  EXPECT_THAT(readiness(service), Not(HasSubstr("silent.test")));
  EXPECT_EQ(service.terminate(10s), ExitStatus{}) << "a hanging lookup must not delay the shutdown";
}

TEST(SilentDns, KeepsAnInstanceLiveThroughAnOutage) {
  TestDatabase database;
  TcpProxy proxy(portOf(database.url()));
  const std::string address = std::format("127.0.0.1:{}", portOf(database.url()));
  std::string url = database.url();
  url.replace(url.find(address), address.size(), std::format("db.test:{}", proxy.port()));
  const std::filesystem::path silent =
      std::filesystem::temp_directory_path() / std::format("silent-{}", database.name());
  ServiceProcess service(
      {.databaseUrl = url, .environment = withTestDns({{"TEST_DNS_SILENT", silent.string()}})});

  std::ofstream(silent) << "x";
  proxy.setMode(TcpProxy::Mode::reset);
  EXPECT_TRUE(eventually([&] { return !isReady(service); }));
  proxy.setMode(TcpProxy::Mode::pass);
  expectLiveFor(service, 2s);
  expectNoLoopBlocked(service);
  EXPECT_FALSE(isReady(service)) << "the name was not looked up again";

  std::filesystem::remove(silent);
  EXPECT_TRUE(eventually([&] { return isReady(service); }));
}

TEST(SilentDns, EndsACommandThatCannotConnect) {
  const CommandResult result = runService(
      {"migrate"}, withTestDns({{"DATABASE_URL", "postgresql://user@db.silent.test/x"}}));
  EXPECT_EQ(result.status.code, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("cannot migrate"));
}

}  // namespace
}  // namespace auth_errors::tests
