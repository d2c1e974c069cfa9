// Clients that send and never read: the service bounds the memory it holds for them, serves others,
// and frees everything when they disconnect. AUTH_ERRORS_UNREAD_CONNECTIONS and
// AUTH_ERRORS_UNREAD_SECONDS set the length.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/api_fixture.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/file_descriptor.h"
#include "tests/support/gzip.h"
#include "tests/support/load_generator.h"
#include "tests/support/loop_runner.h"
#include "tests/support/metric_text.h"
#include "tests/support/raw_client.h"
#include "tests/support/sanitizer_memory.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;

constexpr double kMaxMebibytes = 150 + kKeptBySanitizerMebibytes;
// Requests that have arrived are served even if their client has gone, which takes too long under a
// sanitizer.
constexpr int kPipelined = kKeptBySanitizerMebibytes > 0 ? 50 : 500;

// Sends its text as fast as the socket accepts it, and reads nothing.
class UnreadConnection {
 public:
  UnreadConnection(std::uint16_t port, std::shared_ptr<const std::string> text)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
        text_(std::move(text)) {
    // The smallest buffer that the kernel allows, so that unread bytes stay with the service.
    const int small = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
            0 &&
        errno != EINPROGRESS) {
      throw std::runtime_error("cannot connect");
    }
  }

  [[nodiscard]] bool sending() const { return sent_ < text_->size() && !ended_; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] int descriptor() const { return socket_.get(); }

  void sendSome() {
    const ssize_t sent =
        ::send(socket_.get(), text_->data() + sent_,
               std::min<std::size_t>(text_->size() - sent_, 256 * 1024), MSG_NOSIGNAL);
    if (sent > 0) {
      sent_ += static_cast<std::size_t>(sent);
    } else if (errno != EAGAIN && errno != ENOTCONN) {
      ended_ = true;
    }
  }

 private:
  FileDescriptor socket_;
  std::shared_ptr<const std::string> text_;
  std::size_t sent_ = 0;
  bool ended_ = false;
};

std::string requestLines(std::string_view target, std::string_view key) {
  return std::format("GET {} HTTP/1.1\r\nHost: x\r\n{}\r\n", target,
                     key.empty() ? "" : std::format("X-API-Key: {}\r\n", key));
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  all.reserve(text.size() * static_cast<std::size_t>(times));
  for (int time = 0; time < times; ++time) {
    all += text;
  }
  return all;
}

std::string upload(std::string_view body, std::string_view encoding) {
  return std::format(
      "POST /api/auth-errors/batch HTTP/1.1\r\nHost: x\r\nX-API-Key: {}\r\n"
      "Content-Type: application/x-ndjson\r\n{}Content-Length: {}\r\n\r\n{}",
      kIngestKey, encoding, body.size(), body);
}

// Valid errors, filling a batch almost to its limit.
std::string largeBatch(std::string_view prefix) {
  std::string lines;
  for (int number = 0; number < 490; ++number) {
    ErrorBody body{.requestId = std::format("{}-{}", prefix, number)};
    body.stacktrace = makeStacktrace(32'000, static_cast<std::size_t>(number % 7));
    lines += body.json() + "\n";
  }
  return lines;
}

class Unread : public ApiTest {
 protected:
  explicit Unread(Environment environment = {}) : ApiTest(std::move(environment)) {}

  struct Figures {
    double start = 0;
    double most = 0;
    double after = 0;
  };

  double residentMebibytes() const {
    std::ifstream statm(std::format("/proc/{}/statm", service_.pid()));
    std::int64_t total = 0;
    std::int64_t resident = 0;
    statm >> total >> resident;
    return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1024 * 1024);
  }

  double heldBytes() {
    const std::string text = metrics();
    double held = 0;
    for (const char* kind : {"received", "requests", "answers", "unsent"}) {
      held += metricIn(text, std::format(R"(auth_errors_http_held_bytes{{kind="{}"}})", kind))
                  .value_or(0);
    }
    return held;
  }

  double closed(std::string_view reason) {
    return metricIn(
               metrics(),
               std::format(R"(auth_errors_http_connections_closed_total{{reason="{}"}})", reason))
        .value_or(0);
  }

  // The 99th percentile of other clients' response times, in milliseconds, during the work.
  double latencyDuring(const auto& work) {
    LoadGenerator load({.port = service_.port(),
                        .connections = 4,
                        .seed = testSeed(),
                        .requestIdPrefix = std::format("load-{}", ++loads_)});
    work();
    const LoadSummary summary = load.finish(20s);
    EXPECT_EQ(summary.counts.created + summary.counts.duplicates, summary.counts.attempts)
        << summary.text();
    return static_cast<double>(summary.percentile99.count()) / 1000;
  }

  // Each connection sends its text for as long as the attack lasts, and is not reopened.
  void attack(std::string_view kind, const std::vector<std::shared_ptr<const std::string>>& texts) {
    const auto count = numberFromEnvironment<std::size_t>("AUTH_ERRORS_UNREAD_CONNECTIONS", 40);
    const std::chrono::seconds length(numberFromEnvironment<int>("AUTH_ERRORS_UNREAD_SECONDS", 3));
    const auto pause = [&] { std::ignore = ::poll(nullptr, 0, static_cast<int>(length / 1ms)); };
    const double alone = latencyDuring(pause);
    Figures figures{.start = residentMebibytes(), .most = 0, .after = 0};
    const double closedBefore = closed("memory_budget") + closed("unread");
    const double beside = latencyDuring([&] {
      std::vector<UnreadConnection> connections;
      for (std::size_t number = 0; number < count; ++number) {
        connections.emplace_back(service_.port(), texts.at(number % texts.size()));
      }
      const auto until = Clock::now() + length;
      while (Clock::now() < until) {
        sendAll(connections);
        figures.most = std::max(figures.most, residentMebibytes());
      }
    });
    EXPECT_TRUE(eventually([&] { return heldBytes() == 0; }, 60s)) << heldBytes();
    figures.after = residentMebibytes();
    std::cout << std::format(
        "{}: {} unread connections, {:.0f} of them ended; memory {:.0f} MiB before, {:+.0f} at "
        "most, {:+.0f} after; p99 of others {:.1f} ms alone, {:.1f} ms beside\n",
        kind, count, closed("memory_budget") + closed("unread") - closedBefore, figures.start,
        figures.most - figures.start, figures.after - figures.start, alone, beside);
    EXPECT_LT(figures.most - figures.start, kMaxMebibytes);
    EXPECT_LT(figures.after - figures.start, kMaxMebibytes / 2);
  }

  static void sendAll(std::vector<UnreadConnection>& connections) {
    std::vector<pollfd> polled;
    std::vector<UnreadConnection*> sending;
    for (UnreadConnection& connection : connections) {
      if (connection.sending()) {
        polled.push_back({.fd = connection.descriptor(), .events = POLLOUT, .revents = 0});
        sending.push_back(&connection);
      }
    }
    if (::poll(polled.data(), polled.size(), 20) <= 0) {
      return;
    }
    for (std::size_t index = 0; index < polled.size(); ++index) {
      if (polled.at(index).revents != 0) {
        sending.at(index)->sendSome();
      }
    }
  }

  static std::vector<std::shared_ptr<const std::string>> oneText(std::string text) {
    return {std::make_shared<const std::string>(std::move(text))};
  }

  void plantErrors() {
    for (const char* prefix : {"planted-a", "planted-b"}) {
      ASSERT_EQ(post("/api/auth-errors/batch", largeBatch(prefix), kIngestKey, kLinesType).status,
                200);
    }
  }

  int loads_ = 0;
};

TEST_F(Unread, ResponsesOfOpenRoutesUseBoundedMemory) {
  attack("open route", oneText(repeated(requestLines("/openapi.json", ""), 2'500)));
}

TEST_F(Unread, ListsUseBoundedMemory) {
  plantErrors();
  attack("viewer list",
         oneText(repeated(requestLines("/api/auth-errors?limit=200", kViewerKey), kPipelined)));
}

TEST_F(Unread, ExportsUseBoundedMemory) {
  plantErrors();
  attack("export",
         oneText(repeated(requestLines("/api/auth-errors/export", kViewerKey), kPipelined)));
}

TEST_F(Unread, UploadsUseBoundedMemory) {
  const std::string batch = largeBatch("upload");
  attack("batch upload", {std::make_shared<const std::string>(repeated(upload(batch, ""), 2)),
                          std::make_shared<const std::string>(
                              repeated(upload(gzip(batch), "Content-Encoding: gzip\r\n"), 20))});
}

// Everything arrives once the client reads: queued responses are neither lost nor reordered.
TEST_F(Unread, ResponsesWaitForAClientThatReadsLate) {
  constexpr int kRequests = 300;
  std::string requests;
  for (int number = 0; number < kRequests; ++number) {
    requests +=
        std::format("GET /openapi.json HTTP/1.1\r\nHost: x\r\nX-Request-Id: n-{}\r\n\r\n", number);
  }
  const std::string document = send("GET", "/openapi.json", {}).body;
  RawClient client(service_.port(), 60s);
  client.send(requests);
  EXPECT_TRUE(
      eventually([&] { return metricIn(metrics(), "auth_errors_http_connections_paused") == 1; }));
  for (int number = 0; number < kRequests; ++number) {
    const HttpResponse answer = client.readAnswer();
    ASSERT_EQ(answer.status, 200);
    ASSERT_EQ(answer.header("X-Request-Id"), std::format("n-{}", number));
    ASSERT_EQ(answer.body, document);
  }
  EXPECT_TRUE(
      eventually([&] { return metricIn(metrics(), "auth_errors_http_connections_paused") == 0; }));
}

// Kernel buffers are memory too, and responses that are never read are wasted work.
TEST_F(Unread, FewResponsesAreMadeForAClientThatReadsNothing) {
  const double bytes = static_cast<double>(send("GET", "/openapi.json", {}).body.size());
  std::vector<UnreadConnection> connections;
  connections.emplace_back(service_.port(), std::make_shared<const std::string>(repeated(
                                                requestLines("/openapi.json", ""), 2'500)));
  EXPECT_TRUE(eventually([&] {
    sendAll(connections);
    return metricIn(metrics(), "auth_errors_http_connections_paused") == 1;
  }));
  const auto answers =
      metricIn(metrics(), R"(auth_errors_http_requests_total{route="/openapi.json",status="2xx"})");
  EXPECT_LT(answers.value_or(0) * bytes, 1024 * 1024);
}

// Headers are held as long as their requests, so requests waiting for a stalled database use up the
// limit as well.
TEST_F(Unread, HeadersOfWaitingRequestsCountTowardsTheConnectionLimit) {
  constexpr int kRequests = 8;
  std::string requests;
  for (int number = 0; number < kRequests; ++number) {
    const std::string body = ErrorBody{.requestId = std::format("head-{}", number)}.json();
    requests += std::format(
        "POST /api/auth-errors HTTP/1.1\r\nHost: x\r\nX-API-Key: {}\r\nX-Long: {}\r\n"
        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
        kIngestKey, std::string(60'000, 'h'), body.size(), body);
  }
  PlainConnection blocker(database_.url());
  blocker.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  RawClient client(service_.port(), 60s);
  client.send(requests);
  EXPECT_TRUE(
      eventually([&] { return metricIn(metrics(), "auth_errors_http_connections_paused") == 1; }));
  blocker.execute("COMMIT");
  for (int number = 0; number < kRequests; ++number) {
    EXPECT_EQ(client.readAnswer().status, 201);
  }
  EXPECT_TRUE(eventually([&] { return heldBytes() == 0; }));
}

// A service with short timeouts and a small memory budget.
class UnreadWithShortTimeouts : public Unread {
 protected:
  UnreadWithShortTimeouts()
      : Unread({{"AUTH_ERRORS_RECEIVE_DEADLINE_MS", "300"},
                {"AUTH_ERRORS_MAX_BATCH_BODY", "1M"},
                {"AUTH_ERRORS_MAX_HELD", "2M"}}) {}

  static std::shared_ptr<const std::string> manyRequests() {
    return std::make_shared<const std::string>(repeated(requestLines("/openapi.json", ""), 200));
  }
};

TEST_F(UnreadWithShortTimeouts, DisconnectsAClientThatReadsNothing) {
  std::vector<UnreadConnection> connections;
  connections.emplace_back(service_.port(), manyRequests());
  EXPECT_TRUE(eventually([&] {
    sendAll(connections);
    return closed("unread") == 1;
  }));
  EXPECT_TRUE(eventually([&] { return heldBytes() == 0; }));
}

TEST_F(UnreadWithShortTimeouts, DisconnectsTheLargestHoldersPastTheBudget) {
  const auto text = manyRequests();
  std::vector<UnreadConnection> connections;
  for (int number = 0; number < 40; ++number) {
    connections.emplace_back(service_.port(), text);
  }
  EXPECT_TRUE(eventually([&] {
    sendAll(connections);
    return closed("memory_budget") > 0;
  }));
  connections.clear();
  EXPECT_TRUE(eventually([&] { return heldBytes() == 0; }));
}

// Small as sent but large once inflated: the budget has no room for it beside another one that
// waits for the database.
TEST_F(UnreadWithShortTimeouts, RefusesAnInflatedBodyPastTheBudget) {
  const auto large = [](std::string_view prefix) {
    const std::string batch = largeBatch(prefix);
    return upload(gzip(batch.substr(0, batch.rfind('\n', 1'000'000))),
                  "Content-Encoding: gzip\r\n");
  };
  // Prepared in advance, since it takes longer than the first request waits.
  const std::string firstUpload = large("first");
  const std::string secondUpload = large("second");
  PlainConnection blocker(database_.url());
  blocker.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  RawClient first(service_.port(), 60s);
  first.send(firstUpload);
  EXPECT_TRUE(eventually([&] { return heldBytes() > 900'000; }));
  RawClient second(service_.port(), 60s);
  second.send(secondUpload);
  const HttpResponse refused = second.readAnswer();
  EXPECT_EQ(codeOf(refused), "503 overloaded");
  EXPECT_EQ(refused.header("Retry-After"), "1");
  blocker.execute("COMMIT");
  EXPECT_EQ(first.readAnswer().status, 200);
  second.send(large("second"));
  EXPECT_EQ(second.readAnswer().status, 200);
}

}  // namespace
}  // namespace auth_errors::tests
