#include "platform/security/api_key_store.h"

#include <algorithm>
#include <format>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "platform/database/error.h"

namespace auth_errors::security {
namespace {

constexpr std::string_view kNameConstraint = "api_key_name_unique";

const database::Statement kLoadActiveKeys{
    .name = "load_active_keys",
    .sql =
        "SELECT id, name, role, service_name, rate_limit, secret_digest FROM api_key "
        "WHERE revoked_at IS NULL"};

constexpr std::string_view kRecordColumns =
    "id, name, role, service_name, rate_limit, created_at, created_by, revoked_at, revoked_by";

const database::Statement kInsertKey{
    .name = "insert_key",
    .sql = std::format(
        "INSERT INTO api_key (name, role, service_name, rate_limit, secret_digest, created_by, "
        "created_at) VALUES ($1, $2, $3, $4, $5, $6, now()) RETURNING {}",
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

// Writers wait for each other, so that two operators can't revoke each other's key at once.
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

// The first five columns of every statement here.
ApiKey keyFrom(const database::Result& result, std::size_t row) {
  return {.id = result.value<std::int64_t>(row, 0),
          .name = result.value<std::string>(row, 1),
          .role = domain::storedName(kKeyRoleNames, result.value<std::string_view>(row, 2)),
          .serviceName = result.value<std::optional<std::string>>(row, 3),
          .rateLimit = result.value<std::optional<std::int32_t>>(row, 4)};
}

KeyRecord recordFrom(const database::Result& result, std::size_t row) {
  return {.key = keyFrom(result, row),
          .createdAt = result.value<database::Timestamp>(row, 5),
          .createdBy = result.value<std::string>(row, 6),
          .revokedAt = result.value<std::optional<database::Timestamp>>(row, 7),
          .revokedBy = result.value<std::optional<std::string>>(row, 8)};
}

std::optional<KeyRecord> onlyRecordOf(const database::Result& result) {
  return result.empty() ? std::nullopt : std::optional(recordFrom(result, 0));
}

}  // namespace

drogon::Task<std::vector<ActiveKey>> loadActiveKeys(database::Client& client,
                                                    database::Deadline deadline) {
  const database::Result result = co_await client.run(kLoadActiveKeys, {}, deadline);
  std::vector<ActiveKey> keys;
  keys.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    ActiveKey active{.key = keyFrom(result, row), .digest = {}};
    const auto digest = result.value<std::vector<std::byte>>(row, 5);
    if (digest.size() != active.digest.size()) {
      throw std::runtime_error("api_key holds a digest that is no SHA-256");
    }
    std::ranges::copy(digest, active.digest.begin());
    keys.push_back(std::move(active));
  }
  co_return keys;
}

drogon::Task<std::expected<KeyRecord, KeyFault>> insertKey(database::Client& client, NewKey key,
                                                           Digest digest, std::string createdBy,
                                                           database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(key.name)
      .add(toText(key.role))
      .add(key.serviceName)
      .add(key.rateLimit)
      .add(database::Bytes(digest))
      .add(createdBy);
  try {
    co_return recordFrom(co_await client.run(kInsertKey, std::move(parameters), deadline), 0);
  } catch (const database::Error& error) {
    if (error.constraint() != kNameConstraint) {
      throw;
    }
  }
  co_return std::unexpected(KeyFault::nameTaken);
}

drogon::Task<std::vector<KeyRecord>> listKeys(database::Client& client,
                                              std::optional<std::int64_t> below, std::int64_t limit,
                                              database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(below.value_or(std::numeric_limits<std::int64_t>::max())).add(limit);
  const database::Result result = co_await client.run(kListKeys, std::move(parameters), deadline);
  std::vector<KeyRecord> records;
  records.reserve(result.rows());
  for (std::size_t row = 0; row < result.rows(); ++row) {
    records.push_back(recordFrom(result, row));
  }
  co_return records;
}

drogon::Task<std::optional<KeyRecord>> findKey(database::Client& client, std::int64_t id,
                                               database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(id);
  co_return onlyRecordOf(co_await client.run(kFindKey, std::move(parameters), deadline));
}

drogon::Task<std::optional<KeyRecord>> findKeyByName(database::Client& client, std::string name,
                                                     database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(name);
  co_return onlyRecordOf(co_await client.run(kFindKeyByName, std::move(parameters), deadline));
}

drogon::Task<std::expected<Revocation, KeyFault>> revokeKey(database::Client& client,
                                                            std::int64_t id, std::string revokedBy,
                                                            database::Deadline deadline) {
  database::Transaction transaction = co_await client.begin(deadline);
  co_await transaction.run(kLockKeys, {}, deadline);
  database::Parameters parameters;
  parameters.add(id).add(revokedBy);
  auto revoked =
      onlyRecordOf(co_await transaction.run(kRevokeKey, std::move(parameters), deadline));
  if (revoked) {
    co_await transaction.commit(deadline);
    co_return Revocation{.record = *std::move(revoked), .repeated = false};
  }
  database::Parameters key;
  key.add(id);
  auto untouched = onlyRecordOf(co_await transaction.run(kFindKey, std::move(key), deadline));
  co_await transaction.rollback(deadline);
  if (!untouched) {
    co_return std::unexpected(KeyFault::unknown);
  }
  if (!untouched->revokedAt) {
    co_return std::unexpected(KeyFault::lastOperator);
  }
  co_return Revocation{.record = *std::move(untouched), .repeated = true};
}

}  // namespace auth_errors::security
