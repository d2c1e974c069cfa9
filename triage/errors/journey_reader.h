// The history of one error, assembled from everything recorded about it. Belongs to the loop of the
// given client. A read ends by its deadline and changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"

namespace auth_errors::triage {

// The fields in the order in which they are read; each kind of step only has some of them.
struct JourneyStep {
  std::string step;
  domain::Instant at;
  std::optional<std::string> by;     // an instance, or the name of a key or a rule
  std::optional<std::string> event;  // its type
  std::optional<std::int32_t> attempt;
  std::optional<std::string> error;
  std::optional<std::string> cause;  // of a change of status, or of a dead letter
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> type;  // of a decision
  std::optional<std::string> note;
  std::optional<domain::JobId> jobId;  // of a decision on a whole cluster
};

struct Journey {
  std::optional<std::string> traceparent;  // of the error's first event
  std::vector<JourneyStep> steps;          // in chronological order; causes before their effects
};

class JourneyReader {
 public:
  explicit JourneyReader(database::Client& client) : client_(client) {}

  // Without steps if there is no such error. Events that were cleaned up have no steps.
  [[nodiscard]] drogon::Task<domain::Answer<Journey>> read(domain::ErrorId authErrorId,
                                                           database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::triage
