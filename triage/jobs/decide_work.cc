#include "triage/jobs/decide_work.h"

#include <utility>
#include <vector>

#include "platform/database/ids.h"
#include "triage/errors/decisions.h"

namespace auth_errors::jobs {
namespace {

// Of the ids up to the last one some may have joined since: errors are not analysed in the order in
// which they came. The rows are compared as a whole, or a generic plan walks by the errors' index
// through the members of all clusters.
const database::Statement kNextMembers{.name = "next_members_to_decide",
                                       .sql = R"(SELECT auth_error_id FROM cluster_member
WHERE (cluster_id, auth_error_id) > ($1, $2) AND (cluster_id, auth_error_id) <= ($1, $3)
  AND joined_at <= $4
ORDER BY cluster_id, auth_error_id LIMIT $5)"};

}  // namespace

DecideWork::DecideWork(std::function<void()> onEnqueued) : onEnqueued_(std::move(onEnqueued)) {}

drogon::Task<Chunk> DecideWork::run(database::Transaction& transaction, Job job, std::size_t rows,
                                    database::Deadline deadline) {
  enqueued_ = false;
  database::Parameters parameters;
  parameters.add(job.request.clusterId)
      .add(job.position)
      .add(job.lastPosition)
      .add(job.createdAt)
      .add(static_cast<std::int64_t>(rows));
  const std::vector<std::int64_t> members =
      database::idsOf(co_await transaction.run(kNextMembers, std::move(parameters), deadline));
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
      members, deadline);
  enqueued_ = job.request.decision == domain::Decision::retry && !decided.empty();
  co_return Chunk{.examined = static_cast<std::int64_t>(members.size()),
                  .changed = static_cast<std::int64_t>(decided.size()),
                  .position = members.back(),
                  .last = members.size() < rows || members.back() == job.lastPosition};
}

void DecideWork::committed() {
  if (enqueued_) {
    onEnqueued_();
  }
}

}  // namespace auth_errors::jobs
