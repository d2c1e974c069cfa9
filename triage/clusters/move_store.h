// What people do when equal faults are not one cluster, or different ones are: merges and splits,
// and what they would do. Belongs to the loop of the client it is given. An action is one
// transaction, alone with the routes: it changes where errors go from now on, and enqueues the job
// that moves those that are there (triage/clusters/move_work.h).
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
#include "platform/database/clients.h"
#include "triage/errors/error_match.h"
#include "triage/jobs/job.h"

namespace auth_errors::clusters {

// Who asks for an action, and what they say about it.
struct MoveOrder {
  std::string by;
  std::optional<std::string> note;  // fit to be stored
};

// Exactly one of the two is given.
struct SplitChoice {
  std::vector<std::string> stackHashes;
  triage::ErrorMatch match;  // without a cluster
  // Of the new cluster, if the one that is made up for it won't do; fit to be stored.
  std::optional<std::string> title;
};

struct ClusterInMerge {
  domain::ClusterId id;
  std::string title;
  std::string state;
  std::int64_t errorCount = 0;
};

struct MergePreview {
  ClusterInMerge source;
  ClusterInMerge target;
  std::int64_t movingErrors = 0;
  std::int64_t errorsInBoth = 0;
  std::vector<std::string> servicesGained;
  std::vector<std::string> environmentsGained;
  std::int64_t stackHashCount = 0;
  std::vector<std::string> stackHashes;  // that would lead to the target; not more than are shown
};

struct MovingError {
  domain::ErrorId id;
  std::string exceptionClass;
  std::optional<std::string> exceptionMessage;
  std::optional<std::string> serviceName;
  std::optional<std::string> environment;
  domain::Instant occurredAt;
};

struct SplitPreview {
  std::string title;
  std::int64_t movingErrors = 0;
  std::int64_t stayingErrors = 0;
  std::vector<std::string> services;  // of what goes
  std::vector<std::string> environments;
  std::vector<MovingError> samples;  // the newest ones
};

struct SplitMade {
  domain::ClusterId clusterId;
  std::string title;
  jobs::Job job;
};

struct MoveRefusal {
  enum class Reason : std::uint8_t {
    unknown,        // there is no such cluster
    targetUnknown,  // there is no cluster to merge into
    mergedAway,     // one of the clusters was merged into another before
    sameCluster,    // into itself
    beingDecided,   // a job decides on the cluster's errors
    foreignHashes,  // these do not lead to the cluster
    allHashes,      // none would lead to the cluster any more
    nothingToMove,  // no error would move
    nothingToStay,  // every error would move
  };
  Reason reason{};
  domain::ClusterId clusterId = {};           // mergedAway: the one,
  domain::ClusterId mergedInto = {};          // and where it went
  std::vector<std::string> stackHashes = {};  // foreignHashes: these
};

class MoveStore {
 public:
  template <typename T>
  using Answer = domain::Answer<T, MoveRefusal>;

  explicit MoveStore(database::Clients clients) : clients_(clients) {}

  [[nodiscard]] drogon::Task<Answer<MergePreview>> previewMerge(domain::ClusterId source,
                                                                domain::ClusterId target,
                                                                database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<jobs::Job>> merge(domain::ClusterId source,
                                                      domain::ClusterId target, MoveOrder order,
                                                      database::Deadline deadline);

  [[nodiscard]] drogon::Task<Answer<SplitPreview>> previewSplit(domain::ClusterId source,
                                                                SplitChoice choice,
                                                                database::Deadline deadline);
  [[nodiscard]] drogon::Task<Answer<SplitMade>> split(domain::ClusterId source, SplitChoice choice,
                                                      MoveOrder order, database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::clusters
