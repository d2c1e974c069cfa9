// API keys: their form, their roles, and the rules for new ones. Plain values and pure functions,
// except for the randomness of a new secret; usable from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/errors/submission.h"
#include "domain/identity/ids.h"
#include "domain/values/names.h"

namespace auth_errors::security {

enum class KeyRole : std::uint8_t { ingest, viewer, operate };

inline constexpr std::array<std::pair<KeyRole, std::string_view>, 3> kKeyRoleNames{{
    {KeyRole::ingest, "ingest"},
    {KeyRole::viewer, "viewer"},
    {KeyRole::operate, "operator"},
}};

constexpr const auto& namesOf(KeyRole /*any*/) { return kKeyRoleNames; }
std::string_view toText(KeyRole role);

struct ApiKey {
  domain::KeyId id;
  std::string name;
  domain::StoredName<KeyRole> role;
  std::optional<std::string> serviceName;  // the only service that an ingest key may send errors of
  std::optional<std::int32_t> rateLimit;  // requests per second; 0: unlimited; nullopt: the default
};

// aek_ and 32 random bytes in base64url: the prefix lets secret scanners and our own scrubber find
// keys.
std::string makeSecret();
// Whether the text has the form of a key. Avoids hashing anything else.
bool isSecret(std::string_view text);

// A client's request for a new key; nullopt is a field that was absent.
struct KeyRequest {
  std::optional<std::string> name;
  std::optional<std::string> role;
  std::optional<std::string> serviceName;
  std::optional<std::int64_t> rateLimit;
};

namespace key_field {
inline constexpr std::string_view kName = "name";
inline constexpr std::string_view kRole = "role";
inline constexpr std::string_view kServiceName = "serviceName";
inline constexpr std::string_view kRateLimit = "rateLimit";
}  // namespace key_field

struct NewKey {
  std::string name;
  KeyRole role{};
  std::optional<std::string> serviceName;
  std::optional<std::int32_t> rateLimit;
};

// Returns all problems at once, including those found earlier, such as wrong types.
std::expected<NewKey, std::vector<domain::FieldProblem>> checkKeyRequest(
    KeyRequest request, std::vector<domain::FieldProblem> problems = {});

}  // namespace auth_errors::security
