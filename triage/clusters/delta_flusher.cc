#include "triage/clusters/delta_flusher.h"

#include <format>
#include <optional>
#include <string_view>
#include <vector>

#include "domain/identity/ids.h"

namespace auth_errors::clusters {
namespace {

using namespace std::chrono_literals;

// Longer than the displayed range, so that changes at its border are never visible.
constexpr std::string_view kKeptFiveMinutes = "interval '26 hours'";
constexpr std::string_view kKeptHours = "interval '32 days'";
constexpr auto kPruneInterval = 5min;

// Only reads if there is nothing to do.
const database::Statement kBeginFlush{.name = "begin_delta_flush", .sql = R"(UPDATE delta_flush
SET flushed_at = now()
WHERE one_row = (SELECT one_row FROM delta_flush
                 WHERE flushed_at <= now() - $1
                   AND EXISTS (SELECT FROM cluster_delta)
                 FOR UPDATE SKIP LOCKED))"};

// A delta that subtracts has a greater id than the one that added, because a membership must exist
// to be ended: applied in the order of their ids, no sum ever falls below zero.
//
// Members that joined and left since the last flush were not seen here: a move may already have
// updated the cluster's times.
//
// One row for each facet that is now empty, or one without a facet.
const database::Statement kFlush{.name = "flush_deltas",
                                 .sql = std::format(R"(WITH taken AS (
  DELETE FROM cluster_delta
  WHERE id = ANY(ARRAY(SELECT id FROM cluster_delta ORDER BY id LIMIT $1))
  RETURNING cluster_id, change, occurred_at, stack_hash, service_name, environment, actor
), times AS (
  SELECT cluster_id, occurred_at, sum(change) AS change FROM taken GROUP BY cluster_id, occurred_at
), sums AS (
  SELECT cluster_id, sum(change) AS change,
         min(occurred_at) FILTER (WHERE change > 0) AS first_seen_at,
         max(occurred_at) FILTER (WHERE change > 0) AS last_seen_at
  FROM times GROUP BY cluster_id
), facets AS (
  INSERT INTO cluster_facet AS known (cluster_id, kind, value, error_count, last_seen_at)
  SELECT cluster_id, kind, value, sum(change), max(occurred_at)
  FROM taken CROSS JOIN LATERAL (
    VALUES ('service', service_name), ('environment', environment), ('actor', actor),
           ('hash', stack_hash)) AS facet (kind, value)
  WHERE value IS NOT NULL
  GROUP BY cluster_id, kind, value HAVING sum(change) <> 0
  ORDER BY cluster_id, kind, value
  ON CONFLICT (cluster_id, kind, value) DO UPDATE
  SET error_count = known.error_count + excluded.error_count,
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)
  RETURNING cluster_id, kind, value, error_count, xmax = 0 AS made
), actors AS (
  SELECT cluster_id,
         count(*) FILTER (WHERE made) - count(*) FILTER (WHERE error_count = 0) AS change
  FROM facets WHERE kind = 'actor' GROUP BY cluster_id
), activity AS (
  INSERT INTO cluster_activity AS known (cluster_id, grain, starts_at, error_count)
  SELECT cluster_id, grain, starts_at, sum(change)
  FROM taken CROSS JOIN LATERAL (
    VALUES ('5min', date_bin('5 minutes', occurred_at, 'epoch'), now() - {0}),
           ('hour', date_bin('1 hour', occurred_at, 'epoch'), now() - {1})
  ) AS bucket (grain, starts_at, oldest)
  WHERE starts_at >= oldest
  GROUP BY cluster_id, grain, starts_at HAVING sum(change) <> 0
  ORDER BY cluster_id, grain, starts_at
  ON CONFLICT (cluster_id, grain, starts_at) DO UPDATE
  SET error_count = known.error_count + excluded.error_count
), locked AS (
  SELECT c.id FROM cluster c WHERE c.id IN (SELECT cluster_id FROM sums) ORDER BY c.id FOR UPDATE
), added AS (
  UPDATE cluster SET
    error_count = error_count + sums.change,
    actor_count = actor_count + coalesce(actors.change, 0),
    first_seen_at = least(cluster.first_seen_at, sums.first_seen_at),
    last_seen_at = greatest(cluster.last_seen_at, sums.last_seen_at)
  FROM locked JOIN sums ON sums.cluster_id = locked.id LEFT JOIN actors USING (cluster_id)
  WHERE cluster.id = locked.id
)
SELECT (SELECT count(*) FROM taken), emptied.cluster_id, emptied.kind, emptied.value
FROM (VALUES (true)) AS always (one)
LEFT JOIN (SELECT * FROM facets WHERE error_count = 0) emptied ON true)",
                                                    kKeptFiveMinutes, kKeptHours)};

// A facet without errors has no row.
const database::Statement kDropEmptyFacets{
    .name = "drop_empty_facets",
    .sql =
        "DELETE FROM cluster_facet f USING unnest($1::bigint[], $2::text[], $3::text[]) "
        "AS emptied (cluster_id, kind, value) WHERE f.cluster_id = emptied.cluster_id "
        "AND f.kind = emptied.kind AND f.value = emptied.value AND f.error_count = 0"};

const database::Statement kPrune{
    .name = "prune_activity",
    .sql = std::format("DELETE FROM cluster_activity WHERE ctid = ANY(ARRAY(SELECT ctid FROM "
                       "cluster_activity WHERE (grain = '5min' AND starts_at < now() - {}) OR "
                       "(grain = 'hour' AND starts_at < now() - {}) LIMIT $1))",
                       kKeptFiveMinutes, kKeptHours)};

struct FlushedRow {
  std::int64_t taken = 0;
  std::optional<domain::ClusterId> clusterId;
  std::optional<std::string_view> kind;
  std::optional<std::string_view> value;
};

}  // namespace

DeltaFlusher::DeltaFlusher(database::Client& client, Options options, Metrics& metrics)
    : Worker(client.loop(), {.faultEvent = "clusters.flush_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      options_(options),
      metrics_(metrics) {}

drogon::Task<std::size_t> DeltaFlusher::runOnce() {
  std::size_t flushed = 0;
  std::size_t chunk = 0;
  do {
    chunk = co_await flushChunk(flushed == 0 ? options_.interval : 0ms);
    flushed += chunk;
    metrics_.deltas.add(chunk);
  } while (!stopping() && chunk == static_cast<std::size_t>(options_.chunk));
  co_await prune();
  co_return flushed;
}

drogon::Task<std::size_t> DeltaFlusher::flushChunk(std::chrono::milliseconds notBefore) {
  database::Transaction transaction =
      co_await client_.begin(std::chrono::steady_clock::now() + options_.deadline);
  const database::Result begun = co_await transaction.run(kBeginFlush, notBefore);
  if (begun.affectedRows() == 0) {
    co_await transaction.rollback();
    co_return 0;
  }
  const database::Result flushed = co_await transaction.run(kFlush, options_.chunk);
  const std::vector<FlushedRow> rows = flushed.as<FlushedRow>();
  if (rows.front().clusterId) {
    co_await transaction.run(
        kDropEmptyFacets,
        database::columns(rows, &FlushedRow::clusterId, &FlushedRow::kind, &FlushedRow::value));
  }
  co_await transaction.commit();
  co_return static_cast<std::size_t>(rows.front().taken);
}

drogon::Task<> DeltaFlusher::prune() {
  if (std::chrono::steady_clock::now() < nextPrune_) {
    co_return;
  }
  std::size_t pruned = 0;
  do {
    const database::Result result = co_await client_.run(
        kPrune, std::chrono::steady_clock::now() + options_.deadline, options_.chunk);
    pruned = result.affectedRows();
  } while (!stopping() && pruned == static_cast<std::size_t>(options_.chunk));
  nextPrune_ = std::chrono::steady_clock::now() + kPruneInterval;
}

}  // namespace auth_errors::clusters
