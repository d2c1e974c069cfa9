#include "triage/jobs/job_store.h"

#include <format>
#include <utility>

#include "platform/database/conditions.h"
#include "platform/telemetry/log.h"
#include "triage/jobs/job_row.h"

namespace auth_errors::jobs {
namespace {

template <typename T>
using Answer = JobStore::Answer<T>;

const database::Statement kLockClusters{
    .name = "lock_clusters_of_job",
    .sql = "SELECT id FROM cluster WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE"};

// Of more, the cluster's own number will do: who enqueues a move keeps all others from placing
// errors. Moves under way may still bring errors with greater ids before the job's turn comes.
constexpr int kCountedMembers = 500'000;
const database::Statement kEnqueue{
    .name = "enqueue_job",
    .sql = std::format(
        R"(INSERT INTO job (kind, status, cluster_id, target_cluster_id, decision, note,
  stack_hashes, traceparent, requested_by, total, examined, changed, position, last_position,
  failures, created_at, {0})
SELECT $2, '{1}', $1, $3, $4, $5, nullif($6::text[], '{{}}'), $7, $8, members.total, 0, 0, 0,
       members.last, 0, clock_timestamp(), $9, $10, $11, $12, $13, $14
FROM (SELECT CASE WHEN counted.members < {3} THEN counted.members
                  ELSE greatest(counted.members, c.error_count) END AS total,
             greatest(0, (SELECT auth_error_id FROM cluster_member WHERE cluster_id = $1
                          ORDER BY auth_error_id DESC LIMIT 1),
                      (SELECT max(last_position) FROM job
                       WHERE kind = '{4}' AND status IN ('{1}', '{5}'))) AS last
      FROM cluster c CROSS JOIN (
        SELECT count(*) AS members
        FROM (SELECT FROM cluster_member WHERE cluster_id = $1 LIMIT {3}) few) counted
      WHERE c.id = $1) members
RETURNING {2})",
        triage::matchColumns(), toText(JobStatus::queued), jobColumns(), kCountedMembers,
        toText(JobKind::move), toText(JobStatus::running))};

const database::Statement kFindJob{
    .name = "find_job", .sql = std::format("SELECT {} FROM job WHERE id = $1", jobColumns())};

// Waits for the chunk under way; the next one is refused by its fence.
const database::Statement kCancelJob{
    .name = "cancel_job",
    .sql = std::format(R"(UPDATE job SET status = '{}', cancelled_by = $2, finished_at = now(),
               lease_owner = NULL, lease_until = NULL
WHERE id = $1 AND kind <> '{}' AND status IN ('{}', '{}')
RETURNING {})",
                       toText(JobStatus::cancelled), toText(JobKind::move),
                       toText(JobStatus::queued), toText(JobStatus::running), jobColumns())};

std::unexpected<JobRefusal> refuse(
    JobFault fault, std::optional<domain::StoredName<JobStatus>> currentStatus = std::nullopt) {
  return std::unexpected(JobRefusal{.fault = fault, .currentStatus = std::move(currentStatus)});
}

std::unexpected<JobRefusal> away(const database::Error& error, JobFault fault) {
  telemetry::log(telemetry::LogLevel::warn, "jobs.failed", {{"reason", error.what()}});
  return refuse(fault);
}

database::Conditions conditionsOf(const JobPage& page) {
  const auto name = [](auto value) { return toText(value); };
  database::Conditions conditions;
  conditions.add("job.id < ?", page.before);
  conditions.add("job.status = ?", page.filter.status.transform(name));
  conditions.add("job.kind = ?", page.filter.kind.transform(name));
  conditions.add("? IN (job.cluster_id, job.target_cluster_id)", page.filter.clusterId);
  return conditions;
}

}  // namespace

drogon::Task<Job> enqueue(database::Transaction& transaction, JobRequest request,
                          database::Deadline deadline) {
  database::Parameters clusters;
  clusters.add(request.clusterId).add(request.targetClusterId);
  co_await transaction.run(kLockClusters, std::move(clusters), deadline);
  database::Parameters parameters;
  parameters.add(request.clusterId)
      .add(request.kind.text())
      .add(request.targetClusterId)
      .add(request.decision.transform(
          [](const domain::StoredName<domain::Decision>& decision) { return decision.text(); }))
      .add(request.note)
      .addArray(request.stackHashes)
      .add(request.traceparent)
      .add(request.requestedBy);
  triage::addMatch(parameters, request.match);
  co_return jobOf(co_await transaction.run(kEnqueue, std::move(parameters), deadline), 0);
}

drogon::Task<Answer<std::vector<Job>>> JobStore::page(JobPage page, database::Deadline deadline) {
  const database::Conditions conditions = conditionsOf(page);
  // No name: the planner is to see the values, and prepared plans would pile up per combination.
  const database::Statement statement{
      .name = {},
      .sql = std::format("SELECT {} FROM job{} ORDER BY job.id DESC LIMIT {}", jobColumns(),
                         conditions.sql(), page.rows)};
  database::Client& client = page.filter == JobFilter{} ? clients_.lookups : clients_.searches;
  try {
    const database::Result result =
        co_await client.run(statement, conditions.parameters(), deadline);
    std::vector<Job> jobs;
    jobs.reserve(result.rows());
    for (std::size_t row = 0; row < result.rows(); ++row) {
      jobs.push_back(jobOf(result, row));
    }
    co_return jobs;
  } catch (const database::Error& error) {
    co_return away(error, database::ranOutOfTime(error, client, deadline) ? JobFault::tooSlow
                                                                          : JobFault::unavailable);
  }
}

drogon::Task<Answer<Job>> JobStore::find(std::int64_t id, database::Deadline deadline) {
  try {
    database::Parameters parameters;
    parameters.add(id);
    const database::Result result =
        co_await clients_.lookups.run(kFindJob, std::move(parameters), deadline);
    if (result.empty()) {
      co_return refuse(JobFault::unknown);
    }
    co_return jobOf(result, 0);
  } catch (const database::Error& error) {
    co_return away(error, JobFault::unavailable);
  }
}

drogon::Task<Answer<Job>> JobStore::cancel(std::int64_t id, std::string by,
                                           database::Deadline deadline) {
  try {
    database::Parameters parameters;
    parameters.add(id).add(by);
    const database::Result cancelled =
        co_await clients_.actions.run(kCancelJob, std::move(parameters), deadline);
    if (!cancelled.empty()) {
      co_return jobOf(cancelled, 0);
    }
  } catch (const database::Error& error) {
    co_return away(error, error.failure() == database::Failure::outcomeUnknown
                              ? JobFault::outcomeUnknown
                              : JobFault::unavailable);
  }
  const auto found = co_await find(id, deadline);
  if (!found) {
    co_return std::unexpected(found.error());
  }
  const bool open = found->status == JobStatus::queued || found->status == JobStatus::running;
  co_return refuse(open ? JobFault::notCancellable : JobFault::ended, found->status);
}

}  // namespace auth_errors::jobs
