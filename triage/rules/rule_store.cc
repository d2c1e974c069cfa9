#include "triage/rules/rule_store.h"

#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/errors/auth_error_status.h"
#include "platform/database/advisory_lock.h"
#include "platform/database/answer.h"
#include "triage/errors/error_match.h"
#include "triage/errors/received_since.h"

namespace auth_errors::rules {
namespace {

template <typename T>
using Answer = RuleStore::Answer<T>;

constexpr std::string_view kFailed = "rules.failed";
constexpr std::string_view kPreviewFailed = "reading.failed";

constexpr std::string_view kNameConstraint = "rule_name_unique";
// Serialises the creation of rules, so that their limit holds.

// A Rule.
const std::string kColumns = std::format(
    "id, name, position, enabled, {}, action, note, after_seconds, hit_count, last_hit_at, "
    "failure_count, last_failure, last_failure_at, created_at, created_by, changed_at, changed_by",
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

const database::Statement kFindCluster{
    .name = "find_cluster_of_rule",
    .sql = "SELECT merged_into IS NOT NULL FROM cluster WHERE id = $1"};

// The values of settingsBy().
const std::string kSettings = std::format(
    "name position enabled {} action note after_seconds changed_by", triage::kMatchParameters);

const database::Statement kCreateRule{
    .name = "create_rule",
    .parameters = kSettings,
    .sql =
        std::format(R"(INSERT INTO rule (name, position, enabled, {0}, action, note, after_seconds,
                  hit_count, failure_count, scanned_until, scanned_id,
                  created_at, created_by, changed_at, changed_by)
SELECT $name, coalesce($position, (SELECT least(coalesce(max(position), 0) + 1, {2}) FROM rule)),
       $enabled, {4}, $action, $note, $after_seconds, 0, 0, '-infinity', 0,
       now(), $changed_by, now(), $changed_by
FROM {5} WHERE (SELECT count(*) FROM rule) < {3}
RETURNING {1})",
                    triage::matchColumns(), kColumns, kLastPosition, kMaxRules,
                    triage::matchColumns("m"), triage::matchRow("m"))};

const database::Statement kReplaceRule{
    .name = "replace_rule",
    .parameters = kSettings + " rule_id",
    .sql = std::format(R"(UPDATE rule
SET name = $name, position = coalesce($position, position), enabled = $enabled,
    ({0}) = (SELECT {2} FROM {3}),
    action = $action, note = $note, after_seconds = $after_seconds,
    scanned_until = '-infinity', scanned_id = 0, changed_at = now(), changed_by = $changed_by
WHERE id = $rule_id
RETURNING {1})",
                       triage::matchColumns(), kColumns, triage::matchColumns("m"),
                       triage::matchRow("m"))};

const database::Statement kLockRule{.name = "lock_rule",
                                    .sql = "SELECT id FROM rule WHERE id = $1 FOR UPDATE"};

const database::Statement kDeleteRule{.name = "delete_rule",
                                      .sql = "DELETE FROM rule WHERE id = $1 RETURNING id"};

const database::Statement kFindFirstRecent{
    .name = "find_first_recent_error",
    .sql = triage::firstIdReceivedSince(std::format("now() - interval '{} days'", kPreviewDays))};

// The errors that a preview covers. Its statements are not prepared, but planned for the conditions
// that are given. A cluster's errors are found by its members: the condition itself would look up
// each error.
std::string matchingErrors(const RuleSettings& settings) {
  return std::format("auth_error e CROSS JOIN {} WHERE e.id >= $first_id AND {}{}",
                     triage::matchRow("m"), triage::matchesSql("m"),
                     settings.match.clusterId
                         ? " AND e.id IN (SELECT auth_error_id FROM cluster_member "
                           "WHERE cluster_id = $match_cluster_id)"
                         : "");
}

database::Statement countMatching(const RuleSettings& settings) {
  const bool retries = settings.action == domain::Decision::retry;
  return {.name = "",
          .parameters = std::format("{} first_id after_seconds{}", triage::kMatchParameters,
                                    retries ? " decider" : ""),
          .sql = std::format(
              R"(SELECT count(*), count(*) FILTER (WHERE e.status = '{0}'),
       count(*) FILTER (WHERE e.status = '{0}'
         AND e.status_changed_at <= now() - $after_seconds::bigint * interval '1 second'{1})
FROM {2})",
              domain::toText(domain::AuthErrorStatus::analysisCompleted),
              retries ? " AND NOT EXISTS (SELECT FROM decision d WHERE d.auth_error_id = e.id "
                        "AND d.decided_by = $decider)"
                      : "",
              matchingErrors(settings))};
}
struct MatchCounts {
  std::int64_t matching = 0;
  std::int64_t undecided = 0;
  std::int64_t wouldDecideNow = 0;
};

database::Statement sampleMatching(const RuleSettings& settings) {
  return {.name = "",
          .parameters = std::format("{} first_id", triage::kMatchParameters),
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

database::Parameters settingsBy(const RuleSettings& settings, const std::string& by) {
  return database::encoded(settings.name, settings.position, settings.enabled,
                           triage::matchParameters(settings.match), settings.action, settings.note,
                           settings.afterSeconds, by);
}

// The rule that a statement writes; nothing if it writes none.
drogon::Task<Answer<std::optional<Rule>>> written(drogon::Task<database::Result> writing) {
  try {
    co_return (co_await std::move(writing)).first<Rule>();
  } catch (const database::Error& error) {
    if (error.constraint() == kNameConstraint) {
      co_return std::unexpected(RuleRefusal::nameTaken);
    }
    throw;
  }
}

// Why a rule cannot match the cluster selected by kFindCluster.
std::optional<RuleRefusal> clusterRefusal(const database::Result& found) {
  const auto merged = found.first<bool>();
  if (!merged) {
    return RuleRefusal::unknownCluster;
  }
  return *merged ? std::optional(RuleRefusal::mergedCluster) : std::nullopt;
}

// Locks the routes, so that the cluster is not merged away before the rule is stored.
drogon::Task<std::optional<RuleRefusal>> checkCluster(database::Transaction& transaction,
                                                      std::optional<domain::ClusterId> clusterId) {
  if (!clusterId) {
    co_return std::nullopt;
  }
  co_await database::lockShared(transaction, database::AdvisoryLock::routes);
  co_return clusterRefusal(co_await transaction.run(kFindCluster, *clusterId));
}

}  // namespace

drogon::Task<domain::Answer<std::vector<Rule>>> RuleStore::page(std::optional<RulePlace> after,
                                                                std::size_t rows,
                                                                database::Deadline deadline) {
  database::Client& client = clients_.lookups;
  co_return co_await database::read(
      {.client = client, .deadline = deadline, .event = kFailed},
      [&]() -> drogon::Task<domain::Answer<std::vector<Rule>>> {
        const database::Result page =
            co_await (after ? client.run(kNextPage, deadline, rows, after->position, after->id)
                            : client.run(kFirstPage, deadline, rows));
        co_return page.as<Rule>();
      });
}

drogon::Task<Answer<Rule>> RuleStore::find(domain::RuleId id, database::Deadline deadline) {
  co_return co_await database::read(
      {.client = clients_.lookups, .deadline = deadline, .event = kFailed},
      [&]() -> drogon::Task<Answer<Rule>> {
        auto found = (co_await clients_.lookups.run(kFindRule, deadline, id)).first<Rule>();
        if (!found) {
          co_return std::unexpected(RuleRefusal::unknown);
        }
        co_return *std::move(found);
      });
}

drogon::Task<Answer<Rule>> RuleStore::create(RuleSettings settings, std::string by,
                                             database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kFailed},
      [&](database::Transaction& transaction) -> drogon::Task<Answer<Rule>> {
        if (const auto refusal = co_await checkCluster(transaction, settings.match.clusterId)) {
          co_return std::unexpected(*refusal);
        }
        co_await database::lock(transaction, database::AdvisoryLock::makeRules);
        auto made = co_await written(transaction.run(kCreateRule, settingsBy(settings, by)));
        if (!made) {
          co_return std::unexpected(made.error());
        }
        if (!*made) {
          co_return std::unexpected(RuleRefusal::tooMany);
        }
        co_return **std::move(made);
      });
}

drogon::Task<Answer<Rule>> RuleStore::replace(domain::RuleId id, RuleSettings settings,
                                              std::string by, database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kFailed},
      [&](database::Transaction& transaction) -> drogon::Task<Answer<Rule>> {
        // Before the routes: the holder of a rule may wait for errors, and the holder of errors for
        // the routes.
        if ((co_await transaction.run(kLockRule, id)).empty()) {
          co_return std::unexpected(RuleRefusal::unknown);
        }
        if (const auto refusal = co_await checkCluster(transaction, settings.match.clusterId)) {
          co_return std::unexpected(*refusal);
        }
        auto changed =
            co_await written(transaction.run(kReplaceRule, settingsBy(settings, by), id));
        if (!changed) {
          co_return std::unexpected(changed.error());
        }
        co_return std::move(*changed).value();
      });
}

drogon::Task<Answer<void>> RuleStore::remove(domain::RuleId id, database::Deadline deadline) {
  co_return co_await database::write(
      {.client = clients_.actions, .deadline = deadline, .event = kFailed},
      [&]() -> drogon::Task<Answer<void>> {
        if ((co_await clients_.actions.run(kDeleteRule, deadline, id)).empty()) {
          co_return std::unexpected(RuleRefusal::unknown);
        }
        co_return Answer<void>{};
      });
}

drogon::Task<Answer<RulePreview>> RuleStore::preview(RuleSettings settings,
                                                     database::Deadline deadline) {
  database::Client& client = clients_.searches;
  co_return co_await database::read(
      {.client = client, .deadline = deadline, .event = kPreviewFailed, .searches = true},
      [&]() -> drogon::Task<Answer<RulePreview>> {
        if (const auto& clusterId = settings.match.clusterId) {
          const auto refusal =
              clusterRefusal(co_await client.run(kFindCluster, deadline, *clusterId));
          if (refusal) {
            co_return std::unexpected(*refusal);
          }
        }
        const auto firstRecent = (co_await client.run(kFindFirstRecent, deadline))
                                     .only<std::optional<domain::ErrorId>>()
                                     .value_or(domain::ErrorId());
        const auto ofMatch =
            database::encoded(triage::matchParameters(settings.match), firstRecent);
        const auto decider = settings.action == domain::Decision::retry
                                 ? database::encoded(deciderOf(settings.name))
                                 : database::encoded();
        const auto counts = (co_await client.run(countMatching(settings), deadline, ofMatch,
                                                 settings.afterSeconds, decider))
                                .only<MatchCounts>();
        RulePreview preview{.matching = counts.matching,
                            .undecided = counts.undecided,
                            .wouldDecideNow = counts.wouldDecideNow,
                            .samples = {},
                            .earlierRules = {}};
        if (preview.matching == 0) {
          co_return preview;
        }
        preview.samples =
            (co_await client.run(sampleMatching(settings), deadline, ofMatch)).as<MatchedError>();
        preview.earlierRules =
            (co_await client.run(kFindEarlierRules, deadline,
                                 database::columns(preview.samples, &MatchedError::authErrorId),
                                 settings.name, settings.position))
                .column<std::string>();
        co_return preview;
      });
}

}  // namespace auth_errors::rules
