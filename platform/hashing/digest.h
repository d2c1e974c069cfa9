// SHA-256, HMAC-SHA-256, random bytes and their texts. Pure but for the randomness; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::hashing {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::string_view bytes);
Digest hmacSha256(std::string_view key, std::string_view bytes);

// In the same time whatever the difference.
bool equalInConstantTime(std::span<const std::byte> a, std::span<const std::byte> b);

// Throws std::system_error if the kernel has none to give.
void fillRandom(std::span<std::byte> bytes);

// RFC 4648 base64url without padding.
std::string toBase64Url(std::span<const std::byte> bytes);
// Only what toBase64Url() writes: nothing else stands for the same bytes.
std::optional<std::vector<std::byte>> fromBase64Url(std::string_view text);

}  // namespace auth_errors::hashing
