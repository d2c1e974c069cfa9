#include "platform/hashing/digest.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <sys/random.h>

namespace auth_errors::hashing {
namespace {

constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr unsigned kBitsPerSign = 6;

unsigned char* raw(Digest& digest) { return reinterpret_cast<unsigned char*>(digest.data()); }

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Fetched once: a lookup by name takes longer than hashing a short text.
const EVP_MD* sha256Method() {
  static const EVP_MD* const kMethod = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return kMethod;
}

EVP_MAC* hmacMethod() {
  static EVP_MAC* const kMethod = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  return kMethod;
}

}  // namespace

Digest sha256(std::string_view bytes) {
  Digest digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), raw(digest), nullptr, sha256Method(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  return digest;
}

HmacSha256::HmacSha256(std::string_view key)
    : prepared_(EVP_MAC_CTX_new(hmacMethod()), EVP_MAC_CTX_free) {
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 2> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), digest.size()),
      OSSL_PARAM_construct_end()};
  if (prepared_ == nullptr ||
      EVP_MAC_init(prepared_.get(), raw(key), key.size(), parameters.data()) != 1) {
    throw std::bad_alloc();
  }
}

Digest HmacSha256::of(std::string_view bytes) const {
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(
      EVP_MAC_CTX_dup(prepared_.get()), EVP_MAC_CTX_free);
  Digest digest{};
  std::size_t length = 0;
  if (context == nullptr || EVP_MAC_update(context.get(), raw(bytes), bytes.size()) != 1 ||
      EVP_MAC_final(context.get(), raw(digest), &length, digest.size()) != 1) {
    throw std::bad_alloc();
  }
  return digest;
}

bool equalInConstantTime(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void fillRandom(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
}

std::string toBase64Url(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const std::byte byte : bytes) {
    pending = (pending << 8U) | std::to_integer<std::uint32_t>(byte);
    bits += 8;
    while (bits >= kBitsPerSign) {
      bits -= kBitsPerSign;
      text += kBase64Url[(pending >> bits) & 0x3FU];
    }
  }
  if (bits > 0) {
    text += kBase64Url[(pending << (kBitsPerSign - bits)) & 0x3FU];
  }
  return text;
}

std::optional<std::vector<std::byte>> fromBase64Url(std::string_view text) {
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const char sign : text) {
    const auto value = kBase64Url.find(sign);
    if (value == std::string_view::npos) {
      return std::nullopt;
    }
    pending = (pending << kBitsPerSign) | static_cast<std::uint32_t>(value);
    bits += kBitsPerSign;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<std::byte>((pending >> bits) & 0xFFU));
    }
    pending &= (1U << bits) - 1;
  }
  // A single trailing character, or one with spare bits set, is invalid.
  if (bits >= kBitsPerSign || pending != 0) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace auth_errors::hashing
