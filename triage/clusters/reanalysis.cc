#include "triage/clusters/reanalysis.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>

#include "domain/errors/auth_error_status.h"
#include "platform/database/ids.h"
#include "platform/telemetry/log.h"
#include "triage/clusters/placement.h"
#include "triage/clusters/route_upgrade.h"
#include "triage/errors/received_since.h"

namespace auth_errors::clusters {
namespace {

constexpr std::int64_t kReanalysisLock = 0x61655f7265616e;  // "ae_rean"
// Ids that are looked through at once for errors without a cluster.
constexpr std::int64_t kStrayWindow = 20'000;
constexpr std::size_t kHashPage = 200;

// Routes of older versions stay, for instances that still run one may use them. With whether an
// error has the hash, since most have none in the end.
const database::Statement kOutdatedHashes{.name = "outdated_hashes",
                                          .sql = std::format(R"(SELECT r.stack_hash,
       EXISTS (SELECT FROM auth_error e WHERE e.stack_hash = r.stack_hash)
FROM (SELECT stack_hash FROM cluster_route WHERE version < {} AND stack_hash > $1
      ORDER BY stack_hash LIMIT {}) r
ORDER BY r.stack_hash)",
                                                             domain::kStackHashVersion, kHashPage)};

// Those that are done have another hash by then.
const database::Statement kErrorsOfHash{
    .name = "errors_of_hash",
    .sql = std::format("SELECT e.id, e.stack_hash, {} FROM auth_error e WHERE e.stack_hash = $1 "
                       "ORDER BY e.id LIMIT $2",
                       kFaultColumns)};

const database::Statement kFirstYoungId{
    .name = "first_error_too_young_to_place",
    .sql = triage::firstIdReceivedSince("now() - $1 * interval '1 millisecond'", "$2::bigint + 1")};

// Without a cluster, or by a route of an older version, which an instance that runs one has used.
const database::Statement kStrays{
    .name = "strays",
    .sql =
        std::format("SELECT e.id, e.stack_hash, {} FROM auth_error e LEFT JOIN cluster_route r ON "
                    "r.stack_hash = e.stack_hash WHERE e.id > $1 AND e.id <= $2 AND "
                    "e.stack_hash IS NOT NULL AND (r.version < {} OR NOT EXISTS (SELECT FROM "
                    "cluster_member m WHERE m.auth_error_id = e.id)) ORDER BY e.id LIMIT $3",
                    kFaultColumns, domain::kStackHashVersion)};

const database::Statement kReadMark{
    .name = "read_reanalysis_mark",
    .sql = "SELECT placed_up_to, version, emptied_up_to FROM reanalysis_mark"};
const database::Statement kMarkPlaced{
    .name = "mark_placed",
    .sql = "UPDATE reanalysis_mark SET placed_up_to = $1 WHERE placed_up_to < $1"};
const database::Statement kMarkEmptied{
    .name = "mark_emptied",
    .sql = std::format("UPDATE reanalysis_mark SET version = {0}, emptied_up_to = $1 "
                       "WHERE version <= {0}",
                       domain::kStackHashVersion)};

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

// Rules with an age have looked at the errors before they were in their clusters. In the
// transaction that places the errors; to rewind the rules at once would make them wait for each
// other.
const database::Statement kMarkRulesBehind{
    .name = "mark_rules_behind",
    .sql = std::format(
        R"(UPDATE reanalysis_mark
SET rules_from = least(rules_from, (SELECT min(status_changed_at) FROM auth_error
                                    WHERE id = ANY($1::bigint[]) AND status = '{}')))",
        domain::toText(domain::AuthErrorStatus::analysisCompleted))};
// The mark is cleared `FROM behind`, so that it is read before: once this statement has changed the
// row, FOR UPDATE would pass it over.
const database::Statement kRewindRules{.name = "rewind_rules_of_clusters",
                                       .sql = R"(WITH behind AS (
  SELECT rules_from FROM reanalysis_mark WHERE rules_from IS NOT NULL FOR UPDATE
), rewound AS (
  UPDATE rule SET scanned_until = behind.rules_from, scanned_id = 0 FROM behind
  WHERE rule.id = ANY(ARRAY(SELECT r.id FROM rule r CROSS JOIN behind
                            WHERE r.match_cluster_id IS NOT NULL AND r.after_seconds IS NOT NULL
                            ORDER BY r.id FOR UPDATE OF r))
    AND (rule.scanned_until, rule.scanned_id) > (behind.rules_from, 0)
)
UPDATE reanalysis_mark SET rules_from = NULL FROM behind)"};

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
  const database::Result mark = co_await client_.run(kReadMark, {}, deadline());
  const auto version = mark.value<std::int32_t>(0, 1);
  auto emptiedUpTo = mark.value<std::optional<std::string>>(0, 2);
  if (version < domain::kStackHashVersion) {
    emptiedUpTo = "";
  }
  std::size_t done = 0;
  if (emptiedUpTo && version <= domain::kStackHashVersion) {
    done += co_await emptyOutdatedRoutes(*std::move(emptiedUpTo));
  }
  done += co_await placeStrays(mark.value<std::int64_t>(0, 0));
  co_await client_.run(kRewindRules, {}, deadline());
  if (done > 0) {
    metrics_.reanalysedErrors().Increment(static_cast<double>(done));
    telemetry::log(telemetry::LogLevel::info, "clusters.reanalysed",
                   {{"errors", done}, {"version", domain::kStackHashVersion}});
  }
  co_return done;
}

drogon::Task<std::size_t> Reanalysis::emptyOutdatedRoutes(std::string emptiedUpTo) {
  std::size_t done = 0;
  std::size_t found = kHashPage;
  while (found == kHashPage && !job_.stopping()) {
    database::Parameters after;
    after.add(emptiedUpTo);
    const database::Result page =
        co_await client_.run(kOutdatedHashes, std::move(after), deadline());
    found = page.rows();
    for (std::size_t row = 0; row < found; ++row) {
      emptiedUpTo = page.value<std::string>(row, 0);
      if (page.value<bool>(row, 1) && !co_await reanalyseHash(emptiedUpTo, done)) {
        co_return done;
      }
    }
    database::Parameters mark;
    mark.add(found == kHashPage ? std::optional(emptiedUpTo) : std::nullopt);
    co_await client_.run(kMarkEmptied, std::move(mark), deadline());
  }
  co_return done;
}

drogon::Task<bool> Reanalysis::reanalyseHash(std::string hash, std::size_t& done) {
  std::size_t found = 0;
  do {
    const auto began = std::chrono::steady_clock::now();
    database::Parameters parameters;
    parameters.add(hash).add(options_.chunk);
    const database::Result rows =
        co_await client_.run(kErrorsOfHash, std::move(parameters), deadline());
    found = rows.rows();
    if (job_.stopping() || (found > 0 && !co_await reanalyseChunk(outdatedErrors(rows)))) {
      co_return false;
    }
    done += found;
    co_await job_.restAfter(began);
  } while (found == static_cast<std::size_t>(options_.chunk));
  co_return true;
}

drogon::Task<std::size_t> Reanalysis::placeStrays(std::int64_t placedUpTo) {
  std::size_t done = 0;
  database::Parameters ofYoung;
  ofYoung.add(static_cast<std::int64_t>(options_.strayAge.count())).add(placedUpTo);
  const database::Result young =
      co_await client_.run(kFirstYoungId, std::move(ofYoung), deadline());
  const std::int64_t last = young.value<std::int64_t>(0, 0) - 1;
  while (placedUpTo < last && !job_.stopping()) {
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t end = std::min(last, placedUpTo + kStrayWindow);
    database::Parameters parameters;
    parameters.add(placedUpTo).add(end).add(options_.chunk);
    const database::Result rows = co_await client_.run(kStrays, std::move(parameters), deadline());
    const std::size_t found = rows.rows();
    if (found > 0 && !co_await reanalyseChunk(outdatedErrors(rows))) {
      break;
    }
    done += found;
    placedUpTo = found == static_cast<std::size_t>(options_.chunk)
                     ? rows.value<std::int64_t>(found - 1, 0)
                     : end;
    database::Parameters mark;
    mark.add(placedUpTo);
    co_await client_.run(kMarkPlaced, std::move(mark), deadline());
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
  database::Parameters ofChanged;
  ofChanged.addArray(changed);
  co_await transaction.run(kMarkRulesBehind, std::move(ofChanged), until);
  co_await transaction.commit(until);
  co_return true;
}

}  // namespace auth_errors::clusters
