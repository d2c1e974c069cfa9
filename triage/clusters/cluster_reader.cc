#include "triage/clusters/cluster_reader.h"

#include <chrono>
#include <expected>
#include <format>
#include <utility>

#include "platform/database/answer.h"
#include "platform/database/conditions.h"

namespace auth_errors::clusters {
namespace {

constexpr std::string_view kReadingFailed = "reading.failed";

constexpr std::size_t kShareRows = 10;
constexpr std::size_t kReasonRows = 20;
constexpr std::size_t kMemberRows = 20;
constexpr std::size_t kChangeRows = 20;
constexpr int kHours = 24;
constexpr int kDays = 30;

constexpr std::string_view kMuted =
    "(coalesce(c.muted_until > now(), false) OR coalesce(c.error_count < c.muted_until_count, "
    "false))";

std::string shownState() {
  return std::format("CASE WHEN c.merged_into IS NULL THEN c.state ELSE '{}' END",
                     domain::kMergedState);
}

// One row with two arrays, names and counts.
std::string sharesOf(std::string_view kind) {
  return std::format(
      R"((SELECT coalesce(array_agg(value ORDER BY error_count DESC, value), '{{}}') AS names,
               coalesce(array_agg(error_count ORDER BY error_count DESC, value), '{{}}') AS counts
        FROM (SELECT value, error_count FROM cluster_facet
              WHERE cluster_id = c.id AND kind = '{}'
              ORDER BY error_count DESC, value LIMIT {}) largest))",
      kind, kShareRows);
}

std::int64_t seconds(std::chrono::seconds time) { return time.count(); }

// The columns are in the order of an ItemRow's fields. `source` provides the clusters as c.
std::string itemsOf(std::string_view source) {
  return std::format(
      R"(SELECT c.id, c.title, c.exception_class, {7}, c.state_changed_at, c.state_changed_by,
       c.state_note, c.first_seen_at, c.last_seen_at, c.error_count, c.actor_count,
       c.sample_error_id, {1}, c.muted_until, c.muted_until_count, c.muted_by, c.merged_into,
       service.names, service.counts, environment.names, environment.counts,
       now(), activity.in_window, activity.before,
       (SELECT count(*) FROM cluster_facet WHERE cluster_id = c.id AND kind = 'actor'
          AND last_seen_at >= span.starts_at AND last_seen_at < span.ends_at)
FROM {0}
CROSS JOIN (SELECT bucket - make_interval(secs => {4} - {6}) AS starts_at,
                   bucket + make_interval(secs => {6}) AS ends_at
            FROM date_bin(make_interval(secs => {6}), now(), timestamptz 'epoch') bucket) span
CROSS JOIN LATERAL {2} service
CROSS JOIN LATERAL {3} environment
CROSS JOIN LATERAL (
  SELECT coalesce(sum(error_count) FILTER (WHERE starts_at >= span.starts_at), 0)::bigint
           AS in_window,
         coalesce(sum(error_count) FILTER (WHERE starts_at < span.starts_at), 0)::bigint AS before
  FROM cluster_activity
  WHERE cluster_id = c.id AND grain = '5min'
    AND starts_at >= span.starts_at - make_interval(secs => {5}) AND starts_at < span.ends_at
) activity)",
      source, kMuted, sharesOf("service"), sharesOf("environment"), seconds(domain::kSignalWindow),
      seconds(domain::kLongestLearning), seconds(domain::ActivityBucket{1}), shownState());
}

struct ShareColumns {
  std::vector<std::string> names;
  std::vector<std::int64_t> counts;
};

struct ItemRow {
  ClusterRecord record;
  ShareColumns services;
  ShareColumns environments;
  domain::Instant now;
  std::int64_t errorsInWindow = 0;
  std::int64_t errorsBefore = 0;
  std::int64_t actorsInWindow = 0;
};

std::vector<Share> toShares(ShareColumns columns) {
  std::vector<Share> shares;
  shares.reserve(columns.names.size());
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    shares.push_back({.name = std::move(columns.names.at(i)), .errorCount = columns.counts.at(i)});
  }
  return shares;
}

ClusterItem toItem(ItemRow row) {
  ClusterItem item;
  static_cast<ClusterRecord&>(item) = std::move(row.record);
  item.services = toShares(std::move(row.services));
  item.environments = toShares(std::move(row.environments));
  item.signals = domain::clusterSignals(row.now, {.firstSeenAt = item.firstSeenAt,
                                                  .errorsInWindow = row.errorsInWindow,
                                                  .errorsBefore = row.errorsBefore});
  item.actorsInWindow = row.actorsInWindow;
  return item;
}

const database::Statement kFindCluster{.name = "find_cluster",
                                       .sql = itemsOf("cluster c") + " WHERE c.id = $1"};

// The hashes of a merged cluster still route to it first, so routes are found by hash.
const database::Statement kClusterReasons{.name = "cluster_reasons",
                                          .sql = std::format(
                                              R"(SELECT f.value, r.version, f.error_count,
       ARRAY(SELECT jsonb_array_elements_text(r.fingerprint -> 'classes')),
       ARRAY(SELECT jsonb_array_elements_text(r.fingerprint -> 'frames')),
       r.fingerprint ->> 'message'
FROM (SELECT value, error_count FROM cluster_facet WHERE cluster_id = $1 AND kind = 'hash'
      ORDER BY error_count DESC, value LIMIT {}) f
JOIN cluster_route r ON r.stack_hash = f.value
ORDER BY f.error_count DESC, f.value)",
                                              kReasonRows)};

// UTC days have 24 hours; the intervals are in hours, so that no session's time zone matters.
const database::Statement kHistograms{.name = "cluster_histograms",
                                      .sql = std::format(
                                          R"(WITH known AS MATERIALIZED (
  SELECT starts_at, error_count FROM cluster_activity
  WHERE cluster_id = $1 AND grain = 'hour'
    AND starts_at >= date_trunc('day', now(), 'UTC') - make_interval(hours => 24 * ({1} - 1))
), days AS (
  SELECT date_trunc('day', starts_at, 'UTC') AS starts_at, sum(error_count)::bigint AS error_count
  FROM known GROUP BY 1
)
SELECT true AS hourly, point.starts_at, coalesce(known.error_count, 0) AS error_count
FROM date_trunc('hour', now(), 'UTC') AS last_hour
CROSS JOIN generate_series(last_hour - make_interval(hours => {0} - 1), last_hour,
                           make_interval(hours => 1)) AS point (starts_at)
LEFT JOIN known ON known.starts_at = point.starts_at
UNION ALL
SELECT false, point.starts_at, coalesce(days.error_count, 0)
FROM date_trunc('day', now(), 'UTC') AS last_day
CROSS JOIN generate_series(last_day - make_interval(hours => 24 * ({1} - 1)), last_day,
                           make_interval(hours => 24)) AS point (starts_at)
LEFT JOIN days ON days.starts_at = point.starts_at
ORDER BY starts_at)",
                                          kHours, kDays)};

struct HistogramRow {
  bool hourly = false;
  ActivityPoint point;
};

const database::Statement kClusterChanges{
    .name = "cluster_changes",
    .sql = std::format("SELECT from_state, to_state, cause, changed_by, changed_at, note "
                       "FROM cluster_transition WHERE cluster_id = $1 ORDER BY id DESC LIMIT {}",
                       kChangeRows)};

std::string splitsWhere(std::string_view condition) {
  return std::format(
      "SELECT id, from_cluster_id, to_cluster_id, {}, created_at, created_by FROM cluster_split "
      "WHERE {} ORDER BY id",
      triage::matchColumns(), condition);
}

const database::Statement kClusterSplits{.name = "cluster_splits",
                                         .sql = splitsWhere("from_cluster_id = $1")};
const database::Statement kClusterOrigin{.name = "cluster_origin",
                                         .sql = splitsWhere("to_cluster_id = $1")};

const database::Statement kMergedFrom{
    .name = "clusters_merged_from",
    .sql = "SELECT id FROM cluster WHERE merged_into = $1 ORDER BY id"};

const database::Statement kClustersOfError{
    .name = "clusters_of_error",
    .sql = std::format("SELECT c.id, c.title, {} FROM cluster_member m JOIN cluster c "
                       "ON c.id = m.cluster_id WHERE m.auth_error_id = $1 ORDER BY c.id",
                       shownState())};

std::string_view columnOf(ClusterSort sort) {
  switch (sort) {
    case ClusterSort::lastSeen:
      return "last_seen_at";
    case ClusterSort::firstSeen:
      return "first_seen_at";
    case ClusterSort::count:
      return "error_count";
  }
  std::unreachable();
}

constexpr std::string_view kHasFacet =
    "EXISTS (SELECT FROM cluster_facet WHERE cluster_id = c.id AND kind = '{}' AND value = ?)";

database::Conditions conditionsOf(const ClusterPage& page) {
  const ClusterFilter& filter = page.filter;
  database::Conditions conditions;
  conditions.require("c.merged_into IS NULL");
  if (page.after) {
    const std::string order = std::format("c.{}, c.id", columnOf(page.sort));
    if (page.sort == ClusterSort::count) {
      conditions.addBelow(order, page.after->value, page.after->id);
    } else {
      conditions.addBelow(order, domain::Instant(std::chrono::microseconds(page.after->value)),
                          page.after->id);
    }
  }
  conditions.add("c.state = ?", filter.state);
  conditions.add(std::format(kHasFacet, "service"), filter.serviceName);
  conditions.add(std::format(kHasFacet, "environment"), filter.environment);
  conditions.add("c.exception_class = ?", filter.exceptionClass);
  if (filter.muted) {
    conditions.require(std::format("{} = {}", kMuted, *filter.muted));
  }
  conditions.add("(c.title ILIKE ? OR c.exception_class ILIKE ?)",
                 filter.namePart.transform(database::likePattern));
  conditions.add("c.last_seen_at >= ?", filter.from);
  conditions.add("c.first_seen_at < ?", filter.to);
  return conditions;
}

drogon::Task<domain::Answer<std::optional<WholeCluster>>> readWhole(database::Clients clients,
                                                                    domain::ClusterId id,
                                                                    database::Deadline deadline) {
  database::Client& client = clients.lookups;
  auto found = (co_await client.run(kFindCluster, deadline, id)).first<ItemRow>();
  if (!found) {
    co_return std::nullopt;
  }
  WholeCluster cluster;
  cluster.item = toItem(*std::move(found));
  triage::ErrorReader errors(clients);
  triage::PageRequest newest{.filter = {}, .before = {}, .rows = kMemberRows};
  newest.filter.clusterId = id;
  auto members = co_await errors.page(std::move(newest), deadline);
  if (!members) {
    co_return std::unexpected(members.error());
  }
  cluster.members = *std::move(members);
  cluster.whyGrouped = (co_await client.run(kClusterReasons, deadline, id)).as<GroupingReason>();
  const database::Result points = co_await client.run(kHistograms, deadline, id);
  for (const auto& [hourly, point] : points.as<HistogramRow>()) {
    (hourly ? cluster.hours : cluster.days).push_back(point);
  }
  cluster.changes = (co_await client.run(kClusterChanges, deadline, id)).as<ClusterChange>();
  cluster.splits = (co_await client.run(kClusterSplits, deadline, id)).as<ClusterSplit>();
  cluster.splitFrom = (co_await client.run(kClusterOrigin, deadline, id)).first<ClusterSplit>();
  cluster.mergedFrom = (co_await client.run(kMergedFrom, deadline, id)).column<domain::ClusterId>();
  co_return cluster;
}

}  // namespace

std::int64_t sortValueOf(const ClusterItem& item, ClusterSort sort) {
  switch (sort) {
    case ClusterSort::lastSeen:
      return item.lastSeenAt.time_since_epoch().count();
    case ClusterSort::firstSeen:
      return item.firstSeenAt.time_since_epoch().count();
    case ClusterSort::count:
      return item.errorCount;
  }
  std::unreachable();
}

// Each order has an index, from which a page is read starting where the last one ended.
drogon::Task<domain::Answer<std::vector<ClusterItem>>> ClusterReader::page(
    ClusterPage page, database::Deadline deadline) {
  const database::Conditions conditions = conditionsOf(page);
  const std::string order = std::format("ORDER BY c.{} DESC, c.id DESC", columnOf(page.sort));
  // Not prepared: the planner should see the values, and prepared plans would pile up per
  // combination.
  const database::Statement statement{
      .name = {},
      .sql = std::format("{} {}",
                         itemsOf(std::format("(SELECT * FROM cluster c{} {} LIMIT {}) c",
                                             conditions.sql(), order, page.rows)),
                         order)};
  database::Client& client = page.filter == ClusterFilter{} ? clients_.lookups : clients_.searches;
  co_return co_await database::read(
      {.client = client, .deadline = deadline, .event = kReadingFailed, .searches = true},
      [&]() -> drogon::Task<domain::Answer<std::vector<ClusterItem>>> {
        auto rows =
            (co_await client.run(statement, deadline, conditions.parameters())).as<ItemRow>();
        std::vector<ClusterItem> items;
        items.reserve(rows.size());
        for (ItemRow& row : rows) {
          items.push_back(toItem(std::move(row)));
        }
        co_return items;
      });
}

drogon::Task<domain::Answer<std::optional<WholeCluster>>> ClusterReader::find(
    domain::ClusterId id, database::Deadline deadline) {
  co_return co_await database::read(
      {.client = clients_.lookups, .deadline = deadline, .event = kReadingFailed, .searches = true},
      [&] { return readWhole(clients_, id, deadline); });
}

drogon::Task<domain::Answer<std::vector<ClusterName>>> ClusterReader::ofError(
    domain::ErrorId authErrorId, database::Deadline deadline) {
  co_return co_await database::read(
      {.client = clients_.lookups, .deadline = deadline, .event = kReadingFailed, .searches = true},
      [&]() -> drogon::Task<domain::Answer<std::vector<ClusterName>>> {
        co_return (co_await clients_.lookups.run(kClustersOfError, deadline, authErrorId))
            .as<ClusterName>();
      });
}

}  // namespace auth_errors::clusters
