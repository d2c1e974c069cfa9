#include "platform/security/address_limiter.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>

namespace auth_errors::security {

AddressLimiter::AddressLimiter(Rate rate, std::size_t maxAddresses)
    : rate_(rate), maxPerShard_(std::max<std::size_t>(maxAddresses / kShards, 1)) {}

std::size_t AddressLimiter::NetworkHash::operator()(const domain::IpAddress& network) const {
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(network.bytes().data()), network.bytes().size()});
}

std::optional<TokenBucket::Wait> AddressLimiter::take(const domain::IpAddress& address,
                                                      TokenBucket::Time now) {
  if (rate_.perSecond == 0) {
    return std::nullopt;
  }
  const domain::IpAddress network = address.network();
  Shard& shard = shards_.at(NetworkHash{}(network) % kShards);
  const std::scoped_lock lock(shard.mutex);
  const auto found = shard.index.find(network);
  if (found != shard.index.end()) {
    shard.buckets.splice(shard.buckets.begin(), shard.buckets, found->second);
  } else {
    if (shard.buckets.size() == maxPerShard_) {
      shard.index.erase(shard.buckets.back().first);
      shard.buckets.pop_back();
    }
    shard.buckets.emplace_front(std::piecewise_construct, std::tuple(network), std::tuple());
    shard.index.emplace(network, shard.buckets.begin());
  }
  return shard.buckets.front().second.take(rate_, now);
}

std::size_t AddressLimiter::addresses() {
  std::size_t count = 0;
  for (Shard& shard : shards_) {
    const std::scoped_lock lock(shard.mutex);
    count += shard.buckets.size();
  }
  return count;
}

}  // namespace auth_errors::security
