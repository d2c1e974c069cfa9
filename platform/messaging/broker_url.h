// Parses an AMQP URL. A pure function; only for this folder's own sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::messaging {

struct BrokerHost {
  std::string name;  // an IPv6 address without its brackets
  std::uint16_t port = 0;

  // Whether the name is an IP address.
  [[nodiscard]] bool isAddress() const;
};

struct BrokerUrl {
  bool tls = false;
  std::string user;
  std::string password;
  std::vector<BrokerHost> hosts;  // at least one
  std::string vhost;
};

// Throws std::invalid_argument on an invalid URL, without quoting it.
BrokerUrl parseBrokerUrl(std::string_view url);

}  // namespace auth_errors::messaging
