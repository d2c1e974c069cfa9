// A migrated database with errors whose traces are realistic enough to be hashed. The code under
// test places them in clusters, and counters are flushed on demand.
#pragma once

#include <chrono>
#include <cstdint>
#include <format>
#include <string>
#include <utility>
#include <vector>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/database_fixture.h"
#include "triage/clusters/delta_flusher.h"
#include "triage/clusters/fault.h"
#include "triage/clusters/metrics.h"
#include "triage/clusters/placement.h"

namespace auth_errors::tests {

// NOLINTBEGIN(readability-redundant-member-init): they let callers leave a member out.
struct ErrorToPlant {
  std::string method = "check";  // the only frame of the trace: another method is another fault
  std::string service = "login";
  std::string environment = "production";
  std::string message = "refused";
  std::string user = {};  // a letter; empty if the user is unknown
  std::string occurredAt = "now()";
  std::string receivedAt = "now()";
  std::string status = "ANALYSIS_COMPLETED";
  int httpStatus = 401;
};
// NOLINTEND(readability-redundant-member-init)

class ClusterTest : public DatabaseTest {
 protected:
  explicit ClusterTest(std::size_t connections = 4) : client_(connect(connections)) {}

  static clusters::Fault faultOf(const ErrorToPlant& error) {
    const std::string trace = std::format("at com.acme.Login.{}(Login.java:42)", error.method);
    return clusters::faultOf({.exceptionClass = "com.acme.BadCredentials",
                              .rootCauseClass = {},
                              .exceptionMessage = error.message,
                              .stacktrace = trace});
  }

  domain::ErrorId plant(const ErrorToPlant& error = {}) {
    const std::string user =
        error.user.empty() ? "NULL" : std::format("'v1:' || repeat('{}', 43)", error.user);
    return database_.queryId<domain::ErrorId>(std::format(
        "INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, status_changed_at, "
        "http_status, exception_class, exception_message, stacktrace, service_name, environment, "
        "user_pseudonym, retry_count, stack_hash) VALUES (gen_random_uuid()::text, '{}', {}, {}, "
        "now(), {}, 'com.acme.BadCredentials', '{}', 'at com.acme.Login.{}(Login.java:42)', '{}', "
        "'{}', {}, 0, '{}') RETURNING id",
        error.status, error.occurredAt, error.receivedAt, error.httpStatus, error.message,
        error.method, error.service, error.environment, user, faultOf(error).stackHash));
  }

  void place(std::vector<clusters::AnalysedError> errors) {
    clients_.run([this, errors = std::move(errors)]() -> drogon::Task<void> {
      database::Transaction transaction = co_await client_.begin(in(std::chrono::seconds(20)));
      co_await clusters::placeErrors(transaction, errors, domain::InstanceName("instance"));
      co_await transaction.commit();
    });
  }
  domain::ErrorId plantAndPlace(const ErrorToPlant& error = {}) {
    const domain::ErrorId id = plant(error);
    place({{.authErrorId = id, .fault = faultOf(error)}});
    return id;
  }

  std::size_t flush(std::int64_t chunk = 10'000) {
    return clients_.run([this, chunk]() -> drogon::Task<std::size_t> {
      clusters::DeltaFlusher flusher(
          client_, {.interval = std::chrono::milliseconds(0), .chunk = chunk}, metrics_);
      co_return co_await flusher.runOnce();
    });
  }

  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  domain::ClusterId clusterOf(domain::ErrorId authErrorId) {
    return database_.queryId<domain::ClusterId>(
        std::format("SELECT cluster_id FROM cluster_member WHERE auth_error_id = {}", authErrorId));
  }
  std::string stateOf(domain::ClusterId clusterId) {
    return value(std::format("SELECT state FROM cluster WHERE id = {}", clusterId));
  }
  // The differences between the stored counters and the memberships; empty if there are none.
  std::string counterMismatches() {
    return value(R"(WITH member AS (
  SELECT m.cluster_id, m.stack_hash, e.service_name, e.environment, e.occurred_at,
         coalesce(e.user_pseudonym, e.session_pseudonym, e.client_ip_pseudonym) AS actor
  FROM cluster_member m JOIN auth_error e ON e.id = m.auth_error_id
), facet AS (
  SELECT cluster_id, kind, value, count(*) AS errors FROM member CROSS JOIN LATERAL (
    VALUES ('service', service_name), ('environment', environment), ('actor', actor),
           ('hash', stack_hash)) AS f (kind, value)
  WHERE value IS NOT NULL GROUP BY 1, 2, 3
), bucket AS (
  SELECT cluster_id, grain, starts_at, count(*) AS errors FROM member CROSS JOIN LATERAL (
    VALUES ('5min', date_bin('5 minutes', occurred_at, 'epoch'), now() - interval '24 hours'),
           ('hour', date_bin('1 hour', occurred_at, 'epoch'), now() - interval '30 days')
  ) AS b (grain, starts_at, oldest) WHERE starts_at >= oldest GROUP BY 1, 2, 3
), wrong AS (
  SELECT format('cluster %s has %s errors and %s actors', c.id, c.error_count, c.actor_count) AS text
  FROM cluster c
  WHERE c.error_count <> (SELECT count(*) FROM member m WHERE m.cluster_id = c.id)
     OR c.actor_count <> (SELECT count(DISTINCT actor) FROM member m WHERE m.cluster_id = c.id)
  UNION ALL
  SELECT format('cluster %s: %s %s is %s, not %s', cluster_id, kind, value, k.error_count, f.errors)
  FROM cluster_facet k FULL JOIN facet f USING (cluster_id, kind, value)
  WHERE k.error_count IS DISTINCT FROM f.errors
  UNION ALL
  SELECT format('cluster %s: %s %s is %s, not %s', cluster_id, grain, starts_at, k.error_count, b.errors)
  FROM (SELECT * FROM cluster_activity WHERE error_count <> 0
        AND starts_at >= now() - CASE grain WHEN '5min' THEN interval '24 hours' ELSE interval '30 days' END) k
  FULL JOIN bucket b USING (cluster_id, grain, starts_at)
  WHERE k.error_count IS DISTINCT FROM b.errors
)
SELECT coalesce(string_agg(text, E'\n'), '') FROM wrong)");
  }

  database::Client& client_;
  telemetry::Registry registry_;
  clusters::Metrics metrics_{registry_};
};

}  // namespace auth_errors::tests
