// Errors and events planted by plain SQL into a migrated database, and queries of their state. The
// owner's thread only.
#pragma once

#include <format>
#include <string>

#include "domain/identity/ids.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

// Returns the id of a new AuthError in this state.
inline domain::ErrorId plantError(TestDatabase& database, const std::string& status = "NEW") {
  return database.queryId<domain::ErrorId>(std::format(
      "INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, status_changed_at, "
      "http_status, exception_class, stacktrace, retry_count, stack_hash) SELECT 'planted-' || "
      "gen_random_uuid(), '{0}', now(), now(), now(), 401, 'BadCredentials', 'at a.B.c(B.java:1)', "
      "0, CASE WHEN '{0}' IN ('ANALYSIS_COMPLETED', 'PROCESSED') THEN repeat('a', 64) END "
      "RETURNING id",
      status));
}

// Returns the id of a new outbox row for that error; `event` is recorded or analysis_requested.
inline domain::OutboxId plantEvent(TestDatabase& database, domain::ErrorId authErrorId,
                                   const std::string& event = "recorded",
                                   const std::string& status = "PUBLISHED") {
  return database.queryId<domain::OutboxId>(std::format(
      "INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, "
      "payload, status, retry_count, created_at, published_at) SELECT 'auth_error', {0}, "
      "'auth.error.' || replace('{1}', '_', '.') || '.v1', 'auth_error:{1}:{0}', "
      "jsonb_build_object('authErrorId', {0}), '{2}', 0, now(), "
      "CASE WHEN '{2}' = 'PUBLISHED' THEN now() END RETURNING id",
      authErrorId, event, status));
}

inline std::string statusOfError(TestDatabase& database, domain::ErrorId id) {
  return database.queryValue(std::format("SELECT status FROM auth_error WHERE id = {}", id));
}

// "none" if the row does not exist.
inline std::string statusInLedger(TestDatabase& database, domain::OutboxId outboxId) {
  return database.queryValue(std::format(
      "SELECT coalesce((SELECT status FROM processed_message WHERE outbox_id = {}), 'none')",
      outboxId));
}

}  // namespace auth_errors::tests
