// The metrics of jobs. Usable from any thread.
#pragma once

#include <cstdint>

#include "domain/values/names.h"
#include "platform/telemetry/metric.h"
#include "triage/jobs/job.h"

namespace auth_errors::jobs {

enum class JobOutcome : std::uint8_t { done, failed, lost };
constexpr auto namesOf(JobOutcome /*any*/) {
  return domain::nameTable<JobOutcome>(
      {{JobOutcome::done, "done"}, {JobOutcome::failed, "failed"}, {JobOutcome::lost, "lost"}});
}

struct Metrics {
  telemetry::Registry& registry;

  telemetry::CounterBy<JobOutcome> ended{
      registry, "auth_errors_jobs_total", "outcome",
      "Jobs finished by this instance: done, failed, or lost because they were cancelled or taken "
      "over by another instance."};
  telemetry::CounterBy<JobKind> errorsChanged{
      registry, "auth_errors_job_errors_changed_total", "kind",
      "Errors decided on or moved by jobs, by kind of job.", telemetry::Shown::onceUsed};
};

}  // namespace auth_errors::jobs
