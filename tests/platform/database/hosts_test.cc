// URLs with names and with several hosts. Names under .test are defined in
// tests/support/test_dns.cc.
#include <chrono>
#include <cstdint>
#include <format>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/database/client.h"
#include "platform/database/listener.h"
#include "tests/support/database_fixture.h"
#include "tests/support/postgres_server.h"
#include "tests/support/tcp_proxy.h"

namespace auth_errors::tests {
namespace {

using database::Client;
using database::ClientOptions;
using database::Failure;
using namespace std::chrono_literals;

// The same database at other hosts, given as "name:port,name:port".
std::string urlWithHosts(const std::string& url, const std::string& hosts) {
  const auto begin = url.find('@') + 1;
  return url.substr(0, begin) + hosts + url.substr(url.find('/', begin));
}

class DatabaseHosts : public DatabaseTest {
 protected:
  DatabaseHosts() : DatabaseTest(Contents::nothing) {}

  [[nodiscard]] ClientOptions at(const std::string& hosts) const {
    ClientOptions options = this->options();
    options.url = urlWithHosts(options.url, hosts);
    options.reconnectDelayMin = 10ms;
    options.reconnectDelayMax = 50ms;
    return options;
  }
  std::string answerOf(Client& client) {
    return clients_.query(client, "SELECT current_database()::text").only<std::string>();
  }

  std::uint16_t port_ = portOf(database_.url());
};

TEST_F(DatabaseHosts, ConnectsByName) {
  EXPECT_EQ(answerOf(clients_.connect(at(std::format("db.test:{}", port_)))), database_.name());
}

TEST_F(DatabaseHosts, AnUnansweredNameDelaysOnlyItsOwnConnection) {
  ClientOptions silent = at("db.silent.test:5432");
  silent.connectTimeout = 300ms;
  silent.failFastAfter = 100ms;
  Client& client = clients_.connect(silent);
  EXPECT_EQ(answerOf(connect()), database_.name())
      << "another client on the same loop must connect";
  const auto error = errorOf([&] { clients_.queryWithin(20s, client, "SELECT 1"); });
  EXPECT_EQ(error.failure(), Failure::unavailable);
  EXPECT_FALSE(client.connected());
}

TEST_F(DatabaseHosts, AnUnknownNameIsAnOutage) {
  ClientOptions options = at("db.unknown.test:5432");
  options.failFastAfter = 100ms;
  Client& client = clients_.connect(options);
  const auto error = errorOf([&] { clients_.queryWithin(20s, client, "SELECT 1"); });
  EXPECT_EQ(error.failure(), Failure::unavailable);
}

TEST_F(DatabaseHosts, TriesTheNextHostWhenTheFirstNameIsNotAnswered) {
  ClientOptions options = at(std::format("db.silent.test:5432,db.test:{}", port_));
  options.connectTimeout = 2s;
  EXPECT_EQ(answerOf(clients_.connect(options)), database_.name());
}

TEST_F(DatabaseHosts, TriesTheNextHostWhenTheFirstNameIsUnknown) {
  EXPECT_EQ(answerOf(clients_.connect(at(std::format("db.unknown.test,db.test:{0}", port_)))),
            database_.name());
}

TEST_F(DatabaseHosts, TriesTheNextHostWhenTheFirstAcceptsConnectionsButStaysSilent) {
  TcpProxy proxy(port_);
  proxy.setMode(TcpProxy::Mode::silence);
  ClientOptions options = at(std::format("127.0.0.1:{},127.0.0.1:{}", proxy.port(), port_));
  options.connectTimeout = 500ms;
  EXPECT_EQ(answerOf(clients_.connect(options)), database_.name());
  EXPECT_GE(proxy.counters().accepted, 1U);
}

TEST(DatabaseServers, SelectsTheHostByTargetSessionAttrs) {
  const PostgresServer readOnly({.tls = false, .settings = {"default_transaction_read_only=on"}});
  const PostgresServer writable;
  ClientLoop clients;
  const auto portBy = [&](const std::string& wanted) {
    Client& client = clients.connect(
        {.url = std::format("postgresql://postgres@readonly.test:{},writable.test:{}/postgres"
                            "?target_session_attrs={}",
                            readOnly.port(), writable.port(), wanted)});
    return clients.query(client, "SELECT current_setting('port')::int").only<std::int32_t>();
  };
  EXPECT_EQ(portBy("read-write"), writable.port());
  EXPECT_EQ(portBy("any"), readOnly.port());
}

TEST_F(DatabaseHosts, AListenerResolvesItsHostToo) {
  std::promise<void> listening;
  const ClientOptions options = at(std::format("db.test:{}", port_));
  std::unique_ptr<database::Listener> listener;
  callOn(clients_.loop(), [&] {
    listener = std::make_unique<database::Listener>(
        clients_.loop(), options, "channel",
        database::Listener::Callbacks{.onNotification = {},
                                      .onListening = [&] { listening.set_value(); }});
  });
  await(listening.get_future(), kWaitLimit);
  callOn(clients_.loop(), [&] { listener.reset(); });
}

TEST_F(DatabaseHosts, RefusesAUrlWithAServiceName) {
  EXPECT_THROW(clients_.connect({.url = "postgresql:///x?service=other"}), std::invalid_argument);
}

}  // namespace
}  // namespace auth_errors::tests
