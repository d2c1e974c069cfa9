// Pseudonyms of persons, sessions and addresses: HMAC-SHA-256 with a versioned secret key. The
// newest key is used for writing; older ones are kept so that errors stored with them can be found.
// Immutable after construction; usable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/errors/submission.h"
#include "platform/hashing/digest.h"

namespace auth_errors::security {

struct PseudonymKey {
  std::uint16_t version = 0;
  std::string secret;
};

inline constexpr std::size_t kMinPseudonymSecret = 32;

// "2:new secret,1:old secret": distinct versions from 1 to 65535 and secrets of at least 32
// characters without a comma. The error does not quote the text.
std::expected<std::vector<PseudonymKey>, std::string> parsePseudonymKeys(std::string_view text);

// Distinguishes two secrets of one version without revealing them: 32 hexadecimal digits.
std::string fingerprintOf(const PseudonymKey& key);

// The key used for writing: the one with the highest version. Null if there is none.
const PseudonymKey* newestOf(const std::vector<PseudonymKey>& keys);

class Pseudonymiser {
 public:
  // The highest version is used for writing. REQUIRES: `keys` is not empty.
  explicit Pseudonymiser(std::span<const PseudonymKey> keys);

  // "v2:…"; the pseudonyms of the same text differ between kinds.
  [[nodiscard]] std::string of(domain::ActorKind kind, std::string_view identifier) const;
  // With every known key, the newest first, for searching.
  [[nodiscard]] std::vector<std::string> allOf(domain::ActorKind kind,
                                               std::string_view identifier) const;

 private:
  struct Key {
    std::uint16_t version = 0;
    hashing::HmacSha256 hmac;
  };

  static std::string pseudonym(const Key& key, domain::ActorKind kind, std::string_view identifier);

  std::vector<Key> keys_;  // the newest first
};

}  // namespace auth_errors::security
