// One token bucket for each client address, of so many addresses at most: beyond them the one that
// was silent longest is forgotten, so a flood of addresses costs a fixed amount of memory. An IPv6
// network of 64 bits counts as one address, since whoever has one has all of it. No address is
// exempt: who is spared can't be told from an address that a proxy has written. Any thread; time is
// handed in.
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

  // As TokenBucket::take().
  std::optional<TokenBucket::Wait> take(const domain::IpAddress& address, TokenBucket::Time now);

  [[nodiscard]] std::size_t addresses();

 private:
  struct NetworkHash {
    std::size_t operator()(const domain::IpAddress& network) const;
  };
  using ByLastUse = std::list<std::pair<domain::IpAddress, TokenBucket>>;  // the last used in front
  struct Shard {
    std::mutex mutex;
    ByLastUse buckets;
    std::unordered_map<domain::IpAddress, ByLastUse::iterator, NetworkHash> index;
  };
  // So that loops seldom wait for each other.
  static constexpr std::size_t kShards = 16;

  Rate rate_;
  std::size_t maxPerShard_;
  std::array<Shard, kShards> shards_;
};

}  // namespace auth_errors::security
