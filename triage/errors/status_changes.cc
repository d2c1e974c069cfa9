#include "triage/errors/status_changes.h"

#include <array>
#include <format>
#include <ranges>
#include <string_view>
#include <utility>

#include "platform/database/sql_list.h"

namespace auth_errors::triage {
namespace {

using domain::StatusEvent;

// Further columns changed by an event, with the name of one more parameter.
struct FurtherChange {
  std::string_view parameter;
  std::string_view set;
  std::string_view from;
};

// Locks rows in the order of their ids, so that two batches never deadlock. The guard is evaluated
// again once the lock is granted. Only an error waiting for a retry has a date for it.
database::Statement statusChange(StatusEvent event, const FurtherChange& further = {}) {
  return {.name = std::format("change_status_{}", domain::toText(event)),
          .parameters = std::format("ids changed_by{}", further.parameter),
          .sql = std::format(R"(WITH before AS (
  SELECT id, status FROM auth_error
  WHERE id = ANY($ids::bigint[]) AND status IN ({0})
  ORDER BY id FOR UPDATE
), changed AS (
  UPDATE auth_error SET status = '{1}', status_changed_at = now(), next_retry_at = NULL{3}
  FROM before{4}
  WHERE auth_error.id = before.id
), logged AS (
  INSERT INTO auth_error_transition (auth_error_id, from_status, to_status, cause, changed_by, changed_at)
  SELECT id, status, '{1}', '{2}', $changed_by, now() FROM before
)
SELECT id FROM before)",
                             database::sqlList(domain::sourcesOf(event)),
                             domain::toText(domain::targetOf(event)), domain::toText(event),
                             further.set, further.from)};
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

const database::Statement kCompleteAnalyses = statusChange(
    StatusEvent::analysisCompleted, {.parameter = " stack_hashes",
                                     .set = ", stack_hash = given.stack_hash",
                                     .from = " JOIN unnest($ids::bigint[], $stack_hashes::text[]) "
                                             "AS given (id, stack_hash) USING (id)"});

const database::Statement kPlanRetries{
    .name = "plan_retries",
    .sql = std::format(
        "UPDATE auth_error SET retry_count = given.retry_count, "
        "next_retry_at = now() + given.delay "
        "FROM unnest($1::bigint[], $2::int[], $3::interval[]) AS given (id, retry_count, delay) "
        "WHERE auth_error.id = given.id AND status = '{}'",
        domain::toText(domain::AuthErrorStatus::retry))};

const database::Statement kChangeHashes{.name = "change_hashes", .sql = R"(WITH given AS (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (id, old_hash, new_hash)
), before AS (
  SELECT e.id, given.old_hash, given.new_hash FROM auth_error e JOIN given USING (id)
  WHERE e.stack_hash = given.old_hash ORDER BY e.id FOR UPDATE OF e
), changed AS (
  UPDATE auth_error SET stack_hash = before.new_hash
  FROM before WHERE auth_error.id = before.id AND before.new_hash <> before.old_hash
)
SELECT id FROM before)"};

const database::Statement kLoadStatuses{
    .name = "load_statuses",
    .sql = "SELECT id, status FROM auth_error WHERE id = ANY($1::bigint[])"};

const database::Statement kLockError{
    .name = "lock_error", .sql = "SELECT status FROM auth_error WHERE id = $1 FOR UPDATE"};

}  // namespace

drogon::Task<std::optional<domain::StoredName<domain::AuthErrorStatus>>> lockedStatus(
    database::Transaction& transaction, domain::ErrorId authErrorId) {
  const database::Result locked = co_await transaction.run(kLockError, authErrorId);
  co_return locked.first<domain::StoredName<domain::AuthErrorStatus>>();
}

drogon::Task<std::vector<domain::ErrorId>> changeStatus(database::Transaction& transaction,
                                                        StatusEvent event,
                                                        std::vector<domain::ErrorId> authErrorIds,
                                                        std::string changedBy) {
  const database::Result changed = co_await transaction.run(
      kStatusChanges.at(static_cast<std::size_t>(event)), authErrorIds, changedBy);
  co_return changed.column<domain::ErrorId>();
}

drogon::Task<void> planRetries(database::Transaction& transaction,
                               std::vector<PlannedRetry> retries, domain::InstanceName instance) {
  if (retries.empty()) {
    co_return;
  }
  std::vector<domain::ErrorId> ids(std::from_range,
                                   std::views::transform(retries, &PlannedRetry::authErrorId));
  co_await changeStatus(transaction, StatusEvent::handlerFailed, std::move(ids), instance.text());
  co_await transaction.run(kPlanRetries,
                           database::columns(retries, &PlannedRetry::authErrorId,
                                             &PlannedRetry::retryCount, &PlannedRetry::delay));
}

drogon::Task<std::vector<domain::ErrorId>> completeAnalyses(database::Transaction& transaction,
                                                            std::vector<Analysis> analyses,
                                                            domain::InstanceName instance) {
  const database::Result changed = co_await transaction.run(
      kCompleteAnalyses, database::columns(analyses, &Analysis::authErrorId), instance,
      database::columns(analyses, &Analysis::stackHash));
  co_return changed.column<domain::ErrorId>();
}

drogon::Task<std::vector<domain::ErrorId>> changeHashes(database::Transaction& transaction,
                                                        database::Parameters hashes) {
  co_return (co_await transaction.run(kChangeHashes, hashes)).column<domain::ErrorId>();
}

drogon::Task<std::unordered_map<domain::ErrorId, std::optional<domain::AuthErrorStatus>>>
statusesOf(database::Client& client, std::vector<domain::ErrorId> authErrorIds,
           database::Deadline deadline) {
  const database::Result read = co_await client.run(kLoadStatuses, deadline, authErrorIds);
  std::unordered_map<domain::ErrorId, std::optional<domain::AuthErrorStatus>> statuses;
  for (const auto& [id, status] : read.as<std::pair<domain::ErrorId, std::string_view>>()) {
    statuses.emplace(id, domain::fromText<domain::AuthErrorStatus>(status));
  }
  co_return statuses;
}

}  // namespace auth_errors::triage
