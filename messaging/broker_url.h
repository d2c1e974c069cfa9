// An AMQP URL taken apart. A pure function; only for this folder's own sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace auth_errors::messaging {

struct BrokerUrl {
  bool tls = false;
  std::string user;
  std::string password;
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 0;
  std::string vhost;

  // Is the host an address rather than a name?
  [[nodiscard]] bool hasAddress() const;
};

// Throws std::invalid_argument, without quoting it, on a bad URL.
BrokerUrl parseBrokerUrl(std::string_view url);

}  // namespace auth_errors::messaging
