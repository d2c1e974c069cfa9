// Brings analysed errors up to date in the background and in chunks: those that an older version of
// the hash was made for, and those that have no cluster because they were analysed by a release
// that had none. An error stays in the cluster it is in, with its status and its decisions; where
// the new hash leads elsewhere, it joins that cluster too, unless a person has put it where it is.
// Belongs to its client's loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "platform/workers/worker.h"
#include "triage/clusters/fault.h"
#include "triage/clusters/metrics.h"

namespace auth_errors::clusters {

class Reanalysis final : public workers::Worker {
 public:
  struct Options {
    domain::InstanceName instance;
    std::chrono::milliseconds interval{60'000};
    std::int64_t chunk = 200;
    // Younger ones may be analysed at this moment; a release without clusters takes no longer.
    std::chrono::milliseconds strayAge{600'000};
    std::chrono::milliseconds deadline{20'000};
  };

  Reanalysis(database::Client& client, Options options, Metrics& metrics);

  // How many errors were brought up to date; fewer than there are if another instance does it.
  drogon::Task<std::size_t> runOnce();

 private:
  struct OutdatedError {
    domain::ErrorId id;
    std::string oldHash;
    Fault fault;
  };

  static std::vector<OutdatedError> outdatedErrors(const database::Result& rows);
  // Each stops early when another instance does it, and leaves a mark of how far it came.
  drogon::Task<std::size_t> emptyOutdatedRoutes(std::string emptiedUpTo);
  drogon::Task<std::size_t> placeStrays(std::int64_t placedUpTo);
  // False if it stopped early; `done` counts on.
  drogon::Task<bool> reanalyseHash(std::string hash, std::size_t& done);
  drogon::Task<bool> reanalyseChunk(std::vector<OutdatedError> errors);
  drogon::Task<void> rewindRules();
  [[nodiscard]] database::Deadline deadline() const {
    return std::chrono::steady_clock::now() + options_.deadline;
  }

  database::Client& client_;
  Options options_;
  Metrics& metrics_;
};

}  // namespace auth_errors::clusters
