#include "triage/jobs/job_worker.h"

#include <algorithm>
#include <exception>
#include <format>
#include <limits>
#include <utility>

#include "domain/values/utf8.h"
#include "platform/database/error.h"
#include "platform/telemetry/log.h"

namespace auth_errors::jobs {
namespace {

using telemetry::LogLevel;
using workers::Then;

constexpr std::size_t kMaxErrorCodePoints = 1'000;
constexpr int kMaxUnanswered = 5;
constexpr auto kLockTimeout = "55P03";

}  // namespace

JobWorker::JobWorker(database::Client& client, std::vector<std::unique_ptr<JobWork>> works,
                     Options options, Metrics& metrics)
    : Worker(client.loop(),
             {.faultEvent = "jobs.worker_failed",
              .interval = options.interval,
              .afterFailures = workers::kShortPauses},
             [this] { return run(); }),
      client_(client),
      works_(std::move(works)),
      options_(std::move(options)),
      metrics_(metrics) {}

drogon::Task<bool> JobWorker::stop(Deadline deadline) {
  const bool ended = co_await Worker::stop(deadline);
  if (ended) {
    co_await giveBackJob();
  }
  co_return ended;
}

drogon::Task<Then> JobWorker::run() {
  const auto began = Clock::now();
  if (co_await runOnce() == Outcome::idle) {
    co_return Then::wait;
  }
  co_await stopSignal().rest(std::max<std::chrono::duration<double>>(
      options_.pauseMin, (Clock::now() - began) * options_.pauseShare));
  co_return Then::again;
}

drogon::Task<> JobWorker::giveBackJob() {
  if (!claim_) {
    co_return;
  }
  try {
    co_await giveBack(client_, *claim_, deadline());
  } catch (const std::exception& error) {
    // Its lease expires by itself.
    telemetry::log(LogLevel::warn, "jobs.give_back_failed",
                   {{"job", claim_->jobId}, {"error", error.what()}});
  }
  claim_.reset();
}

drogon::Task<JobWorker::Outcome> JobWorker::runOnce() {
  if (!claim_) {
    std::vector<JobKind> kinds;
    for (const auto& work : works_) {
      kinds.push_back(work->kind());
    }
    const JobOwner owner(std::format("{}/{}", options_.instance, ++claims_));
    // Jobs take turns: the next one, and after the last the first again.
    const domain::JobId after = std::exchange(lastJob_, {});
    claim_ = co_await claimJob(client_, owner, kinds, after, options_.lease, deadline());
    if (!claim_ && after != domain::JobId()) {
      claim_ = co_await claimJob(client_, owner, kinds, {}, options_.lease, deadline());
    }
    if (!claim_) {
      co_return Outcome::idle;
    }
    lastJob_ = claim_->jobId;
  }
  std::string fault;
  try {
    co_return co_await runChunk();
  } catch (const database::Error& error) {
    // A statement that always times out is not an outage, nor is a lock that is never released:
    // other jobs must get their turn.
    const bool unanswered =
        error.failure() == database::Failure::outcomeUnknown || error.sqlState() == kLockTimeout;
    unanswered_ = unanswered ? unanswered_ + 1 : 0;
    if (error.mayPass() && unanswered_ < kMaxUnanswered) {
      throw;
    }
    unanswered_ = 0;
    fault = error.what();
  } catch (const std::exception& error) {
    telemetry::log(LogLevel::error, "jobs.broken",
                   {{"job", claim_->jobId}, {"error", error.what()}});
    fault = "internal error; see the log of the service";
  }
  co_return co_await afterFailure(std::move(fault));
}

drogon::Task<JobWorker::Outcome> JobWorker::runChunk() {
  JobWork& work = workOf(claim_->kind);
  database::Transaction transaction = co_await client_.begin(deadline());
  auto job = co_await fence(transaction, *claim_, options_.lease);
  if (!job) {
    co_await transaction.rollback();
    telemetry::log(LogLevel::info, "jobs.lost", {{"job", claim_->jobId}});
    metrics_.ended[JobOutcome::lost].add();
    claim_.reset();
    co_return Outcome::lost;
  }
  const Chunk chunk = co_await work.run(transaction, *std::move(job), options_.chunkRows);
  const bool goesOn = co_await noteProgress(transaction, *claim_, chunk);
  co_await transaction.commit();
  unanswered_ = 0;
  database::run(chunk.afterCommit);
  metrics_.errorsChanged[work.kind()].add(chunk.changed);
  if (!chunk.last) {
    if (!goesOn) {
      claim_.reset();
    }
    co_return Outcome::advanced;
  }
  telemetry::log(LogLevel::info, "jobs.done", {{"job", claim_->jobId}});
  metrics_.ended[JobOutcome::done].add();
  claim_.reset();
  co_return Outcome::done;
}

drogon::Task<JobWorker::Outcome> JobWorker::afterFailure(std::string error) {
  // Half-moved errors would stay so: a move is retried until it succeeds.
  const std::int32_t most = claim_->kind == JobKind::move ? std::numeric_limits<std::int32_t>::max()
                                                          : options_.maxFailures;
  const AfterFailure after = co_await noteFailure(
      client_, *claim_, std::string(domain::firstCodePoints(error, kMaxErrorCodePoints)), most,
      options_.failurePause, deadline());
  const domain::JobId jobId = claim_->jobId;
  claim_.reset();
  switch (after) {
    case AfterFailure::retried:
      telemetry::log(LogLevel::warn, "jobs.chunk_failed", {{"job", jobId}, {"error", error}});
      co_return Outcome::retried;
    case AfterFailure::failed:
      telemetry::log(LogLevel::error, "jobs.job_failed", {{"job", jobId}, {"error", error}});
      metrics_.ended[JobOutcome::failed].add();
      co_return Outcome::failed;
    case AfterFailure::lost:
      metrics_.ended[JobOutcome::lost].add();
      co_return Outcome::lost;
  }
  std::unreachable();
}

JobWork& JobWorker::workOf(JobKind kind) const {
  return **std::ranges::find(works_, kind, [](const auto& work) { return work->kind(); });
}

}  // namespace auth_errors::jobs
