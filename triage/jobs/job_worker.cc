#include "triage/jobs/job_worker.h"

#include <algorithm>
#include <exception>
#include <format>
#include <limits>
#include <utility>

#include "domain/retry/backoff.h"
#include "domain/values/utf8.h"
#include "platform/database/error.h"
#include "platform/telemetry/log.h"
#include "platform/workers/jitter.h"

namespace auth_errors::jobs {
namespace {

using namespace std::chrono_literals;
using telemetry::LogLevel;

constexpr auto kFaultDelayMin = 100ms;
constexpr auto kFaultDelayMax = 5'000ms;
constexpr std::size_t kMaxErrorCodePoints = 1'000;
constexpr int kMaxUnanswered = 5;
constexpr auto kLockTimeout = "55P03";

}  // namespace

JobWorker::JobWorker(database::Client& client, std::vector<std::unique_ptr<JobWork>> works,
                     Options options, Metrics& metrics)
    : client_(client),
      works_(std::move(works)),
      options_(std::move(options)),
      metrics_(metrics),
      work_(client.loop()),
      stopping_(client.loop()),
      ended_(client.loop()) {}

void JobWorker::start() {
  running_ = true;
  drogon::async_run([this]() -> drogon::Task<> {
    co_await runUntilStopped();
    co_await giveBackJob();
    running_ = false;
    ended_.notifyAll();
  });
}

drogon::Task<> JobWorker::stop(Clock::time_point deadline) {
  stop_ = true;
  work_.notifyAll();
  stopping_.notifyAll();
  while (running_ && Clock::now() < deadline) {
    co_await ended_.wait(deadline - Clock::now());
  }
}

void JobWorker::wake() {
  if (wakeQueued_.exchange(true)) {
    return;
  }
  client_.loop().queueInLoop([this] {
    wakeQueued_ = false;
    workWaits_ = !work_.notifyOne();
  });
}

drogon::Task<> JobWorker::runUntilStopped() {
  domain::Backoff backoff(kFaultDelayMin, kFaultDelayMax);
  std::string lastFault;
  while (!stop_) {
    const auto started = Clock::now();
    std::optional<Outcome> outcome;
    std::string fault;
    try {
      outcome = co_await runOnce();
    } catch (const std::exception& error) {
      fault = error.what();
    }
    if (stop_) {
      break;
    }
    if (!outcome) {
      if (std::exchange(lastFault, fault) != fault) {
        telemetry::log(LogLevel::warn, "jobs.worker_failed", {{"error", fault}});
      }
      co_await stopping_.wait(backoff.next());
      continue;
    }
    backoff.reset();
    lastFault.clear();
    if (*outcome == Outcome::idle) {
      co_await idle();
    } else {
      co_await stopping_.wait(std::max<std::chrono::duration<double>>(
          options_.pauseMin, (Clock::now() - started) * options_.pauseShare));
    }
  }
}

drogon::Task<> JobWorker::idle() {
  if (!std::exchange(workWaits_, false)) {
    co_await work_.wait(options_.interval * workers::randomShare(0.5, 1));
  }
}

drogon::Task<> JobWorker::giveBackJob() {
  if (!claim_) {
    co_return;
  }
  try {
    co_await giveBack(client_, *claim_, deadline());
  } catch (const std::exception& error) {
    // Its lease ends by itself.
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
    const std::string owner = std::format("{}/{}", options_.instance, ++claims_);
    // Each job has its turn: the next one, and after the last the first again.
    const std::int64_t after = std::exchange(lastJob_, 0);
    claim_ = co_await claimJob(client_, owner, kinds, after, options_.lease, deadline());
    if (!claim_ && after > 0) {
      claim_ = co_await claimJob(client_, owner, kinds, 0, options_.lease, deadline());
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
    // What never answers in time is no outage, nor is a lock that is never let go: others must get
    // their turn.
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
    fault = "a fault of the service, see its log";
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
  work.committed();
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
  // Errors that are half moved would stay so: it is tried until it succeeds.
  const std::int32_t most = claim_->kind == JobKind::move ? std::numeric_limits<std::int32_t>::max()
                                                          : options_.maxFailures;
  const AfterFailure after = co_await noteFailure(
      client_, *claim_, std::string(domain::firstCodePoints(error, kMaxErrorCodePoints)), most,
      options_.failurePause, deadline());
  const std::int64_t jobId = claim_->jobId;
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
