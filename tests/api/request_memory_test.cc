// Requests that are still arriving use a bounded amount of memory.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/http_client.h"
#include "tests/support/metric_text.h"
#include "tests/support/raw_client.h"
#include "tests/support/raw_requests.h"
#include "tests/support/service_process.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// A dedicated service without a database and with little memory for requests.
class RequestMemory : public ::testing::Test {
 protected:
  static constexpr std::size_t kBudget = 32 * kMebi;

  RequestMemory()
      : service_({.databaseUrl = "postgresql://127.0.0.1:1/nothing",
                  .environment = {{"AUTH_ERRORS_MAX_HELD", "32M"},
                                  // No client may be disconnected for slowness, even on a slow
                                  // machine.
                                  {"AUTH_ERRORS_RECEIVE_DEADLINE_MS", "600000"}},
                  .waitUntilReady = false}) {}

  [[nodiscard]] std::uint16_t port() const { return service_.port(); }

  // Sends a request as any other client would, which must be served whatever the others do.
  double metric(std::string_view series) {
    const auto answer = monitor_.get("/metrics", 5s);
    if (!answer || answer->status != 200) {
      throw std::runtime_error("a valid client was not served");
    }
    return metricIn(answer->body, series).value_or(0);
  }

  std::size_t resident() {
    return static_cast<std::size_t>(metric("process_resident_memory_bytes"));
  }

  // The body is read to its end and then refused, which needs no database.
  static std::string refused(std::string_view body) {
    return std::format(
        "POST /health/live HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
        body.size(), body);
  }
  static std::string refusedInChunks(std::string_view body) {
    return std::format(
        "POST /health/live HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        "{:x}\r\n{}\r\n0\r\n\r\n",
        body.size(), body);
  }

  static void expectAtMost(std::size_t resident, std::size_t limit) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(resident, limit);
#else
    std::ignore = std::pair(resident, limit);  // sanitizers keep freed memory
#endif
  }

 private:
  ServiceProcess service_;
  HttpClient monitor_ = service_.client();
};

TEST_F(RequestMemory, ClosesTheLargestUnfinishedRequestsPastTheBudget) {
  constexpr auto kEnded = R"(auth_errors_http_connections_closed_total{reason="memory_budget"})"sv;
  constexpr std::size_t kAttackers = 250;
  RawClient small(port(), 60s);
  small.send("POST /health/live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nab");
  const auto before = resident();
  auto highest = before;
  std::vector<std::unique_ptr<RawClient>> attackers;
  const std::string half(kParserLimit - 100'000, 'x');
  const auto length = std::format("Content-Length: {}\r\n", kParserLimit);
  for (std::size_t number = 0; number < kAttackers; ++number) {
    attackers.push_back(std::make_unique<RawClient>(port(), 60s));
    attackers.back()->send(number % 2 == 0
                               ? post(length, half)
                               : chunkedPost(std::format("{:x}\r\n{}", kParserLimit, half)));
    highest = std::max(highest, resident());
  }
  // Together they sent 475 MiB.
  std::cout << "resident " << before / kMebi << " MiB, peak " << highest / kMebi << " MiB\n";
  expectAtMost(highest, before + 4 * kBudget);
  const std::size_t fit = kBudget / half.size();
  const auto deadline = Clock::now() + 10s;
  while (metric(kEnded) < static_cast<double>(kAttackers - fit)) {
    ASSERT_LT(Clock::now(), deadline);
  }
  // No more than necessary, except for loops that checked at the same moment.
  const std::size_t atLeastLeft = fit / 2;
  EXPECT_LT(metric(kEnded), static_cast<double>(kAttackers - atLeastLeft));
  small.send("cd");
  EXPECT_EQ(small.readAnswer().status, 405);
}

TEST_F(RequestMemory, IsReleasedWhenRequestsEnd) {
  constexpr std::size_t kClients = 100;
  const auto before = resident();
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string body(kParserLimit - 100'000, 'x');
  for (std::size_t number = 0; number < kClients; ++number) {
    clients.push_back(std::make_unique<RawClient>(port(), 60s));
    clients.back()->send(number % 2 == 0 ? refused(body) : refusedInChunks(body));
    ASSERT_EQ(clients.back()->readAnswer().status, 405);
  }
  std::cout << "resident " << before / kMebi << " MiB, then " << resident() / kMebi << " MiB\n";
  expectAtMost(resident(), before + kClients * body.size() / 4);
}

TEST_F(RequestMemory, AllowsManyLargeRequestsInSequence) {
  RawClient client(port(), 60s);
  const std::string body(kMebi, ' ');
  for (std::size_t sent = 0; sent < 3 * kBudget; sent += body.size()) {
    client.send(refused(body));
    ASSERT_EQ(client.readAnswer().status, 405);
  }
}

}  // namespace
}  // namespace auth_errors::tests
