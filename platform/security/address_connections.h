// How many connections each client address has, of so many at most. An IPv6 network of 64 bits
// counts as one address, as it does for rates. Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "domain/values/ip_address.h"

namespace auth_errors::security {

class AddressConnections {
 public:
  explicit AddressConnections(std::size_t most) : most_(most) {}

  // Counts one more, and says whether the address may have it. It is counted in either case.
  bool enter(const domain::IpAddress& address) {
    const std::scoped_lock lock(mutex_);
    return ++counts_[address.network()] <= most_;
  }

  // REQUIRES: an enter() of the same address that has not been left.
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
