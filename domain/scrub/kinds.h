// The kinds of secrets that are redacted: one table of kind, marker and metric label.
// Immutable data and plain values: any thread. Markers are constants, so scrubbing never splits a
// cluster, and text inside a marker is never scrubbed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace auth_errors::domain {

enum class RedactionKind : std::uint8_t {
  authorization,
  bearer,
  basic,
  jwt,
  cookie,
  session,
  password,
  secret,
  token,
  apiKey,
  otp,
  signature,
  oauth,
  saml,
  pem,
  userinfo,
  aws,
  azure,
  github,
  gitlab,
  slack,
  stripe,
  google,
  vendorKey,
  passwordHash,
  email,
  card,
  userId,
  sessionId,
  clientIp,
  pattern,
  opaque,
  wholeText,
};

struct RedactionKindRow {
  RedactionKind kind;
  std::string_view marker;
  std::string_view label;
};

inline constexpr std::array kRedactionKinds = {
    RedactionKindRow{RedactionKind::authorization, "[redacted:authorization]", "authorization"},
    RedactionKindRow{RedactionKind::bearer, "[redacted:bearer]", "bearer"},
    RedactionKindRow{RedactionKind::basic, "[redacted:basic]", "basic"},
    RedactionKindRow{RedactionKind::jwt, "[redacted:jwt]", "jwt"},
    RedactionKindRow{RedactionKind::cookie, "[redacted:cookie]", "cookie"},
    RedactionKindRow{RedactionKind::session, "[redacted:session]", "session"},
    RedactionKindRow{RedactionKind::password, "[redacted:password]", "password"},
    RedactionKindRow{RedactionKind::secret, "[redacted:secret]", "secret"},
    RedactionKindRow{RedactionKind::token, "[redacted:token]", "token"},
    RedactionKindRow{RedactionKind::apiKey, "[redacted:api-key]", "api_key"},
    RedactionKindRow{RedactionKind::otp, "[redacted:otp]", "otp"},
    RedactionKindRow{RedactionKind::signature, "[redacted:signature]", "signature"},
    RedactionKindRow{RedactionKind::oauth, "[redacted:oauth]", "oauth"},
    RedactionKindRow{RedactionKind::saml, "[redacted:saml]", "saml"},
    RedactionKindRow{RedactionKind::pem, "[redacted:pem]", "pem"},
    RedactionKindRow{RedactionKind::userinfo, "[redacted:userinfo]", "userinfo"},
    RedactionKindRow{RedactionKind::aws, "[redacted:aws]", "aws"},
    RedactionKindRow{RedactionKind::azure, "[redacted:azure]", "azure"},
    RedactionKindRow{RedactionKind::github, "[redacted:github]", "github"},
    RedactionKindRow{RedactionKind::gitlab, "[redacted:gitlab]", "gitlab"},
    RedactionKindRow{RedactionKind::slack, "[redacted:slack]", "slack"},
    RedactionKindRow{RedactionKind::stripe, "[redacted:stripe]", "stripe"},
    RedactionKindRow{RedactionKind::google, "[redacted:google]", "google"},
    RedactionKindRow{RedactionKind::vendorKey, "[redacted:vendor-key]", "vendor_key"},
    RedactionKindRow{RedactionKind::passwordHash, "[redacted:password-hash]", "password_hash"},
    RedactionKindRow{RedactionKind::email, "[redacted:email]", "email"},
    RedactionKindRow{RedactionKind::card, "[redacted:card]", "card"},
    RedactionKindRow{RedactionKind::userId, "[redacted:user-id]", "user_id"},
    RedactionKindRow{RedactionKind::sessionId, "[redacted:session-id]", "session_id"},
    RedactionKindRow{RedactionKind::clientIp, "[redacted:client-ip]", "client_ip"},
    RedactionKindRow{RedactionKind::pattern, "[redacted:pattern]", "pattern"},  // custom pattern
    RedactionKindRow{RedactionKind::opaque, "[redacted:opaque]", "opaque"},     // appearance alone
    RedactionKindRow{RedactionKind::wholeText, "[redacted:text]", "text"},
};

constexpr std::size_t indexOf(RedactionKind kind) { return static_cast<std::size_t>(kind); }

static_assert([] {
  for (std::size_t i = 0; i < kRedactionKinds.size(); ++i) {
    if (indexOf(kRedactionKinds[i].kind) != i) {
      return false;
    }
  }
  return indexOf(RedactionKind::wholeText) + 1 == kRedactionKinds.size();
}());

inline constexpr auto kRedactionLabels = [] {
  std::array<std::pair<RedactionKind, std::string_view>, kRedactionKinds.size()> labels;
  std::ranges::transform(kRedactionKinds, labels.begin(), [](const RedactionKindRow& row) {
    return std::pair(row.kind, row.label);
  });
  return labels;
}();
constexpr const auto& namesOf(RedactionKind /*any*/) { return kRedactionLabels; }

constexpr std::string_view markerOf(RedactionKind kind) {
  return kRedactionKinds[indexOf(kind)].marker;
}

constexpr std::string_view labelOf(RedactionKind kind) {
  return kRedactionKinds[indexOf(kind)].label;
}

// Length of the marker at `at`, or 0.
std::size_t markerLengthAt(std::string_view text, std::size_t at);

// Position of the first marker at or after `from`, or npos.
std::size_t nextMarker(std::string_view text, std::size_t from);

// Position at which to cut a text that should end at `at`: before a marker that the cut would
// split, since half a marker would be read as text.
std::size_t cutBeforeMarker(std::string_view text, std::size_t at);

class RedactionCounts {
 public:
  void add(RedactionKind kind) { ++counts_[indexOf(kind)]; }
  void add(const RedactionCounts& other);
  [[nodiscard]] std::uint32_t of(RedactionKind kind) const { return counts_[indexOf(kind)]; }
  [[nodiscard]] std::uint32_t total() const;

  bool operator==(const RedactionCounts&) const = default;

 private:
  std::array<std::uint32_t, kRedactionKinds.size()> counts_{};
};

}  // namespace auth_errors::domain
