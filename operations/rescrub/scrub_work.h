// Applies the current scrubber to stored data: first to the errors scrubbed by another version, by
// id, then to every other table with texts (stored_texts.h). Belongs to its worker's loop.
//
// A chunk locks its rows before reading them, so that concurrent changes are not overwritten, and
// waits for rows locked by others: no row is skipped. The errors' content digests describe what was
// submitted, so they do not change; neither does an error's hash: redaction moves no error to
// another cluster. A fault whose redacted texts have another hash gets a second route to its
// cluster; otherwise the next error of the same fault would open a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "triage/jobs/job.h"

namespace auth_errors::rescrub {

class ScrubWork final : public jobs::JobWork {
 public:
  struct Options {
    // A chunk occupies the database for about 5 ms. Chunks of 100 errors, 20 ms, more than doubled
    // the p99 of concurrent ingestion (4.9 to 10.4 ms on a million errors).
    std::size_t errors = 25;
    std::size_t rows = 50;  // of the other tables
    // Range of ids searched at once for errors of other versions.
    std::int64_t window = 5'000;
  };

  explicit ScrubWork(Options options);

  [[nodiscard]] jobs::JobKind kind() const override { return jobs::JobKind::scrub; }
  // Ignores the caller's chunk size: a row takes a tenth of the time of a decision.
  drogon::Task<jobs::Chunk> run(database::Transaction& transaction, jobs::Job job,
                                std::size_t rows) override;

 private:
  // The statements of one table.
  struct Walk {
    std::int64_t number = 0;
    database::Statement pageEnd;
    database::Statement read;
    database::Statement update;
  };

  drogon::Task<jobs::Chunk> scrubErrors(database::Transaction& transaction, std::int64_t after,
                                        std::string version);
  drogon::Task<jobs::Chunk> scrubTable(database::Transaction& transaction, std::size_t place,
                                       std::int64_t after);

  Options options_;
  std::vector<Walk> walks_;  // one for each of textTables()
};

}  // namespace auth_errors::rescrub
