#include "triage/jobs/job_row.h"

#include <format>

#include "triage/errors/error_match.h"

namespace auth_errors::jobs {

const std::string& jobColumns() {
  static const std::string kColumns = std::format(
      "job.id, job.kind, job.cluster_id, job.requested_by, job.traceparent, job.decision, "
      "job.note, job.target_cluster_id, coalesce(job.stack_hashes, '{{}}'), {}, "
      "job.scrub_version, job.status, job.total, job.examined, job.changed, job.position, "
      "job.last_position, job.failures, job.error, job.cancelled_by, job.created_at, "
      "job.started_at, job.finished_at",
      triage::matchColumns("job"));
  return kColumns;
}

}  // namespace auth_errors::jobs
