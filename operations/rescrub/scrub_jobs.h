// Creates jobs that re-scrub all stored data. Belongs to the loop of the given client.
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

  // A new job for this instance's scrubber, or the open one, whatever its version: only one job is
  // open at a time. Its total is the number of errors scrubbed by other versions and of other rows
  // with texts; above about 200,000 rows of a table it is estimated from a sample.
  [[nodiscard]] drogon::Task<domain::Answer<jobs::Job>> reapply(
      std::string requestedBy, std::optional<std::string> traceparent, database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::rescrub
