// Moves members from one cluster to another: all of them after a merge, some after a split. Where
// each one goes is asked of the routes at the time of its chunk, so that what people merge and
// split while the job runs holds for the rest of it, and no member is left behind or put into a
// cluster that is merged away.
#pragma once

#include <cstddef>

#include <drogon/utils/coroutine.h>

#include "triage/jobs/job.h"

namespace auth_errors::clusters {

class MoveWork : public jobs::JobWork {
 public:
  [[nodiscard]] jobs::JobKind kind() const override { return jobs::JobKind::move; }
  // A move is no new error: it changes no cluster's state.
  drogon::Task<jobs::Chunk> run(database::Transaction& transaction, jobs::Job job,
                                std::size_t rows) override;
};

}  // namespace auth_errors::clusters
