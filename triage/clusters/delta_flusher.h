// Aggregates changes of cluster membership: deletes cluster_delta rows and adds their sums to the
// clusters' counts in one transaction, so that the counts are exact after any crash. One instance
// at a time, at most once per interval. Belongs to its client's loop.
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

  // Returns the number of aggregated deltas; 0 if it is not yet time, or another instance is doing
  // it.
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
