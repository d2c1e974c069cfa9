#include "triage/jobs/job_store.h"

#include <format>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/database/answer.h"
#include "platform/database/conditions.h"
#include "triage/jobs/job_row.h"

namespace auth_errors::jobs {
namespace {

template <typename T>
using Answer = JobStore::Answer<T>;

constexpr std::string_view kFailed = "jobs.failed";

const database::Statement kLockClusters{
    .name = "lock_clusters_of_job",
    .sql = "SELECT id FROM cluster WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE"};

// Larger clusters use their own count, because no error can be placed while a move is being
// enqueued. Running moves may still add errors with greater ids before the job starts.
constexpr int kCountedMembers = 500'000;
const database::Statement kEnqueue{
    .name = "enqueue_job",
    .parameters = std::format("cluster_id kind target_cluster_id decision note stack_hashes "
                              "traceparent requested_by {}",
                              triage::kMatchParameters),
    .sql = std::format(
        R"(INSERT INTO job (kind, status, cluster_id, target_cluster_id, decision, note,
  stack_hashes, traceparent, requested_by, total, examined, changed, position, last_position,
  failures, created_at, {0})
SELECT $kind, '{1}', $cluster_id, $target_cluster_id, $decision, $note,
       nullif($stack_hashes::text[], '{{}}'), $traceparent, $requested_by, members.total, 0, 0, 0,
       members.last, 0, clock_timestamp(), {6}
FROM (SELECT CASE WHEN counted.members < {3} THEN counted.members
                  ELSE greatest(counted.members, c.error_count) END AS total,
             greatest(0, (SELECT auth_error_id FROM cluster_member WHERE cluster_id = $cluster_id
                          ORDER BY auth_error_id DESC LIMIT 1),
                      (SELECT max(last_position) FROM job
                       WHERE kind = '{4}' AND status IN ('{1}', '{5}'))) AS last
      FROM cluster c CROSS JOIN (
        SELECT count(*) AS members
        FROM (SELECT FROM cluster_member WHERE cluster_id = $cluster_id LIMIT {3}) few) counted
      WHERE c.id = $cluster_id) members CROSS JOIN {7}
RETURNING {2})",
        triage::matchColumns(), toText(JobStatus::queued), jobColumns(), kCountedMembers,
        toText(JobKind::move), toText(JobStatus::running), triage::matchColumns("m"),
        triage::matchRow("m"))};

const database::Statement kFindJob{
    .name = "find_job", .sql = std::format("SELECT {} FROM job WHERE id = $1", jobColumns())};

// Waits for the running chunk; the next one is refused by its fence.
const database::Statement kCancelJob{
    .name = "cancel_job",
    .sql = std::format(R"(UPDATE job SET status = '{}', cancelled_by = $2, finished_at = now(),
               lease_owner = NULL, lease_until = NULL
WHERE id = $1 AND kind <> '{}' AND status IN ('{}', '{}')
RETURNING {})",
                       toText(JobStatus::cancelled), toText(JobKind::move),
                       toText(JobStatus::queued), toText(JobStatus::running), jobColumns())};

database::Conditions conditionsOf(const JobPage& page) {
  database::Conditions conditions;
  conditions.add("job.id < ?", page.before);
  conditions.add("job.status = ?", page.filter.status);
  conditions.add("job.kind = ?", page.filter.kind);
  conditions.add("? IN (job.cluster_id, job.target_cluster_id)", page.filter.clusterId);
  return conditions;
}

}  // namespace

drogon::Task<Job> enqueue(database::Transaction& transaction, JobRequest request) {
  co_await transaction.run(kLockClusters, request.clusterId, request.targetClusterId);
  const database::Result made = co_await transaction.run(
      kEnqueue, request.clusterId, request.kind, request.targetClusterId, request.decision,
      request.note, request.stackHashes, request.traceparent, request.requestedBy,
      triage::matchParameters(request.match));
  co_return made.only<Job>();
}

drogon::Task<domain::Answer<std::vector<Job>>> JobStore::page(JobPage page,
                                                              database::Deadline deadline) {
  database::Client& client = page.filter == JobFilter{} ? clients_.lookups : clients_.searches;
  co_return co_await database::read(
      {.client = client, .deadline = deadline, .event = kFailed, .searches = true},
      [&]() -> drogon::Task<domain::Answer<std::vector<Job>>> {
        const database::Conditions conditions = conditionsOf(page);
        // Not prepared: the planner should see the values, and prepared plans would pile up per
        // combination.
        const database::Statement statement{
            .name = {},
            .sql = std::format("SELECT {} FROM job{} ORDER BY job.id DESC LIMIT {}", jobColumns(),
                               conditions.sql(), page.rows)};
        co_return (co_await client.run(statement, deadline, conditions.parameters())).as<Job>();
      });
}

drogon::Task<Answer<Job>> JobStore::find(domain::JobId id, database::Deadline deadline) {
  co_return co_await database::read(
      {.client = clients_.lookups, .deadline = deadline, .event = kFailed},
      [&]() -> drogon::Task<Answer<Job>> {
        auto found = (co_await clients_.lookups.run(kFindJob, deadline, id)).first<Job>();
        if (!found) {
          co_return std::unexpected(
              JobRefusal{.reason = JobRefusal::Reason::unknown, .currentStatus = std::nullopt});
        }
        co_return *std::move(found);
      });
}

drogon::Task<Answer<Job>> JobStore::cancel(domain::JobId id, std::string by,
                                           database::Deadline deadline) {
  co_return co_await database::write(
      {.client = clients_.actions, .deadline = deadline, .event = kFailed},
      [&]() -> drogon::Task<Answer<Job>> {
        auto cancelled = (co_await clients_.actions.run(kCancelJob, deadline, id, by)).first<Job>();
        if (cancelled) {
          co_return *std::move(cancelled);
        }
        const auto found = co_await find(id, deadline);
        if (!found) {
          co_return std::unexpected(found.error());
        }
        const bool open = found->status == JobStatus::queued || found->status == JobStatus::running;
        co_return std::unexpected(JobRefusal{
            .reason = open ? JobRefusal::Reason::notCancellable : JobRefusal::Reason::ended,
            .currentStatus = found->status});
      });
}

}  // namespace auth_errors::jobs
