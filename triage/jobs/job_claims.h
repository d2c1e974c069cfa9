// A worker's claims on jobs: leased, renewed with each chunk, released. Every write is fenced by
// the owner, which is new for each claim; all times are the database's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "triage/jobs/job.h"

namespace auth_errors::jobs {

// Unique for each claim.
using JobOwner = domain::Name<struct JobOwnerTag>;

struct JobClaim {
  domain::JobId jobId;
  JobKind kind{};
  JobOwner owner;
};

// The oldest job of these kinds with an id greater than `after` that is QUEUED, or RUNNING with an
// expired lease. A job that requires another scrubber version is left to other instances. A job
// that shares a cluster with an older open job waits for it: the jobs of a cluster run one at a
// time, in order.
drogon::Task<std::optional<JobClaim>> claimJob(database::Client& client, JobOwner owner,
                                               std::vector<JobKind> kinds, domain::JobId after,
                                               std::chrono::milliseconds lease,
                                               database::Deadline deadline);

// The first statement of a chunk's transaction: returns the current job with its row locked and its
// lease renewed. Nothing if it was cancelled or taken over; then nothing must be written.
drogon::Task<std::optional<Job>> fence(database::Transaction& transaction, JobClaim claim,
                                       std::chrono::milliseconds lease);
// The last statement of the same transaction; the last chunk sets the job to DONE. True if the
// claim continues: while other jobs wait, each chunk is claimed separately.
drogon::Task<bool> noteProgress(database::Transaction& transaction, JobClaim claim, Chunk chunk);

enum class AfterFailure : std::uint8_t { retried, failed, lost };
// Records a failure: the job is retried after the pause, which doubles each time, or FAILED after
// the last one. Progress resets the count. The claim ends in any case.
drogon::Task<AfterFailure> noteFailure(database::Client& client, JobClaim claim, std::string error,
                                       std::int32_t maxFailures, std::chrono::milliseconds pause,
                                       database::Deadline deadline);

// Back to QUEUED, for another instance to continue immediately.
drogon::Task<void> giveBack(database::Client& client, JobClaim claim, database::Deadline deadline);

}  // namespace auth_errors::jobs
