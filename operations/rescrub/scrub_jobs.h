// Asks for a re-scrub of everything stored. Belongs to the loop of the client it is given.
#pragma once

#include <optional>
#include <string>

#include <drogon/utils/coroutine.h>

#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "triage/jobs/job.h"

namespace auth_errors::rescrub {

class ScrubJobs {
 public:
  explicit ScrubJobs(database::Client& client) : client_(client) {}

  // A new job for the scrubber of this instance, or the one that is open, whatever its version:
  // there is one at a time. Its total is the number of errors that are behind and of other rows
  // with texts; above about 200,000 rows of a table it is estimated from a sample.
  [[nodiscard]] drogon::Task<domain::Answer<jobs::Job>> reapply(
      std::string requestedBy, std::optional<std::string> traceparent, database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::rescrub
