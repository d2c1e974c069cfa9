// Releases abandoned claims: rows that stay PROCESSING for too long, judged by elapsed time alone.
// Belongs to its client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <drogon/utils/coroutine.h>

#include "outbox/metrics.h"
#include "platform/database/client.h"
#include "platform/workers/worker.h"

namespace auth_errors::outbox {

class Reaper final : public workers::Worker {
 public:
  struct Options {
    std::chrono::milliseconds interval{5'000};
    std::chrono::milliseconds claimTimeout{60'000};
    std::int64_t chunk = 1'000;
    std::chrono::milliseconds deadline{5'000};
    std::function<void()> onReaped;  // reports work for the claim worker
  };

  Reaper(database::Client& client, Options options, Metrics& metrics);

  // Returns the number of released claims.
  drogon::Task<std::size_t> runOnce();

 private:
  database::Client& client_;
  Options options_;
  Metrics& metrics_;
};

}  // namespace auth_errors::outbox
