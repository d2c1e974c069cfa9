// Reads clusters: a page of those that a filter lets through, or one with all that is known of it.
// Belongs to the loop of the client it is given. A read ends by its deadline and changes nothing;
// it takes the same few statements however many clusters are on the page.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/clusters/cluster.h"
#include "domain/clusters/cluster_signals.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "triage/errors/error_match.h"
#include "triage/errors/error_reader.h"

namespace auth_errors::clusters {

// A service or environment and how many of the cluster's errors came from there.
struct Share {
  std::string name;
  std::int64_t errorCount = 0;
};

struct ClusterRecord {
  domain::ClusterId id;
  std::string title;
  std::string exceptionClass;
  std::string state;
  domain::Instant stateChangedAt;
  std::string stateChangedBy;
  std::optional<std::string> stateNote;
  domain::Instant firstSeenAt;
  domain::Instant lastSeenAt;
  std::int64_t errorCount = 0;
  std::int64_t actorCount = 0;
  domain::ErrorId sampleErrorId;
  bool muted = false;
  std::optional<domain::Instant> mutedUntil;
  std::optional<std::int64_t> mutedUntilCount;
  std::optional<std::string> mutedBy;
  std::optional<domain::ClusterId> mergedInto;
};

struct ClusterItem : ClusterRecord {
  std::vector<Share> services;  // the largest first
  std::vector<Share> environments;
  domain::ClusterSignals signals;
  std::int64_t actorsInWindow = 0;
};

// What the errors of one hash have in common.
struct GroupingReason {
  std::string stackHash;
  std::int32_t version = 0;
  std::int64_t errorCount = 0;
  std::vector<std::string> classes;
  std::vector<std::string> frames;
  std::optional<std::string> message;
};

struct ActivityPoint {
  domain::Instant startsAt;
  std::int64_t errorCount = 0;
};

struct ClusterChange {
  std::string from;
  std::string to;
  std::string cause;
  std::string changedBy;
  domain::Instant changedAt;
  std::optional<std::string> note;
};

struct ClusterSplit {
  domain::SplitId id;
  domain::ClusterId fromClusterId;
  domain::ClusterId toClusterId;
  triage::ErrorMatch match;
  domain::Instant createdAt;
  std::string createdBy;
};

struct WholeCluster {
  ClusterItem item;
  std::vector<GroupingReason> whyGrouped;        // the most frequent first
  std::vector<ActivityPoint> hours;              // the last 24, the current one last
  std::vector<ActivityPoint> days;               // the last 30 of UTC, today last
  std::vector<triage::StoredAuthError> members;  // summaries of the newest
  std::vector<ClusterChange> changes;            // the newest first
  std::vector<ClusterSplit> splits;              // in the order in which they are tried
  std::optional<ClusterSplit> splitFrom;         // that it was made by, if it was one by a match
  std::vector<domain::ClusterId> mergedFrom;
};

// Where an error belongs, in short.
struct ClusterName {
  domain::ClusterId id;
  std::string title;
  std::string state;
};

enum class ClusterSort : std::uint8_t { lastSeen, firstSeen, count };
inline constexpr std::array<std::pair<ClusterSort, std::string_view>, 3> kClusterSortNames{{
    {ClusterSort::lastSeen, "lastSeen"},
    {ClusterSort::firstSeen, "firstSeen"},
    {ClusterSort::count, "count"},
}};

// What an item is sorted by, as a number: its time in microseconds since 1970, or its count.
std::int64_t sortValueOf(const ClusterItem& item, ClusterSort sort);

// An empty member lets everything through.
struct ClusterFilter {
  std::optional<domain::ClusterState> state;
  std::optional<std::string> serviceName;
  std::optional<std::string> environment;
  std::optional<std::string> exceptionClass;
  std::optional<bool> muted;
  std::optional<std::string> namePart;  // of the title or the exception's class, in any case
  std::optional<domain::Instant> from;  // clusters that had errors in this span
  std::optional<domain::Instant> to;    // exclusive

  bool operator==(const ClusterFilter&) const = default;
};

struct ClusterPosition {
  std::int64_t value = 0;  // as of sortValueOf
  domain::ClusterId id;
};

// The largest first, the newer one of equals.
struct ClusterPage {
  ClusterFilter filter;
  ClusterSort sort = ClusterSort::lastSeen;
  std::optional<ClusterPosition> after;
  std::size_t rows = 0;  // at most
};

class ClusterReader {
 public:
  explicit ClusterReader(database::Clients clients) : clients_(clients) {}

  // Without those that were merged away.
  [[nodiscard]] drogon::Task<domain::Answer<std::vector<ClusterItem>>> page(
      ClusterPage page, database::Deadline deadline);
  [[nodiscard]] drogon::Task<domain::Answer<std::optional<WholeCluster>>> find(
      domain::ClusterId id, database::Deadline deadline);
  [[nodiscard]] drogon::Task<domain::Answer<std::vector<ClusterName>>> ofError(
      domain::ErrorId authErrorId, database::Deadline deadline);

 private:
  database::Clients clients_;
};

}  // namespace auth_errors::clusters
