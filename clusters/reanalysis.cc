#include "clusters/reanalysis.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>

#include "clusters/member_deltas.h"
#include "clusters/placement.h"
#include "clusters/route_upgrade.h"
#include "database/ids.h"
#include "telemetry/log.h"

namespace auth_errors::clusters {
namespace {

constexpr std::int64_t kReanalysisLock = 0x61655f7265616e;  // "ae_rean"

const database::Statement kNextOutdated{
    .name = "next_outdated_hash",
    .sql = std::format("SELECT r.stack_hash FROM cluster_route r WHERE r.version < {} AND EXISTS "
                       "(SELECT FROM auth_error e WHERE e.stack_hash = r.stack_hash) "
                       "ORDER BY r.stack_hash LIMIT 1",
                       domain::kStackHashVersion)};

const database::Statement kErrorsOfHash{
    .name = "errors_of_hash",
    .sql = std::format("SELECT e.id, {} FROM auth_error e WHERE e.stack_hash = $1 AND e.id > $2 "
                       "ORDER BY e.id LIMIT $3",
                       kFaultColumns)};

const database::Statement kTryLock{
    .name = "try_reanalysis_lock",
    .sql = std::format("SELECT pg_try_advisory_xact_lock({})", kReanalysisLock)};

const database::Statement kChangeHashes{.name = "change_hashes", .sql = R"(WITH before AS (
  SELECT id FROM auth_error WHERE id = ANY($1::bigint[]) AND stack_hash = $3 ORDER BY id FOR UPDATE
), changed AS (
  UPDATE auth_error SET stack_hash = given.stack_hash
  FROM before JOIN unnest($1::bigint[], $2::text[]) AS given (id, stack_hash) USING (id)
  WHERE auth_error.id = before.id AND given.stack_hash <> $3
)
SELECT id FROM before)"};

// Nothing joins or leaves; of what its cluster counts by the old hash, one less, by the new one
// more.
const database::Statement kRecount{
    .name = "recount_members",
    .sql = std::format(R"(WITH recounted AS (
  UPDATE cluster_member m SET stack_hash = given.stack_hash
  FROM unnest($1::bigint[], $2::text[]) AS given (id, stack_hash)
  WHERE m.auth_error_id = given.id AND m.stack_hash = $3 AND given.stack_hash <> $3
  RETURNING m.cluster_id, m.auth_error_id, m.stack_hash, $3 AS old_hash
), before AS (
  SELECT cluster_id, auth_error_id, old_hash AS stack_hash FROM recounted
), fewer AS (
  {}
)
{})",
                       insertDeltas("before", -1), insertDeltas("recounted", 1))};

const database::Statement kPlacedByPeople{
    .name = "placed_by_people",
    .sql =
        "SELECT DISTINCT auth_error_id FROM cluster_member "
        "WHERE auth_error_id = ANY($1::bigint[]) AND placed_by IS NOT NULL"};

// Its errors have it still, so it was today's all along: what was stored before there were
// versions.
const database::Statement kConfirmRoute{.name = "confirm_route",
                                        .sql = std::format(R"(WITH confirmed AS (
  UPDATE cluster_route SET version = {0}, fingerprint = $2::text::jsonb
  WHERE stack_hash = $1 AND version < {0} RETURNING cluster_id
)
UPDATE cluster SET title = $3 FROM confirmed
WHERE cluster.id = confirmed.cluster_id AND title = exception_class)",
                                                           domain::kStackHashVersion)};

}  // namespace

Reanalysis::Reanalysis(database::Client& client, Options options, telemetry::Metrics& metrics)
    : client_(client),
      options_(std::move(options)),
      metrics_(metrics),
      job_(client.loop(), "clusters.reanalysis_failed", options_.interval,
           [this]() -> drogon::Task<> { co_await runOnce(); }) {}

drogon::Task<std::size_t> Reanalysis::runOnce() {
  std::size_t done = 0;
  bool ours = true;
  while (ours && !job_.stopping()) {
    const database::Result next = co_await client_.run(
        kNextOutdated, {}, std::chrono::steady_clock::now() + options_.deadline);
    if (next.empty()) {
      break;
    }
    ours = co_await reanalyse(next.value<std::string>(0, 0), done);
  }
  if (done > 0) {
    metrics_.reanalysedErrors().Increment(static_cast<double>(done));
    telemetry::log(telemetry::LogLevel::info, "clusters.reanalysed",
                   {{"errors", done}, {"version", domain::kStackHashVersion}});
  }
  co_return done;
}

drogon::Task<bool> Reanalysis::reanalyse(std::string oldHash, std::size_t& done) {
  std::int64_t position = 0;
  std::optional<Fault> unchanged;
  std::size_t found = 0;
  do {
    const auto began = std::chrono::steady_clock::now();
    database::Parameters parameters;
    parameters.add(oldHash).add(position).add(options_.chunk);
    const database::Result rows =
        co_await client_.run(kErrorsOfHash, std::move(parameters), began + options_.deadline);
    found = rows.rows();
    std::vector<OutdatedError> errors;
    errors.reserve(found);
    for (std::size_t row = 0; row < found; ++row) {
      position = rows.value<std::int64_t>(row, 0);
      errors.push_back({.id = position, .fault = faultOf(rows, row, 1)});
      if (errors.back().fault.stackHash == oldHash) {
        unchanged = errors.back().fault;
      }
    }
    if (!errors.empty() && !co_await reanalyseChunk(oldHash, std::move(errors))) {
      co_return false;
    }
    done += found;
    // As long as it worked, it rests: requests come first.
    co_await drogon::sleepCoro(&client_.loop(), std::chrono::steady_clock::now() - began);
  } while (!job_.stopping() && found == static_cast<std::size_t>(options_.chunk));
  if (unchanged && !job_.stopping()) {
    database::Parameters parameters;
    parameters.add(oldHash)
        .add(fingerprintJson(unchanged->fingerprint))
        .add(domain::clusterTitle(unchanged->fingerprint));
    co_await client_.run(kConfirmRoute, std::move(parameters),
                         std::chrono::steady_clock::now() + options_.deadline);
  }
  co_return true;
}

// Locks come in the consumer's order: the errors first, then the routes.
drogon::Task<bool> Reanalysis::reanalyseChunk(std::string oldHash,
                                              std::vector<OutdatedError> errors) {
  const database::Deadline deadline = std::chrono::steady_clock::now() + options_.deadline;
  std::vector<std::int64_t> ids;
  std::vector<std::string> hashes;
  for (const OutdatedError& error : errors) {
    ids.push_back(error.id);
    hashes.push_back(error.fault.stackHash);
  }
  database::Transaction transaction = co_await client_.begin(deadline);
  const database::Result lock = co_await transaction.run(kTryLock, {}, deadline);
  if (!lock.value<bool>(0, 0)) {
    co_await transaction.rollback(deadline);
    co_return false;
  }
  database::Parameters ofHashes;
  ofHashes.addArray(ids).addArray(hashes).add(oldHash);
  const std::vector<std::int64_t> changed =
      database::idsOf(co_await transaction.run(kChangeHashes, std::move(ofHashes), deadline));
  co_await lockRoutes(transaction, deadline);
  database::Parameters ofRecount;
  ofRecount.addArray(ids).addArray(hashes).add(oldHash);
  co_await transaction.run(kRecount, std::move(ofRecount), deadline);

  database::Parameters ofPlaced;
  ofPlaced.addArray(ids);
  const std::vector<std::int64_t> placed =
      database::idsOf(co_await transaction.run(kPlacedByPeople, std::move(ofPlaced), deadline));
  std::vector<RouteUpgrade> upgrades;
  std::vector<AnalysedError> joining;
  for (OutdatedError& error : errors) {
    if (!std::ranges::contains(changed, error.id)) {
      continue;  // analysed again meanwhile
    }
    upgrades.push_back({.oldHash = oldHash, .fault = error.fault});
    if (!std::ranges::contains(placed, error.id)) {
      joining.push_back({.authErrorId = error.id, .fault = std::move(error.fault)});
    }
  }
  co_await inheritRoutes(transaction, std::move(upgrades), deadline);
  co_await placeErrors(transaction, std::move(joining), options_.instance, deadline);
  co_await transaction.commit(deadline);
  co_return true;
}

}  // namespace auth_errors::clusters
