#include "triage/jobs/job_claims.h"

#include <format>
#include <string_view>
#include <utility>

#include "domain/scrub/scrubber.h"
#include "domain/values/names.h"
#include "triage/jobs/job_row.h"

namespace auth_errors::jobs {
namespace {

// The job `due` is nobody's, and no older one is in its way.
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
    .sql = std::format(R"(UPDATE job SET status = '{0}', lease_owner = $1,
               lease_until = now() + $2 * interval '1 millisecond',
               started_at = coalesce(started_at, now())
WHERE id = (
  SELECT due.id FROM job due
  WHERE due.id > $4 AND due.kind = ANY($3::text[])
    AND (due.decision IS NULL OR due.decision IN ({2}))
    AND (due.scrub_version IS NULL OR due.scrub_version = $5) AND {1}
  ORDER BY due.id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id, kind)",
                       toText(JobStatus::running), kIsDue, domain::decisionsAsSqlList())};

const database::Statement kFence{
    .name = "fence_job",
    .sql = std::format(R"(UPDATE job SET lease_until = now() + $3 * interval '1 millisecond'
WHERE id = $1 AND status = '{}' AND lease_owner = $2
RETURNING {})",
                       toText(JobStatus::running), jobColumns())};

// For people the job runs on while others have their turn: it stays leased, to nobody.
const database::Statement kNoteProgress{
    .name = "note_job_progress",
    .sql = std::format(R"(UPDATE job SET examined = examined + $3, changed = changed + $4,
               total = greatest(total, examined + $3),
               position = $5, failures = 0, error = NULL,
               status = CASE WHEN $6 THEN '{1}' ELSE status END,
               finished_at = CASE WHEN $6 THEN now() END,
               lease_owner = CASE WHEN $6 THEN NULL WHEN turn.over THEN lease_owner || ' waits'
                                  ELSE lease_owner END,
               lease_until = CASE WHEN $6 THEN NULL WHEN turn.over THEN now()
                                  ELSE lease_until END
FROM (SELECT EXISTS (SELECT FROM job due WHERE due.id <> $1 AND {2}) AS over) turn
WHERE id = $1 AND status = '{0}' AND lease_owner = $2
RETURNING lease_owner IS NOT DISTINCT FROM $2)",
                       toText(JobStatus::running), toText(JobStatus::done), kIsDue)};

// The pause doubles so often.
constexpr int kMaxDoublings = 6;
// Until its pause has passed the job stays leased, to nobody.
const database::Statement kNoteFailure{
    .name = "note_job_failure",
    .sql = std::format(
        R"(UPDATE job SET failures = failures + 1, error = $3,
               status = CASE WHEN failures + 1 < $4 THEN status ELSE '{1}' END,
               finished_at = CASE WHEN failures + 1 < $4 THEN NULL ELSE now() END,
               lease_owner = CASE WHEN failures + 1 < $4 THEN $2 || ' failed' END,
               lease_until = CASE WHEN failures + 1 < $4
                 THEN now() + $5 * power(2, least(failures, {2})) * interval '1 millisecond' END
WHERE id = $1 AND status = '{0}' AND lease_owner = $2
RETURNING status)",
        toText(JobStatus::running), toText(JobStatus::failed), kMaxDoublings)};

const database::Statement kGiveBack{
    .name = "give_job_back",
    .sql = std::format("UPDATE job SET status = '{}', lease_owner = NULL, lease_until = NULL "
                       "WHERE id = $1 AND status = '{}' AND lease_owner = $2",
                       toText(JobStatus::queued), toText(JobStatus::running))};

database::Parameters parametersOf(const JobClaim& claim) {
  database::Parameters parameters;
  parameters.add(claim.jobId).add(claim.owner);
  return parameters;
}

}  // namespace

drogon::Task<std::optional<JobClaim>> claimJob(database::Client& client, std::string owner,
                                               std::vector<JobKind> kinds, std::int64_t after,
                                               std::chrono::milliseconds lease,
                                               database::Deadline deadline) {
  std::vector<std::string_view> names;
  names.reserve(kinds.size());
  for (const JobKind kind : kinds) {
    names.push_back(toText(kind));
  }
  database::Parameters parameters;
  parameters.add(owner)
      .add(std::int64_t{lease.count()})
      .addArray(names)
      .add(after)
      .add(domain::scrubberVersion());
  const database::Result claimed = co_await client.run(kClaimJob, std::move(parameters), deadline);
  if (claimed.empty()) {
    co_return std::nullopt;
  }
  co_return JobClaim{
      .jobId = claimed.value<std::int64_t>(0, 0),
      .kind = domain::named(kJobKindNames, claimed.value<std::string_view>(0, 1)).value(),
      .owner = std::move(owner)};
}

drogon::Task<std::optional<Job>> fence(database::Transaction& transaction, JobClaim claim,
                                       std::chrono::milliseconds lease,
                                       database::Deadline deadline) {
  database::Parameters parameters = parametersOf(claim);
  parameters.add(std::int64_t{lease.count()});
  const database::Result result = co_await transaction.run(kFence, std::move(parameters), deadline);
  co_return result.empty() ? std::nullopt : std::optional(jobOf(result, 0));
}

drogon::Task<bool> noteProgress(database::Transaction& transaction, JobClaim claim, Chunk chunk,
                                database::Deadline deadline) {
  database::Parameters parameters = parametersOf(claim);
  parameters.add(chunk.examined).add(chunk.changed).add(chunk.position).add(chunk.last);
  const database::Result noted =
      co_await transaction.run(kNoteProgress, std::move(parameters), deadline);
  co_return noted.value<bool>(0, 0);
}

drogon::Task<AfterFailure> noteFailure(database::Client& client, JobClaim claim, std::string error,
                                       std::int32_t maxFailures, std::chrono::milliseconds pause,
                                       database::Deadline deadline) {
  database::Parameters parameters = parametersOf(claim);
  parameters.add(error).add(maxFailures).add(std::int64_t{pause.count()});
  const database::Result noted = co_await client.run(kNoteFailure, std::move(parameters), deadline);
  if (noted.empty()) {
    co_return AfterFailure::lost;
  }
  co_return noted.value<std::string_view>(0, 0) == toText(JobStatus::failed)
      ? AfterFailure::failed
      : AfterFailure::retried;
}

drogon::Task<void> giveBack(database::Client& client, JobClaim claim, database::Deadline deadline) {
  co_await client.run(kGiveBack, parametersOf(claim), deadline);
}

}  // namespace auth_errors::jobs
