#include "triage/clusters/cluster_split.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/clusters/cluster.h"
#include "triage/clusters/fault.h"
#include "triage/clusters/split_title.h"
#include "triage/errors/error_match.h"

namespace auth_errors::clusters {
namespace {

constexpr std::size_t kShownErrors = 5;

// The hashes routed to the cluster, with the fingerprints of the given ones.
const database::Statement kHashesOfCluster{
    .name = "hashes_of_cluster",
    .parameters = "source hashes",
    .sql = std::format("{} SELECT r.stack_hash, CASE WHEN r.stack_hash = ANY($hashes::text[]) THEN "
                       "r.fingerprint::text END FROM cluster_route r JOIN merged_in ON "
                       "r.cluster_id = merged_in.id ORDER BY r.stack_hash",
                       kMergedIn)};

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

// Statements without a name concern clusters of any size, and are planned for the actual values.
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

}  // namespace

drogon::Task<MoveAnswer<SplitMade>> splitIn(database::Transaction& transaction,
                                            domain::ClusterId source, SplitChoice choice,
                                            MoveOrder order) {
  const auto found = co_await findToMove(transaction, {source});
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

drogon::Task<MoveAnswer<SplitPreview>> previewSplitIn(database::Transaction& transaction,
                                                      domain::ClusterId source,
                                                      SplitChoice choice) {
  const auto found = co_await findToMove(transaction, {source});
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

}  // namespace auth_errors::clusters
