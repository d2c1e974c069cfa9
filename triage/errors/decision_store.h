// Decisions on analysed errors. Belongs to the loop of the given client. A decision is one
// transaction: the change of status, its record and, for RETRY, the event of the next round; of
// several concurrent ones exactly one takes effect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <drogon/utils/coroutine.h>

#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"

namespace auth_errors::triage {

struct NewDecision {
  domain::ErrorId authErrorId;
  domain::Decision type{};
  std::optional<std::string> note;  // sanitised
  std::string decidedBy;
  // Trace context of the deciding request; without one, RETRY continues the trace of the error's
  // first event.
  std::optional<std::string> traceparent;
};

struct RecordedDecision {
  domain::DecisionId id;
  domain::Instant decidedAt;
};

struct DecisionRefusal {
  enum class Reason : std::uint8_t {
    unknown,     // there is no such AuthError
    notAllowed,  // it is not analysed yet, or in a final status
  };
  Reason reason{};
  // notAllowed: the error's
  std::optional<domain::StoredName<domain::AuthErrorStatus>> currentStatus = {};
};

class DecisionStore {
 public:
  using Answer = domain::Answer<RecordedDecision, DecisionRefusal>;

  explicit DecisionStore(database::Client& client) : client_(client) {}

  [[nodiscard]] drogon::Task<Answer> decide(NewDecision decision, database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::triage
