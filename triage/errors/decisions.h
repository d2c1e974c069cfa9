// Decides on any number of errors: the change of status, its record and, for RETRY, the event of
// the next round. Everything happens in the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "platform/database/client.h"

namespace auth_errors::triage {

struct Verdict {
  domain::Decision type{};
  std::optional<std::string> note;  // sanitised
  std::string decidedBy;            // a key's name or rule:{name}
  // Trace context of the deciding request; without one, RETRY continues the trace of the error's
  // first event.
  std::optional<std::string> traceparent;
  std::optional<domain::JobId> jobId;
};

// The fields in the order in which they are read.
struct Decided {
  domain::ErrorId authErrorId;
  domain::DecisionId decisionId;
  domain::Instant decidedAt;
};

// Returns the decided errors; the others are not analysed yet, or in a final status.
drogon::Task<std::vector<Decided>> decideAll(database::Transaction& transaction, Verdict verdict,
                                             std::vector<domain::ErrorId> authErrorIds);

}  // namespace auth_errors::triage
