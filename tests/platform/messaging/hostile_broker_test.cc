// Arbitrary servers at the broker's address: nothing they send may crash the process.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <format>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "tests/support/environment.h"
#include "tests/support/free_port.h"
#include "tests/support/messaging_fixture.h"

namespace auth_errors::tests {
namespace {

using messaging::BrokerState;
using messaging::PublishResult;
using testing::Each;
using testing::HasSubstr;
using namespace std::chrono_literals;
using std::string_view_literals::operator""sv;

// Sends one script to every client without reading, and then closes the connection or keeps it
// open.
class FakeBroker {
 public:
  FakeBroker() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_.get(), 16) != 0) {
      throw std::runtime_error("the fake broker cannot listen");
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

  void play(std::string script, bool keepOpen) {
    const std::scoped_lock lock(mutex_);
    script_ = std::move(script);
    keepOpen_ = keepOpen;
    served_ = 0;
    kept_.clear();
  }
  // Connections that received the current script.
  [[nodiscard]] std::size_t served() const {
    const std::scoped_lock lock(mutex_);
    return served_;
  }
  [[nodiscard]] std::string url() const { return std::format("amqp://u:p@127.0.0.1:{}/", port_); }

 private:
  void serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waiting{.fd = listener_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 50) <= 0) {
        continue;
      }
      FileDescriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      const std::scoped_lock lock(mutex_);
      ::send(client.get(), script_.data(), script_.size(), MSG_NOSIGNAL);
      ++served_;
      // Closing with unread data would send a reset, which might discard the script.
      if (!keepOpen_) {
        ::shutdown(client.get(), SHUT_WR);
      }
      kept_.push_back(std::move(client));
    }
  }

  std::uint16_t port_ = freePort();
  FileDescriptor listener_;
  mutable std::mutex mutex_;
  std::string script_;
  bool keepOpen_ = false;
  std::size_t served_ = 0;
  std::vector<FileDescriptor> kept_;
  std::jthread thread_;
};

std::string method(std::uint16_t channel, std::uint16_t group, std::uint16_t number,
                   const AmqpBytes& arguments = {}) {
  return amqpFrame(kAmqpMethod, channel,
                   AmqpBytes().number(group).number(number).raw(arguments.text()).text());
}

std::string start(std::string_view properties = "") {
  return method(0, 10, 10,
                AmqpBytes()
                    .number(std::uint8_t{0})
                    .number(std::uint8_t{9})
                    .longText(properties)
                    .longText("PLAIN")
                    .longText("en_US"));
}

std::string tune(std::uint32_t frameMax) {
  return method(0, 10, 30,
                AmqpBytes().number(std::uint16_t{2047}).number(frameMax).number(std::uint16_t{60}));
}

std::string login(std::uint32_t frameMax = 131'072) {
  return start() + tune(frameMax) + method(0, 10, 41, AmqpBytes().shortText(""));
}

// The broker's frames up to a declared topology.
std::string declared(const messaging::Topology& topology) {
  std::string script = login() + method(1, 20, 11, AmqpBytes().longText("")) + method(1, 40, 11);
  for (const auto& queue : topology.queues) {
    script += method(
        1, 50, 11,
        AmqpBytes().shortText(queue.name.text()).number(std::uint32_t{0}).number(std::uint32_t{0}));
  }
  for (std::size_t binding = 0; binding < topology.bindingKeys.size(); ++binding) {
    script += method(1, 50, 21);
  }
  return script + method(1, 20, 41) + method(2, 20, 11, AmqpBytes().longText(""));
}

std::string publishing(const messaging::Topology& topology) {
  return declared(topology) + method(2, 85, 11);
}

std::string consuming(const messaging::Topology& topology) {
  return declared(topology) + method(2, 60, 11) +
         method(2, 60, 21, AmqpBytes().shortText("auth-errors"));
}

std::string contentHeader(std::uint64_t bodySize, std::uint16_t flags,
                          std::string_view properties) {
  return amqpFrame(kAmqpHeader, 2,
                   AmqpBytes()
                       .number(std::uint16_t{60})
                       .number(std::uint16_t{0})
                       .number(bodySize)
                       .number(flags)
                       .raw(properties)
                       .text());
}

std::string deliver(std::uint64_t tag) {
  return method(2, 60, 60,
                AmqpBytes()
                    .shortText("auth-errors")
                    .number(tag)
                    .number(std::uint8_t{0})
                    .shortText("e")
                    .shortText("k"));
}

class MessagingHostileBroker : public testing::Test {
 protected:
  [[nodiscard]] messaging::BrokerOptions options() const {
    auto options = brokerAt(broker_.url());
    options.connectTimeout = 300ms;
    options.reconnectDelayMin = 1ms;
    options.reconnectDelayMax = 2ms;
    return options;
  }
  messaging::Publisher& publisher() {
    return loop_.publisher({.broker = options(), .topology = topology_, .onState = {}});
  }
  messaging::Subscriber& subscriber() {
    return loop_.subscriber({.broker = options(),
                             .topology = topology_,
                             .queue = topology_.workQueue,
                             .onDelivery = [this](const messaging::Delivery&) { ++deliveries_; },
                             .onState = {}});
  }
  // Expects that both clients received the script and reconnected.
  void expectSurvived(const std::string& script, bool keepOpen) {
    broker_.play(script, keepOpen);
    EXPECT_TRUE(eventually([this] { return broker_.served() >= 5; }, 10s));
  }

  FakeBroker broker_;
  messaging::Topology topology_ = uniqueTopology();
  std::atomic<std::size_t> deliveries_ = 0;
  BrokerLoop loop_;
};

TEST_F(MessagingHostileBroker, SurvivesHostileScripts) {
  std::string nested;
  for (int depth = 0; depth < 500; ++depth) {
    nested = AmqpBytes().field("n", 'F', AmqpBytes().longText(nested).text()).text();
  }
  constexpr std::uint16_t kHeadersFlag = 1U << 13U;
  const std::vector<std::string> scripts{
      "",
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      std::string("AMQP\0\1\0\0"sv),
      std::string("\1\0\0\0\0\0\x10half"sv),
      std::string("\1\0\0\xFF\xFF\xFF\xFF"sv) + std::string(1000, 'x'),
      std::string(100'000, '\0'),
      std::string(100'000, '\xCE'),
      amqpFrame(9, 0, "unknown type"),
      amqpFrame(kAmqpMethod, 0, ""),
      method(0, 99, 99),
      start(nested),
      start("\xFFtruncated"),
      start() + start(),
      login() + login(),
      start() + tune(8),
      start() + tune(0) + method(0, 10, 41, AmqpBytes().shortText("")) +
          std::string("\1\0\0\xFF\xFF\xFF\xF8junk"sv),
      tune(4096) + method(0, 10, 41),
      login() + method(0, 10, 50,
                       AmqpBytes()
                           .number(std::uint16_t{320})
                           .shortText("CONNECTION_FORCED")
                           .number(std::uint32_t{0})),
      login() + method(1, 20, 40,
                       AmqpBytes()
                           .number(std::uint16_t{406})
                           .shortText("PRECONDITION_FAILED - x")
                           .number(std::uint32_t{0})),
      login() + method(7, 20, 11) + deliver(1) + amqpFrame(kAmqpBody, 9, "body"),
      publishing(topology_) + contentHeader(5, 0, "") + amqpFrame(kAmqpBody, 2, "stray"),
      publishing(topology_) +
          method(2, 60, 80, AmqpBytes().number(std::uint64_t{99}).number(std::uint8_t{1})) +
          method(2, 60, 120, AmqpBytes().number(std::uint64_t{0}).number(std::uint8_t{1})) +
          method(2, 60, 50,
                 AmqpBytes()
                     .number(std::uint16_t{312})
                     .shortText("NO_ROUTE")
                     .shortText("e")
                     .shortText("k")) +
          contentHeader(0, 0, "") + "bad",
      consuming(topology_) + deliver(1) + contentHeader(~std::uint64_t{0}, 0, "") +
          amqpFrame(kAmqpBody, 2, "first"),
      consuming(topology_) + deliver(1) + contentHeader(3, 0, "") +
          amqpFrame(kAmqpBody, 2, "longer than told") + "bad",
      consuming(topology_) + deliver(1) + contentHeader(3, kHeadersFlag, "\xFF\xFF\xFF\xFFshort"),
      consuming(topology_) + deliver(1) +
          contentHeader(0, kHeadersFlag,
                        AmqpBytes().longText(AmqpBytes().field("q", '?', "").text()).text()),
      consuming(topology_) + deliver(1) + deliver(2) + contentHeader(0, 0, "") + deliver(2) +
          contentHeader(0, 0, "") +
          method(2, 60, 30, AmqpBytes().shortText("auth-errors").number(std::uint8_t{0})),
      consuming(topology_) + method(2, 60, 21, AmqpBytes().shortText("another")) +
          method(2, 60, 72) + "bad",
  };
  auto& publishes = publisher();
  auto& consumes = subscriber();
  for (std::size_t index = 0; index < scripts.size(); ++index) {
    SCOPED_TRACE(index);
    expectSurvived(scripts[index], false);
    expectSurvived(scripts[index] + "bad", false);
  }
  // Silent brokers are given up.
  for (const auto& script : {std::string(), std::string("\1\0\0\0\0\0\x10half"sv), login()}) {
    expectSurvived(script, true);
  }
  EXPECT_THAT(publishes.problem(), HasSubstr("not connected within"));
  EXPECT_EQ(publishes.state(), BrokerState::connecting);
  EXPECT_EQ(consumes.state(), BrokerState::connecting);
  EXPECT_THAT(loop_.publish(publishes, {publicationTo(topology_.deadLetter(), "m-1")}),
              Each(PublishResult::unavailable));
  EXPECT_GT(deliveries_, 0U);
}

TEST_F(MessagingHostileBroker, SurvivesCorruptedFrames) {
  const auto seed =
      numberFromEnvironment<std::uint32_t>("AUTH_ERRORS_SEED", std::random_device{}());
  RecordProperty("seed", std::to_string(seed));
  SCOPED_TRACE(std::format("AUTH_ERRORS_SEED={}", seed));
  std::mt19937 random(seed);
  const auto headers = AmqpBytes().field("a", "text").field("b", 5).text();
  const std::array valid{
      publishing(topology_) +
          method(2, 60, 50,
                 AmqpBytes()
                     .number(std::uint16_t{312})
                     .shortText("NO_ROUTE")
                     .shortText("e")
                     .shortText("k")) +
          contentHeader(2, 1U << 13U, AmqpBytes().longText(headers).text()) +
          amqpFrame(kAmqpBody, 2, "{}") +
          method(2, 60, 80, AmqpBytes().number(std::uint64_t{1}).number(std::uint8_t{0})),
      consuming(topology_) + deliver(1) +
          contentHeader(2, 1U << 13U, AmqpBytes().longText(headers).text()) +
          amqpFrame(kAmqpBody, 2, "{}")};
  publisher();
  subscriber();
  for (int round = 0; round < 200; ++round) {
    auto script = valid[random() % valid.size()];
    for (std::size_t flips = 1 + random() % 4; flips > 0; --flips) {
      script[random() % script.size()] = static_cast<char>(random());
    }
    broker_.play(script, false);
    ASSERT_TRUE(eventually([this] { return broker_.served() >= 2; }, 10s)) << round;
  }
}

TEST_F(MessagingHostileBroker, IsDisconnectedIfItNeverConfirms) {
  broker_.play(publishing(topology_), true);
  auto& publisher = loop_.publisher(
      {.broker = options(), .topology = topology_, .confirmPatience = 200ms, .onState = {}});
  ASSERT_TRUE(becomes(publisher, BrokerState::ready)) << publisher.problem();
  EXPECT_THAT(loop_.publish(publisher, {publicationTo(topology_.deadLetter(), "m-1")}, 10s),
              Each(PublishResult::unavailable));
  EXPECT_TRUE(eventually([this] { return broker_.served() >= 2; }));
}

}  // namespace
}  // namespace auth_errors::tests
