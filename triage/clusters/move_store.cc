#include "triage/clusters/move_store.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <format>
#include <string_view>
#include <utility>

#include "domain/clusters/cluster.h"
#include "platform/database/advisory_lock.h"
#include "platform/database/answer.h"
#include "triage/clusters/fault.h"
#include "triage/clusters/split_title.h"
#include "triage/jobs/job_store.h"
#include "triage/rules/cluster_rules.h"

namespace auth_errors::clusters {
namespace {

template <typename T>
using MoveAnswer = MoveStore::Answer<T>;

constexpr std::string_view kMovingFailed = "reading.failed";
constexpr std::size_t kShownHashes = 100;
constexpr std::size_t kShownErrors = 5;

constexpr std::string_view kClusterColumns = "id, title, state, merged_into";
const database::Statement kFindClusters{
    .name = "find_clusters_to_move",
    .sql = std::format("SELECT {} FROM cluster WHERE id = ANY($1::bigint[]) ORDER BY id",
                       kClusterColumns)};
const database::Statement kLockClusters{
    .name = "lock_clusters_to_move", .sql = std::format("{} FOR NO KEY UPDATE", kFindClusters.sql)};

const database::Statement kOpenDecision{
    .name = "open_decision_of_cluster",
    .sql = std::format("SELECT FROM job WHERE cluster_id = $1 AND kind = '{}' "
                       "AND status IN ('{}', '{}') LIMIT 1",
                       jobs::toText(jobs::JobKind::decide), jobs::toText(jobs::JobStatus::queued),
                       jobs::toText(jobs::JobStatus::running))};

// The cluster $source and those merged into it, directly or indirectly.
constexpr std::string_view kMergedIn = R"(WITH RECURSIVE merged_in (id) AS (
  SELECT $source::bigint
  UNION ALL
  SELECT c.id FROM cluster c JOIN merged_in ON c.merged_into = merged_in.id
))";

// The hashes routed to the cluster, with the fingerprints of the given ones.
const database::Statement kHashesOfCluster{
    .name = "hashes_of_cluster",
    .parameters = "source hashes",
    .sql = std::format("{} SELECT r.stack_hash, CASE WHEN r.stack_hash = ANY($hashes::text[]) THEN "
                       "r.fingerprint::text END FROM cluster_route r JOIN merged_in ON "
                       "r.cluster_id = merged_in.id ORDER BY r.stack_hash",
                       kMergedIn)};

// Statements without a name concern clusters of any size, and are planned for the actual values.
//
// The gain is computed from the counts kept by the flusher, which are at most a second old.
const database::Statement kMergeFacts{.name = {},
                                      .parameters = "source target",
                                      .sql = std::format(R"({}, gained AS (
  SELECT kind, value FROM cluster_facet
  WHERE cluster_id = $source AND kind IN ('service', 'environment')
  EXCEPT
  SELECT kind, value FROM cluster_facet
  WHERE cluster_id = $target AND kind IN ('service', 'environment')
), hashes AS (
  SELECT r.stack_hash FROM cluster_route r JOIN merged_in ON r.cluster_id = merged_in.id
)
SELECT (SELECT count(*) FROM cluster_member WHERE cluster_id = $source),
       (SELECT count(*) FROM cluster_member WHERE cluster_id = $target),
       (SELECT count(*) FROM cluster_member s JOIN cluster_member t USING (auth_error_id)
        WHERE s.cluster_id = $source AND t.cluster_id = $target),
       ARRAY(SELECT value FROM gained WHERE kind = 'service' ORDER BY value),
       ARRAY(SELECT value FROM gained WHERE kind = 'environment' ORDER BY value),
       (SELECT count(*) FROM hashes),
       ARRAY(SELECT stack_hash FROM hashes ORDER BY stack_hash LIMIT {}))",
                                                         kMergedIn, kShownHashes)};

struct MergeFacts {
  std::int64_t sourceErrors = 0;
  std::int64_t targetErrors = 0;
  std::int64_t errorsInBoth = 0;
  std::vector<std::string> servicesGained;
  std::vector<std::string> environmentsGained;
  std::int64_t stackHashCount = 0;
  std::vector<std::string> stackHashes;
};

const database::Statement kMergeAway{.name = "merge_cluster_away",
                                     .sql = "UPDATE cluster SET merged_into = $2 WHERE id = $1"};

constexpr auto kSerializationFailure = "40001";

// Unfinished jobs that move errors from the cluster $source.
const std::string kLeaving = std::format(
    "leaving AS MATERIALIZED (SELECT * FROM job WHERE cluster_id = $source AND kind = '{}' "
    "AND status IN ('{}', '{}'))",
    jobs::toText(jobs::JobKind::move), jobs::toText(jobs::JobStatus::queued),
    jobs::toText(jobs::JobStatus::running));
// The member `m` with its error `e` is not moved by these jobs, so it can be split.
const std::string kNotLeaving = std::format(
    "NOT EXISTS (SELECT FROM leaving WHERE CASE WHEN stack_hashes IS NULL THEN coalesce({}, false) "
    "ELSE m.stack_hash = ANY(stack_hashes) END)",
    triage::matchesSql("leaving"));

// The member `m` with its error `e` moves.
const std::string kGoes = std::format(
    "CASE WHEN $hashes::text[] = '{{}}' THEN coalesce({}, false) "
    "ELSE m.stack_hash = ANY($hashes) END",
    triage::matchesSql("choice"));
// The values are those of choiceParameters().
const std::string kChoiceParameters = std::format("source hashes {}", triage::kMatchParameters);
const std::string kMembersWithErrors =
    std::format("cluster_member m JOIN auth_error e ON e.id = m.auth_error_id CROSS JOIN {}",
                triage::matchRow("choice"));

// The same in the order of ids, when only a few are needed: OFFSET 0 keeps the planner from
// scanning all errors instead, up to the first of the cluster.
const std::string kMembersInOrder = std::format(
    "cluster_member m CROSS JOIN LATERAL (SELECT * FROM auth_error WHERE id = m.auth_error_id "
    "OFFSET 0) e CROSS JOIN {}",
    triage::matchRow("choice"));

const database::Statement kCountSplit{
    .name = {},
    .parameters = kChoiceParameters,
    .sql = std::format(R"(WITH {2}, parts AS (
  SELECT {0} AS goes, e.service_name, e.environment, count(*) AS errors
  FROM {1} WHERE m.cluster_id = $source AND {3} GROUP BY goes, e.service_name, e.environment
), going AS (
  SELECT * FROM parts WHERE goes
)
SELECT coalesce((SELECT sum(errors) FROM going), 0)::bigint,
       coalesce((SELECT sum(errors) FROM parts WHERE NOT goes), 0)::bigint,
       ARRAY(SELECT DISTINCT service_name FROM going WHERE service_name IS NOT NULL ORDER BY 1),
       ARRAY(SELECT DISTINCT environment FROM going WHERE environment IS NOT NULL ORDER BY 1))",
                       kGoes, kMembersWithErrors, kLeaving, kNotLeaving)};

struct SplitCounts {
  std::int64_t moving = 0;
  std::int64_t staying = 0;
  std::vector<std::string> services;
  std::vector<std::string> environments;
};

// The first error that moves, if there is one, and whether one stays: in a cluster of any size,
// both are usually found quickly.
const database::Statement kProbeSplit{
    .name = {},
    .parameters = kChoiceParameters,
    .sql = std::format(R"(WITH {2}
SELECT (SELECT m.auth_error_id FROM {0} WHERE m.cluster_id = $source AND {1} AND {3}
        ORDER BY m.auth_error_id LIMIT 1),
       (SELECT m.auth_error_id FROM {0} WHERE m.cluster_id = $source AND NOT {1} AND {3}
        ORDER BY m.auth_error_id LIMIT 1))",
                       kMembersInOrder, kGoes, kLeaving, kNotLeaving)};

struct ProbedSplit {
  std::optional<domain::ErrorId> goes;
  std::optional<domain::ErrorId> stays;
};

const database::Statement kStillThere{
    .name = "still_there_to_split",
    .parameters = "source errors",
    .sql = std::format("WITH {} SELECT m.auth_error_id FROM cluster_member m JOIN auth_error e "
                       "ON e.id = m.auth_error_id WHERE m.cluster_id = $source "
                       "AND m.auth_error_id = ANY($errors::bigint[]) AND {}",
                       kLeaving, kNotLeaving)};

const database::Statement kSplitSamples{
    .name = {},
    .parameters = kChoiceParameters,
    .sql = std::format("WITH {} SELECT e.id, e.exception_class, e.exception_message, "
                       "e.service_name, e.environment, e.occurred_at FROM {} "
                       "WHERE m.cluster_id = $source AND {} AND {} "
                       "ORDER BY m.auth_error_id DESC LIMIT {}",
                       kLeaving, kMembersInOrder, kGoes, kNotLeaving, kShownErrors)};

// The deltas of the moved errors correct the times at which it was seen.
const database::Statement kMakeCluster{
    .name = "make_cluster_of_split",
    .parameters = "sample title by note",
    .sql = std::format(R"(INSERT INTO cluster (title, exception_class, state, state_changed_at,
  state_changed_by, state_note, sample_error_id, error_count, actor_count, first_seen_at,
  last_seen_at, created_at)
SELECT $title, e.exception_class, '{}', now(), $by, $note, e.id, 0, 0, e.occurred_at, e.occurred_at,
  now()
FROM auth_error e WHERE e.id = $sample
RETURNING id)",
                       domain::toText(domain::ClusterState::open))};

const database::Statement kSplitOff{
    .name = "split_off",
    .parameters = std::format("source made by {}", triage::kMatchParameters),
    .sql = std::format("INSERT INTO cluster_split (from_cluster_id, to_cluster_id, created_at, "
                       "created_by, {}) SELECT $source, $made, now(), $by, {} FROM {}",
                       triage::matchColumns(), triage::matchColumns("split_by"),
                       triage::matchRow("split_by"))};

const database::Statement kRouteAway{
    .name = "route_away",
    .parameters = "source made hashes",
    .sql = std::format("{} UPDATE cluster_route SET cluster_id = $made FROM merged_in "
                       "WHERE cluster_route.cluster_id = merged_in.id "
                       "AND cluster_route.stack_hash = ANY($hashes::text[])",
                       kMergedIn)};

// After a split by hashes, errors that earlier splits moved out of this cluster stay where they
// are, now and when they are analysed again; errors that were merged back move with their hashes.
const database::Statement kKeepEarlierSplits{
    .name = "keep_earlier_splits",
    .parameters = "source made by",
    .sql = std::format("{0} INSERT INTO cluster_split (from_cluster_id, to_cluster_id, created_at, "
                       "created_by, {1}) SELECT $made, s.to_cluster_id, now(), $by, {2} "
                       "FROM cluster_split s WHERE s.from_cluster_id = $source "
                       "AND s.to_cluster_id NOT IN (SELECT id FROM merged_in) ORDER BY s.id",
                       kMergedIn, triage::matchColumns(), triage::matchColumns("s"))};

std::unexpected<MoveRefusal> refuse(MoveRefusal::Reason reason) {
  return std::unexpected(MoveRefusal{.reason = reason});
}

struct FoundCluster {
  domain::ClusterId id;
  std::string title;
  std::string state;
  std::optional<domain::ClusterId> mergedInto;
};

// The clusters in the order of the ids. Fails unless they are different and none was merged into
// another.
drogon::Task<MoveAnswer<std::vector<FoundCluster>>> find(database::Transaction& transaction,
                                                         const database::Statement& statement,
                                                         std::vector<domain::ClusterId> ids) {
  const auto rows = (co_await transaction.run(statement, ids)).as<FoundCluster>();
  std::vector<FoundCluster> found;
  for (const domain::ClusterId id : ids) {
    const auto row = std::ranges::find(rows, id, &FoundCluster::id);
    if (row == rows.end()) {
      co_return refuse(found.empty() ? MoveRefusal::Reason::unknown
                                     : MoveRefusal::Reason::targetUnknown);
    }
    found.push_back(*row);
  }
  for (const FoundCluster& cluster : found) {
    if (cluster.mergedInto) {
      co_return std::unexpected(MoveRefusal{.reason = MoveRefusal::Reason::mergedAway,
                                            .clusterId = cluster.id,
                                            .mergedInto = *cluster.mergedInto});
    }
  }
  co_return found;
}

// With the exclusive routing lock, and with the clusters locked in the order of their ids.
drogon::Task<MoveAnswer<std::vector<FoundCluster>>> lockToMove(database::Transaction& transaction,
                                                               std::vector<domain::ClusterId> ids) {
  const domain::ClusterId source = ids.front();
  co_await database::lock(transaction, database::AdvisoryLock::routes);
  auto found = co_await find(transaction, kLockClusters, std::move(ids));
  if (!found) {
    co_return found;
  }
  // Errors must not be moved during a decision on them.
  if (!(co_await transaction.run(kOpenDecision, source)).empty()) {
    co_return refuse(MoveRefusal::Reason::beingDecided);
  }
  co_return found;
}

database::Parameters choiceParameters(domain::ClusterId source, const SplitChoice& choice) {
  return database::encoded(source, choice.stackHashes, triage::matchParameters(choice.match));
}

struct RouteToCluster {
  std::string_view stackHash;
  std::optional<std::string_view> fingerprint;
};

// The title of a split by hashes, once it is verified that they are routed to the cluster and are
// not all of its hashes.
drogon::Task<MoveAnswer<std::string>> titleOfHashes(database::Transaction& transaction,
                                                    domain::ClusterId source,
                                                    std::string sourceTitle,
                                                    std::vector<std::string> hashes) {
  const database::Result found = co_await transaction.run(kHashesOfCluster, source, hashes);
  const auto routes = found.as<RouteToCluster>();
  std::size_t named = 0;
  std::optional<std::string_view> fingerprint;
  for (const RouteToCluster& route : routes) {
    if (std::erase(hashes, route.stackHash) > 0) {
      ++named;
      fingerprint = fingerprint ? fingerprint : route.fingerprint;
    }
  }
  if (!hashes.empty()) {
    co_return std::unexpected(MoveRefusal{.reason = MoveRefusal::Reason::foreignHashes,
                                          .stackHashes = std::move(hashes)});
  }
  if (named == routes.size()) {
    co_return refuse(MoveRefusal::Reason::allHashes);
  }
  co_return fingerprint ? domain::clusterTitle(fingerprintFrom(*fingerprint))
                        : splitTitle(sourceTitle, "other hashes");
}

drogon::Task<MoveAnswer<std::string>> titleOf(database::Transaction& transaction,
                                              FoundCluster source, SplitChoice choice) {
  MoveAnswer<std::string> title = splitTitle(source.title, describe(choice.match));
  if (!choice.stackHashes.empty()) {
    title = co_await titleOfHashes(transaction, source.id, std::move(source.title),
                                   std::move(choice.stackHashes));
  }
  if (title && choice.title) {
    title = *std::move(choice.title);
  }
  co_return title;
}

struct SplitSample {
  domain::ErrorId goes;
  domain::ErrorId stays;
};

// One error that moves, and one that stays.
drogon::Task<MoveAnswer<SplitSample>> sampleOf(database::Transaction& transaction,
                                               domain::ClusterId source, SplitChoice choice) {
  const auto probed =
      (co_await transaction.run(kProbeSplit, choiceParameters(source, choice))).only<ProbedSplit>();
  if (!probed.goes) {
    co_return refuse(MoveRefusal::Reason::nothingToMove);
  }
  if (!probed.stays) {
    co_return refuse(MoveRefusal::Reason::nothingToStay);
  }
  co_return SplitSample{.goes = *probed.goes, .stays = *probed.stays};
}

// Why the split would be refused now, if one of them has left while waiting for the routing lock.
drogon::Task<std::optional<MoveRefusal::Reason>> goneMeanwhile(database::Transaction& transaction,
                                                               domain::ClusterId source,
                                                               SplitSample sample) {
  const auto there =
      (co_await transaction.run(kStillThere, source, std::array{sample.goes, sample.stays}))
          .column<domain::ErrorId>();
  if (!std::ranges::contains(there, sample.goes)) {
    co_return MoveRefusal::Reason::nothingToMove;
  }
  if (!std::ranges::contains(there, sample.stays)) {
    co_return MoveRefusal::Reason::nothingToStay;
  }
  co_return std::nullopt;
}

drogon::Task<domain::ClusterId> makeCluster(database::Transaction& transaction,
                                            domain::ErrorId sample, std::string title,
                                            MoveOrder order) {
  co_return (co_await transaction.run(kMakeCluster, sample, title, order.by, order.note))
      .only<domain::ClusterId>();
}

drogon::Task<void> leadAway(database::Transaction& transaction, domain::ClusterId source,
                            domain::ClusterId made, SplitChoice choice, std::string by) {
  if (choice.stackHashes.empty()) {
    co_await transaction.run(kSplitOff, source, made, by, triage::matchParameters(choice.match));
    co_return;
  }
  co_await transaction.run(kRouteAway, source, made, choice.stackHashes);
  co_await transaction.run(kKeepEarlierSplits, source, made, by);
}

drogon::Task<jobs::Job> enqueueMove(database::Transaction& transaction, domain::ClusterId source,
                                    domain::ClusterId target, SplitChoice choice, MoveOrder order) {
  return jobs::enqueue(transaction, {.kind = jobs::JobKind::move,
                                     .clusterId = source,
                                     .requestedBy = std::move(order.by),
                                     .traceparent = std::nullopt,
                                     .decision = std::nullopt,
                                     .note = std::move(order.note),
                                     .targetClusterId = target,
                                     .stackHashes = std::move(choice.stackHashes),
                                     .match = std::move(choice.match)});
}

// REQUIRES: the transaction has the exclusive routing lock. Waiting for a rule now could deadlock,
// because its holder may wait for the routing lock; so the transaction is repeated and waits first.
drogon::Task<void> passLateRulesOn(database::Transaction& transaction, domain::ClusterId source,
                                   domain::ClusterId target, std::string by) {
  if (co_await rules::passFreeRulesOn(transaction, source, target, std::move(by)) > 0) {
    throw database::Error(database::Failure::statement, "a rule of the merged cluster is in use",
                          kSerializationFailure);
  }
}

drogon::Task<MoveAnswer<jobs::Job>> mergeIn(database::Transaction& transaction,
                                            domain::ClusterId source, domain::ClusterId target,
                                            MoveOrder order) {
  // Before the routing lock: the holder of a rule may wait for errors, and the holder of errors for
  // the routing lock.
  co_await rules::passRulesOn(transaction, source, target, order.by);
  const auto locked = co_await lockToMove(transaction, {source, target});
  if (!locked) {
    co_return std::unexpected(locked.error());
  }
  // A rule that was created for the source, or passed on to it, since then; its writer held the
  // routing lock.
  co_await passLateRulesOn(transaction, source, target, order.by);
  co_await transaction.run(kMergeAway, source, target);
  co_return co_await enqueueMove(transaction, source, target, {}, std::move(order));
}

// The errors to move are searched for before taking the routing lock: the search may take seconds,
// during which no error could be placed.
drogon::Task<MoveAnswer<SplitMade>> splitIn(database::Transaction& transaction,
                                            domain::ClusterId source, SplitChoice choice,
                                            MoveOrder order) {
  const auto found = co_await find(transaction, kFindClusters, {source});
  if (!found) {
    co_return std::unexpected(found.error());
  }
  auto title = co_await titleOf(transaction, found->front(), choice);
  if (!title) {
    co_return std::unexpected(std::move(title.error()));
  }
  const auto sample = co_await sampleOf(transaction, source, choice);
  if (!sample) {
    co_return std::unexpected(sample.error());
  }
  if (const auto locked = co_await lockToMove(transaction, {source}); !locked) {
    co_return std::unexpected(locked.error());
  }
  // Another split may have come first.
  title = co_await titleOf(transaction, found->front(), choice);
  if (!title) {
    co_return std::unexpected(std::move(title.error()));
  }
  if (const auto gone = co_await goneMeanwhile(transaction, source, *sample)) {
    co_return refuse(*gone);
  }
  const domain::ClusterId made = co_await makeCluster(transaction, sample->goes, *title, order);
  co_await leadAway(transaction, source, made, choice, order.by);
  jobs::Job job =
      co_await enqueueMove(transaction, source, made, std::move(choice), std::move(order));
  co_return SplitMade{.clusterId = made, .title = *std::move(title), .job = std::move(job)};
}

ClusterInMerge inMerge(const FoundCluster& cluster, std::int64_t errorCount) {
  return {
      .id = cluster.id, .title = cluster.title, .state = cluster.state, .errorCount = errorCount};
}

drogon::Task<MoveAnswer<MergePreview>> previewMergeIn(database::Transaction& transaction,
                                                      domain::ClusterId source,
                                                      domain::ClusterId target) {
  const auto found = co_await find(transaction, kFindClusters, {source, target});
  if (!found) {
    co_return std::unexpected(found.error());
  }
  auto facts = (co_await transaction.run(kMergeFacts, source, target)).only<MergeFacts>();
  co_return MergePreview{.source = inMerge(found->at(0), facts.sourceErrors),
                         .target = inMerge(found->at(1), facts.targetErrors),
                         .movingErrors = facts.sourceErrors - facts.errorsInBoth,
                         .errorsInBoth = facts.errorsInBoth,
                         .servicesGained = std::move(facts.servicesGained),
                         .environmentsGained = std::move(facts.environmentsGained),
                         .stackHashCount = facts.stackHashCount,
                         .stackHashes = std::move(facts.stackHashes)};
}

drogon::Task<MoveAnswer<SplitPreview>> previewSplitIn(database::Transaction& transaction,
                                                      domain::ClusterId source,
                                                      SplitChoice choice) {
  const auto found = co_await find(transaction, kFindClusters, {source});
  if (!found) {
    co_return std::unexpected(found.error());
  }
  auto title = co_await titleOf(transaction, found->front(), choice);
  if (!title) {
    co_return std::unexpected(std::move(title.error()));
  }
  const database::Parameters parameters = choiceParameters(source, choice);
  auto counts = (co_await transaction.run(kCountSplit, parameters)).only<SplitCounts>();
  if (counts.moving == 0) {
    co_return refuse(MoveRefusal::Reason::nothingToMove);
  }
  if (counts.staying == 0) {
    co_return refuse(MoveRefusal::Reason::nothingToStay);
  }
  const database::Result samples = co_await transaction.run(kSplitSamples, parameters);
  co_return SplitPreview{.title = *std::move(title),
                         .movingErrors = counts.moving,
                         .stayingErrors = counts.staying,
                         .services = std::move(counts.services),
                         .environments = std::move(counts.environments),
                         .samples = samples.as<MovingError>()};
}

}  // namespace

drogon::Task<MoveAnswer<MergePreview>> MoveStore::previewMerge(domain::ClusterId source,
                                                               domain::ClusterId target,
                                                               database::Deadline deadline) {
  if (source == target) {
    co_return refuse(MoveRefusal::Reason::sameCluster);
  }
  co_return co_await database::transact(
      {.client = clients_.searches, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return previewMergeIn(transaction, source, target);
      });
}

drogon::Task<MoveAnswer<jobs::Job>> MoveStore::merge(domain::ClusterId source,
                                                     domain::ClusterId target, MoveOrder order,
                                                     database::Deadline deadline) {
  if (source == target) {
    co_return refuse(MoveRefusal::Reason::sameCluster);
  }
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return mergeIn(transaction, source, target, order);
      });
}

drogon::Task<MoveAnswer<SplitPreview>> MoveStore::previewSplit(domain::ClusterId source,
                                                               SplitChoice choice,
                                                               database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.searches, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return previewSplitIn(transaction, source, choice);
      });
}

drogon::Task<MoveAnswer<SplitMade>> MoveStore::split(domain::ClusterId source, SplitChoice choice,
                                                     MoveOrder order, database::Deadline deadline) {
  co_return co_await database::transact(
      {.client = clients_.actions, .deadline = deadline, .event = kMovingFailed, .searches = true},
      [&](database::Transaction& transaction) {
        return splitIn(transaction, source, choice, order);
      });
}

}  // namespace auth_errors::clusters
