#include "domain/values/ip_address.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace auth_errors::domain {
namespace {

constexpr std::ptrdiff_t kIpV6NetworkBytes = 8;
constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  // Longer than any address; also keeps the copy for inet_pton small.
  if (text.size() >= INET6_ADDRSTRLEN) {
    return std::nullopt;
  }
  const std::string terminated(text);
  IpAddress address;
  in_addr v4{};
  if (::inet_pton(AF_INET, terminated.c_str(), &v4) == 1) {
    std::ranges::copy(kMappedPrefix, address.bytes_.begin());
    std::memcpy(address.bytes_.data() + kMappedPrefix.size(), &v4, sizeof v4);
    return address;
  }
  if (::inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) {
    return address;
  }
  return std::nullopt;
}

bool IpAddress::isIpV4() const {
  return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes_.begin());
}

bool IpAddress::isLoopback() const {
  static constexpr std::array<std::uint8_t, 16> kIpV6Loopback = {0, 0, 0, 0, 0, 0, 0, 0,
                                                                 0, 0, 0, 0, 0, 0, 0, 1};
  return isIpV4() ? bytes_[kMappedPrefix.size()] == 127 : bytes_ == kIpV6Loopback;
}

bool IpAddress::isUnspecified() const {
  const std::size_t network = isIpV4() ? kMappedPrefix.size() : 0;
  return std::ranges::all_of(bytes_.begin() + static_cast<std::ptrdiff_t>(network), bytes_.end(),
                             [](std::uint8_t byte) { return byte == 0; });
}

IpAddress IpAddress::network() const {
  IpAddress network = *this;
  if (!isIpV4()) {
    std::fill(network.bytes_.begin() + kIpV6NetworkBytes, network.bytes_.end(), std::uint8_t{0});
  }
  return network;
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const bool v4 = isIpV4();
  const void* source = v4 ? bytes_.data() + kMappedPrefix.size() : bytes_.data();
  ::inet_ntop(v4 ? AF_INET : AF_INET6, source, buffer.data(), buffer.size());
  return buffer.data();
}

}  // namespace auth_errors::domain
