#include "triage/clusters/route_upgrade.h"

#include <chrono>
#include <cstddef>
#include <format>
#include <utility>

#include "triage/clusters/placement.h"

namespace auth_errors::clusters {
namespace {

constexpr int kPage = 200;

// With one error each, if there is one: in the end most have none, and a statement that goes on to
// those that do looks at all of them (2.7 s for a million, from memory).
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
                                 std::vector<RouteUpgrade> upgrades, database::Deadline deadline) {
  std::vector<std::string> oldHashes;
  std::vector<std::string> newHashes;
  std::vector<std::string> fingerprints;
  for (RouteUpgrade& upgrade : upgrades) {
    if (upgrade.oldHash == upgrade.fault.stackHash) {
      continue;
    }
    oldHashes.push_back(std::move(upgrade.oldHash));
    newHashes.push_back(std::move(upgrade.fault.stackHash));
    fingerprints.push_back(fingerprintJson(upgrade.fault.fingerprint));
  }
  database::Parameters parameters;
  parameters.addArray(oldHashes).addArray(newHashes).addArray(fingerprints);
  co_await transaction.run(kInheritRoutes, std::move(parameters), deadline);
}

drogon::Task<void> upgradeRoutes(database::Client& client, std::chrono::milliseconds deadline) {
  const database::Result noneIsLeft =
      co_await client.run(kNoneIsLeft, {}, std::chrono::steady_clock::now() + deadline);
  if (noneIsLeft.value<bool>(0, 0)) {
    co_return;
  }
  std::string last;
  std::size_t found = 0;
  do {
    const database::Deadline until = std::chrono::steady_clock::now() + deadline;
    database::Parameters parameters;
    parameters.add(last);
    const database::Result outdated =
        co_await client.run(kOutdatedRoutes, std::move(parameters), until);
    found = outdated.rows();
    if (found == 0) {
      co_return;
    }
    last = outdated.value<std::string>(found - 1, 0);
    std::vector<RouteUpgrade> upgrades;
    for (std::size_t row = 0; row < found; ++row) {
      if (outdated.value<bool>(row, 1)) {
        upgrades.push_back(
            {.oldHash = outdated.value<std::string>(row, 0), .fault = faultOf(outdated, row, 2)});
      }
    }
    if (upgrades.empty()) {
      continue;
    }
    database::Transaction transaction = co_await client.begin(until);
    co_await lockRoutes(transaction, until);
    co_await inheritRoutes(transaction, std::move(upgrades), until);
    co_await transaction.commit(until);
  } while (found == kPage);
}

}  // namespace auth_errors::clusters
