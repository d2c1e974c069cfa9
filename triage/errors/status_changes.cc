#include "triage/errors/status_changes.h"

#include <array>
#include <format>
#include <string_view>
#include <utility>

#include "platform/database/ids.h"

namespace auth_errors::triage {
namespace {

using domain::StatusEvent;

// Rows are locked in the order of their ids, so that two batches never wait for each other in a
// ring. The guard is read again once the lock is there.
// Only what waits for a retry has a date for it.
database::Statement statusChange(StatusEvent event, std::string_view setFurther = {},
                                 std::string_view from = {}) {
  return {
      .name = std::format("change_status_{}", domain::toText(event)),
      .sql = std::format(R"(WITH before AS (
  SELECT id, status FROM auth_error
  WHERE id = ANY($1::bigint[]) AND status IN ({0})
  ORDER BY id FOR UPDATE
), changed AS (
  UPDATE auth_error SET status = '{1}', status_changed_at = now(), next_retry_at = NULL{3}
  FROM before{4}
  WHERE auth_error.id = before.id
), logged AS (
  INSERT INTO auth_error_transition (auth_error_id, from_status, to_status, cause, changed_by, changed_at)
  SELECT id, status, '{1}', '{2}', $2, now() FROM before
)
SELECT id FROM before)",
                         domain::sourcesAsSqlList(event), domain::toText(domain::targetOf(event)),
                         domain::toText(event), setFurther, from)};
}

const auto kStatusChanges = [] {
  std::array<database::Statement, domain::kStatusEventCount> statements;
  for (const auto& [event, name] : domain::kStatusEventNames) {
    if (event != StatusEvent::analysisCompleted) {
      statements.at(static_cast<std::size_t>(event)) = statusChange(event);
    }
  }
  return statements;
}();

const database::Statement kCompleteAnalyses =
    statusChange(StatusEvent::analysisCompleted, ", stack_hash = given.stack_hash",
                 " JOIN unnest($1::bigint[], $3::text[]) AS given (id, stack_hash) USING (id)");

const database::Statement kPlanRetries{
    .name = "plan_retries",
    .sql = std::format(
        "UPDATE auth_error SET retry_count = given.retry_count, "
        "next_retry_at = now() + given.delay * interval '1 millisecond' "
        "FROM unnest($1::bigint[], $2::int[], $3::bigint[]) AS given (id, retry_count, delay) "
        "WHERE auth_error.id = given.id AND status = '{}'",
        domain::toText(domain::AuthErrorStatus::retry))};

const database::Statement kLockError{
    .name = "lock_error", .sql = "SELECT status FROM auth_error WHERE id = $1 FOR UPDATE"};

}  // namespace

drogon::Task<std::optional<domain::StoredName<domain::AuthErrorStatus>>> lockedStatus(
    database::Transaction& transaction, std::int64_t authErrorId, database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(authErrorId);
  const database::Result result =
      co_await transaction.run(kLockError, std::move(parameters), deadline);
  if (result.empty()) {
    co_return std::nullopt;
  }
  co_return domain::storedStatus(result.value<std::string_view>(0, 0));
}

drogon::Task<std::vector<std::int64_t>> changeStatus(database::Transaction& transaction,
                                                     StatusEvent event,
                                                     std::vector<std::int64_t> authErrorIds,
                                                     std::string changedBy,
                                                     database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(authErrorIds).add(changedBy);
  co_return database::idsOf(co_await transaction.run(
      kStatusChanges.at(static_cast<std::size_t>(event)), std::move(parameters), deadline));
}

drogon::Task<void> planRetries(database::Transaction& transaction,
                               std::vector<PlannedRetry> retries, std::string changedBy,
                               database::Deadline deadline) {
  if (retries.empty()) {
    co_return;
  }
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> counts;
  std::vector<std::int64_t> delays;
  for (const PlannedRetry& retry : retries) {
    ids.push_back(retry.authErrorId);
    counts.push_back(retry.retryCount);
    delays.push_back(retry.delay.count());
  }
  co_await changeStatus(transaction, StatusEvent::handlerFailed, ids, std::move(changedBy),
                        deadline);
  database::Parameters parameters;
  parameters.addArray(ids).addArray(counts).addArray(delays);
  co_await transaction.run(kPlanRetries, std::move(parameters), deadline);
}

drogon::Task<std::vector<std::int64_t>> completeAnalyses(database::Transaction& transaction,
                                                         std::vector<Analysis> analyses,
                                                         std::string changedBy,
                                                         database::Deadline deadline) {
  std::vector<std::int64_t> ids;
  std::vector<std::string_view> hashes;
  ids.reserve(analyses.size());
  hashes.reserve(analyses.size());
  for (const Analysis& analysis : analyses) {
    ids.push_back(analysis.authErrorId);
    hashes.push_back(analysis.stackHash);
  }
  database::Parameters parameters;
  parameters.addArray(ids).add(changedBy).addArray(hashes);
  co_return database::idsOf(
      co_await transaction.run(kCompleteAnalyses, std::move(parameters), deadline));
}

}  // namespace auth_errors::triage
