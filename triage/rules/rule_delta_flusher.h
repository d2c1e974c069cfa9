// Adds what rules did to their counts, once a second. Belongs to its client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "platform/workers/periodic_job.h"

namespace auth_errors::rules {

class RuleDeltaFlusher {
 public:
  struct Options {
    std::chrono::milliseconds interval{1'000};
    std::int64_t chunk = 10'000;
    std::chrono::milliseconds deadline{5'000};
  };

  RuleDeltaFlusher(database::Client& client, Options options);

  void start() { job_.start(); }
  drogon::Task<> stop() { return job_.stop(); }

  // How many deltas were added up.
  drogon::Task<std::size_t> runOnce();

 private:
  database::Client& client_;
  Options options_;
  workers::PeriodicJob job_;
};

}  // namespace auth_errors::rules
