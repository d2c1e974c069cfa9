// What people do with a cluster as a whole: its state, its mute, and a decision on all its errors.
// Belongs to the loop of the client it is given. An action is one transaction that holds the
// cluster's row: of several at once each finds what the one before has left.
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

// The part of a cluster that people set.
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
  std::optional<std::string> note;  // fit to be stored
  std::string changedBy;
};

// One of the two.
struct NewMute {
  domain::ClusterId clusterId;
  std::optional<domain::Instant> until;
  std::optional<std::int64_t> count;  // of further errors
  std::string mutedBy;
};

struct ClusterDecision {
  domain::ClusterId clusterId;
  domain::Decision type{};
  std::optional<std::string> note;  // fit to be stored
  std::string decidedBy;
  std::optional<std::string> traceparent;
};

struct ClusterRefusal {
  enum class Reason : std::uint8_t {
    unknown,
    merged,           // its errors are another cluster's now
    sameState,        // it is in that state already
    untilOutOfRange,  // not in the future, or too far in it
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
  // In place of one that it has already.
  [[nodiscard]] drogon::Task<Answer<ClusterStanding>> mute(NewMute mute,
                                                           database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<ClusterStanding>> unmute(domain::ClusterId clusterId,
                                                             database::Deadline deadline);
  // A job that decides on all its errors. RESOLVE and IGNORE are the cluster's state as well, from
  // this moment on.
  [[nodiscard]] drogon::Task<Answer<jobs::Job>> decide(ClusterDecision decision,
                                                       database::Deadline deadline);

 private:
  database::Client& client_;
};

}  // namespace auth_errors::clusters
