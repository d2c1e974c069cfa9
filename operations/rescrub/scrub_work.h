// Applies the current scrubber to what is stored: first to the errors whose version is another, by
// id, then to every other table with texts (stored_texts.h). Belongs to its worker's loop.
//
// A chunk locks its rows before it reads them, so that nothing is overwritten that changed
// meanwhile, and waits for those that others hold: no row is passed over. What the errors' content
// digests say stays true of what was sent, so they are left alone, as is an error's hash: redaction
// moves no error to another cluster. A fault whose redacted texts have another hash gets a second
// route to the cluster that it has, or the next error of the same fault would open a new one.
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
    // A chunk keeps the database busy for about 5 ms. One of 100 errors, 20 ms, more than doubled
    // the p99 of ingestion beside it (4.9 to 10.4 ms on a million errors).
    std::size_t errors = 25;
    std::size_t rows = 50;  // of the other tables
    // Ids that are looked through at once for errors that are behind.
    std::int64_t window = 5'000;
  };

  explicit ScrubWork(Options options);

  [[nodiscard]] jobs::JobKind kind() const override { return jobs::JobKind::scrub; }
  // The number of rows is its own: one takes a tenth of the time of a decision.
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
  std::vector<Walk> walks_;  // of textTables()
};

}  // namespace auth_errors::rescrub
