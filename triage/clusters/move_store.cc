#include "triage/clusters/move_store.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <string_view>
#include <utility>

#include "domain/clusters/cluster.h"
#include "platform/database/ids.h"
#include "platform/database/transact.h"
#include "triage/clusters/fault.h"
#include "triage/clusters/placement.h"
#include "triage/clusters/split_title.h"
#include "triage/errors/read_fault.h"
#include "triage/jobs/job_store.h"

namespace auth_errors::clusters {
namespace {

template <typename T>
using MoveAnswer = MoveStore::Answer<T>;

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

// The cluster $1 and those that were merged into it, directly or not.
constexpr std::string_view kMergedIn = R"(WITH RECURSIVE merged_in (id) AS (
  SELECT $1::bigint
  UNION ALL
  SELECT c.id FROM cluster c JOIN merged_in ON c.merged_into = merged_in.id
))";

// The hashes that lead to the cluster, with the fingerprints of those that are named.
const database::Statement kHashesOfCluster{
    .name = "hashes_of_cluster",
    .sql = std::format("{} SELECT r.stack_hash, CASE WHEN r.stack_hash = ANY($2::text[]) THEN "
                       "r.fingerprint::text END FROM cluster_route r JOIN merged_in ON "
                       "r.cluster_id = merged_in.id ORDER BY r.stack_hash",
                       kMergedIn)};

// The statements without a name have clusters of any size to do with, and the planner is to see
// which.
//
// What is gained is told by the numbers that the flusher keeps; they are a second old at most.
const database::Statement kMergeFacts{.name = {},
                                      .sql = std::format(R"({}, gained AS (
  SELECT kind, value FROM cluster_facet
  WHERE cluster_id = $1 AND kind IN ('service', 'environment')
  EXCEPT
  SELECT kind, value FROM cluster_facet
  WHERE cluster_id = $2 AND kind IN ('service', 'environment')
), hashes AS (
  SELECT r.stack_hash FROM cluster_route r JOIN merged_in ON r.cluster_id = merged_in.id
)
SELECT (SELECT count(*) FROM cluster_member WHERE cluster_id = $1),
       (SELECT count(*) FROM cluster_member WHERE cluster_id = $2),
       (SELECT count(*) FROM cluster_member s JOIN cluster_member t USING (auth_error_id)
        WHERE s.cluster_id = $1 AND t.cluster_id = $2),
       ARRAY(SELECT value FROM gained WHERE kind = 'service' ORDER BY value),
       ARRAY(SELECT value FROM gained WHERE kind = 'environment' ORDER BY value),
       (SELECT count(*) FROM hashes),
       ARRAY(SELECT stack_hash FROM hashes ORDER BY stack_hash LIMIT {}))",
                                                         kMergedIn, kShownHashes)};

const database::Statement kMergeAway{.name = "merge_cluster_away",
                                     .sql = "UPDATE cluster SET merged_into = $2 WHERE id = $1"};

const database::Statement kPassRulesOn{
    .name = "pass_rules_on",
    .sql =
        "UPDATE rule SET match_cluster_id = $2, changed_at = now(), changed_by = $3 "
        "WHERE id = ANY(ARRAY(SELECT id FROM rule WHERE match_cluster_id = $1 ORDER BY id FOR "
        "UPDATE))"};

// Without waiting; how many rules somebody else holds.
const database::Statement kPassLateRulesOn{.name = "pass_late_rules_on", .sql = R"(WITH passed AS (
  UPDATE rule SET match_cluster_id = $2, changed_at = now(), changed_by = $3
  WHERE id = ANY(ARRAY(SELECT id FROM rule WHERE match_cluster_id = $1 ORDER BY id
                       FOR UPDATE SKIP LOCKED))
  RETURNING id
)
SELECT count(*) FROM rule WHERE match_cluster_id = $1 AND id NOT IN (SELECT id FROM passed))"};
constexpr auto kSerializationFailure = "40001";

// Jobs that move errors from the cluster $1, and have not ended.
const std::string kLeaving = std::format(
    "leaving AS MATERIALIZED (SELECT * FROM job WHERE cluster_id = $1 AND kind = '{}' "
    "AND status IN ('{}', '{}'))",
    jobs::toText(jobs::JobKind::move), jobs::toText(jobs::JobStatus::queued),
    jobs::toText(jobs::JobStatus::running));
// The member `m` with its error `e` is not among what they take, and so is there to be split.
const std::string kNotLeaving = std::format(
    "NOT EXISTS (SELECT FROM leaving WHERE CASE WHEN stack_hashes IS NULL THEN coalesce({}, false) "
    "ELSE m.stack_hash = ANY(stack_hashes) END)",
    triage::matchesSql("leaving"));

// The member `m` with its error `e` goes. The parameters are those of choiceParameters().
const std::string kGoes = std::format(
    "CASE WHEN $2::text[] = '{{}}' THEN coalesce({}, false) ELSE m.stack_hash = ANY($2) END",
    triage::matchesSql("choice"));
const std::string kMembersWithErrors =
    std::format("cluster_member m JOIN auth_error e ON e.id = m.auth_error_id CROSS JOIN {}",
                triage::matchRow(3, "choice"));

// The same for those that are looked for in the order of their ids, of which a few will do: OFFSET
// 0 keeps the planner from walking through all errors instead, up to the first of the cluster.
const std::string kMembersInOrder = std::format(
    "cluster_member m CROSS JOIN LATERAL (SELECT * FROM auth_error WHERE id = m.auth_error_id "
    "OFFSET 0) e CROSS JOIN {}",
    triage::matchRow(3, "choice"));

const database::Statement kCountSplit{
    .name = {},
    .sql = std::format(R"(WITH {2}, parts AS (
  SELECT {0} AS goes, e.service_name, e.environment, count(*) AS errors
  FROM {1} WHERE m.cluster_id = $1 AND {3} GROUP BY goes, e.service_name, e.environment
), going AS (
  SELECT * FROM parts WHERE goes
)
SELECT coalesce((SELECT sum(errors) FROM going), 0)::bigint,
       coalesce((SELECT sum(errors) FROM parts WHERE NOT goes), 0)::bigint,
       ARRAY(SELECT DISTINCT service_name FROM going WHERE service_name IS NOT NULL ORDER BY 1),
       ARRAY(SELECT DISTINCT environment FROM going WHERE environment IS NOT NULL ORDER BY 1))",
                       kGoes, kMembersWithErrors, kLeaving, kNotLeaving)};

// The first error that goes, if there is one, and whether one stays: however many there are, both
// are usually found soon.
const database::Statement kProbeSplit{
    .name = {},
    .sql = std::format(R"(WITH {2}
SELECT (SELECT m.auth_error_id FROM {0} WHERE m.cluster_id = $1 AND {1} AND {3}
        ORDER BY m.auth_error_id LIMIT 1),
       (SELECT m.auth_error_id FROM {0} WHERE m.cluster_id = $1 AND NOT {1} AND {3}
        ORDER BY m.auth_error_id LIMIT 1))",
                       kMembersInOrder, kGoes, kLeaving, kNotLeaving)};

const database::Statement kStillThere{
    .name = "still_there_to_split",
    .sql = std::format("WITH {} SELECT m.auth_error_id FROM cluster_member m JOIN auth_error e "
                       "ON e.id = m.auth_error_id WHERE m.cluster_id = $1 "
                       "AND m.auth_error_id = ANY($2::bigint[]) AND {}",
                       kLeaving, kNotLeaving)};

const database::Statement kSplitSamples{
    .name = {},
    .sql = std::format("WITH {} SELECT e.id, e.exception_class, e.exception_message, "
                       "e.service_name, e.environment, e.occurred_at FROM {} "
                       "WHERE m.cluster_id = $1 AND {} AND {} "
                       "ORDER BY m.auth_error_id DESC LIMIT {}",
                       kLeaving, kMembersInOrder, kGoes, kNotLeaving, kShownErrors)};

// When it was seen it learns from the deltas of those that come.
const database::Statement kMakeCluster{
    .name = "make_cluster_of_split",
    .sql = std::format(R"(INSERT INTO cluster (title, exception_class, state, state_changed_at,
  state_changed_by, state_note, sample_error_id, error_count, actor_count, first_seen_at,
  last_seen_at, created_at)
SELECT $2, e.exception_class, '{}', now(), $3, $4, e.id, 0, 0, e.occurred_at, e.occurred_at, now()
FROM auth_error e WHERE e.id = $1
RETURNING id)",
                       domain::toText(domain::ClusterState::open))};

const database::Statement kSplitOff{
    .name = "split_off",
    .sql = std::format("INSERT INTO cluster_split (from_cluster_id, to_cluster_id, created_at, "
                       "created_by, {}) VALUES ($1, $2, now(), $3, $4, $5, $6, $7, $8, $9)",
                       triage::matchColumns())};

const database::Statement kRouteAway{
    .name = "route_away",
    .sql = std::format("{} UPDATE cluster_route SET cluster_id = $2 FROM merged_in "
                       "WHERE cluster_route.cluster_id = merged_in.id "
                       "AND cluster_route.stack_hash = ANY($3::text[])",
                       kMergedIn)};

// Hashes that are split off leave the errors where they are that earlier splits have taken from
// this cluster, now and when they are analysed again; but what was merged back goes with them.
const database::Statement kKeepEarlierSplits{
    .name = "keep_earlier_splits",
    .sql = std::format("{0} INSERT INTO cluster_split (from_cluster_id, to_cluster_id, created_at, "
                       "created_by, {1}) SELECT $2, s.to_cluster_id, now(), $3, {2} "
                       "FROM cluster_split s WHERE s.from_cluster_id = $1 "
                       "AND s.to_cluster_id NOT IN (SELECT id FROM merged_in) ORDER BY s.id",
                       kMergedIn, triage::matchColumns(), triage::matchColumns("s"))};

MoveRefusal refusalOf(MoveFault fault) {
  return {.fault = fault, .clusterId = 0, .mergedInto = 0, .stackHashes = {}};
}

std::unexpected<MoveRefusal> refuse(MoveFault fault) { return std::unexpected(refusalOf(fault)); }

MoveFault faultOf(const database::Error& error, const database::Client& client,
                  database::Deadline deadline) {
  return triage::faultOf(error, client, deadline) == triage::ReadFault::tooSlow
             ? MoveFault::tooSlow
             : MoveFault::unavailable;
}

// What a failed transaction is to the caller.
auto refusals(const database::Client& client, database::Deadline deadline) {
  return [&client, deadline](const database::Error& error, bool lost) {
    const MoveFault fault = faultOf(error, client, deadline);
    return refusalOf(lost ? MoveFault::outcomeUnknown : fault);
  };
}

struct FoundCluster {
  std::int64_t id = 0;
  std::string title;
  std::string state;
};

// The clusters in the order of the ids, which are different, none of them merged away.
drogon::Task<MoveAnswer<std::vector<FoundCluster>>> find(database::Transaction& transaction,
                                                         const database::Statement& statement,
                                                         std::vector<std::int64_t> ids,
                                                         database::Deadline deadline) {
  database::Parameters parameters;
  parameters.addArray(ids);
  const database::Result rows =
      co_await transaction.run(statement, std::move(parameters), deadline);
  std::vector<FoundCluster> found;
  std::optional<MoveRefusal> mergedAway;
  for (const std::int64_t id : ids) {
    std::size_t row = 0;
    while (row < rows.rows() && rows.value<std::int64_t>(row, 0) != id) {
      ++row;
    }
    if (row == rows.rows()) {
      co_return refuse(found.empty() ? MoveFault::unknown : MoveFault::targetUnknown);
    }
    if (!rows.isNull(row, 3) && !mergedAway) {
      mergedAway = {.fault = MoveFault::mergedAway,
                    .clusterId = id,
                    .mergedInto = rows.value<std::int64_t>(row, 3),
                    .stackHashes = {}};
    }
    found.push_back({.id = id,
                     .title = rows.value<std::string>(row, 1),
                     .state = rows.value<std::string>(row, 2)});
  }
  if (mergedAway) {
    co_return std::unexpected(*std::move(mergedAway));
  }
  co_return found;
}

// Alone with the routes, and with the clusters locked in the order of their ids.
drogon::Task<MoveAnswer<std::vector<FoundCluster>>> lockToMove(database::Transaction& transaction,
                                                               std::vector<std::int64_t> ids,
                                                               database::Deadline deadline) {
  const std::int64_t source = ids.front();
  co_await lockRoutesAlone(transaction, deadline);
  auto found = co_await find(transaction, kLockClusters, std::move(ids), deadline);
  if (!found) {
    co_return found;
  }
  // Errors must not be moved from under it.
  database::Parameters parameters;
  parameters.add(source);
  const database::Result open =
      co_await transaction.run(kOpenDecision, std::move(parameters), deadline);
  if (!open.empty()) {
    co_return refuse(MoveFault::beingDecided);
  }
  co_return found;
}

database::Parameters choiceParameters(std::int64_t source, const SplitChoice& choice) {
  database::Parameters parameters;
  parameters.add(source).addArray(choice.stackHashes);
  triage::addMatch(parameters, choice.match);
  return parameters;
}

// The title of a split by hashes, once they have proved to lead to the cluster and not to be all.
drogon::Task<MoveAnswer<std::string>> titleOfHashes(database::Transaction& transaction,
                                                    std::int64_t source, std::string sourceTitle,
                                                    std::vector<std::string> hashes,
                                                    database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(source).addArray(hashes);
  const database::Result routes =
      co_await transaction.run(kHashesOfCluster, std::move(parameters), deadline);
  MoveRefusal foreign{.fault = MoveFault::foreignHashes,
                      .clusterId = 0,
                      .mergedInto = 0,
                      .stackHashes = std::move(hashes)};
  std::size_t named = 0;
  std::optional<std::string> fingerprint;
  for (std::size_t row = 0; row < routes.rows(); ++row) {
    if (std::erase(foreign.stackHashes, routes.value<std::string_view>(row, 0)) > 0) {
      ++named;
      fingerprint = fingerprint ? fingerprint : routes.value<std::optional<std::string>>(row, 1);
    }
  }
  if (!foreign.stackHashes.empty()) {
    co_return std::unexpected(std::move(foreign));
  }
  if (named == routes.rows()) {
    co_return refuse(MoveFault::allHashes);
  }
  co_return fingerprint ? domain::clusterTitle(fingerprintFrom(*fingerprint))
                        : splitTitle(sourceTitle, "other hashes");
}

drogon::Task<MoveAnswer<std::string>> titleOf(database::Transaction& transaction,
                                              FoundCluster source, SplitChoice choice,
                                              database::Deadline deadline) {
  MoveAnswer<std::string> title = splitTitle(source.title, describe(choice.match));
  if (!choice.stackHashes.empty()) {
    title = co_await titleOfHashes(transaction, source.id, std::move(source.title),
                                   std::move(choice.stackHashes), deadline);
  }
  co_return title&& choice.title ? *choice.title : title;
}

struct SplitSample {
  std::int64_t goes = 0;
  std::int64_t stays = 0;
};

// One of the errors that go, and one that stays.
drogon::Task<MoveAnswer<SplitSample>> sampleOf(database::Transaction& transaction,
                                               std::int64_t source, SplitChoice choice,
                                               database::Deadline deadline) {
  const database::Result probed =
      co_await transaction.run(kProbeSplit, choiceParameters(source, choice), deadline);
  if (probed.isNull(0, 0)) {
    co_return refuse(MoveFault::nothingToMove);
  }
  if (probed.isNull(0, 1)) {
    co_return refuse(MoveFault::nothingToStay);
  }
  co_return SplitSample{.goes = probed.value<std::int64_t>(0, 0),
                        .stays = probed.value<std::int64_t>(0, 1)};
}

// What has become of them while the routes were waited for.
drogon::Task<std::optional<MoveFault>> goneMeanwhile(database::Transaction& transaction,
                                                     std::int64_t source, SplitSample sample,
                                                     database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(source).addArray(std::vector{sample.goes, sample.stays});
  const std::vector<std::int64_t> there =
      database::idsOf(co_await transaction.run(kStillThere, std::move(parameters), deadline));
  if (!std::ranges::contains(there, sample.goes)) {
    co_return MoveFault::nothingToMove;
  }
  if (!std::ranges::contains(there, sample.stays)) {
    co_return MoveFault::nothingToStay;
  }
  co_return std::nullopt;
}

drogon::Task<std::int64_t> makeCluster(database::Transaction& transaction, std::int64_t sample,
                                       std::string title, MoveOrder order,
                                       database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(sample).add(title).add(order.by).add(order.note);
  const database::Result made =
      co_await transaction.run(kMakeCluster, std::move(parameters), deadline);
  co_return made.value<std::int64_t>(0, 0);
}

drogon::Task<void> leadAway(database::Transaction& transaction, std::int64_t source,
                            std::int64_t made, SplitChoice choice, std::string by,
                            database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(source).add(made);
  if (choice.stackHashes.empty()) {
    parameters.add(by);
    triage::addMatch(parameters, choice.match);
    co_await transaction.run(kSplitOff, std::move(parameters), deadline);
    co_return;
  }
  parameters.addArray(choice.stackHashes);
  co_await transaction.run(kRouteAway, std::move(parameters), deadline);
  database::Parameters ofSplits;
  ofSplits.add(source).add(made).add(by);
  co_await transaction.run(kKeepEarlierSplits, std::move(ofSplits), deadline);
}

drogon::Task<jobs::Job> enqueueMove(database::Transaction& transaction, std::int64_t source,
                                    std::int64_t target, SplitChoice choice, MoveOrder order,
                                    database::Deadline deadline) {
  return jobs::enqueue(transaction,
                       {.kind = jobs::JobKind::move,
                        .clusterId = source,
                        .requestedBy = std::move(order.by),
                        .traceparent = std::nullopt,
                        .decision = std::nullopt,
                        .note = std::move(order.note),
                        .targetClusterId = target,
                        .stackHashes = std::move(choice.stackHashes),
                        .match = std::move(choice.match)},
                       deadline);
}

database::Parameters passedRules(std::int64_t source, std::int64_t target, const std::string& by) {
  database::Parameters parameters;
  parameters.add(source).add(target).add(by);
  return parameters;
}

// REQUIRES: the transaction is alone with the routes. To wait for a rule now could be a deadlock,
// since its holder may wait for the routes; so the transaction is run again, and waits first.
drogon::Task<void> passLateRulesOn(database::Transaction& transaction, std::int64_t source,
                                   std::int64_t target, std::string by,
                                   database::Deadline deadline) {
  const database::Result held =
      co_await transaction.run(kPassLateRulesOn, passedRules(source, target, by), deadline);
  if (held.value<std::int64_t>(0, 0) > 0) {
    throw database::Error(database::Failure::statement, "a rule of the merged cluster is in use",
                          kSerializationFailure);
  }
}

drogon::Task<MoveAnswer<jobs::Job>> mergeIn(database::Transaction& transaction, std::int64_t source,
                                            std::int64_t target, MoveOrder order,
                                            database::Deadline deadline) {
  // Before the routes: the holder of a rule may wait for errors, and the holder of errors for
  // routes.
  co_await transaction.run(kPassRulesOn, passedRules(source, target, order.by), deadline);
  const auto locked = co_await lockToMove(transaction, {source, target}, deadline);
  if (!locked) {
    co_return std::unexpected(locked.error());
  }
  // A rule that was made or passed on to the source since then; its writer held the routes.
  co_await passLateRulesOn(transaction, source, target, order.by, deadline);
  database::Parameters ofMerge;
  ofMerge.add(source).add(target);
  co_await transaction.run(kMergeAway, std::move(ofMerge), deadline);
  co_return co_await enqueueMove(transaction, source, target, {}, std::move(order), deadline);
}

// What would move is looked for before the routes are locked: that may take seconds, in which no
// error could be placed.
drogon::Task<MoveAnswer<SplitMade>> splitIn(database::Transaction& transaction, std::int64_t source,
                                            SplitChoice choice, MoveOrder order,
                                            database::Deadline deadline) {
  const auto found = co_await find(transaction, kFindClusters, {source}, deadline);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  auto title = co_await titleOf(transaction, found->front(), choice, deadline);
  if (!title) {
    co_return std::unexpected(std::move(title.error()));
  }
  const auto sample = co_await sampleOf(transaction, source, choice, deadline);
  if (!sample) {
    co_return std::unexpected(sample.error());
  }
  if (const auto locked = co_await lockToMove(transaction, {source}, deadline); !locked) {
    co_return std::unexpected(locked.error());
  }
  // Another split may have come first.
  title = co_await titleOf(transaction, found->front(), choice, deadline);
  if (!title) {
    co_return std::unexpected(std::move(title.error()));
  }
  if (const auto gone = co_await goneMeanwhile(transaction, source, *sample, deadline)) {
    co_return refuse(*gone);
  }
  const std::int64_t made =
      co_await makeCluster(transaction, sample->goes, *title, order, deadline);
  co_await leadAway(transaction, source, made, choice, order.by, deadline);
  jobs::Job job = co_await enqueueMove(transaction, source, made, std::move(choice),
                                       std::move(order), deadline);
  co_return SplitMade{.clusterId = made, .title = *std::move(title), .job = std::move(job)};
}

drogon::Task<MoveAnswer<MergePreview>> previewMergeIn(database::Transaction& transaction,
                                                      std::int64_t source, std::int64_t target,
                                                      database::Deadline deadline) {
  const auto found = co_await find(transaction, kFindClusters, {source, target}, deadline);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  database::Parameters parameters;
  parameters.add(source).add(target);
  const database::Result facts =
      co_await transaction.run(kMergeFacts, std::move(parameters), deadline);
  const auto cluster = [&](std::size_t index) {
    const FoundCluster& each = found->at(index);
    return ClusterInMerge{.id = each.id,
                          .title = each.title,
                          .state = each.state,
                          .errorCount = facts.value<std::int64_t>(0, index)};
  };
  const auto inBoth = facts.value<std::int64_t>(0, 2);
  co_return MergePreview{.source = cluster(0),
                         .target = cluster(1),
                         .movingErrors = facts.value<std::int64_t>(0, 0) - inBoth,
                         .errorsInBoth = inBoth,
                         .servicesGained = facts.value<std::vector<std::string>>(0, 3),
                         .environmentsGained = facts.value<std::vector<std::string>>(0, 4),
                         .stackHashCount = facts.value<std::int64_t>(0, 5),
                         .stackHashes = facts.value<std::vector<std::string>>(0, 6)};
}

drogon::Task<MoveAnswer<SplitPreview>> previewSplitIn(database::Transaction& transaction,
                                                      std::int64_t source, SplitChoice choice,
                                                      database::Deadline deadline) {
  const auto found = co_await find(transaction, kFindClusters, {source}, deadline);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  auto title = co_await titleOf(transaction, found->front(), choice, deadline);
  if (!title) {
    co_return std::unexpected(std::move(title.error()));
  }
  const database::Result counted =
      co_await transaction.run(kCountSplit, choiceParameters(source, choice), deadline);
  SplitPreview preview{.title = *std::move(title),
                       .movingErrors = counted.value<std::int64_t>(0, 0),
                       .stayingErrors = counted.value<std::int64_t>(0, 1),
                       .services = counted.value<std::vector<std::string>>(0, 2),
                       .environments = counted.value<std::vector<std::string>>(0, 3),
                       .samples = {}};
  if (preview.movingErrors == 0) {
    co_return refuse(MoveFault::nothingToMove);
  }
  if (preview.stayingErrors == 0) {
    co_return refuse(MoveFault::nothingToStay);
  }
  const database::Result samples =
      co_await transaction.run(kSplitSamples, choiceParameters(source, choice), deadline);
  for (std::size_t row = 0; row < samples.rows(); ++row) {
    preview.samples.push_back(
        {.id = samples.value<std::int64_t>(row, 0),
         .exceptionClass = samples.value<std::string>(row, 1),
         .exceptionMessage = samples.value<std::optional<std::string>>(row, 2),
         .serviceName = samples.value<std::optional<std::string>>(row, 3),
         .environment = samples.value<std::optional<std::string>>(row, 4),
         .occurredAt = samples.value<database::Timestamp>(row, 5)});
  }
  co_return preview;
}

}  // namespace

drogon::Task<MoveAnswer<MergePreview>> MoveStore::previewMerge(std::int64_t source,
                                                               std::int64_t target,
                                                               database::Deadline deadline) {
  if (source == target) {
    co_return refuse(MoveFault::sameCluster);
  }
  co_return co_await database::transact(
      clients_.searches,
      [&](database::Transaction& transaction) {
        return previewMergeIn(transaction, source, target, deadline);
      },
      refusals(clients_.searches, deadline), deadline);
}

drogon::Task<MoveAnswer<jobs::Job>> MoveStore::merge(std::int64_t source, std::int64_t target,
                                                     MoveOrder order, database::Deadline deadline) {
  if (source == target) {
    co_return refuse(MoveFault::sameCluster);
  }
  co_return co_await database::transact(
      clients_.actions,
      [&](database::Transaction& transaction) {
        return mergeIn(transaction, source, target, order, deadline);
      },
      refusals(clients_.actions, deadline), deadline);
}

drogon::Task<MoveAnswer<SplitPreview>> MoveStore::previewSplit(std::int64_t source,
                                                               SplitChoice choice,
                                                               database::Deadline deadline) {
  co_return co_await database::transact(
      clients_.searches,
      [&](database::Transaction& transaction) {
        return previewSplitIn(transaction, source, choice, deadline);
      },
      refusals(clients_.searches, deadline), deadline);
}

drogon::Task<MoveAnswer<SplitMade>> MoveStore::split(std::int64_t source, SplitChoice choice,
                                                     MoveOrder order, database::Deadline deadline) {
  co_return co_await database::transact(
      clients_.actions,
      [&](database::Transaction& transaction) {
        return splitIn(transaction, source, choice, order, deadline);
      },
      refusals(clients_.actions, deadline), deadline);
}

}  // namespace auth_errors::clusters
