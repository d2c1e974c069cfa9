#include "triage/jobs/job_row.h"

#include <format>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/values/names.h"
#include "platform/database/row_reader.h"

namespace auth_errors::jobs {

const std::string& jobColumns() {
  static const std::string kColumns = std::format(
      "job.id, job.kind, job.status, job.cluster_id, job.target_cluster_id, job.decision, "
      "job.note, job.stack_hashes, job.traceparent, job.requested_by, job.total, job.examined, "
      "job.changed, job.position, job.last_position, job.failures, job.error, job.cancelled_by, "
      "job.created_at, job.started_at, job.finished_at, {}, job.scrub_version",
      triage::matchColumns("job"));
  return kColumns;
}

Job jobOf(const database::Result& result, std::size_t row) {
  database::RowReader reader(result, row);
  Job job;
  reader.next(job.id);
  job.request.kind = domain::storedName(kJobKindNames, reader.take<std::string_view>());
  job.status = domain::storedName(kJobStatusNames, reader.take<std::string_view>());
  reader.next(job.request.clusterId);
  reader.next(job.request.targetClusterId);
  job.request.decision =
      reader.take<std::optional<std::string_view>>().transform(domain::storedDecision);
  reader.next(job.request.note);
  job.request.stackHashes =
      reader.take<std::optional<std::vector<std::string>>>().value_or(std::vector<std::string>{});
  reader.next(job.request.traceparent);
  reader.next(job.request.requestedBy);
  reader.next(job.total);
  reader.next(job.examined);
  reader.next(job.changed);
  reader.next(job.position);
  reader.next(job.lastPosition);
  reader.next(job.failures);
  reader.next(job.error);
  reader.next(job.cancelledBy);
  reader.next(job.createdAt);
  reader.next(job.startedAt);
  reader.next(job.finishedAt);
  reader.next(job.request.match.clusterId);
  reader.next(job.request.match.exceptionClass);
  reader.next(job.request.match.httpStatus);
  reader.next(job.request.match.serviceName);
  reader.next(job.request.match.environment);
  reader.next(job.request.match.message);
  reader.next(job.request.scrubVersion);
  return job;
}

}  // namespace auth_errors::jobs
