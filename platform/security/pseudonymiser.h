// Pseudonyms of persons, sessions and addresses: HMAC-SHA-256 under a secret key that has a
// version. The newest key writes; older ones are still known, so that what they wrote can be found.
// Immutable after construction; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/errors/submission.h"
#include "platform/security/digest.h"

namespace auth_errors::security {

struct PseudonymKey {
  std::uint16_t version = 0;
  std::string secret;
};

inline constexpr std::size_t kMinPseudonymSecret = 32;

// "2:new secret,1:old secret": versions from 1 to 65535, each once; secrets of at least 32
// characters, without a comma. The error says what is wrong without quoting.
std::expected<std::vector<PseudonymKey>, std::string> parsePseudonymKeys(std::string_view text);

// Tells two secrets of one version apart without giving any of it away: 32 hexadecimal digits.
std::string fingerprintOf(const PseudonymKey& key);

// The one that writes: of the highest version. Null if there is none.
const PseudonymKey* newestOf(const std::vector<PseudonymKey>& keys);

class Pseudonymiser {
 public:
  // The highest version writes. `keys` must not be empty.
  explicit Pseudonymiser(std::span<const PseudonymKey> keys);

  // "v2:…"; kinds have different pseudonyms for the same text.
  [[nodiscard]] std::string of(domain::ActorKind kind, std::string_view identifier) const;
  // Under every known key, the newest first: what to search for.
  [[nodiscard]] std::vector<std::string> allOf(domain::ActorKind kind,
                                               std::string_view identifier) const;

 private:
  struct Key {
    std::uint16_t version;
    HmacSha256 hmac;
  };

  static std::string pseudonym(const Key& key, domain::ActorKind kind, std::string_view identifier);

  std::vector<Key> keys_;  // the newest first
};

}  // namespace auth_errors::security
