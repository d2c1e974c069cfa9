// Limits the number of connections per client address. An IPv6 /64 network counts as one address,
// as it does for rate limits. Usable from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "domain/values/ip_address.h"

namespace auth_errors::security {

class AddressConnections {
 public:
  explicit AddressConnections(std::size_t most) : most_(most) {}

  // Counts one more connection, and returns whether it is within the limit. It is counted in either
  // case.
  bool enter(const domain::IpAddress& address) {
    const std::scoped_lock lock(mutex_);
    return ++counts_[address.network()] <= most_;
  }

  // REQUIRES: a matching enter() of the same address.
  void leave(const domain::IpAddress& address) {
    const std::scoped_lock lock(mutex_);
    const auto count = counts_.find(address.network());
    if (--count->second == 0) {
      counts_.erase(count);
    }
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::map<domain::IpAddress, std::size_t> counts_;
};

}  // namespace auth_errors::security
