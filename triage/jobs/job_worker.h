// Runs jobs in turn, chunk by chunk: a chunk is one transaction that begins with the fence of the
// job's lease and ends with recording its progress. A long job lets all other pending jobs run a
// chunk before its next one. Belongs to its client's loop.
//
// A chunk whose fence finds nothing changes nothing: the job was cancelled or taken over by another
// instance. While the database is unavailable nothing is counted as a failure, and the job
// continues afterwards; other failures are retried, and the job is FAILED in the end; a move is
// retried forever.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "platform/workers/worker.h"
#include "triage/jobs/job.h"
#include "triage/jobs/job_claims.h"
#include "triage/jobs/metrics.h"

namespace auth_errors::jobs {

class JobWorker final : public workers::Worker {
 public:
  struct Options {
    domain::InstanceName instance;
    std::chrono::milliseconds lease{30'000};
    std::size_t chunkRows = 40;
    // Pause after a chunk, relative to its duration, so that ingestion finds the database idle.
    double pauseShare = 2;
    std::chrono::milliseconds pauseMin{5};
    std::chrono::milliseconds interval{1'000};  // between polls
    std::int32_t maxFailures = 5;               // in a row; a move is retried forever
    std::chrono::milliseconds failurePause{1'000};
    std::chrono::milliseconds deadline{10'000};  // of a chunk; below the lease
  };
  // The outcome of a run.
  enum class Outcome : std::uint8_t {
    idle,      // no job is pending
    advanced,  // a chunk is done, and more is left
    done,
    retried,  // the chunk failed and will be retried
    failed,
    lost,  // cancelled or taken over
  };

  // One work for each kind of job that this worker runs.
  JobWorker(database::Client& client, std::vector<std::unique_ptr<JobWork>> works, Options options,
            Metrics& metrics);

  // Waits for the current chunk and releases the job. Work still running at the deadline ends with
  // the client.
  drogon::Task<bool> stop(Deadline deadline) override;

  // One chunk, of the current job or of the next one. Throws database::Error if the database is
  // unavailable; the current job is kept.
  drogon::Task<Outcome> runOnce();

 private:
  using Clock = std::chrono::steady_clock;

  drogon::Task<workers::Then> run();
  drogon::Task<Outcome> runChunk();
  drogon::Task<Outcome> afterFailure(std::string error);
  drogon::Task<> giveBackJob();
  [[nodiscard]] JobWork& workOf(JobKind kind) const;
  [[nodiscard]] Clock::time_point deadline() const { return Clock::now() + options_.deadline; }

  database::Client& client_;
  std::vector<std::unique_ptr<JobWork>> works_;
  Options options_;
  Metrics& metrics_;
  std::optional<JobClaim> claim_;  // the current job's
  domain::JobId lastJob_;          // claimed last
  std::uint64_t claims_ = 0;
  int unanswered_ = 0;  // chunks in a row
};

}  // namespace auth_errors::jobs
