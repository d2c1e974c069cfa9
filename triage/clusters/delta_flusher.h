// Adds up what joined and left the clusters: takes cluster_delta rows away and adds their sums to
// the clusters' numbers in one transaction, so that the numbers are exact after any crash. One
// instance does it at a time, at most once in the interval. Belongs to its client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "platform/workers/worker.h"
#include "triage/clusters/metrics.h"

namespace auth_errors::clusters {

class DeltaFlusher final : public workers::Worker {
 public:
  struct Options {
    std::chrono::milliseconds interval{1'000};
    std::int64_t chunk = 10'000;
    std::chrono::milliseconds deadline{20'000};
  };

  DeltaFlusher(database::Client& client, Options options, Metrics& metrics);

  // How many deltas were added up; none if it is not yet time, or another instance does it.
  drogon::Task<std::size_t> runOnce();

 private:
  drogon::Task<std::size_t> flushChunk(std::chrono::milliseconds notBefore);
  drogon::Task<> prune();

  database::Client& client_;
  Options options_;
  Metrics& metrics_;
  std::chrono::steady_clock::time_point nextPrune_{};
};

}  // namespace auth_errors::clusters
