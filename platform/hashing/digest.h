// SHA-256, HMAC-SHA-256, random bytes and their text forms. Pure except for the randomness; usable
// from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct evp_mac_ctx_st;  // OpenSSL's EVP_MAC_CTX

namespace auth_errors::hashing {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::string_view bytes);

// HMAC-SHA-256 with one key. Preparing a key takes longer than hashing a short text.
class HmacSha256 {
 public:
  explicit HmacSha256(std::string_view key);

  [[nodiscard]] Digest of(std::string_view bytes) const;

 private:
  std::shared_ptr<evp_mac_ctx_st> prepared_;  // only duplicated, which any thread may do
};

// Takes the same time wherever the difference is.
bool equalInConstantTime(std::span<const std::byte> a, std::span<const std::byte> b);

// Throws std::system_error if the kernel cannot provide any.
void fillRandom(std::span<std::byte> bytes);

// RFC 4648 base64url without padding.
std::string toBase64Url(std::span<const std::byte> bytes);
// Accepts only the output of toBase64Url(): each byte string has a single encoding.
std::optional<std::vector<std::byte>> fromBase64Url(std::string_view text);

}  // namespace auth_errors::hashing
