#include "platform/security/pseudonymiser.h"

#include <algorithm>
#include <charconv>
#include <format>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>

#include "domain/values/hex.h"
#include "platform/hashing/digest.h"
namespace auth_errors::security {
namespace {

std::string_view labelOf(domain::ActorKind kind) {
  switch (kind) {
    case domain::ActorKind::user:
      return "user";
    case domain::ActorKind::session:
      return "session";
    case domain::ActorKind::clientIp:
      return "client-ip";
  }
  std::unreachable();
}

std::expected<PseudonymKey, std::string> parseKey(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    return std::unexpected("each key must be a version, a colon and a secret");
  }
  PseudonymKey key;
  const auto parsed = std::from_chars(text.data(), text.data() + colon, key.version);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + colon || key.version == 0) {
    return std::unexpected("a version must be a number from 1 to 65535");
  }
  key.secret = text.substr(colon + 1);
  if (key.secret.size() < kMinPseudonymSecret) {
    return std::unexpected(std::format("the secret of version {} has fewer than {} characters",
                                       key.version, kMinPseudonymSecret));
  }
  return key;
}

}  // namespace

std::expected<std::vector<PseudonymKey>, std::string> parsePseudonymKeys(std::string_view text) {
  std::vector<PseudonymKey> keys;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    auto key = parseKey(text.substr(0, end));
    if (!key) {
      return std::unexpected(std::move(key.error()));
    }
    if (std::ranges::contains(keys, key->version, &PseudonymKey::version)) {
      return std::unexpected(std::format("version {} occurs twice", key->version));
    }
    keys.push_back(*std::move(key));
    text = end < text.size() ? text.substr(end + 1) : std::string_view{};
  }
  if (keys.empty()) {
    return std::unexpected("at least one key");
  }
  return keys;
}

std::string fingerprintOf(const PseudonymKey& key) {
  // Never equals the message of a pseudonym, which begins with its kind and a colon.
  constexpr std::string_view kMessage = "fingerprint";
  constexpr std::size_t kBytes = 16;
  const hashing::Digest digest = hashing::HmacSha256(key.secret).of(kMessage);
  return domain::toHex(std::span(digest).first<kBytes>());
}

const PseudonymKey* newestOf(const std::vector<PseudonymKey>& keys) {
  const auto newest = std::ranges::max_element(keys, {}, &PseudonymKey::version);
  return newest == keys.end() ? nullptr : &*newest;
}

Pseudonymiser::Pseudonymiser(std::span<const PseudonymKey> keys) {
  if (keys.empty()) {
    throw std::invalid_argument("pseudonyms need at least one key");
  }
  for (const PseudonymKey& key : keys) {
    keys_.push_back({.version = key.version, .hmac = hashing::HmacSha256(key.secret)});
  }
  std::ranges::sort(keys_, std::greater{}, &Key::version);
}

std::string Pseudonymiser::pseudonym(const Key& key, domain::ActorKind kind,
                                     std::string_view identifier) {
  const std::string message = std::format("{}:{}", labelOf(kind), identifier);
  return std::format("v{}:{}", key.version, hashing::toBase64Url(key.hmac.of(message)));
}

std::string Pseudonymiser::of(domain::ActorKind kind, std::string_view identifier) const {
  return pseudonym(keys_.front(), kind, identifier);
}

std::vector<std::string> Pseudonymiser::allOf(domain::ActorKind kind,
                                              std::string_view identifier) const {
  std::vector<std::string> all;
  all.reserve(keys_.size());
  for (const Key& key : keys_) {
    all.push_back(pseudonym(key, kind, identifier));
  }
  return all;
}

}  // namespace auth_errors::security
