#include "tests/support/api_keys.h"

#include <format>
#include <stdexcept>

#include "tests/support/service_process.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

Headers bearer(std::string_view key) { return {{"Authorization", std::format("Bearer {}", key)}}; }

void plantKey(const std::string& databaseUrl, const PlantedKey& key) {
  PlainConnection(databaseUrl)
      .execute(std::format(
          "INSERT INTO api_key (name, role, service_name, rate_limit, secret_digest, created_at, "
          "created_by) VALUES ('{}', '{}', {}, {}, sha256('{}'), now(), 'test') "
          "ON CONFLICT DO NOTHING",
          key.name, key.role, key.serviceName ? "'" + *key.serviceName + "'" : "NULL",
          key.rateLimit ? std::to_string(*key.rateLimit) : "NULL", key.secret));
}

void prepareDatabase(const std::string& databaseUrl) {
  const CommandResult migrated = runService({"migrate"}, {{"DATABASE_URL", databaseUrl}});
  if (migrated.status != ExitStatus{}) {
    throw std::runtime_error(std::format("{} migrate ended with {}: {}", serviceBinary(),
                                         migrated.status.text(), migrated.output));
  }
  plantKey(databaseUrl, {.secret = kIngestKey, .name = "test-ingest"});
  plantKey(databaseUrl, {.secret = kViewerKey, .name = "test-viewer", .role = "viewer"});
  plantKey(databaseUrl, {.secret = kOperatorKey, .name = "test-operator", .role = "operator"});
}

}  // namespace auth_errors::tests
