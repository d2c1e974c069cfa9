// Manual actions on a whole cluster: its state, its mute, and a decision on all its errors. Belongs
// to the loop of the given client. An action is one transaction that locks the cluster's row, so
// concurrent actions are serialised.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <drogon/utils/coroutine.h>

#include "domain/clusters/cluster.h"
#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/names.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "triage/jobs/job.h"

namespace auth_errors::clusters {

// The manually controlled part of a cluster.
struct ClusterStanding {
  domain::ClusterId clusterId;
  domain::StoredName<domain::ClusterState> state;
  domain::Instant stateChangedAt;
  std::string stateChangedBy;
  std::optional<std::string> stateNote;
  std::optional<domain::Instant> mutedUntil;
  std::optional<std::int64_t> mutedUntilCount;
  std::optional<std::string> mutedBy;
};

struct NewState {
  domain::ClusterId clusterId;
  domain::ClusterEvent event{};
  std::optional<std::string> note;  // sanitised
  std::string changedBy;
};

// Exactly one of the two.
struct NewMute {
  domain::ClusterId clusterId;
  std::optional<domain::Instant> until;
  std::optional<std::int64_t> count;  // of further errors
  std::string mutedBy;
};

struct ClusterDecision {
  domain::ClusterId clusterId;
  domain::Decision type{};
  std::optional<std::string> note;  // sanitised
  std::string decidedBy;
  std::optional<std::string> traceparent;
};

struct ClusterRefusal {
  enum class Reason : std::uint8_t {
    unknown,
    merged,           // its errors now belong to another cluster
    sameState,        // it is already in that state
    untilOutOfRange,  // not in the future, or too far ahead
  };
  Reason reason{};
  std::optional<domain::ClusterId> mergedInto = {};                           // merged
  std::optional<domain::StoredName<domain::ClusterState>> currentState = {};  // sameState
};

class ClusterStore {
 public:
  template <typename T>
  using Answer = domain::Answer<T, ClusterRefusal>;

  explicit ClusterStore(database::Client& client) : client_(client) {}

  [[nodiscard]] drogon::Task<Answer<ClusterStanding>> changeState(NewState change,
                                                                  database::Deadline deadline);
  // Replaces an existing mute.
  [[nodiscard]] drogon::Task<Answer<ClusterStanding>> mute(NewMute mute,
                                                           database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<ClusterStanding>> unmute(domain::ClusterId clusterId,
                                                             database::Deadline deadline);
  // Creates a job that decides on all its errors. RESOLVE and IGNORE also change the cluster's
  // state, immediately.
  [[nodiscard]] drogon::Task<Answer<jobs::Job>> decide(ClusterDecision decision,
                                                       database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::clusters
