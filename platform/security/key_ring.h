// All keys that are valid at one moment, found by their secret. Immutable after construction, so
// that every IO loop reads it without a lock; only the buckets inside count on, and they pass from
// one ring to the next.
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

// A key as requests meet it.
class Caller {
 public:
  Caller(ActiveKey active, Rate rate, std::shared_ptr<TokenBucket> bucket)
      : active_(std::move(active)), rate_(rate), bucket_(std::move(bucket)) {}

  [[nodiscard]] const ApiKey& key() const { return active_.key; }
  [[nodiscard]] const hashing::Digest& digest() const { return active_.digest; }
  [[nodiscard]] const std::shared_ptr<TokenBucket>& bucket() const { return bucket_; }

  // As the bucket's, at the key's own rate.
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
  // Keys that are in `before` too keep their buckets.
  KeyRing(std::vector<ActiveKey> keys, Rate defaultRate, const KeyRing* before);

  // Null for a secret of no valid key.
  [[nodiscard]] CallerPtr find(std::string_view secret) const;
  [[nodiscard]] std::size_t size() const { return callers_.size(); }

 private:
  // By the digest's first bytes. What their look-up takes tells nothing of a secret: nobody can
  // choose a digest. The digests themselves are compared in constant time.
  std::unordered_multimap<std::uint64_t, CallerPtr> callers_;
};

}  // namespace auth_errors::security
