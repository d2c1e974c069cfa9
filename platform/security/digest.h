// SHA-256, HMAC-SHA-256, random bytes and their texts. Pure but for the randomness; any thread.
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

namespace auth_errors::security {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::string_view bytes);

// HMAC-SHA-256 under one key, which is prepared once: that takes longer than a short text.
class HmacSha256 {
 public:
  explicit HmacSha256(std::string_view key);

  [[nodiscard]] Digest of(std::string_view bytes) const;

 private:
  std::shared_ptr<evp_mac_ctx_st> prepared_;  // only copied from, so that any thread may
};

// In the same time whatever the difference.
bool equalInConstantTime(std::span<const std::byte> a, std::span<const std::byte> b);

// Throws std::system_error if the kernel has none to give.
void fillRandom(std::span<std::byte> bytes);

// RFC 4648 base64url without padding.
std::string toBase64Url(std::span<const std::byte> bytes);
// Only what toBase64Url() writes: nothing else stands for the same bytes.
std::optional<std::vector<std::byte>> fromBase64Url(std::string_view text);
std::string toHex(std::span<const std::byte> bytes);

}  // namespace auth_errors::security
