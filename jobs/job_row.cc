#include "jobs/job_row.h"

#include <algorithm>
#include <array>
#include <format>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/names.h"

namespace auth_errors::jobs {
namespace {

[[noreturn]] void refuseWord() {
  throw std::runtime_error("job holds a word that this version does not know");
}

template <typename Value, std::size_t Size>
Value known(const std::array<std::pair<Value, std::string_view>, Size>& names,
            std::string_view text) {
  const auto value = domain::named(names, text);
  if (!value) {
    refuseWord();
  }
  return *value;
}

domain::Decision knownDecision(std::string_view text) {
  const auto* const row = std::ranges::find(domain::kDecisions, text, &domain::DecisionRow::name);
  if (row == domain::kDecisions.end()) {
    refuseWord();
  }
  return row->decision;
}

class RowReader {
 public:
  RowReader(const database::Result& result, std::size_t row) : result_(result), row_(row) {}

  Job job() {
    Job job;
    next(job.id);
    job.request.kind = known(kJobKindNames, take<std::string_view>());
    job.status = known(kJobStatusNames, take<std::string_view>());
    next(job.request.clusterId);
    next(job.request.targetClusterId);
    job.request.decision = take<std::optional<std::string_view>>().transform(knownDecision);
    next(job.request.note);
    job.request.stackHashes =
        take<std::optional<std::vector<std::string>>>().value_or(std::vector<std::string>{});
    next(job.request.traceparent);
    next(job.request.requestedBy);
    next(job.total);
    next(job.examined);
    next(job.changed);
    next(job.position);
    next(job.lastPosition);
    next(job.failures);
    next(job.error);
    next(job.cancelledBy);
    next(job.createdAt);
    next(job.startedAt);
    next(job.finishedAt);
    next(job.request.match.clusterId);
    next(job.request.match.exceptionClass);
    next(job.request.match.httpStatus);
    next(job.request.match.serviceName);
    next(job.request.match.environment);
    next(job.request.match.message);
    return job;
  }

 private:
  template <typename T>
  T take() {
    return result_.value<T>(row_, column_++);
  }
  template <typename T>
  void next(T& value) {
    value = take<T>();
  }

  const database::Result& result_;
  std::size_t row_;
  std::size_t column_ = 0;
};

}  // namespace

const std::string& jobColumns() {
  static const std::string kColumns = std::format(
      "job.id, job.kind, job.status, job.cluster_id, job.target_cluster_id, job.decision, "
      "job.note, job.stack_hashes, job.traceparent, job.requested_by, job.total, job.examined, "
      "job.changed, job.position, job.last_position, job.failures, job.error, job.cancelled_by, "
      "job.created_at, job.started_at, job.finished_at, {}",
      lifecycle::matchColumns("job"));
  return kColumns;
}

Job jobOf(const database::Result& result, std::size_t row) { return RowReader(result, row).job(); }

}  // namespace auth_errors::jobs
