// URLs with names and with several hosts. Names under .test are defined in
// tests/support/test_dns.cc.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "platform/messaging/broker.h"
#include "tests/support/file_descriptor.h"
#include "tests/support/messaging_fixture.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using messaging::BrokerState;
using namespace std::chrono_literals;

class BrokerHosts : public MessagingTest {
 protected:
  // A publisher to the broker at other hosts, given as "name:port,name:port".
  messaging::Publisher& publisherAt(const std::string& hosts,
                                    std::chrono::milliseconds connectTimeout = 5s) {
    auto options = publisherOptions();
    const auto begin = url_.rfind('@') + 1;
    const auto end = url_.find('/', begin);
    options.broker.url =
        url_.substr(0, begin) + hosts + (end == std::string::npos ? "" : url_.substr(end));
    options.broker.connectTimeout = connectTimeout;
    return loop_.publisher(std::move(options));
  }

  std::uint16_t port_ = portOf(url_);
};

TEST_F(BrokerHosts, ConnectsByName) {
  EXPECT_TRUE(becomes(publisherAt(std::format("mq.test:{}", port_)), BrokerState::ready));
}

TEST_F(BrokerHosts, AnUnansweredNameDelaysOnlyItsOwnConnection) {
  auto& silent = publisherAt("mq.silent.test", 200ms);
  EXPECT_TRUE(becomes(connectPublisher(), BrokerState::ready))
      << "another publisher on the same loop must connect";
  EXPECT_TRUE(eventually([&] {
    return silent.problem().contains("its host name was not resolved within 200 ms");
  })) << silent.problem();
  EXPECT_FALSE(silent.problem().contains("silent.test")) << "the problem is public";
  EXPECT_EQ(silent.state(), BrokerState::connecting);
}

TEST_F(BrokerHosts, ReportsAnUnknownName) {
  auto& unknown = publisherAt("mq.unknown.test");
  EXPECT_TRUE(eventually([&] {
    return unknown.problem().contains("the broker's host name cannot be resolved");
  })) << unknown.problem();
}

TEST_F(BrokerHosts, TriesTheNextHostOnAnyFailureOfTheFirst) {
  TcpProxy silent(port_);
  silent.setMode(TcpProxy::Mode::silence);
  TcpProxy refusing(port_);
  refusing.setMode(TcpProxy::Mode::refuse);
  for (const std::string& first :
       {std::string("mq.silent.test:5672"), std::string("mq.unknown.test:5672"),
        std::format("127.0.0.1:{}", silent.port()), std::format("[::1]:{}", refusing.port()),
        std::format("localhost:{}", refusing.port())}) {
    auto& publisher = publisherAt(std::format("{},mq.test:{}", first, port_), 500ms);
    EXPECT_TRUE(becomes(publisher, BrokerState::ready)) << first << ": " << publisher.problem();
  }
}

TEST_F(BrokerHosts, ReconnectsToAnotherHostWhenTheFirstIsGone) {
  TcpProxy proxy(port_);
  auto& publisher = publisherAt(std::format("127.0.0.1:{},mq.test:{}", proxy.port(), port_));
  ASSERT_TRUE(becomes(publisher, BrokerState::ready));
  EXPECT_EQ(proxy.counters().accepted, 1U);
  proxy.setMode(TcpProxy::Mode::reset);
  EXPECT_TRUE(eventually([&] {
    return proxy.counters().accepted > 1 && publisher.state() == BrokerState::ready;
  })) << publisher.problem();
}

// Accepts one connection on ::1 and reads its first bytes.
class Ipv6Listener {
 public:
  Ipv6Listener() : socket_(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), raw, size) != 0 || ::listen(socket_.get(), 4) != 0 ||
        ::getsockname(socket_.get(), raw, &size) != 0) {
      throw std::runtime_error("cannot listen on ::1");
    }
    port_ = ntohs(address.sin6_port);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string firstBytes() const {
    pollfd arrival{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&arrival, 1, 20'000) != 1) {
      return "no connection";
    }
    const FileDescriptor peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    std::array<char, 4> bytes{};
    const auto count = ::recv(peer.get(), bytes.data(), bytes.size(), MSG_WAITALL);
    return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }

 private:
  FileDescriptor socket_;
  std::uint16_t port_ = 0;
};

TEST_F(BrokerHosts, ConnectsOverIpV6ByNameAndAddress) {
  for (const std::string_view host : {"six.test", "[::1]"}) {
    const Ipv6Listener broker;
    publisherAt(std::format("{}:{}", host, broker.port()));
    EXPECT_EQ(broker.firstBytes(), "AMQP") << host;
  }
}

}  // namespace
}  // namespace auth_errors::tests
