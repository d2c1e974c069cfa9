// Deletes jobs that ended long ago, in small chunks. Belongs to its client's loop; several
// instances may run it concurrently. Decisions keep the id of the job that made them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "platform/workers/worker.h"

namespace auth_errors::jobs {

class JobRetention final : public workers::Worker {
 public:
  struct Options {
    std::chrono::days age{30};
    std::chrono::milliseconds interval{600'000};
    std::int64_t chunk = 500;
    std::chrono::milliseconds deadline{10'000};  // of a chunk
  };

  JobRetention(database::Client& client, Options options);

  // Returns the number of deleted jobs.
  drogon::Task<std::size_t> runOnce();

 private:
  database::Client& client_;
  Options options_;
};

}  // namespace auth_errors::jobs
