#include "triage/rules/rule_store.h"

#include <format>
#include <string_view>
#include <utility>

#include "domain/errors/auth_error_status.h"
#include "platform/database/ids.h"
#include "platform/database/transact.h"
#include "platform/telemetry/log.h"
#include "triage/clusters/placement.h"
#include "triage/errors/read_fault.h"
#include "triage/errors/received_since.h"

namespace auth_errors::rules {
namespace {

constexpr std::string_view kNameConstraint = "rule_name_unique";
// Held by whoever makes a rule: so they are counted rightly.
constexpr std::int64_t kMakingLock = 0x61655f72756c6531;  // "ae_rule1"

const std::string kColumns = std::format(
    "id, name, position, enabled, action, note, after_seconds, hit_count, last_hit_at, "
    "failure_count, last_failure, last_failure_at, created_at, created_by, changed_at, changed_by, "
    "{}",
    triage::matchColumns());

const database::Statement kFirstPage{
    .name = "list_rules",
    .sql = std::format("SELECT {} FROM rule ORDER BY position, id LIMIT $1", kColumns)};
const database::Statement kNextPage{
    .name = "list_further_rules",
    .sql = std::format("SELECT {} FROM rule WHERE (position, id) > ($2, $3) "
                       "ORDER BY position, id LIMIT $1",
                       kColumns)};
const database::Statement kFindRule{
    .name = "find_rule", .sql = std::format("SELECT {} FROM rule WHERE id = $1", kColumns)};

const database::Statement kLockMaking{.name = "lock_rule_making",
                                      .sql = "SELECT pg_advisory_xact_lock($1)"};
const database::Statement kFindCluster{
    .name = "find_cluster_of_rule",
    .sql = "SELECT merged_into IS NOT NULL FROM cluster WHERE id = $1"};

// The settings' parameters are $1 to $12.
const database::Statement kCreateRule{
    .name = "create_rule",
    .sql =
        std::format(R"(INSERT INTO rule (name, position, enabled, {0}, action, note, after_seconds,
                  hit_count, failure_count, scanned_until, scanned_id,
                  created_at, created_by, changed_at, changed_by)
SELECT $1, coalesce($2, (SELECT least(coalesce(max(position), 0) + 1, {2}) FROM rule)), $3,
       $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, 0, '-infinity', 0, now(), $13, now(), $13
WHERE (SELECT count(*) FROM rule) < {3}
RETURNING {1})",
                    triage::matchColumns(), kColumns, kLastPosition, kMaxRules)};

const database::Statement kReplaceRule{.name = "replace_rule",
                                       .sql = std::format(R"(UPDATE rule
SET name = $1, position = coalesce($2, position), enabled = $3,
    ({0}) = ROW ($4, $5, $6, $7, $8, $9),
    action = $10, note = $11, after_seconds = $12,
    scanned_until = '-infinity', scanned_id = 0, changed_at = now(), changed_by = $13
WHERE id = $14
RETURNING {1})",
                                                          triage::matchColumns(), kColumns)};

const database::Statement kLockRule{.name = "lock_rule",
                                    .sql = "SELECT id FROM rule WHERE id = $1 FOR UPDATE"};

const database::Statement kDeleteRule{.name = "delete_rule",
                                      .sql = "DELETE FROM rule WHERE id = $1 RETURNING id"};

const database::Statement kFindFirstRecent{
    .name = "find_first_recent_error",
    .sql = triage::firstIdReceivedSince(std::format("now() - interval '{} days'", kPreviewDays))};

// Not prepared: planned for the conditions that are given. The match is $1 to $6, the first id $7.
// A cluster's errors are found by its members; the condition itself would have each error looked
// up.
std::string matchingErrors(const RuleSettings& settings) {
  return std::format(
      "auth_error e CROSS JOIN {} WHERE e.id >= $7 AND {}{}", triage::matchRow(1, "m"),
      triage::matchesSql("m"),
      settings.match.clusterId
          ? " AND e.id IN (SELECT auth_error_id FROM cluster_member WHERE cluster_id = $1)"
          : "");
}

database::Statement countMatching(const RuleSettings& settings) {
  const bool retries = settings.action == domain::Decision::retry;
  return {.name = "",
          .sql = std::format(
              R"(SELECT count(*), count(*) FILTER (WHERE e.status = '{0}'),
       count(*) FILTER (WHERE e.status = '{0}'
                          AND e.status_changed_at <= now() - $8::bigint * interval '1 second'{1})
FROM {2})",
              domain::toText(domain::AuthErrorStatus::analysisCompleted),
              retries ? " AND NOT EXISTS (SELECT FROM decision d WHERE d.auth_error_id = e.id "
                        "AND d.decided_by = $9)"
                      : "",
              matchingErrors(settings))};
}

database::Statement sampleMatching(const RuleSettings& settings) {
  return {.name = "",
          .sql = std::format(
              "SELECT e.id, e.status, e.exception_class, e.exception_message, e.service_name, "
              "e.environment, e.http_status, e.occurred_at FROM {} ORDER BY e.id DESC LIMIT {}",
              matchingErrors(settings), kPreviewSamples)};
}

const database::Statement kFindEarlierRules{
    .name = "find_earlier_rules",
    .sql =
        std::format("SELECT r.name FROM rule r WHERE r.enabled AND r.name <> $2 "
                    "AND ($3::int IS NULL OR r.position <= $3) "
                    "AND EXISTS (SELECT FROM auth_error e WHERE e.id = ANY($1::bigint[]) AND {}) "
                    "ORDER BY r.position, r.id",
                    triage::matchesSql("r"))};

Rule ruleOf(const database::Result& result, std::size_t row) {
  std::size_t column = 0;
  const auto next = [&]<typename T>(T& into) { into = result.value<T>(row, column++); };
  Rule rule;
  next(rule.id);
  next(rule.settings.name);
  std::int32_t position = 0;
  next(position);
  rule.settings.position = position;
  next(rule.settings.enabled);
  rule.settings.action = domain::storedDecision(result.value<std::string_view>(row, column++));
  next(rule.settings.note);
  next(rule.settings.afterSeconds);
  next(rule.hitCount);
  next(rule.lastHitAt);
  next(rule.failureCount);
  next(rule.lastFailure);
  next(rule.lastFailureAt);
  next(rule.createdAt);
  next(rule.createdBy);
  next(rule.changedAt);
  next(rule.changedBy);
  rule.settings.match = triage::matchOf(result, row, column);
  return rule;
}

database::Parameters parametersOf(const RuleSettings& settings, const std::string& by) {
  database::Parameters parameters;
  parameters.add(settings.name).add(settings.position).add(settings.enabled);
  triage::addMatch(parameters, settings.match);
  parameters.add(settings.action.text()).add(settings.note).add(settings.afterSeconds).add(by);
  return parameters;
}

RuleFault faultOf(const database::Error& error, bool lost) {
  if (error.constraint() == kNameConstraint) {
    return RuleFault::nameTaken;
  }
  telemetry::log(telemetry::LogLevel::warn, "rules.failed", {{"reason", error.what()}});
  return lost ? RuleFault::outcomeUnknown : RuleFault::unavailable;
}

database::Parameters idAlone(std::int64_t id) {
  database::Parameters parameters;
  parameters.add(id);
  return parameters;
}

// What is wrong with the cluster that was looked for.
std::optional<RuleFault> clusterFault(const database::Result& found) {
  if (found.empty()) {
    return RuleFault::unknownCluster;
  }
  return found.value<bool>(0, 0) ? std::optional(RuleFault::mergedCluster) : std::nullopt;
}

// The routes are locked, so that the cluster is not merged away before the rule is stored.
drogon::Task<std::optional<RuleFault>> checkCluster(database::Transaction& transaction,
                                                    std::optional<std::int64_t> clusterId,
                                                    database::Deadline deadline) {
  if (!clusterId) {
    co_return std::nullopt;
  }
  co_await clusters::lockRoutes(transaction, deadline);
  co_return clusterFault(co_await transaction.run(kFindCluster, idAlone(*clusterId), deadline));
}

MatchedError matchedErrorOf(const database::Result& result, std::size_t row) {
  return {.authErrorId = result.value<std::int64_t>(row, 0),
          .status = result.value<std::string>(row, 1),
          .exceptionClass = result.value<std::string>(row, 2),
          .exceptionMessage = result.value<std::optional<std::string>>(row, 3),
          .serviceName = result.value<std::optional<std::string>>(row, 4),
          .environment = result.value<std::optional<std::string>>(row, 5),
          .httpStatus = result.value<std::int32_t>(row, 6),
          .occurredAt = result.value<database::Timestamp>(row, 7)};
}

}  // namespace

drogon::Task<RuleStore::Answer<std::vector<Rule>>> RuleStore::page(std::optional<RulePlace> after,
                                                                   std::size_t rows,
                                                                   database::Deadline deadline) {
  try {
    database::Parameters parameters;
    parameters.add(static_cast<std::int64_t>(rows));
    if (after) {
      parameters.add(after->position).add(after->id);
    }
    const database::Result found = co_await clients_.lookups.run(after ? kNextPage : kFirstPage,
                                                                 std::move(parameters), deadline);
    std::vector<Rule> page;
    for (std::size_t row = 0; row < found.rows(); ++row) {
      page.push_back(ruleOf(found, row));
    }
    co_return page;
  } catch (const database::Error& error) {
    co_return std::unexpected(faultOf(error, false));
  }
}

drogon::Task<RuleStore::Answer<Rule>> RuleStore::find(std::int64_t id,
                                                      database::Deadline deadline) {
  try {
    const database::Result found = co_await clients_.lookups.run(kFindRule, idAlone(id), deadline);
    if (found.empty()) {
      co_return std::unexpected(RuleFault::unknown);
    }
    co_return ruleOf(found, 0);
  } catch (const database::Error& error) {
    co_return std::unexpected(faultOf(error, false));
  }
}

drogon::Task<RuleStore::Answer<Rule>> RuleStore::create(RuleSettings settings, std::string by,
                                                        database::Deadline deadline) {
  const auto write = [&](database::Transaction& transaction) -> drogon::Task<Answer<Rule>> {
    if (const auto fault = co_await checkCluster(transaction, settings.match.clusterId, deadline)) {
      co_return std::unexpected(*fault);
    }
    co_await transaction.run(kLockMaking, idAlone(kMakingLock), deadline);
    const database::Result made =
        co_await transaction.run(kCreateRule, parametersOf(settings, by), deadline);
    if (made.empty()) {
      co_return std::unexpected(RuleFault::tooMany);
    }
    co_return ruleOf(made, 0);
  };
  co_return co_await database::transact(clients_.actions, write, faultOf, deadline);
}

drogon::Task<RuleStore::Answer<Rule>> RuleStore::replace(std::int64_t id, RuleSettings settings,
                                                         std::string by,
                                                         database::Deadline deadline) {
  const auto write = [&](database::Transaction& transaction) -> drogon::Task<Answer<Rule>> {
    // Before the routes, as everywhere: who holds a rule may wait for errors, and who holds errors
    // for the routes.
    if ((co_await transaction.run(kLockRule, idAlone(id), deadline)).empty()) {
      co_return std::unexpected(RuleFault::unknown);
    }
    if (const auto fault = co_await checkCluster(transaction, settings.match.clusterId, deadline)) {
      co_return std::unexpected(*fault);
    }
    database::Parameters parameters = parametersOf(settings, by);
    parameters.add(id);
    const database::Result changed =
        co_await transaction.run(kReplaceRule, std::move(parameters), deadline);
    co_return ruleOf(changed, 0);
  };
  co_return co_await database::transact(clients_.actions, write, faultOf, deadline);
}

drogon::Task<RuleStore::Answer<void>> RuleStore::remove(std::int64_t id,
                                                        database::Deadline deadline) {
  try {
    const database::Result deleted =
        co_await clients_.actions.run(kDeleteRule, idAlone(id), deadline);
    if (deleted.empty()) {
      co_return std::unexpected(RuleFault::unknown);
    }
    co_return Answer<void>{};
  } catch (const database::Error& error) {
    co_return std::unexpected(faultOf(error, error.failure() == database::Failure::outcomeUnknown));
  }
}

drogon::Task<RuleStore::Answer<RulePreview>> RuleStore::preview(RuleSettings settings,
                                                                database::Deadline deadline) {
  try {
    if (settings.match.clusterId) {
      const auto fault = clusterFault(co_await clients_.searches.run(
          kFindCluster, idAlone(*settings.match.clusterId), deadline));
      if (fault) {
        co_return std::unexpected(*fault);
      }
    }
    RulePreview preview;
    const database::Result first = co_await clients_.searches.run(kFindFirstRecent, {}, deadline);
    const std::int64_t firstRecent = first.value<std::optional<std::int64_t>>(0, 0).value_or(0);
    database::Parameters ofMatch;
    triage::addMatch(ofMatch, settings.match);
    ofMatch.add(firstRecent);
    database::Parameters ofCounts = ofMatch;
    ofCounts.add(settings.afterSeconds);
    if (settings.action == domain::Decision::retry) {
      ofCounts.add(deciderOf(settings.name));
    }
    const database::Result counts =
        co_await clients_.searches.run(countMatching(settings), std::move(ofCounts), deadline);
    preview.matching = counts.value<std::int64_t>(0, 0);
    preview.undecided = counts.value<std::int64_t>(0, 1);
    preview.wouldDecideNow = counts.value<std::int64_t>(0, 2);
    if (preview.matching == 0) {
      co_return preview;
    }
    const database::Result samples =
        co_await clients_.searches.run(sampleMatching(settings), std::move(ofMatch), deadline);
    for (std::size_t row = 0; row < samples.rows(); ++row) {
      preview.samples.push_back(matchedErrorOf(samples, row));
    }
    database::Parameters ofSamples;
    ofSamples.addArray(database::idsOf(samples)).add(settings.name).add(settings.position);
    const database::Result earlier =
        co_await clients_.searches.run(kFindEarlierRules, std::move(ofSamples), deadline);
    for (std::size_t row = 0; row < earlier.rows(); ++row) {
      preview.earlierRules.push_back(earlier.value<std::string>(row, 0));
    }
    co_return preview;
  } catch (const database::Error& error) {
    co_return std::unexpected(triage::faultOf(error, clients_.searches, deadline) ==
                                      triage::ReadFault::tooSlow
                                  ? RuleFault::tooSlow
                                  : RuleFault::unavailable);
  }
}

}  // namespace auth_errors::rules
