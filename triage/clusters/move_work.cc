#include "triage/clusters/move_work.h"

#include <cstdint>
#include <format>
#include <optional>
#include <utility>
#include <vector>

#include "domain/identity/ids.h"
#include "platform/database/advisory_lock.h"
#include "triage/clusters/member_deltas.h"
#include "triage/clusters/placement.h"
#include "triage/clusters/reached.h"
#include "triage/errors/error_match.h"
#include "triage/rules/cluster_rules.h"

namespace auth_errors::clusters {
namespace {

// Compared as a row; otherwise a generic plan scans the members of all clusters by the index on
// errors.
const database::Statement kNextMembers{.name = "next_members_to_move",
                                       .parameters = "cluster after last rows",
                                       .sql = R"(SELECT auth_error_id FROM cluster_member
WHERE (cluster_id, auth_error_id) > ($cluster, $after)
  AND (cluster_id, auth_error_id) <= ($cluster, $last)
ORDER BY cluster_id, auth_error_id LIMIT $rows)"};

// Every transaction that changes an error's hash locks the error first, so its members are counted
// by that hash in all clusters.
const database::Statement kLockErrors{
    .name = "lock_errors_to_move",
    .sql = "SELECT FROM auth_error WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"};

// A member is selected if it has one of the hashes, or else if it matches, as all do after a merge.
const database::Statement kAskedMembers{
    .name = "asked_members_to_move",
    .parameters = std::format("cluster errors hashes {}", triage::kMatchParameters),
    .sql = std::format(R"(SELECT e.id
FROM cluster_member m JOIN auth_error e ON e.id = m.auth_error_id CROSS JOIN {}
WHERE m.cluster_id = $cluster AND m.auth_error_id = ANY($errors::bigint[])
  AND CASE WHEN $hashes::text[] = '{{}}' THEN coalesce({}, false)
           ELSE m.stack_hash = ANY($hashes) END
ORDER BY e.id)",
                       triage::matchRow("asked"), triage::matchesSql("asked"))};

const database::Statement kMoveMembers{
    .name = "move_members",
    .parameters = "source errors destinations placed_by",
    .sql = std::format(R"(WITH given AS (
  SELECT * FROM unnest($errors::bigint[], $destinations::bigint[])
    AS given (auth_error_id, cluster_id)
), gone AS (
  DELETE FROM cluster_member m USING given
  WHERE m.cluster_id = $source AND m.auth_error_id = given.auth_error_id
  RETURNING m.cluster_id, m.auth_error_id, m.stack_hash, m.joined_at
), uncounted AS (
  {}
), come AS (
  INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at, placed_by)
  SELECT given.cluster_id, gone.auth_error_id, gone.stack_hash, gone.joined_at, $placed_by
  FROM gone JOIN given USING (auth_error_id)
  ORDER BY given.cluster_id, gone.auth_error_id
  ON CONFLICT DO NOTHING
  RETURNING cluster_id, auth_error_id, stack_hash
), counted AS (
  {}
)
SELECT count(*) FROM gone)",
                       insertDeltas("gone", -1), insertDeltas("come", 1))};

const database::Statement kReplaceSample{.name = "replace_sample",
                                         .sql = R"(UPDATE cluster SET sample_error_id = left_over.id
FROM (SELECT min(auth_error_id) AS id FROM cluster_member WHERE cluster_id = $1) left_over
WHERE cluster.id = $1 AND left_over.id IS NOT NULL AND NOT EXISTS (
  SELECT FROM cluster_member m WHERE m.cluster_id = $1 AND m.auth_error_id = sample_error_id))"};

// The chunk holds the routing lock. In a larger cluster both times are rarely those of the moved
// errors, and the next error corrects the later one.
constexpr std::int64_t kMaxErrorsToNarrow = 100'000;
// A separate statement: the next one sees what the flusher has aggregated until then, and later
// flushes are added to its result.
const database::Statement kLockToNarrow{
    .name = "lock_to_narrow",
    .sql =
        std::format("SELECT id FROM cluster WHERE id = $1 AND error_count <= {} FOR NO KEY UPDATE",
                    kMaxErrorsToNarrow)};
const database::Statement kNarrowSeen{.name = "narrow_seen", .sql = R"(UPDATE cluster SET
  first_seen_at = seen.first, last_seen_at = seen.last
FROM (SELECT min(e.occurred_at) AS first, max(e.occurred_at) AS last
      FROM cluster_member m JOIN auth_error e ON e.id = m.auth_error_id
      WHERE m.cluster_id = $1) seen
WHERE id = $1 AND seen.first IS NOT NULL)"};

const database::Statement kReached{
    .name = "clusters_reached",
    .sql = reachedFrom("$1::bigint") + " SELECT id FROM reached ORDER BY id"};

// Corrects the cluster's own row for the remaining members. The flusher updates the clusters that
// the others moved to.
drogon::Task<void> tidyUp(database::Transaction& transaction, domain::ClusterId clusterId) {
  co_await transaction.run(kReplaceSample, clusterId);
  if (!(co_await transaction.run(kLockToNarrow, clusterId)).empty()) {
    co_await transaction.run(kNarrowSeen, clusterId);
  }
}

drogon::Task<std::vector<domain::ErrorId>> askedMembers(database::Transaction& transaction,
                                                        jobs::JobRequest request,
                                                        std::vector<domain::ErrorId> members) {
  co_return (co_await transaction.run(kAskedMembers, request.clusterId, members,
                                      request.stackHashes, triage::matchParameters(request.match)))
      .column<domain::ErrorId>();
}

struct Move {
  domain::ErrorId authErrorId;
  domain::ClusterId destination;
};

}  // namespace

drogon::Task<jobs::Chunk> MoveWork::run(database::Transaction& transaction, jobs::Job job,
                                        std::size_t rows) {
  const jobs::JobRequest& request = job.request;
  const auto members = (co_await transaction.run(kNextMembers, request.clusterId, job.position,
                                                 job.lastPosition, rows))
                           .column<domain::ErrorId>();
  jobs::Chunk chunk{.examined = static_cast<std::int64_t>(members.size()),
                    .changed = 0,
                    .position = members.empty() ? job.position : members.back().value(),
                    .last = members.size() < rows || members.back().value() == job.lastPosition};
  if (chunk.last) {
    // A rule with an age has examined the errors before they were moved here, or to clusters that
    // splits and merges of this cluster route to.
    const database::Result reached = co_await transaction.run(kReached, request.targetClusterId);
    co_await rules::restartRules(transaction, reached.column<domain::ClusterId>());
  }
  co_await transaction.run(kLockErrors, members);
  co_await database::lockShared(transaction, database::AdvisoryLock::routes);
  const std::vector<domain::ErrorId> asked = co_await askedMembers(transaction, request, members);
  // A split by hashes has changed their routes, and is not a route from this cluster to the other.
  const domain::ClusterId start =
      request.stackHashes.empty() ? request.clusterId : request.targetClusterId.value();
  const std::vector<domain::ClusterId> ends = co_await destinationsFrom(transaction, start, asked);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (ends.at(i) != request.clusterId) {
      moves.push_back({.authErrorId = asked.at(i), .destination = ends.at(i)});
    }
  }
  if (!moves.empty()) {
    const database::Result moved = co_await transaction.run(
        kMoveMembers, request.clusterId,
        database::columns(moves, &Move::authErrorId, &Move::destination), request.requestedBy);
    chunk.changed = moved.only<std::int64_t>();
  }
  if (chunk.last) {
    co_await tidyUp(transaction, request.clusterId);
  }
  co_return chunk;
}

}  // namespace auth_errors::clusters
