// Adds what rules did to their counts, once a second. Belongs to its client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "platform/workers/worker.h"

namespace auth_errors::rules {

class RuleDeltaFlusher final : public workers::Worker {
 public:
  struct Options {
    std::chrono::milliseconds interval{1'000};
    std::int64_t chunk = 10'000;
    std::chrono::milliseconds deadline{5'000};
  };

  RuleDeltaFlusher(database::Client& client, Options options);

  // How many deltas were added up.
  drogon::Task<std::size_t> runOnce();

 private:
  database::Client& client_;
  Options options_;
};

}  // namespace auth_errors::rules
