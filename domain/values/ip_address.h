// An IP address of either family. A plain value, usable from any thread.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace auth_errors::domain {

// IPv4 addresses are stored as IPv6-mapped addresses, so that both forms compare equal.
class IpAddress {
 public:
  static std::optional<IpAddress> parse(std::string_view text);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool isIpV4() const;
  [[nodiscard]] bool isLoopback() const;
  [[nodiscard]] bool isUnspecified() const;  // 0.0.0.0 or ::
  // The network of a single client: an IPv4 address, or the first address of an IPv6 /64.
  [[nodiscard]] IpAddress network() const;
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  auto operator<=>(const IpAddress&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

}  // namespace auth_errors::domain
