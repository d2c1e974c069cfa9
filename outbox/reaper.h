// Takes back claims that nobody finishes: rows that stay PROCESSING for too long, judged by elapsed
// time alone. Belongs to its client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <drogon/utils/coroutine.h>

#include "outbox/metrics.h"
#include "platform/database/client.h"
#include "platform/workers/periodic_job.h"

namespace auth_errors::outbox {

class Reaper {
 public:
  struct Options {
    std::chrono::milliseconds interval{5'000};
    std::chrono::milliseconds claimTimeout{60'000};
    std::int64_t chunk = 1'000;
    std::chrono::milliseconds deadline{5'000};
    std::function<void()> onReaped;  // there is work for the claim worker
  };

  Reaper(database::Client& client, Options options, Metrics& metrics);

  void start() { job_.start(); }
  drogon::Task<> stop() { return job_.stop(); }

  // How many claims were taken back.
  drogon::Task<std::size_t> runOnce();

 private:
  database::Client& client_;
  Options options_;
  Metrics& metrics_;
  workers::PeriodicJob job_;
};

}  // namespace auth_errors::outbox
