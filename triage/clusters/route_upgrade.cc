#include "triage/clusters/route_upgrade.h"

#include <chrono>
#include <cstddef>
#include <format>
#include <string_view>
#include <utility>

#include "platform/database/advisory_lock.h"

namespace auth_errors::clusters {
namespace {

constexpr int kPage = 200;

struct OutdatedRoute {
  std::string_view stackHash;
  bool hasError = false;
  FaultRow fault;
};
// With one error each, if there is one: towards the end most have none, and a statement that
// searches for those that do scans all of them (2.7 s for a million, from memory).
const database::Statement kOutdatedRoutes{.name = "outdated_routes",
                                          .sql = std::format(
                                              R"(SELECT r.stack_hash, e.id IS NOT NULL, {} FROM (
  SELECT stack_hash FROM cluster_route WHERE version < {} AND stack_hash > $1
  ORDER BY stack_hash LIMIT {}) r
LEFT JOIN LATERAL (
  SELECT * FROM auth_error WHERE auth_error.stack_hash = r.stack_hash ORDER BY id LIMIT 1) e ON true
ORDER BY r.stack_hash)",
                                              kFaultColumns, domain::kStackHashVersion, kPage)};

// The re-analysis has left no error on any of them (triage/clusters/reanalysis.h).
const database::Statement kNoneIsLeft{
    .name = "no_outdated_route_is_left",
    .sql = std::format("SELECT version >= {} AND emptied_up_to IS NULL FROM reanalysis_mark",
                       domain::kStackHashVersion)};

const database::Statement kInheritRoutes{
    .name = "inherit_routes",
    .sql = std::format(
        R"(INSERT INTO cluster_route (stack_hash, version, cluster_id, fingerprint, created_at)
SELECT DISTINCT ON (given.stack_hash) given.stack_hash, {}, old.cluster_id,
       given.fingerprint::jsonb, now()
FROM unnest($1::text[], $2::text[], $3::text[]) AS given (old_hash, stack_hash, fingerprint)
JOIN cluster_route old ON old.stack_hash = given.old_hash
ORDER BY given.stack_hash, old.cluster_id
ON CONFLICT (stack_hash) DO NOTHING)",
        domain::kStackHashVersion)};

}  // namespace

drogon::Task<void> inheritRoutes(database::Transaction& transaction,
                                 std::vector<RouteUpgrade> upgrades) {
  std::erase_if(upgrades, [](const RouteUpgrade& upgrade) {
    return upgrade.oldHash == upgrade.fault.stackHash;
  });
  const auto newHash = [](const RouteUpgrade& upgrade) -> std::string_view {
    return upgrade.fault.stackHash;
  };
  const auto fingerprint = [](const RouteUpgrade& upgrade) {
    return fingerprintJson(upgrade.fault.fingerprint);
  };
  co_await transaction.run(
      kInheritRoutes, database::columns(upgrades, &RouteUpgrade::oldHash, newHash, fingerprint));
}

drogon::Task<void> upgradeRoutes(database::Client& client, std::chrono::milliseconds deadline) {
  const database::Result noneIsLeft =
      co_await client.run(kNoneIsLeft, std::chrono::steady_clock::now() + deadline);
  if (noneIsLeft.only<bool>()) {
    co_return;
  }
  std::string last;
  std::size_t found = 0;
  do {
    const database::Deadline until = std::chrono::steady_clock::now() + deadline;
    const database::Result result = co_await client.run(kOutdatedRoutes, until, last);
    found = result.rows();
    if (found == 0) {
      co_return;
    }
    std::vector<RouteUpgrade> upgrades;
    for (const OutdatedRoute& route : result.as<OutdatedRoute>()) {
      last = route.stackHash;
      if (route.hasError) {
        upgrades.push_back({.oldHash = last, .fault = toFault(route.fault)});
      }
    }
    if (upgrades.empty()) {
      continue;
    }
    database::Transaction transaction = co_await client.begin(until);
    co_await database::lockShared(transaction, database::AdvisoryLock::routes);
    co_await inheritRoutes(transaction, std::move(upgrades));
    co_await transaction.commit();
  } while (found == kPage);
}

}  // namespace auth_errors::clusters
