// Decides on the undecided members of a cluster. Belongs to its worker's loop.
#pragma once

#include <functional>

#include "triage/jobs/job.h"

namespace auth_errors::jobs {

class DecideWork final : public JobWork {
 public:
  // `onEnqueued` is called after events for the outbox have been committed.
  explicit DecideWork(std::function<void()> onEnqueued);

  [[nodiscard]] JobKind kind() const override { return JobKind::decide; }
  drogon::Task<Chunk> run(database::Transaction& transaction, Job job, std::size_t rows) override;

 private:
  std::function<void()> onEnqueued_;
};

}  // namespace auth_errors::jobs
