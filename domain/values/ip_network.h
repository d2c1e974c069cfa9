// A network of IP addresses. A plain value, usable from any thread.
#pragma once

#include <optional>
#include <string_view>

#include "domain/values/ip_address.h"

namespace auth_errors::domain {

// "10.0.0.0/8", "fd00::/8", or a single address.
class IpNetwork {
 public:
  // Refuses bits beyond the prefix: "10.1.2.3/8" is probably a mistake.
  static std::optional<IpNetwork> parse(std::string_view text);

  [[nodiscard]] bool contains(const IpAddress& address) const;

 private:
  IpAddress base_;
  unsigned prefixBits_ = 128;  // of the mapped form
};

}  // namespace auth_errors::domain
