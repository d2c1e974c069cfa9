// Asks for a re-scrub of everything stored. Belongs to the loop of the client it is given.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include <drogon/utils/coroutine.h>

#include "platform/database/client.h"
#include "triage/jobs/job.h"

namespace auth_errors::rescrub {

enum class ScrubJobFault : std::uint8_t {
  unavailable,     // the database is away: nothing was asked for
  outcomeUnknown,  // no answer came
};

class ScrubJobs {
 public:
  using Answer = std::expected<jobs::Job, ScrubJobFault>;

  explicit ScrubJobs(database::Client& client) : client_(client) {}

  // A new job for the scrubber of this instance, or the one that is open, whatever its version:
  // there is one at a time. Its total is the number of errors that are behind and of other rows
  // with texts; above about 200,000 rows of a table it is estimated from a sample.
  [[nodiscard]] drogon::Task<Answer> reapply(std::string requestedBy,
                                             std::optional<std::string> traceparent,
                                             database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::rescrub
