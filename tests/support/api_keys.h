// API keys for tests: one per role, the same in every test, planted by plain SQL along with others.
// Blocking; any one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/support/http_client.h"

namespace auth_errors::tests {

inline constexpr std::string_view kIngestKey = "aek_test-ingest-test-ingest-test-ingest-test-in";
inline constexpr std::string_view kViewerKey = "aek_test-viewer-test-viewer-test-viewer-test-vi";
inline constexpr std::string_view kOperatorKey = "aek_test-operate-test-operate-test-operate-test";

Headers bearer(std::string_view key);

// NOLINTBEGIN(readability-redundant-member-init): they let callers leave a member out.
struct PlantedKey {
  std::string_view secret;
  std::string name;
  std::string role = "ingest";
  std::optional<std::string> serviceName = {};
  std::optional<int> rateLimit = 0;
};
// NOLINTEND(readability-redundant-member-init)

// Does nothing if the key exists. REQUIRES: the schema is migrated.
void plantKey(const std::string& databaseUrl, const PlantedKey& key);

// Migrates with the service's own command and plants the three keys above, without rate limits.
// TestDatabase calls it; a test with its own server must do so itself.
void prepareDatabase(const std::string& databaseUrl);

}  // namespace auth_errors::tests
