#include <future>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/support/error_body.h"
#include "tests/support/free_port.h"
#include "tests/support/http_client.h"
#include "tests/support/loop_runner.h"
#include "tests/support/tcp_proxy.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using State = HttpResponseParser::State;

constexpr auto kTimeout = 5s;

// A server that handles one connection at a time: it echoes, or runs the test's function.
class EchoServer {
 public:
  EchoServer() : port_(freePort()), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int reuse = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    EXPECT_TRUE(listener_.valid());
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    thread_ = std::thread([this] { run(); });
  }
  ~EchoServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
    for (std::thread& worker : workers_) {
      worker.join();
    }
  }
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;
  EchoServer(EchoServer&&) = delete;
  EchoServer& operator=(EchoServer&&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  void run() {
    for (;;) {
      FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.valid()) {
        return;
      }
      workers_.emplace_back([connection = std::move(socket)] {
        std::array<char, 4096> buffer{};
        for (;;) {
          const ssize_t count = ::recv(connection.get(), buffer.data(), buffer.size(), 0);
          if (count <= 0 || ::send(connection.get(), buffer.data(), static_cast<std::size_t>(count),
                                   MSG_NOSIGNAL) <= 0) {
            return;
          }
        }
      });
    }
  }

  std::uint16_t port_;
  FileDescriptor listener_;
  std::thread thread_;
  std::vector<std::thread> workers_;
};

TEST(FreePort, GivesDistinctPortsBelowTheEphemeralRange) {
  std::set<std::uint16_t> ports;
  for (int count = 0; count < 50; ++count) {
    const std::uint16_t port = freePort();
    EXPECT_GE(port, 20000);
    EXPECT_LE(port, 32000);
    EXPECT_TRUE(ports.insert(port).second) << port << " was returned twice";
  }
}

TEST(ErrorBody, EscapesSpecialCharactersForJson) {
  EXPECT_EQ(jsonString("a\"b\\c\n\t\x01"), R"("a\"b\\c\n\t\u0001")");
}

TEST(HttpResponseParser, ReadsContentLengthByteByByte) {
  HttpResponseParser parser;
  const std::string_view text =
      "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc";
  for (const char byte : text) {
    EXPECT_NE(parser.state(), State::done);
    parser.feed({&byte, 1});
  }
  ASSERT_EQ(parser.state(), State::done);
  EXPECT_TRUE(parser.keepsAlive());
  const HttpResponse response = parser.take();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.header("LOCATION"), "/x");
  EXPECT_EQ(response.body, "abc");
}

TEST(HttpResponseParser, JoinsChunksHoweverTheyAreSplit) {
  const std::string text =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4;name=value\r\nWiki\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nTrailer: 1\r\n\r\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    HttpResponseParser parser;
    parser.feed(std::string_view(text).substr(0, cut));
    parser.feed(std::string_view(text).substr(cut));
    ASSERT_EQ(parser.state(), State::done) << "split at " << cut;
    EXPECT_EQ(parser.take().body, "Wikiabcdefghijklmnopqrstuvwxyz");
  }
}

TEST(HttpResponseParser, RefusesAChunkLongerThanItsSize) {
  HttpResponseParser parser;
  EXPECT_EQ(parser.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n"),
            State::malformed);
}

TEST(HttpResponseParser, RefusesAnInvalidChunkSize) {
  HttpResponseParser parser;
  EXPECT_EQ(parser.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\n"),
            State::malformed);
}

TEST(HttpResponseParser, SkipsInformationalResponses) {
  HttpResponseParser parser;
  parser.feed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n");
  ASSERT_EQ(parser.state(), State::done);
  EXPECT_EQ(parser.take().status, 204);
}

TEST(HttpResponseParser, EndsABodyWithoutLengthOnClose) {
  HttpResponseParser parser;
  EXPECT_EQ(parser.feed("HTTP/1.1 200 OK\r\n\r\nabc"), State::bodyUntilClosed);
  EXPECT_EQ(parser.finish(), State::done);
  EXPECT_FALSE(parser.keepsAlive());
  EXPECT_EQ(parser.take().body, "abc");
}

TEST(HttpResponseParser, ReportsATruncatedResponseAsMalformed) {
  HttpResponseParser parser;
  parser.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
  EXPECT_EQ(parser.finish(), State::malformed);
}

TEST(HttpClient, ReportsARefusedConnection) {
  HttpClient client(freePort());
  const auto answer = client.get("/", kTimeout);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, TransportFault::refused);
  EXPECT_FALSE(answer.error().sentAt);
}

TEST(HttpClient, TimesOutOnASilentServer) {
  const EchoServer server;
  TcpProxy proxy(server.port());
  proxy.setMode(TcpProxy::Mode::silence);
  HttpClient client(proxy.port());
  const auto start = Clock::now();
  const auto answer = client.get("/", 200ms);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, TransportFault::timeout);
  EXPECT_TRUE(answer.error().sentAt);
  EXPECT_GE(Clock::now() - start, 200ms);
  EXPECT_LT(Clock::now() - start, kTimeout);
}

// The reset may arrive before connect() returns.
void expectReset(std::uint16_t port) {
  auto connection = RawConnection::connect(port, kTimeout);
  if (connection) {
    EXPECT_EQ(connection->receiveUntilClosed(kTimeout).end, RawConnection::End::reset);
  } else {
    EXPECT_EQ(connection.error().fault, TransportFault::reset);
  }
}

class TcpProxyTest : public ::testing::Test {
 protected:
  RawConnection connect() {
    auto connection = RawConnection::connect(proxy_.port(), kTimeout);
    EXPECT_TRUE(connection);
    return std::move(*connection);
  }
  static void expectEcho(RawConnection& connection, const std::string& text) {
    ASSERT_TRUE(connection.send(text, kTimeout));
    std::string received;
    while (received.size() < text.size()) {
      const auto bytes = connection.receive(kTimeout);
      ASSERT_TRUE(bytes) << bytes.error().message;
      ASSERT_FALSE(bytes->empty()) << "connection closed";
      received += *bytes;
    }
    EXPECT_EQ(received, text);
  }

  EchoServer server_;
  TcpProxy proxy_{server_.port()};
};

TEST_F(TcpProxyTest, ForwardsBytesInBothDirections) {
  RawConnection connection = connect();
  expectEcho(connection, "hello");
  expectEcho(connection, std::string(300'000, 'x'));
  connection.shutdownWrite();
  EXPECT_EQ(connection.receiveUntilClosed(kTimeout).end, RawConnection::End::closed);
  EXPECT_EQ(proxy_.counters().accepted, 1U);
}

TEST_F(TcpProxyTest, ResetsOpenAndNewConnections) {
  RawConnection open = connect();
  expectEcho(open, "hello");
  proxy_.setMode(TcpProxy::Mode::reset);
  EXPECT_EQ(proxy_.counters().resets, 1U);
  EXPECT_EQ(open.receiveUntilClosed(kTimeout).end, RawConnection::End::reset);
  expectReset(proxy_.port());

  proxy_.setMode(TcpProxy::Mode::pass);
  RawConnection healed = connect();
  expectEcho(healed, "again");
}

TEST_F(TcpProxyTest, KeepsSilencedConnectionsOpenAndSilent) {
  RawConnection open = connect();
  expectEcho(open, "hello");
  proxy_.setMode(TcpProxy::Mode::silence);
  RawConnection later = connect();
  ASSERT_TRUE(open.send("lost", kTimeout));
  ASSERT_TRUE(later.send("lost too", kTimeout));
  EXPECT_EQ(later.receiveUntilClosed(100ms).end, RawConnection::End::timeout);
  EXPECT_EQ(proxy_.counters().silenced, 2U);
  EXPECT_TRUE(eventually(
      [&] { return proxy_.counters().swallowedBytes == std::string("lostlost too").size(); }));

  proxy_.setMode(TcpProxy::Mode::pass);
  const auto received = open.receiveUntilClosed(100ms);
  EXPECT_EQ(received.end, RawConnection::End::timeout);
  EXPECT_EQ(received.bytes, "");
  RawConnection healed = connect();
  expectEcho(healed, "again");
}

TEST_F(TcpProxyTest, RefusesNewConnectionsAndListensAgainOnTheSamePort) {
  RawConnection open = connect();
  expectEcho(open, "hello");
  proxy_.setMode(TcpProxy::Mode::refuse);
  const auto refused = RawConnection::connect(proxy_.port(), kTimeout);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, TransportFault::refused);
  expectEcho(open, "still here");
  proxy_.setMode(TcpProxy::Mode::pass);
  RawConnection healed = connect();
  expectEcho(healed, "again");
}

TEST(TcpProxy, ResetsTheClientWhenTheServerIsUnreachable) {
  const TcpProxy proxy(freePort());
  expectReset(proxy.port());
  EXPECT_EQ(proxy.counters().upstreamFailures, 1U);
}

}  // namespace
}  // namespace auth_errors::tests
