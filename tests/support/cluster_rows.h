// Clusters and their dependent rows, planted by plain SQL into a migrated database. Times are SQL
// expressions, so that they can be relative to the database's clock. The owner's thread only.
#pragma once

#include <cstdint>
#include <format>
#include <optional>
#include <string>
#include <string_view>

#include "domain/identity/ids.h"
#include "domain/stack/stack_hash.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

// NOLINTBEGIN(readability-redundant-member-init): they let callers leave a member out.
struct ClusterToPlant {
  std::string title = "BadCredentials in a.B.c";
  std::string exceptionClass = "BadCredentials";
  std::string state = "OPEN";
  std::int64_t errorCount = 1;
  std::int64_t actorCount = 0;
  domain::ErrorId sampleErrorId{1};
  std::string firstSeenAt = "now()";
  std::string lastSeenAt = "now()";
  std::optional<domain::ClusterId> mergedInto = {};
};
// NOLINTEND(readability-redundant-member-init)

// Returns the id of a new cluster without members, facets or activity, whatever its counters.
inline domain::ClusterId plantCluster(TestDatabase& database, const ClusterToPlant& cluster = {}) {
  return database.queryId<domain::ClusterId>(std::format(
      "INSERT INTO cluster (title, exception_class, state, state_changed_at, state_changed_by, "
      "merged_into, sample_error_id, error_count, actor_count, first_seen_at, last_seen_at, "
      "created_at) VALUES ($t${}$t$, $t${}$t$, '{}', now(), 'planted', {}, {}, {}, {}, {}, {}, "
      "now()) RETURNING id",
      cluster.title, cluster.exceptionClass, cluster.state,
      cluster.mergedInto ? std::format("{}", *cluster.mergedInto) : "NULL", cluster.sampleErrorId,
      cluster.errorCount, cluster.actorCount, cluster.firstSeenAt, cluster.lastSeenAt));
}

// `kind` is service, environment, actor or hash.
inline void plantFacet(TestDatabase& database, domain::ClusterId clusterId, std::string_view kind,
                       std::string_view value, std::int64_t errorCount = 1,
                       std::string_view lastSeenAt = "now()") {
  database.execute(std::format("INSERT INTO cluster_facet VALUES ({}, '{}', $t${}$t$, {}, {})",
                               clusterId, kind, value, errorCount, lastSeenAt));
}

// `grain` is 5min or hour; the time must be the start of such a bucket.
inline void plantActivity(TestDatabase& database, domain::ClusterId clusterId,
                          std::string_view grain, std::string_view startsAt,
                          std::int64_t errorCount) {
  database.execute(std::format("INSERT INTO cluster_activity VALUES ({}, '{}', {}, {})", clusterId,
                               grain, startsAt, errorCount));
}

// REQUIRES: the error exists and has a hash.
inline void plantMember(TestDatabase& database, domain::ClusterId clusterId,
                        domain::ErrorId authErrorId) {
  database.execute(
      std::format("INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at) "
                  "SELECT {}, id, stack_hash, now() FROM auth_error WHERE id = {}",
                  clusterId, authErrorId));
}

// Routes errors of this hash to the cluster. The re-analysis leaves the route alone.
inline void plantRoute(TestDatabase& database, domain::ClusterId clusterId,
                       std::string_view stackHash, std::string_view fingerprint) {
  database.execute(std::format(
      "INSERT INTO cluster_route (stack_hash, version, cluster_id, fingerprint, created_at) "
      "VALUES ('{}', {}, {}, $t${}$t$::jsonb, now())",
      stackHash, domain::kStackHashVersion, clusterId, fingerprint));
}

}  // namespace auth_errors::tests
