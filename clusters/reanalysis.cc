#include "clusters/reanalysis.h"

#include <algorithm>
#include <format>
#include <utility>

#include "clusters/placement.h"
#include "clusters/route_upgrade.h"
#include "database/ids.h"
#include "telemetry/log.h"

namespace auth_errors::clusters {
namespace {

constexpr std::int64_t kReanalysisLock = 0x61655f7265616e;  // "ae_rean"
// Ids that are looked through at once for errors without a cluster.
constexpr std::int64_t kStrayWindow = 20'000;

// Routes of older versions stay, for instances that still run one may use them.
const database::Statement kNextOutdated{
    .name = "next_outdated_hash",
    .sql = std::format("SELECT r.stack_hash FROM cluster_route r WHERE r.version < {} AND "
                       "r.stack_hash > $1 AND EXISTS "
                       "(SELECT FROM auth_error e WHERE e.stack_hash = r.stack_hash) "
                       "ORDER BY r.stack_hash LIMIT 1",
                       domain::kStackHashVersion)};

// Those that are done have another hash by then.
const database::Statement kErrorsOfHash{
    .name = "errors_of_hash",
    .sql = std::format("SELECT e.id, e.stack_hash, {} FROM auth_error e WHERE e.stack_hash = $1 "
                       "ORDER BY e.id LIMIT $2",
                       kFaultColumns)};

const database::Statement kNewestId{
    .name = "newest_error_to_place",
    .sql =
        "SELECT coalesce((SELECT id FROM auth_error WHERE received_at < now() - $1 * interval '1 "
        "millisecond' ORDER BY id DESC LIMIT 1), 0)"};

const database::Statement kStrays{
    .name = "strays",
    .sql = std::format("SELECT e.id, e.stack_hash, {} FROM auth_error e WHERE e.id > $1 AND "
                       "e.id <= $2 AND e.stack_hash IS NOT NULL AND NOT EXISTS (SELECT FROM "
                       "cluster_member m WHERE m.auth_error_id = e.id) ORDER BY e.id LIMIT $3",
                       kFaultColumns)};

const database::Statement kTryLock{
    .name = "try_reanalysis_lock",
    .sql = std::format("SELECT pg_try_advisory_xact_lock({})", kReanalysisLock)};

const database::Statement kChangeHashes{.name = "change_hashes", .sql = R"(WITH given AS (
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[]) AS given (id, old_hash, new_hash)
), before AS (
  SELECT e.id, given.old_hash, given.new_hash FROM auth_error e JOIN given USING (id)
  WHERE e.stack_hash = given.old_hash ORDER BY e.id FOR UPDATE OF e
), changed AS (
  UPDATE auth_error SET stack_hash = before.new_hash
  FROM before WHERE auth_error.id = before.id AND before.new_hash <> before.old_hash
)
SELECT id FROM before)"};

// Rules with an age have looked at the errors before they were in their clusters.
const database::Statement kRestartAllRules{
    .name = "restart_rules_of_clusters",
    .sql =
        "UPDATE rule SET scanned_until = '-infinity', scanned_id = 0 WHERE id = ANY(ARRAY("
        "SELECT id FROM rule WHERE match_cluster_id IS NOT NULL AND after_seconds IS NOT NULL "
        "ORDER BY id FOR UPDATE))"};

}  // namespace

Reanalysis::Reanalysis(database::Client& client, Options options, telemetry::Metrics& metrics)
    : client_(client),
      options_(std::move(options)),
      metrics_(metrics),
      job_(client.loop(), "clusters.reanalysis_failed", options_.interval,
           [this]() -> drogon::Task<> { co_await runOnce(); }) {}

std::vector<Reanalysis::OutdatedError> Reanalysis::outdatedErrors(const database::Result& rows) {
  std::vector<OutdatedError> errors;
  errors.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    errors.push_back({.id = rows.value<std::int64_t>(row, 0),
                      .oldHash = rows.value<std::string>(row, 1),
                      .fault = faultOf(rows, row, 2)});
  }
  return errors;
}

drogon::Task<std::size_t> Reanalysis::runOnce() {
  std::size_t done = co_await reanalyseOutdated();
  done += co_await placeStrays();
  if (rulesBehind_) {
    co_await client_.run(kRestartAllRules, {}, deadline());
    rulesBehind_ = false;
  }
  if (done > 0) {
    metrics_.reanalysedErrors().Increment(static_cast<double>(done));
    telemetry::log(telemetry::LogLevel::info, "clusters.reanalysed",
                   {{"errors", done}, {"version", domain::kStackHashVersion}});
  }
  co_return done;
}

drogon::Task<std::size_t> Reanalysis::reanalyseOutdated() {
  std::size_t done = 0;
  std::string hash;
  while (!job_.stopping()) {
    database::Parameters ofHash;
    ofHash.add(hash);
    const database::Result next =
        co_await client_.run(kNextOutdated, std::move(ofHash), deadline());
    if (next.empty()) {
      break;
    }
    hash = next.value<std::string>(0, 0);
    std::size_t found = 0;
    do {
      const auto began = std::chrono::steady_clock::now();
      database::Parameters parameters;
      parameters.add(hash).add(options_.chunk);
      const database::Result rows =
          co_await client_.run(kErrorsOfHash, std::move(parameters), deadline());
      found = rows.rows();
      if (found > 0 && !co_await reanalyseChunk(outdatedErrors(rows))) {
        co_return done;
      }
      done += found;
      co_await job_.restAfter(began);
    } while (!job_.stopping() && found == static_cast<std::size_t>(options_.chunk));
  }
  co_return done;
}

drogon::Task<std::size_t> Reanalysis::placeStrays() {
  std::size_t done = 0;
  database::Parameters ofNewest;
  ofNewest.add(static_cast<std::int64_t>(options_.strayAge.count()));
  const database::Result newest = co_await client_.run(kNewestId, std::move(ofNewest), deadline());
  const auto last = newest.value<std::int64_t>(0, 0);
  while (straysUpTo_ < last && !job_.stopping()) {
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t end = std::min(last, straysUpTo_ + kStrayWindow);
    database::Parameters parameters;
    parameters.add(straysUpTo_).add(end).add(options_.chunk);
    const database::Result rows = co_await client_.run(kStrays, std::move(parameters), deadline());
    const std::size_t found = rows.rows();
    if (found > 0 && !co_await reanalyseChunk(outdatedErrors(rows))) {
      break;
    }
    done += found;
    straysUpTo_ = found == static_cast<std::size_t>(options_.chunk)
                      ? rows.value<std::int64_t>(found - 1, 0)
                      : end;
    co_await job_.restAfter(began);
  }
  co_return done;
}

// Locks come in the consumer's order: the errors first, then the routes.
drogon::Task<bool> Reanalysis::reanalyseChunk(std::vector<OutdatedError> errors) {
  const database::Deadline until = deadline();
  std::vector<std::int64_t> ids;
  std::vector<std::string> oldHashes;
  std::vector<std::string> newHashes;
  for (const OutdatedError& error : errors) {
    ids.push_back(error.id);
    oldHashes.push_back(error.oldHash);
    newHashes.push_back(error.fault.stackHash);
  }
  database::Transaction transaction = co_await client_.begin(until);
  const database::Result lock = co_await transaction.run(kTryLock, {}, until);
  if (!lock.value<bool>(0, 0)) {
    co_await transaction.rollback(until);
    co_return false;
  }
  database::Parameters given;
  given.addArray(ids).addArray(oldHashes).addArray(newHashes);
  const std::vector<std::int64_t> changed =
      database::idsOf(co_await transaction.run(kChangeHashes, std::move(given), until));
  co_await lockRoutes(transaction, until);

  std::vector<RouteUpgrade> upgrades;
  std::vector<AnalysedError> joining;
  for (OutdatedError& error : errors) {
    // The others were analysed again meanwhile.
    if (std::ranges::contains(changed, error.id)) {
      upgrades.push_back({.oldHash = std::move(error.oldHash), .fault = error.fault});
      joining.push_back({.authErrorId = error.id, .fault = std::move(error.fault)});
    }
  }
  co_await inheritRoutes(transaction, std::move(upgrades), until);
  co_await placeErrors(transaction, std::move(joining), options_.instance, until);
  rulesBehind_ = true;
  co_await transaction.commit(until);
  co_return true;
}

}  // namespace auth_errors::clusters
