// The rows of api_key. Functions on the loop of the given client. They throw database::Error when
// the database fails; KeyDirectory converts it to an answer, and the command line prints it.
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
#include "platform/hashing/digest.h"
#include "platform/security/api_key.h"
#include "platform/security/key_ring.h"

namespace auth_errors::security {

// The channel notified by the table's trigger.
inline constexpr const char* kKeysChannel = "api_key_changed";

// A key with its history, without its secret.
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
  lastOperator,  // no key could create keys any more
};

// Keys that are not revoked.
drogon::Task<std::vector<ActiveKey>> loadActiveKeys(database::Client& client,
                                                    database::Deadline deadline);

// Fails with KeyRefusal::nameTaken.
drogon::Task<std::expected<KeyRecord, KeyRefusal>> insertKey(database::Client& client, NewKey key,
                                                             hashing::Digest digest,
                                                             std::string createdBy,
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
  bool repeated = false;  // it was already revoked
};

// Fails with KeyRefusal::unknown or lastOperator.
drogon::Task<std::expected<Revocation, KeyRefusal>> revokeKey(database::Client& client,
                                                              domain::KeyId id,
                                                              std::string revokedBy,
                                                              database::Deadline deadline);

}  // namespace auth_errors::security
