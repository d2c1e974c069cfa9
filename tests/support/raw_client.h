// A connection for raw bytes that accepts several responses in a row. For one thread. Every wait
// has a deadline and throws.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <format>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "tests/support/http_client.h"

namespace auth_errors::tests {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port,
                     std::chrono::milliseconds patience = std::chrono::seconds(10))
      : port_(port),
        deadline_(Clock::now() + patience),
        connection_(RawConnection::connect(port, patience)) {
    if (!connection_) {
      throw std::runtime_error("the service is not reachable: " + connection_.error().message);
    }
  }

  // The service may close before it has read everything; its responses count.
  void send(std::string_view bytes) { std::ignore = connection_->send(bytes, left()); }

  // Returns once the service has read everything sent, so that the next bytes arrive separately.
  void waitUntilRead() const {
    // The kernel's table: "n: address:port peer state unsent:unread ...", in hexadecimal.
    const auto server = std::format(": 0100007F:{:04X} ", port_);
    constexpr std::size_t kState = 14;
    constexpr std::size_t kQueues = 17;
    while (Clock::now() < deadline_) {
      std::ifstream table("/proc/net/tcp");
      bool unread = false;
      for (std::string line; std::getline(table, line);) {
        const auto at = line.find(server);
        if (at == std::string::npos) {
          continue;
        }
        const auto rest = std::string_view(line).substr(at + server.size());
        const bool established = rest.substr(kState, 2) == "01";
        unread |= established && !rest.substr(kQueues, kQueues).ends_with(":00000000");
      }
      if (!unread) {
        return;
      }
      std::this_thread::yield();
    }
    throw std::runtime_error("the service did not read the request");
  }

  // Status 0 if the connection ended instead.
  HttpResponse readAnswer(bool toHead = false) {
    HttpResponseParser parser(toHead);
    parser.feed(std::exchange(received_, {}));
    while (parser.state() != HttpResponseParser::State::done) {
      const auto bytes = receive();
      if (bytes.empty()) {
        return parser.finish() == HttpResponseParser::State::done ? parser.take() : HttpResponse{};
      }
      if (parser.feed(bytes) == HttpResponseParser::State::malformed) {
        throw std::runtime_error(parser.problem());
      }
    }
    received_ = parser.rest();
    return parser.take();
  }

  bool readContinue() {
    while (!received_.contains("\r\n\r\n")) {
      const auto bytes = receive();
      if (bytes.empty()) {
        return false;
      }
      received_ += bytes;
    }
    const bool continued = received_.starts_with("HTTP/1.1 100 ");
    if (continued) {
      received_.erase(0, received_.find("\r\n\r\n") + 4);
    }
    return continued;
  }

  // Everything up to the end of the connection. Throws if it does not end.
  std::string readToEnd() {
    for (auto bytes = receive(); !bytes.empty(); bytes = receive()) {
      received_ += bytes;
    }
    return std::exchange(received_, {});
  }

 private:
  [[nodiscard]] std::chrono::milliseconds left() const {
    return std::max(std::chrono::milliseconds(0),
                    std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()));
  }

  // Empty at the end of the connection.
  std::string receive() {
    auto bytes = connection_->receive(left());
    if (!bytes && bytes.error().fault == TransportFault::timeout) {
      throw std::runtime_error("neither a response nor a disconnect in time; so far: " + received_);
    }
    return bytes.value_or("");
  }

  std::uint16_t port_;
  Clock::time_point deadline_;
  std::expected<RawConnection, TransportError> connection_;
  std::string received_;
};

}  // namespace auth_errors::tests
