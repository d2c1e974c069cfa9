// The role ops: the intake of dead letters, and background work that does not need the broker, on
// one loop with its own connections. Owned by the main loop; wakeJobs() may be called from any
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include <drogon/utils/coroutine.h>

#include "app/roles/role_context.h"
#include "app/roles/role_loop.h"
#include "triage/jobs/job_worker.h"

namespace auth_errors::app::roles {

class Ops {
 public:
  explicit Ops(const RoleContext& context);
  ~Ops();
  Ops(const Ops&) = delete;
  Ops& operator=(const Ops&) = delete;
  Ops(Ops&&) = delete;
  Ops& operator=(Ops&&) = delete;

  // REQUIRES: the schema is current. May be called again after a failure, and then starts what is
  // still missing.
  void start();
  // Releases the running job.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  // Reports that a job is pending.
  void wakeJobs();

 private:
  // Both live on the loop.
  struct DeadLetters;
  struct Upkeep;

  RoleLoop loop_;
  std::unique_ptr<DeadLetters> deadLetters_;
  std::unique_ptr<Upkeep> upkeep_;
  // The upkeep's worker, for other threads.
  std::atomic<jobs::JobWorker*> jobWorker_ = nullptr;
};

}  // namespace auth_errors::app::roles
