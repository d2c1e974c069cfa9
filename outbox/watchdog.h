// Detects errors that have been waiting for their analysis for too long, whatever the cause: counts
// them for the metric and logs them. What to do is up to an operator. Belongs to its client's loop;
// several instances may run it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "outbox/metrics.h"
#include "platform/database/client.h"
#include "platform/workers/worker.h"

namespace auth_errors::outbox {

class Watchdog final : public workers::Worker {
 public:
  struct Options {
    std::chrono::milliseconds interval{60'000};
    std::chrono::milliseconds stuckAfter{3'600'000};  // in one status before the analysis
    std::int64_t countAtMost = 100'000;
    std::chrono::milliseconds deadline{10'000};
  };

  Watchdog(database::Client& client, Options options, Metrics& metrics);

  // Returns the number of stuck errors.
  drogon::Task<std::size_t> runOnce();

 private:
  database::Client& client_;
  Options options_;
  Metrics& metrics_;
  std::size_t lastSeen_ = 0;
};

}  // namespace auth_errors::outbox
