#include "platform/security/api_key_store.h"

#include <algorithm>
#include <format>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "platform/database/error.h"
#include "platform/hashing/digest.h"

namespace auth_errors::security {
namespace {

constexpr std::string_view kNameConstraint = "api_key_name_unique";

const database::Statement kLoadActiveKeys{
    .name = "load_active_keys",
    .sql =
        "SELECT id, name, role, service_name, rate_limit, secret_digest FROM api_key "
        "WHERE revoked_at IS NULL"};

// The columns of a KeyRecord.
constexpr std::string_view kRecordColumns =
    "id, name, role, service_name, rate_limit, created_at, created_by, revoked_at, revoked_by";

const database::Statement kInsertKey{
    .name = "insert_key",
    .parameters = "name role service_name rate_limit secret_digest created_by",
    .sql = std::format(
        "INSERT INTO api_key (name, role, service_name, rate_limit, secret_digest, created_by, "
        "created_at) VALUES ($name, $role, $service_name, $rate_limit, $secret_digest, "
        "$created_by, now()) RETURNING {}",
        kRecordColumns)};

const database::Statement kListKeys{
    .name = "list_keys",
    .sql = std::format("SELECT {} FROM api_key WHERE id < $1 ORDER BY id DESC LIMIT $2",
                       kRecordColumns)};

const database::Statement kFindKey{
    .name = "find_key", .sql = std::format("SELECT {} FROM api_key WHERE id = $1", kRecordColumns)};

const database::Statement kFindKeyByName{
    .name = "find_key_by_name",
    .sql = std::format("SELECT {} FROM api_key WHERE name = $1", kRecordColumns)};

// Serialises writers, so that two operators cannot revoke each other's key at the same time.
const database::Statement kLockKeys{.name = "",
                                    .sql = "LOCK TABLE api_key IN SHARE ROW EXCLUSIVE MODE"};

const database::Statement kRevokeKey{
    .name = "revoke_key",
    .sql = std::format(
        "UPDATE api_key SET revoked_at = now(), revoked_by = $2 WHERE id = $1 "
        "AND revoked_at IS NULL AND (role <> 'operator' OR EXISTS (SELECT FROM api_key other "
        "WHERE other.role = 'operator' AND other.revoked_at IS NULL AND other.id <> $1)) "
        "RETURNING {}",
        kRecordColumns)};

struct ActiveKeyRow {
  ApiKey key;
  std::vector<std::byte> digest;
};

ActiveKey toActiveKey(ActiveKeyRow row) {
  ActiveKey active{.key = std::move(row.key), .digest = {}};
  if (row.digest.size() != active.digest.size()) {
    throw std::runtime_error("api_key contains a digest that is not SHA-256");
  }
  std::ranges::copy(row.digest, active.digest.begin());
  return active;
}

}  // namespace

drogon::Task<std::vector<ActiveKey>> loadActiveKeys(database::Client& client,
                                                    database::Deadline deadline) {
  const database::Result result = co_await client.run(kLoadActiveKeys, deadline);
  std::vector<ActiveKey> keys;
  keys.reserve(result.rows());
  for (ActiveKeyRow& row : result.as<ActiveKeyRow>()) {
    keys.push_back(toActiveKey(std::move(row)));
  }
  co_return keys;
}

drogon::Task<std::expected<KeyRecord, KeyRefusal>> insertKey(database::Client& client, NewKey key,
                                                             hashing::Digest digest,
                                                             std::string createdBy,
                                                             database::Deadline deadline) {
  try {
    const database::Result inserted =
        co_await client.run(kInsertKey, deadline, key.name, key.role, key.serviceName,
                            key.rateLimit, database::Bytes(digest), createdBy);
    co_return inserted.only<KeyRecord>();
  } catch (const database::Error& error) {
    if (error.constraint() == kNameConstraint) {
      co_return std::unexpected(KeyRefusal::nameTaken);
    }
    throw;
  }
}

drogon::Task<std::vector<KeyRecord>> listKeys(database::Client& client,
                                              std::optional<domain::KeyId> below,
                                              std::int64_t limit, database::Deadline deadline) {
  const database::Result listed = co_await client.run(
      kListKeys, deadline, below.value_or(domain::KeyId(std::numeric_limits<std::int64_t>::max())),
      limit);
  co_return listed.as<KeyRecord>();
}

drogon::Task<std::optional<KeyRecord>> findKey(database::Client& client, domain::KeyId id,
                                               database::Deadline deadline) {
  const database::Result found = co_await client.run(kFindKey, deadline, id);
  co_return found.first<KeyRecord>();
}

drogon::Task<std::optional<KeyRecord>> findKeyByName(database::Client& client, std::string name,
                                                     database::Deadline deadline) {
  const database::Result found = co_await client.run(kFindKeyByName, deadline, name);
  co_return found.first<KeyRecord>();
}

drogon::Task<std::expected<Revocation, KeyRefusal>> revokeKey(database::Client& client,
                                                              domain::KeyId id,
                                                              std::string revokedBy,
                                                              database::Deadline deadline) {
  database::Transaction transaction = co_await client.begin(deadline);
  co_await transaction.run(kLockKeys);
  const database::Result changed = co_await transaction.run(kRevokeKey, id, revokedBy);
  if (auto revoked = changed.first<KeyRecord>()) {
    co_await transaction.commit();
    co_return Revocation{.record = *std::move(revoked), .repeated = false};
  }
  const database::Result found = co_await transaction.run(kFindKey, id);
  auto untouched = found.first<KeyRecord>();
  co_await transaction.rollback();
  if (!untouched) {
    co_return std::unexpected(KeyRefusal::unknown);
  }
  if (!untouched->revokedAt) {
    co_return std::unexpected(KeyRefusal::lastOperator);
  }
  co_return Revocation{.record = *std::move(untouched), .repeated = true};
}

}  // namespace auth_errors::security
