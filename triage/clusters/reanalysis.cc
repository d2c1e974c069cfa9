#include "triage/clusters/reanalysis.h"

#include <algorithm>
#include <format>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/errors/auth_error_status.h"
#include "platform/database/advisory_lock.h"
#include "platform/telemetry/log.h"
#include "triage/clusters/placement.h"
#include "triage/clusters/route_upgrade.h"
#include "triage/errors/received_since.h"
#include "triage/errors/status_changes.h"
#include "triage/rules/cluster_rules.h"

namespace auth_errors::clusters {
namespace {

// Range of ids searched at once for errors without a cluster.
constexpr std::int64_t kStrayWindow = 20'000;
constexpr std::size_t kHashPage = 200;

struct OutdatedHash {
  std::string stackHash;
  bool hasErrors = false;  // towards the end, most have none
};
// Routes of older versions are kept, because instances still running one may use them.
const database::Statement kOutdatedHashes{.name = "outdated_hashes",
                                          .sql = std::format(R"(SELECT r.stack_hash,
       EXISTS (SELECT FROM auth_error e WHERE e.stack_hash = r.stack_hash)
FROM (SELECT stack_hash FROM cluster_route WHERE version < {} AND stack_hash > $1
      ORDER BY stack_hash LIMIT {}) r
ORDER BY r.stack_hash)",
                                                             domain::kStackHashVersion, kHashPage)};

struct OutdatedRow {
  domain::ErrorId id;
  std::string_view stackHash;
  FaultRow fault;
};
// Errors already processed have another hash by then.
const database::Statement kErrorsOfHash{
    .name = "errors_of_hash",
    .sql = std::format("SELECT e.id, e.stack_hash, {} FROM auth_error e WHERE e.stack_hash = $1 "
                       "ORDER BY e.id LIMIT $2",
                       kFaultColumns)};

const database::Statement kFirstYoungId{
    .name = "first_error_too_young_to_place",
    .sql = triage::firstIdReceivedSince("now() - $1", "$2::bigint + 1")};

// Errors without a cluster, or placed by a route of an older version by an instance that still runs
// it.
const database::Statement kStrays{
    .name = "strays",
    .sql =
        std::format("SELECT e.id, e.stack_hash, {} FROM auth_error e LEFT JOIN cluster_route r ON "
                    "r.stack_hash = e.stack_hash WHERE e.id > $1 AND e.id <= $2 AND "
                    "e.stack_hash IS NOT NULL AND (r.version < {} OR NOT EXISTS (SELECT FROM "
                    "cluster_member m WHERE m.auth_error_id = e.id)) ORDER BY e.id LIMIT $3",
                    kFaultColumns, domain::kStackHashVersion)};

struct Mark {
  std::int64_t placedUpTo = 0;
  std::int32_t version = 0;
  std::optional<std::string> emptiedUpTo;  // an outdated hash; nothing once all are empty
};
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

// Rules with an age have examined the errors before they were in their clusters. Marked in the
// transaction that places the errors; rewinding the rules there would make transactions wait for
// each other.
const database::Statement kMarkRulesBehind{
    .name = "mark_rules_behind",
    .sql = std::format(
        R"(UPDATE reanalysis_mark
SET rules_from = least(rules_from, (SELECT min(status_changed_at) FROM auth_error
                                    WHERE id = ANY($1::bigint[]) AND status = '{}')))",
        domain::toText(domain::AuthErrorStatus::analysisCompleted))};
const database::Statement kRulesBehind{
    .name = "rules_behind",
    .sql = "SELECT rules_from FROM reanalysis_mark WHERE rules_from IS NOT NULL FOR UPDATE"};
const database::Statement kRulesAreRewound{.name = "rules_are_rewound",
                                           .sql = "UPDATE reanalysis_mark SET rules_from = NULL"};

}  // namespace

Reanalysis::Reanalysis(database::Client& client, Options options, Metrics& metrics)
    : Worker(client.loop(),
             {.faultEvent = "clusters.reanalysis_failed", .interval = options.interval},
             [this] { return runOnce(); }),
      client_(client),
      options_(std::move(options)),
      metrics_(metrics) {}

std::vector<Reanalysis::OutdatedError> Reanalysis::outdatedErrors(const database::Result& rows) {
  std::vector<OutdatedError> errors;
  errors.reserve(rows.rows());
  for (const OutdatedRow& row : rows.as<OutdatedRow>()) {
    errors.push_back(
        {.id = row.id, .oldHash = std::string(row.stackHash), .fault = toFault(row.fault)});
  }
  return errors;
}

drogon::Task<std::size_t> Reanalysis::runOnce() {
  const database::Result marked = co_await client_.run(kReadMark, deadline());
  auto mark = marked.only<Mark>();
  if (mark.version < domain::kStackHashVersion) {
    mark.emptiedUpTo = "";
  }
  std::size_t done = 0;
  if (mark.emptiedUpTo && mark.version <= domain::kStackHashVersion) {
    done += co_await emptyOutdatedRoutes(*std::move(mark.emptiedUpTo));
  }
  done += co_await placeStrays(mark.placedUpTo);
  co_await rewindRules();
  if (done > 0) {
    metrics_.reanalysedErrors.add(done);
    telemetry::log(telemetry::LogLevel::info, "clusters.reanalysed",
                   {{"errors", done}, {"version", domain::kStackHashVersion}});
  }
  co_return done;
}

drogon::Task<std::size_t> Reanalysis::emptyOutdatedRoutes(std::string emptiedUpTo) {
  std::size_t done = 0;
  std::size_t found = kHashPage;
  while (found == kHashPage && !stopping()) {
    const database::Result page = co_await client_.run(kOutdatedHashes, deadline(), emptiedUpTo);
    found = page.rows();
    for (OutdatedHash& hash : page.as<OutdatedHash>()) {
      emptiedUpTo = std::move(hash.stackHash);
      if (hash.hasErrors && !co_await reanalyseHash(emptiedUpTo, done)) {
        co_return done;
      }
    }
    co_await client_.run(kMarkEmptied, deadline(),
                         found == kHashPage ? std::optional(emptiedUpTo) : std::nullopt);
  }
  co_return done;
}

drogon::Task<bool> Reanalysis::reanalyseHash(std::string hash, std::size_t& done) {
  std::size_t found = 0;
  do {
    const auto began = std::chrono::steady_clock::now();
    const database::Result rows =
        co_await client_.run(kErrorsOfHash, deadline(), hash, options_.chunk);
    found = rows.rows();
    if (stopping() || (found > 0 && !co_await reanalyseChunk(outdatedErrors(rows)))) {
      co_return false;
    }
    done += found;
    co_await restAfter(began);
  } while (found == static_cast<std::size_t>(options_.chunk));
  co_return true;
}

drogon::Task<std::size_t> Reanalysis::placeStrays(std::int64_t placedUpTo) {
  std::size_t done = 0;
  const database::Result young =
      co_await client_.run(kFirstYoungId, deadline(), options_.strayAge, placedUpTo);
  const std::int64_t last = young.only<std::int64_t>() - 1;
  while (placedUpTo < last && !stopping()) {
    const auto began = std::chrono::steady_clock::now();
    const std::int64_t end = std::min(last, placedUpTo + kStrayWindow);
    const database::Result rows =
        co_await client_.run(kStrays, deadline(), placedUpTo, end, options_.chunk);
    std::vector<OutdatedError> errors = outdatedErrors(rows);
    const std::size_t found = errors.size();
    placedUpTo = found == static_cast<std::size_t>(options_.chunk) ? errors.back().id.value() : end;
    if (found > 0 && !co_await reanalyseChunk(std::move(errors))) {
      break;
    }
    done += found;
    co_await client_.run(kMarkPlaced, deadline(), placedUpTo);
    co_await restAfter(began);
  }
  co_return done;
}

// Locks in the consumer's order: the errors first, then the routes.
drogon::Task<bool> Reanalysis::reanalyseChunk(std::vector<OutdatedError> errors) {
  database::Transaction transaction = co_await client_.begin(deadline());
  if (!co_await database::tryLock(transaction, database::AdvisoryLock::reanalysis)) {
    co_await transaction.rollback();
    co_return false;
  }
  const auto newHash = [](const OutdatedError& error) -> std::string_view {
    return error.fault.stackHash;
  };
  const std::vector<domain::ErrorId> changed = co_await triage::changeHashes(
      transaction, database::columns(errors, &OutdatedError::id, &OutdatedError::oldHash, newHash));
  co_await database::lockShared(transaction, database::AdvisoryLock::routes);

  std::vector<RouteUpgrade> upgrades;
  std::vector<AnalysedError> joining;
  for (OutdatedError& error : errors) {
    // The others were analysed again meanwhile.
    if (std::ranges::contains(changed, error.id)) {
      upgrades.push_back({.oldHash = std::move(error.oldHash), .fault = error.fault});
      joining.push_back({.authErrorId = error.id, .fault = std::move(error.fault)});
    }
  }
  co_await inheritRoutes(transaction, std::move(upgrades));
  co_await placeErrors(transaction, std::move(joining), options_.instance);
  co_await transaction.run(kMarkRulesBehind, changed);
  co_await transaction.commit();
  co_return true;
}

drogon::Task<void> Reanalysis::rewindRules() {
  database::Transaction transaction = co_await client_.begin(deadline());
  const database::Result behind = co_await transaction.run(kRulesBehind);
  if (const auto since = behind.first<database::Timestamp>()) {
    co_await rules::rewindRules(transaction, *since);
    co_await transaction.run(kRulesAreRewound);
  }
  co_await transaction.commit();
}

}  // namespace auth_errors::clusters
