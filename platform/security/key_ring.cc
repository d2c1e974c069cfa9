#include "platform/security/key_ring.h"

#include <cstring>
#include <ranges>

#include "domain/identity/ids.h"
#include "platform/hashing/digest.h"

namespace auth_errors::security {
namespace {

std::uint64_t indexOf(const hashing::Digest& digest) {
  std::uint64_t index = 0;
  std::memcpy(&index, digest.data(), sizeof index);
  return index;
}

}  // namespace

KeyRing::KeyRing(std::vector<ActiveKey> keys, Rate defaultRate, const KeyRing* before) {
  std::unordered_map<domain::KeyId, std::shared_ptr<TokenBucket>> buckets;
  if (before != nullptr) {
    for (const CallerPtr& caller : before->callers_ | std::views::values) {
      buckets.emplace(caller->key().id, caller->bucket());
    }
  }
  for (ActiveKey& key : keys) {
    const auto known = buckets.find(key.key.id);
    auto bucket = known == buckets.end() ? std::make_shared<TokenBucket>() : known->second;
    const Rate rate = key.key.rateLimit ? Rate{*key.key.rateLimit} : defaultRate;
    const std::uint64_t index = indexOf(key.digest);
    callers_.emplace(index,
                     std::make_shared<const Caller>(std::move(key), rate, std::move(bucket)));
  }
}

CallerPtr KeyRing::find(std::string_view secret) const {
  if (!isSecret(secret)) {
    return nullptr;
  }
  const hashing::Digest digest = hashing::sha256(secret);
  const auto [first, last] = callers_.equal_range(indexOf(digest));
  for (auto at = first; at != last; ++at) {
    if (hashing::equalInConstantTime(at->second->digest(), digest)) {
      return at->second;
    }
  }
  return nullptr;
}

}  // namespace auth_errors::security
