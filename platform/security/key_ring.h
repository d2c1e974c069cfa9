// All currently valid keys, indexed by secret. Immutable after construction, so every I/O loop
// reads it without a lock; only the token buckets change, and they are carried over from one ring
// to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/hashing/digest.h"
#include "platform/security/api_key.h"
#include "platform/security/token_bucket.h"

namespace auth_errors::security {

struct ActiveKey {
  ApiKey key;
  hashing::Digest digest{};
};

// The key of a request.
class Caller {
 public:
  Caller(ActiveKey active, Rate rate, std::shared_ptr<TokenBucket> bucket)
      : active_(std::move(active)), rate_(rate), bucket_(std::move(bucket)) {}

  [[nodiscard]] const ApiKey& key() const { return active_.key; }
  [[nodiscard]] const hashing::Digest& digest() const { return active_.digest; }
  [[nodiscard]] const std::shared_ptr<TokenBucket>& bucket() const { return bucket_; }

  // See TokenBucket::take(), at the key's own rate.
  std::optional<TokenBucket::Wait> take(TokenBucket::Time now) const {
    return bucket_->take(rate_, now);
  }
  void charge(std::int64_t tokens, TokenBucket::Time now) const {
    bucket_->charge(rate_, tokens, now);
  }

 private:
  ActiveKey active_;
  Rate rate_;
  std::shared_ptr<TokenBucket> bucket_;
};

using CallerPtr = std::shared_ptr<const Caller>;

class KeyRing {
 public:
  // Keys that are also in `before` keep their buckets.
  KeyRing(std::vector<ActiveKey> keys, Rate defaultRate, const KeyRing* before);

  // Null if no valid key has this secret.
  [[nodiscard]] CallerPtr find(std::string_view secret) const;
  [[nodiscard]] std::size_t size() const { return callers_.size(); }

 private:
  // Indexed by the first bytes of the digest. The time of this lookup reveals nothing about a
  // secret, because digests cannot be chosen. The digests themselves are compared in constant time.
  std::unordered_multimap<std::uint64_t, CallerPtr> callers_;
};

}  // namespace auth_errors::security
