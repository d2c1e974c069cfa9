#include "triage/jobs/decide_work.h"

#include <utility>
#include <vector>

#include "domain/identity/ids.h"
#include "triage/errors/decisions.h"

namespace auth_errors::jobs {
namespace {

// Members with ids up to the last one may have joined since, because errors are not analysed in the
// order of their arrival. Compared as rows; otherwise a generic plan scans the members of all
// clusters by the index on errors.
const database::Statement kNextMembers{
    .name = "next_members_to_decide",
    .parameters = "cluster_id position last_position asked_at rows",
    .sql = R"(SELECT auth_error_id FROM cluster_member
WHERE (cluster_id, auth_error_id) > ($cluster_id, $position)
  AND (cluster_id, auth_error_id) <= ($cluster_id, $last_position) AND joined_at <= $asked_at
ORDER BY cluster_id, auth_error_id LIMIT $rows)"};

}  // namespace

DecideWork::DecideWork(std::function<void()> onEnqueued) : onEnqueued_(std::move(onEnqueued)) {}

drogon::Task<Chunk> DecideWork::run(database::Transaction& transaction, Job job, std::size_t rows) {
  const auto members = (co_await transaction.run(kNextMembers, job.request.clusterId, job.position,
                                                 job.lastPosition, job.createdAt, rows))
                           .column<domain::ErrorId>();
  if (members.empty()) {
    co_return Chunk{.position = job.lastPosition, .last = true};
  }
  const std::vector<triage::Decided> decided = co_await triage::decideAll(
      transaction,
      {.type = domain::known(job.request.decision.value().value(), "decision"),
       .note = std::move(job.request.note),
       .decidedBy = std::move(job.request.requestedBy),
       .traceparent = std::move(job.request.traceparent),
       .jobId = job.id},
      members);
  const bool enqueued = job.request.decision == domain::Decision::retry && !decided.empty();
  co_return Chunk{.examined = static_cast<std::int64_t>(members.size()),
                  .changed = static_cast<std::int64_t>(decided.size()),
                  .position = members.back().value(),
                  .last = members.size() < rows || members.back().value() == job.lastPosition,
                  .afterCommit = enqueued ? onEnqueued_ : database::AfterCommit()};
}

}  // namespace auth_errors::jobs
