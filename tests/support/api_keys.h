// API keys for tests: one of each role, the same in every test, and a way to put them and others
// into a database by plain SQL. Blocking; any one thread.
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

// Does nothing if the key is there. The schema must be.
void plantKey(const std::string& databaseUrl, const PlantedKey& key);

// Migrates by the service's own command and plants the three keys above, without rate limits.
// A TestDatabase is prepared already; this is for a test with its own server.
void prepareDatabase(const std::string& databaseUrl);

}  // namespace auth_errors::tests
