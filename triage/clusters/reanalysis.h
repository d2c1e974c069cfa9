// Updates analysed errors in the background, in chunks: those hashed by an older version, and those
// without a cluster because they were analysed by a release without clusters. An error stays in its
// cluster, with its status and its decisions; if the new hash is routed to another cluster, it
// joins that one too, unless it was moved manually. Belongs to its client's loop.
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
    // Younger errors may be being analysed at the moment; a release without clusters takes no
    // longer.
    std::chrono::milliseconds strayAge{600'000};
    std::chrono::milliseconds deadline{20'000};
  };

  Reanalysis(database::Client& client, Options options, Metrics& metrics);

  // Returns the number of updated errors; fewer than there are if another instance is doing it.
  drogon::Task<std::size_t> runOnce();

 private:
  struct OutdatedError {
    domain::ErrorId id;
    std::string oldHash;
    Fault fault;
  };

  static std::vector<OutdatedError> outdatedErrors(const database::Result& rows);
  // Each stops early if another instance is doing the same, and records its progress.
  drogon::Task<std::size_t> emptyOutdatedRoutes(std::string emptiedUpTo);
  drogon::Task<std::size_t> placeStrays(std::int64_t placedUpTo);
  // False if it stopped early; adds to `done`.
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
