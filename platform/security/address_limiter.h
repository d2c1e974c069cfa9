// A token bucket for each client address, for a limited number of addresses: beyond it the least
// recently used one is evicted, so a flood of addresses costs a fixed amount of memory. An IPv6 /64
// network counts as one address, because its owner controls all of it. No address is exempt,
// because an exempt one could be forged through a proxy. Usable from any thread; time is a
// parameter.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "domain/values/ip_address.h"
#include "platform/security/token_bucket.h"

namespace auth_errors::security {

class AddressLimiter {
 public:
  static constexpr std::size_t kDefaultAddresses = std::size_t{64} * 1024;

  explicit AddressLimiter(Rate rate, std::size_t maxAddresses = kDefaultAddresses);

  // See TokenBucket::take().
  std::optional<TokenBucket::Wait> take(const domain::IpAddress& address, TokenBucket::Time now);

  [[nodiscard]] std::size_t addresses();

 private:
  struct NetworkHash {
    std::size_t operator()(const domain::IpAddress& network) const;
  };
  using ByLastUse =
      std::list<std::pair<domain::IpAddress, TokenBucket>>;  // most recently used first
  struct Shard {
    std::mutex mutex;
    ByLastUse buckets;
    std::unordered_map<domain::IpAddress, ByLastUse::iterator, NetworkHash> index;
  };
  // Reduces contention between loops.
  static constexpr std::size_t kShards = 16;

  Rate rate_;
  std::size_t maxPerShard_;
  std::array<Shard, kShards> shards_;
};

}  // namespace auth_errors::security
