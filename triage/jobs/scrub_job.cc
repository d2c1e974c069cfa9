#include "triage/jobs/scrub_job.h"

#include <format>
#include <string>

#include "triage/jobs/job.h"
#include "triage/jobs/job_row.h"

namespace auth_errors::jobs {
namespace {

std::string isOpenScrub() {
  return std::format("kind = '{}' AND status IN ('{}', '{}')", toText(JobKind::scrub),
                     toText(JobStatus::queued), toText(JobStatus::running));
}

}  // namespace

database::Statement openScrubJob() {
  return {.name = "find_open_scrub_job",
          .sql = std::format("SELECT {} FROM job WHERE {}", jobColumns(), isOpenScrub())};
}

database::Statement newScrubJob(std::string_view total, std::int64_t lastPosition) {
  return {
      .name = "enqueue_scrub_job",
      .parameters = "scrub_version traceparent requested_by",
      .sql = std::format(R"(INSERT INTO job (kind, status, cluster_id, scrub_version, traceparent,
  requested_by, total, examined, changed, position, last_position, failures, created_at)
SELECT '{0}', '{1}', 0, $scrub_version::text, $traceparent, $requested_by, {2},
       0, 0, 0, {3}, 0, clock_timestamp()
ON CONFLICT (kind) WHERE {4} DO NOTHING
RETURNING {5})",
                         toText(JobKind::scrub), toText(JobStatus::queued), total, lastPosition,
                         isOpenScrub(), jobColumns())};
}

}  // namespace auth_errors::jobs
