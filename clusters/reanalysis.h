// Brings errors that were hashed by an older version up to date, in the background and in chunks:
// their hash, their place among the cluster's hashes, and a cluster if they have none. An error
// stays in the cluster it is in, with its status and its decisions; where the new hash leads
// elsewhere, it joins that cluster too, unless a person has put it where it is. Belongs to its
// client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "clusters/fault.h"
#include "database/client.h"
#include "telemetry/metrics.h"
#include "workers/periodic_job.h"

namespace auth_errors::clusters {

class Reanalysis {
 public:
  struct Options {
    std::string instance;
    std::chrono::milliseconds interval{60'000};
    std::int64_t chunk = 200;
    std::chrono::milliseconds deadline{20'000};
  };

  Reanalysis(database::Client& client, Options options, telemetry::Metrics& metrics);

  void start() { job_.start(); }
  drogon::Task<> stop() { return job_.stop(); }

  // How many errors were brought up to date; fewer than there are if another instance is at it.
  drogon::Task<std::size_t> runOnce();

 private:
  struct OutdatedError {
    std::int64_t id = 0;
    Fault fault;
  };

  // Of one old hash. False if another instance is at it.
  drogon::Task<bool> reanalyse(std::string oldHash, std::size_t& done);
  drogon::Task<bool> reanalyseChunk(std::string oldHash, std::vector<OutdatedError> errors);

  database::Client& client_;
  Options options_;
  telemetry::Metrics& metrics_;
  workers::PeriodicJob job_;
};

}  // namespace auth_errors::clusters
