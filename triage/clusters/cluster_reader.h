// Reads clusters: a page of those that match a filter, or one in full. Belongs to the loop of the
// given client. A read ends by its deadline and changes nothing; the number of statements does not
// depend on the number of clusters on the page.
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

// A service or environment with the number of the cluster's errors from it.
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
  std::vector<Share> services;  // largest first
  std::vector<Share> environments;
  domain::ClusterSignals signals;
  std::int64_t actorsInWindow = 0;
};

// The common properties of the errors with one hash.
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
  std::vector<GroupingReason> whyGrouped;        // most frequent first
  std::vector<ActivityPoint> hours;              // the last 24, the current one last
  std::vector<ActivityPoint> days;               // the last 30 UTC days, today last
  std::vector<triage::StoredAuthError> members;  // summaries of the newest
  std::vector<ClusterChange> changes;            // newest first
  std::vector<ClusterSplit> splits;              // in the order in which they are tried
  std::optional<ClusterSplit> splitFrom;         // the split by match that created it, if any
  std::vector<domain::ClusterId> mergedFrom;
};

// Names the cluster of an error.
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

// The sort key of an item as a number: its time in microseconds since 1970, or its count.
std::int64_t sortValueOf(const ClusterItem& item, ClusterSort sort);

// An empty member matches everything.
struct ClusterFilter {
  std::optional<domain::ClusterState> state;
  std::optional<std::string> serviceName;
  std::optional<std::string> environment;
  std::optional<std::string> exceptionClass;
  std::optional<bool> muted;
  std::optional<std::string>
      namePart;  // substring of the title or the exception class, case-insensitive
  std::optional<domain::Instant> from;  // clusters that had errors in this range
  std::optional<domain::Instant> to;    // exclusive

  bool operator==(const ClusterFilter&) const = default;
};

struct ClusterPosition {
  std::int64_t value = 0;  // see sortValueOf
  domain::ClusterId id;
};

// Largest first, ties by newer cluster.
struct ClusterPage {
  ClusterFilter filter;
  ClusterSort sort = ClusterSort::lastSeen;
  std::optional<ClusterPosition> after;
  std::size_t rows = 0;  // maximum
};

class ClusterReader {
 public:
  explicit ClusterReader(database::Clients clients) : clients_(clients) {}

  // Excludes clusters that were merged into others.
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
