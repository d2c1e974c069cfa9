#include "triage/clusters/move_work.h"

#include <cstdint>
#include <format>
#include <optional>
#include <utility>
#include <vector>

#include "platform/database/ids.h"
#include "triage/clusters/member_deltas.h"
#include "triage/clusters/placement.h"
#include "triage/errors/error_match.h"

namespace auth_errors::clusters {
namespace {

// Compared as a whole, or a generic plan walks by the errors' index through the members of all
// clusters.
const database::Statement kNextMembers{
    .name = "next_members_to_move",
    .sql =
        "SELECT auth_error_id FROM cluster_member WHERE (cluster_id, auth_error_id) > ($1, $2) "
        "AND (cluster_id, auth_error_id) <= ($1, $3) ORDER BY cluster_id, auth_error_id LIMIT $4"};

// Who gives an error another hash holds it: so its members are counted by that one wherever they
// are.
const database::Statement kLockErrors{
    .name = "lock_errors_to_move",
    .sql = "SELECT FROM auth_error WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"};

// A member is asked for if it has one of the hashes, or else if it matches, as all do after a
// merge.
const database::Statement kAskedMembers{
    .name = "asked_members_to_move",
    .sql = std::format(R"(SELECT e.id
FROM cluster_member m JOIN auth_error e ON e.id = m.auth_error_id CROSS JOIN {}
WHERE m.cluster_id = $1 AND m.auth_error_id = ANY($2::bigint[])
  AND CASE WHEN $3::text[] = '{{}}' THEN coalesce({}, false) ELSE m.stack_hash = ANY($3) END
ORDER BY e.id)",
                       triage::matchRow(4, "asked"), triage::matchesSql("asked"))};

const database::Statement kMoveMembers{
    .name = "move_members",
    .sql = std::format(R"(WITH given AS (
  SELECT * FROM unnest($2::bigint[], $3::bigint[]) AS given (auth_error_id, cluster_id)
), gone AS (
  DELETE FROM cluster_member m USING given
  WHERE m.cluster_id = $1 AND m.auth_error_id = given.auth_error_id
  RETURNING m.cluster_id, m.auth_error_id, m.stack_hash, m.joined_at
), uncounted AS (
  {}
), come AS (
  INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at, placed_by)
  SELECT given.cluster_id, gone.auth_error_id, gone.stack_hash, gone.joined_at, $4
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

// The chunk that does it holds the routes. In a cluster of more errors both times are rarely those
// of the ones that went, and the next error mends the later one.
constexpr std::int64_t kMaxErrorsToNarrow = 100'000;
// In a statement of its own: what the flusher has added up until then is seen by the next one, and
// what it adds up later comes on top of that.
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

// A rule with an age has looked at the errors before they came here, or to where splits and merges
// of this cluster send them on.
const database::Statement kRestartRules{.name = "restart_rules_of_cluster",
                                        .sql = R"(WITH RECURSIVE reached (id) AS (
  SELECT $1::bigint
  UNION
  SELECT next.id FROM reached CROSS JOIN LATERAL (
    SELECT merged_into AS id FROM cluster WHERE cluster.id = reached.id AND merged_into IS NOT NULL
    UNION ALL
    SELECT to_cluster_id FROM cluster_split WHERE from_cluster_id = reached.id) next
)
UPDATE rule SET scanned_until = '-infinity', scanned_id = 0
WHERE id = ANY(ARRAY(SELECT id FROM rule WHERE after_seconds IS NOT NULL
                     AND match_cluster_id IN (SELECT id FROM reached) ORDER BY id FOR UPDATE)))"};

// What the cluster that members have left says of itself must be true of those that stay. Where
// they come to, their deltas tell the flusher.
drogon::Task<void> tidyUp(database::Transaction& transaction, std::int64_t clusterId,
                          database::Deadline deadline) {
  database::Parameters ofSample;
  ofSample.add(clusterId);
  co_await transaction.run(kReplaceSample, std::move(ofSample), deadline);
  database::Parameters ofLock;
  ofLock.add(clusterId);
  if ((co_await transaction.run(kLockToNarrow, std::move(ofLock), deadline)).empty()) {
    co_return;
  }
  database::Parameters ofTimes;
  ofTimes.add(clusterId);
  co_await transaction.run(kNarrowSeen, std::move(ofTimes), deadline);
}

drogon::Task<std::vector<std::int64_t>> nextMembers(database::Transaction& transaction,
                                                    jobs::Job job, std::size_t rows,
                                                    database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(job.request.clusterId)
      .add(job.position)
      .add(job.lastPosition)
      .add(static_cast<std::int64_t>(rows));
  co_return database::idsOf(
      co_await transaction.run(kNextMembers, std::move(parameters), deadline));
}

drogon::Task<std::vector<std::int64_t>> askedMembers(database::Transaction& transaction,
                                                     jobs::JobRequest request,
                                                     std::vector<std::int64_t> members,
                                                     database::Deadline deadline) {
  database::Parameters parameters;
  parameters.add(request.clusterId).addArray(members).addArray(request.stackHashes);
  triage::addMatch(parameters, request.match);
  co_return database::idsOf(
      co_await transaction.run(kAskedMembers, std::move(parameters), deadline));
}

drogon::Task<std::int64_t> move(database::Transaction& transaction, std::int64_t from,
                                std::vector<std::int64_t> errors,
                                std::vector<std::int64_t> destinations, std::string placedBy,
                                database::Deadline deadline) {
  if (errors.empty()) {
    co_return 0;
  }
  database::Parameters parameters;
  parameters.add(from).addArray(errors).addArray(destinations).add(placedBy);
  const database::Result moved =
      co_await transaction.run(kMoveMembers, std::move(parameters), deadline);
  co_return moved.value<std::int64_t>(0, 0);
}

}  // namespace

drogon::Task<jobs::Chunk> MoveWork::run(database::Transaction& transaction, jobs::Job job,
                                        std::size_t rows, database::Deadline deadline) {
  const jobs::JobRequest& request = job.request;
  const std::vector<std::int64_t> members = co_await nextMembers(transaction, job, rows, deadline);
  jobs::Chunk chunk{.examined = static_cast<std::int64_t>(members.size()),
                    .changed = 0,
                    .position = members.empty() ? job.position : members.back(),
                    .last = members.size() < rows || members.back() == job.lastPosition};
  // Locks come in everybody's order: rules, errors, routes, clusters.
  if (chunk.last) {
    database::Parameters ofRules;
    ofRules.add(request.targetClusterId);
    co_await transaction.run(kRestartRules, std::move(ofRules), deadline);
  }
  database::Parameters ofErrors;
  ofErrors.addArray(members);
  co_await transaction.run(kLockErrors, std::move(ofErrors), deadline);
  co_await lockRoutes(transaction, deadline);
  const std::vector<std::int64_t> asked =
      co_await askedMembers(transaction, request, members, deadline);
  // A split by hashes has changed their routes, and is no way from this cluster to the other.
  const std::int64_t start =
      request.stackHashes.empty() ? request.clusterId : request.targetClusterId.value();
  const std::vector<std::int64_t> ends =
      co_await destinationsFrom(transaction, start, asked, deadline);
  std::vector<std::int64_t> moving;
  std::vector<std::int64_t> destinations;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (ends.at(i) != request.clusterId) {
      moving.push_back(asked.at(i));
      destinations.push_back(ends.at(i));
    }
  }
  chunk.changed = co_await move(transaction, request.clusterId, std::move(moving),
                                std::move(destinations), request.requestedBy, deadline);
  if (chunk.last) {
    co_await tidyUp(transaction, request.clusterId, deadline);
  }
  co_return chunk;
}

}  // namespace auth_errors::clusters
