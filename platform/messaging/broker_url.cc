#include "platform/messaging/broker_url.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <arpa/inet.h>

namespace auth_errors::messaging {
namespace {

constexpr std::uint16_t kPlainPort = 5672;
constexpr std::uint16_t kTlsPort = 5671;

[[noreturn]] void refuseUrl(const char* why) {
  throw std::invalid_argument(std::string("the broker URL ") + why);
}

template <typename Number>
std::optional<Number> wholeNumber(std::string_view text, int base) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, base);
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    return std::nullopt;
  }
  return number;
}

std::string decodePercents(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    const auto digits = text.substr(at + 1, 2);
    const auto byte = wholeNumber<std::uint8_t>(digits, 16);
    if (digits.size() != 2 || !byte) {
      refuseUrl("has a % that is not followed by two hexadecimal digits");
    }
    decoded += static_cast<char>(*byte);
    at += 2;
  }
  return decoded;
}

bool takePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

void readCredentials(BrokerUrl& broker, std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    refuseUrl("has a user without a password");
  }
  broker.user = decodePercents(text.substr(0, colon));
  broker.password = decodePercents(text.substr(colon + 1));
  // The login is sent with NUL bytes between its parts.
  if (broker.user.contains('\0') || broker.password.contains('\0')) {
    refuseUrl("has a NUL byte in its user or password");
  }
}

BrokerHost readHost(std::string_view text, std::uint16_t defaultPort) {
  BrokerHost host{.name = {}, .port = defaultPort};
  auto portAt = text.rfind(':');
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) {
      refuseUrl("has a [ without its ]");
    }
    host.name = text.substr(1, end - 1);
    portAt = end + 1 < text.size() ? end + 1 : std::string_view::npos;
    if (portAt != std::string_view::npos && text[portAt] != ':') {
      refuseUrl("has something other than a port after its ]");
    }
  } else {
    host.name = text.substr(0, portAt);
    // The end of an IPv6 address would be mistaken for its port.
    if (host.name.contains(':')) {
      refuseUrl("has an IPv6 address without [ and ]");
    }
  }
  if (host.name.empty()) {
    refuseUrl("has no host");
  }
  if (portAt != std::string_view::npos) {
    host.port = wholeNumber<std::uint16_t>(text.substr(portAt + 1), 10).value_or(0);
    if (host.port == 0) {
      refuseUrl("has a port that is not a number from 1 to 65535");
    }
  }
  return host;
}

// Parses host:port,host:port.
std::vector<BrokerHost> readHosts(std::string_view text, std::uint16_t defaultPort) {
  std::vector<BrokerHost> hosts;
  std::size_t comma = 0;
  do {
    comma = text.find(',');
    hosts.push_back(readHost(text.substr(0, comma), defaultPort));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  } while (comma != std::string_view::npos);
  return hosts;
}

}  // namespace

bool BrokerHost::isAddress() const {
  in6_addr address{};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

BrokerUrl parseBrokerUrl(std::string_view url) {
  BrokerUrl broker;
  broker.tls = takePrefix(url, "amqps://");
  if (!broker.tls && !takePrefix(url, "amqp://")) {
    refuseUrl("must start with amqp:// or amqps://");
  }
  if (url.find_first_of("?#") != std::string_view::npos) {
    refuseUrl("has parameters, which are not supported");
  }
  const auto slash = url.find('/');
  const auto authority = url.substr(0, slash);
  if (slash != std::string_view::npos) {
    broker.vhost = decodePercents(url.substr(slash + 1));
  }
  if (broker.vhost.empty()) {
    broker.vhost = "/";
  }
  const auto at = authority.rfind('@');
  if (at == std::string_view::npos) {
    refuseUrl("has no user and password");
  }
  readCredentials(broker, authority.substr(0, at));
  broker.hosts = readHosts(authority.substr(at + 1), broker.tls ? kTlsPort : kPlainPort);
  return broker;
}

}  // namespace auth_errors::messaging
