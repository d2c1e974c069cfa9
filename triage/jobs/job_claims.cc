#include "triage/jobs/job_claims.h"

#include <format>
#include <ranges>
#include <string>
#include <utility>

#include "domain/scrub/scrubber.h"
#include "platform/database/sql_list.h"
#include "triage/jobs/job_row.h"

namespace auth_errors::jobs {
namespace {

// The job `due` has no owner, and no older job blocks it.
const std::string kIsDue =
    std::format(R"((due.status = '{0}' OR (due.status = '{1}' AND due.lease_until < now()))
    AND NOT EXISTS (
      SELECT FROM job older
      WHERE older.id < due.id AND older.status IN ('{0}', '{1}')
        AND (older.cluster_id IN (due.cluster_id, due.target_cluster_id)
             OR older.target_cluster_id IN (due.cluster_id, due.target_cluster_id))))",
                toText(JobStatus::queued), toText(JobStatus::running));

const database::Statement kClaimJob{
    .name = "claim_job",
    .parameters = "owner lease kinds after scrub_version",
    .sql = std::format(R"(UPDATE job SET status = '{0}', lease_owner = $owner,
               lease_until = now() + $lease, started_at = coalesce(started_at, now())
WHERE id = (
  SELECT due.id FROM job due
  WHERE due.id > $after AND due.kind = ANY($kinds::text[])
    AND (due.decision IS NULL OR due.decision IN ({2}))
    AND (due.scrub_version IS NULL OR due.scrub_version = $scrub_version) AND {1}
  ORDER BY due.id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id, kind)",
                       toText(JobStatus::running), kIsDue,
                       database::sqlList(domain::kDecisionNames | std::views::keys))};

const database::Statement kFence{.name = "fence_job",
                                 .sql = std::format(R"(UPDATE job SET lease_until = now() + $3
WHERE id = $1 AND status = '{}' AND lease_owner = $2
RETURNING {})",
                                                    toText(JobStatus::running), jobColumns())};

// The job stays RUNNING while others have their turn: leased, but without an owner.
const database::Statement kNoteProgress{
    .name = "note_job_progress",
    .parameters = "job_id owner examined changed position last",
    .sql = std::format(R"(UPDATE job SET examined = examined + $examined,
               changed = changed + $changed, total = greatest(total, examined + $examined),
               position = $position, failures = 0, error = NULL,
               status = CASE WHEN $last THEN '{1}' ELSE status END,
               finished_at = CASE WHEN $last THEN now() END,
               lease_owner = CASE WHEN $last THEN NULL WHEN turn.over THEN lease_owner || ' waits'
                                  ELSE lease_owner END,
               lease_until = CASE WHEN $last THEN NULL WHEN turn.over THEN now()
                                  ELSE lease_until END
FROM (SELECT EXISTS (SELECT FROM job due WHERE due.id <> $job_id AND {2}) AS over) turn
WHERE id = $job_id AND status = '{0}' AND lease_owner = $owner
RETURNING lease_owner IS NOT DISTINCT FROM $owner)",
                       toText(JobStatus::running), toText(JobStatus::done), kIsDue)};

// The longest pause is the first one doubled this many times.
constexpr int kMaxDoublings = 6;
// The job stays leased without an owner until its pause has passed.
const database::Statement kNoteFailure{
    .name = "note_job_failure",
    .parameters = "job_id owner error max_failures pause",
    .sql = std::format(
        R"(UPDATE job SET failures = failures + 1, error = $error,
               status = CASE WHEN failures + 1 < $max_failures THEN status ELSE '{1}' END,
               finished_at = CASE WHEN failures + 1 < $max_failures THEN NULL ELSE now() END,
               lease_owner = CASE WHEN failures + 1 < $max_failures THEN $owner || ' failed' END,
               lease_until = CASE WHEN failures + 1 < $max_failures
                 THEN now() + $pause * power(2, least(failures, {2})) END
WHERE id = $job_id AND status = '{0}' AND lease_owner = $owner
RETURNING status)",
        toText(JobStatus::running), toText(JobStatus::failed), kMaxDoublings)};

const database::Statement kGiveBack{
    .name = "give_job_back",
    .sql = std::format("UPDATE job SET status = '{}', lease_owner = NULL, lease_until = NULL "
                       "WHERE id = $1 AND status = '{}' AND lease_owner = $2",
                       toText(JobStatus::queued), toText(JobStatus::running))};

}  // namespace

drogon::Task<std::optional<JobClaim>> claimJob(database::Client& client, JobOwner owner,
                                               std::vector<JobKind> kinds, domain::JobId after,
                                               std::chrono::milliseconds lease,
                                               database::Deadline deadline) {
  const database::Result claimed = co_await client.run(kClaimJob, deadline, owner, lease, kinds,
                                                       after, domain::scrubberVersion());
  const auto job = claimed.first<std::pair<domain::JobId, JobKind>>();
  if (!job) {
    co_return std::nullopt;
  }
  co_return JobClaim{.jobId = job->first, .kind = job->second, .owner = std::move(owner)};
}

drogon::Task<std::optional<Job>> fence(database::Transaction& transaction, JobClaim claim,
                                       std::chrono::milliseconds lease) {
  co_return (co_await transaction.run(kFence, claim.jobId, claim.owner, lease)).first<Job>();
}

drogon::Task<bool> noteProgress(database::Transaction& transaction, JobClaim claim, Chunk chunk) {
  const database::Result noted =
      co_await transaction.run(kNoteProgress, claim.jobId, claim.owner, chunk.examined,
                               chunk.changed, chunk.position, chunk.last);
  co_return noted.only<bool>();
}

drogon::Task<AfterFailure> noteFailure(database::Client& client, JobClaim claim, std::string error,
                                       std::int32_t maxFailures, std::chrono::milliseconds pause,
                                       database::Deadline deadline) {
  const database::Result noted = co_await client.run(kNoteFailure, deadline, claim.jobId,
                                                     claim.owner, error, maxFailures, pause);
  const auto status = noted.first<JobStatus>();
  if (!status) {
    co_return AfterFailure::lost;
  }
  co_return *status == JobStatus::failed ? AfterFailure::failed : AfterFailure::retried;
}

drogon::Task<void> giveBack(database::Client& client, JobClaim claim, database::Deadline deadline) {
  co_await client.run(kGiveBack, deadline, claim.jobId, claim.owner);
}

}  // namespace auth_errors::jobs
