// The rows of api_key. Functions on the loop of the client they are given. They throw
// database::Error when the database fails; KeyDirectory turns that into an answer, and the command
// line reports it as it is.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "platform/database/client.h"
#include "platform/database/types.h"
#include "platform/security/api_key.h"
#include "platform/security/digest.h"
#include "platform/security/key_ring.h"

namespace auth_errors::security {

// The channel that the table's trigger notifies.
inline constexpr const char* kKeysChannel = "api_key_changed";

// A key with its history; never its secret.
struct KeyRecord {
  ApiKey key;
  database::Timestamp createdAt;
  std::string createdBy;
  std::optional<database::Timestamp> revokedAt;
  std::optional<std::string> revokedBy;
};

enum class KeyRefusal : std::uint8_t {
  nameTaken,  // also by a revoked key
  unknown,
  lastOperator,  // would leave nobody who can make keys
};

// Those that are not revoked.
drogon::Task<std::vector<ActiveKey>> loadActiveKeys(database::Client& client,
                                                    database::Deadline deadline);

// KeyRefusal::nameTaken.
drogon::Task<std::expected<KeyRecord, KeyRefusal>> insertKey(database::Client& client, NewKey key,
                                                             Digest digest, std::string createdBy,
                                                             database::Deadline deadline);

// Newest first, those with smaller ids than `below`.
drogon::Task<std::vector<KeyRecord>> listKeys(database::Client& client,
                                              std::optional<domain::KeyId> below,
                                              std::int64_t limit, database::Deadline deadline);
drogon::Task<std::optional<KeyRecord>> findKey(database::Client& client, domain::KeyId id,
                                               database::Deadline deadline);
drogon::Task<std::optional<KeyRecord>> findKeyByName(database::Client& client, std::string name,
                                                     database::Deadline deadline);

struct Revocation {
  KeyRecord record;
  bool repeated = false;  // it was revoked before
};

// KeyRefusal::unknown or lastOperator.
drogon::Task<std::expected<Revocation, KeyRefusal>> revokeKey(database::Client& client,
                                                              domain::KeyId id,
                                                              std::string revokedBy,
                                                              database::Deadline deadline);

}  // namespace auth_errors::security
