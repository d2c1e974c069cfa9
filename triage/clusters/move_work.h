// Moves members from one cluster to another: all of them after a merge, some after a split. Each
// member's destination is resolved when its chunk is processed, so that merges and splits made
// while the job is running apply to the rest of it, and no member is left behind or moved to a
// cluster that was merged into another.
#pragma once

#include <cstddef>

#include <drogon/utils/coroutine.h>

#include "triage/jobs/job.h"

namespace auth_errors::clusters {

class MoveWork : public jobs::JobWork {
 public:
  [[nodiscard]] jobs::JobKind kind() const override { return jobs::JobKind::move; }
  // A move is not a new error: it changes no cluster's state.
  drogon::Task<jobs::Chunk> run(database::Transaction& transaction, jobs::Job job,
                                std::size_t rows) override;
};

}  // namespace auth_errors::clusters
