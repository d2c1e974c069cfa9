// SHA-256, HMAC-SHA-256, random bytes and their text forms. Pure except for the randomness; usable
// from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace auth_errors::security {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::string_view bytes);
Digest hmacSha256(std::string_view key, std::string_view bytes);

// Takes the same time wherever the difference is.
bool equalInConstantTime(std::span<const std::byte> a, std::span<const std::byte> b);

// Throws std::system_error if the kernel cannot provide any.
void fillRandom(std::span<std::byte> bytes);

// RFC 4648 base64url without padding.
std::string toBase64Url(std::span<const std::byte> bytes);
// Accepts only the output of toBase64Url(): each byte string has a single encoding.
std::optional<std::vector<std::byte>> fromBase64Url(std::string_view text);
std::string toHex(std::span<const std::byte> bytes);

}  // namespace auth_errors::security
