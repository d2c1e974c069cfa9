// A new hash version for errors hashed by an older one: no decision is lost.
#include "triage/clusters/reanalysis.h"

#include <cstdint>
#include <format>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/advisory_lock.h"
#include "tests/support/cluster_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"
#include "triage/clusters/route_upgrade.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class ReanalysisTest : public ClusterTest {
 protected:
  // An error as an older version stored it: in the cluster of its old hash, which is this digit 64
  // times.
  domain::ErrorId plantOld(char digit, const ErrorToPlant& error = {}) {
    const domain::ErrorId id = plant(error);
    const std::string hash(64, digit);
    database_.execute(
        std::format("UPDATE auth_error SET stack_hash = '{}' WHERE id = {}", hash, id));
    clusters::Fault fault = faultOf(error);
    fault.stackHash = hash;
    place({{.authErrorId = id, .fault = fault}});
    database_.execute(
        std::format("UPDATE cluster_route SET version = 1 WHERE stack_hash = '{}'", hash));
    flush();
    return id;
  }
  std::size_t reanalyse(std::int64_t chunk = 200) {
    return clients_.run([this, chunk]() -> drogon::Task<std::size_t> {
      clusters::Reanalysis reanalysis(
          client_, {.instance = domain::InstanceName("instance"), .chunk = chunk, .strayAge = 0ms},
          metrics_);
      co_return co_await reanalysis.runOnce();
    });
  }
  std::string hashOf(domain::ErrorId id) {
    return value(std::format("SELECT stack_hash FROM auth_error WHERE id = {}", id));
  }
  std::vector<TextRow> clustersOf(domain::ErrorId id) {
    return database_.queryText(std::format(
        "SELECT cluster_id FROM cluster_member WHERE auth_error_id = {} ORDER BY 1", id));
  }
  std::string setState(domain::ClusterId cluster, const std::string& state) {
    database_.execute(std::format("UPDATE cluster SET state = '{}' WHERE id = {}", state, cluster));
    return state;
  }
};

TEST_F(ReanalysisTest, RehashesOldErrorsAndKeepsThemInTheirClusters) {
  std::vector<domain::ErrorId> ids;
  ids.reserve(7);
  for (int i = 0; i < 7; ++i) {
    ids.push_back(plantOld('1', {.status = i % 2 == 0 ? "IGNORED" : "ANALYSIS_COMPLETED"}));
  }
  const domain::ClusterId cluster = clusterOf(ids.front());
  setState(cluster, "IGNORED");
  EXPECT_EQ(reanalyse(3), 7U);
  EXPECT_EQ(reanalyse(), 0U) << "nothing may be left";
  flush();
  for (const domain::ErrorId id : ids) {
    EXPECT_EQ(hashOf(id), faultOf({}).stackHash);
    EXPECT_THAT(clustersOf(id), ElementsAre(Row(cluster)));
  }
  EXPECT_EQ(stateOf(cluster), "IGNORED");
  EXPECT_EQ(value("SELECT count(*) FROM auth_error WHERE status = 'IGNORED'"), "4");
  EXPECT_EQ(value("SELECT error_count FROM cluster"), "7");
  EXPECT_EQ(value("SELECT value FROM cluster_facet WHERE kind = 'hash'"), faultOf({}).stackHash);
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ReanalysisTest, RoutesNewErrorsOfAnOldFaultToItsClusterBeforeTheOldOnesAreDone) {
  const domain::ClusterId cluster = clusterOf(plantOld('1'));
  setState(cluster, "RESOLVED");
  clients_.run([this] { return clusters::upgradeRoutes(client_, 10s); });
  const domain::ErrorId fresh = plantAndPlace({.receivedAt = "now() + interval '1 second'"});
  EXPECT_THAT(clustersOf(fresh), ElementsAre(Row(cluster)));
  EXPECT_EQ(stateOf(cluster), "REGRESSED");
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "1");
}

TEST_F(ReanalysisTest, FindsOldFaultsBehindAnyNumberOfUnusedOldRoutes) {
  const domain::ClusterId cluster = clusterOf(plantOld('f'));
  database_.execute(
      std::format("INSERT INTO cluster_route SELECT lpad(n::text, 64, '0'), 1, {}, '{{}}', now() "
                  "FROM generate_series(1, 450) n",
                  cluster));
  clients_.run([this] { return clusters::upgradeRoutes(client_, 10s); });
  EXPECT_EQ(value(std::format("SELECT cluster_id FROM cluster_route WHERE stack_hash = '{}'",
                              faultOf({}).stackHash)),
            std::format("{}", cluster));
}

TEST_F(ReanalysisTest, KeepsOneClusterIfTheNewVersionSeparatesItsErrors) {
  const domain::ErrorId one = plantOld('1', {.method = "check"});
  const domain::ErrorId other = plantOld('1', {.method = "find"});
  reanalyse();
  flush();
  EXPECT_NE(hashOf(one), hashOf(other));
  EXPECT_EQ(clustersOf(one), clustersOf(other)) << "only an operator may split them";
  EXPECT_EQ(value("SELECT count(*) FROM cluster_facet WHERE kind = 'hash'"), "2");
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ReanalysisTest, AddsErrorsToASecondClusterIfTheNewVersionJoinsThem) {
  const domain::ErrorId one = plantOld('1');
  const domain::ErrorId other = plantOld('2');
  const domain::ClusterId first = clusterOf(one);
  const domain::ClusterId second = clusterOf(other);
  setState(second, "IGNORED");
  reanalyse();
  flush();
  EXPECT_EQ(hashOf(one), hashOf(other));
  EXPECT_THAT(clustersOf(one), ElementsAre(Row(first)));
  EXPECT_THAT(clustersOf(other), ElementsAre(Row(first), Row(second)))
      << "it also stays in the cluster it was decided on in";
  EXPECT_EQ(stateOf(second), "IGNORED");
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ReanalysisTest, KeepsErrorsWhereAnOperatorPlacedThem) {
  const domain::ErrorId one = plantOld('1');
  const domain::ErrorId other = plantOld('2');
  const auto before = clustersOf(other);
  database_.execute(
      std::format("UPDATE cluster_member SET placed_by = 'ann' WHERE auth_error_id = {}", other));
  reanalyse();
  flush();
  EXPECT_EQ(hashOf(one), hashOf(other));
  EXPECT_EQ(clustersOf(other), before);
  EXPECT_EQ(counterMismatches(), "");
}

// After a RETRY decision, the consumer gives an old error its new hash.
TEST_F(ReanalysisTest, CountsAnErrorRehashedByTheConsumerUnderItsNewHash) {
  const domain::ErrorId id = plantOld('1');
  plantOld('1');
  const auto before = clustersOf(id);
  clients_.run([this] { return clusters::upgradeRoutes(client_, 10s); });
  database_.execute(std::format("UPDATE auth_error SET stack_hash = '{}' WHERE id = {}",
                                faultOf({}).stackHash, id));
  place({{.authErrorId = id, .fault = faultOf({})}});
  flush();
  EXPECT_EQ(clustersOf(id), before);
  EXPECT_EQ(
      value(std::format("SELECT stack_hash FROM cluster_member WHERE auth_error_id = {}", id)),
      faultOf({}).stackHash);
  EXPECT_THAT(database_.queryText("SELECT error_count FROM cluster_facet WHERE kind = 'hash'"),
              ElementsAre(Row(1), Row(1)));
  EXPECT_EQ(counterMismatches(), "");
  EXPECT_EQ(reanalyse(), 1U);
  flush();
  EXPECT_EQ(value("SELECT error_count FROM cluster_facet WHERE kind = 'hash'"), "2");
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ReanalysisTest, FollowsMergesAndSplitsMadeUnderTheOldHash) {
  const domain::ClusterId source = clusterOf(plantOld('1', {.method = "check"}));
  const domain::ClusterId target = clusterOf(plantOld('2', {.method = "find"}));
  const domain::ClusterId shop = clusterOf(plantOld('3', {.method = "load"}));
  database_.execute(
      std::format("UPDATE cluster SET merged_into = {} WHERE id = {}", target, source));
  database_.execute(
      std::format("INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_service_name, "
                  "created_at, created_by) VALUES ({}, {}, 'shop', now(), 'ann')",
                  target, shop));
  reanalyse();
  EXPECT_THAT(clustersOf(plantAndPlace({.method = "check"})), ElementsAre(Row(target)));
  EXPECT_THAT(clustersOf(plantAndPlace({.method = "check", .service = "shop"})),
              ElementsAre(Row(shop)));
}

TEST_F(ReanalysisTest, PlacesErrorsFromBeforeThereWereClusters) {
  for (int i = 0; i < 5; ++i) {
    plant({.receivedAt = "now() - interval '1 minute'"});
  }
  plant({.method = "find", .receivedAt = "now() - interval '1 minute'", .status = "IGNORED"});
  const domain::ClusterId cluster = clusterOf(plantAndPlace());
  EXPECT_EQ(reanalyse(2), 6U);
  EXPECT_EQ(reanalyse(2), 0U);
  flush();
  EXPECT_THAT(database_.queryText("SELECT title, error_count FROM cluster ORDER BY title"),
              ElementsAre(Row("BadCredentials in com.acme.Login.check", 6),
                          Row("BadCredentials in com.acme.Login.find", 1)));
  EXPECT_EQ(value("SELECT error_count FROM cluster WHERE id = " + std::format("{}", cluster)), "6");
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ReanalysisTest, LeavesRecentErrorsToTheConsumer) {
  plant();
  EXPECT_EQ(clients_.run([this]() -> drogon::Task<std::size_t> {
    clusters::Reanalysis reanalysis(
        client_, {.instance = domain::InstanceName("instance"), .strayAge = 1h}, metrics_);
    co_return co_await reanalysis.runOnce();
  }),
            0U);
}

TEST_F(ReanalysisTest, MakesRulesWithAnAgeRescanErrorsThatJoinedTheirCluster) {
  const domain::ClusterId cluster = clusterOf(plantOld('1'));
  database_.execute(std::format(
      "INSERT INTO rule (name, position, enabled, match_cluster_id, action, after_seconds, "
      "hit_count, failure_count, scanned_until, scanned_id, created_at, created_by, changed_at, "
      "changed_by) VALUES ('r', 1, true, {}, 'IGNORE', 60, 0, 0, now(), 7, now(), 'x', now(), 'x')",
      cluster));
  // Even if they cannot be reset at once.
  database_.execute(
      "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; "
      "END $$; CREATE TRIGGER fail BEFORE UPDATE ON rule FOR EACH ROW EXECUTE FUNCTION fail()");
  clusters::Reanalysis reanalysis(
      client_, {.instance = domain::InstanceName("instance"), .strayAge = 0ms}, metrics_);
  const auto runOnce = [&] { return clients_.run([&] { return reanalysis.runOnce(); }); };
  EXPECT_THROW(runOnce(), database::Error);
  database_.execute("DROP TRIGGER fail ON rule");
  EXPECT_EQ(runOnce(), 0U);
  EXPECT_THAT(database_.queryRow("SELECT scanned_until = (SELECT min(status_changed_at) FROM "
                                 "auth_error) AS rewound, scanned_id FROM rule"),
              Row(true, 0));
}

// The next instance does not examine errors again that a crashed instance has rehashed.
TEST_F(ReanalysisTest, ResetsRulesThatACrashedInstanceLeftUnreset) {
  const domain::ClusterId cluster = clusterOf(plantAndPlace());
  for (const auto& [name, scannedUntil] :
       {std::pair<std::string, std::string>{"ahead", "2026-01-31"},
        std::pair<std::string, std::string>{"behind", "2025-12-31"}}) {
    plantRule(
        database_,
        {.name = name, .match = std::format("cluster_id = {}", cluster), .afterSeconds = "60"});
    database_.execute(
        std::format("UPDATE rule SET scanned_until = '{}', scanned_id = 7 WHERE name = '{}'",
                    scannedUntil, name));
  }
  database_.execute("UPDATE reanalysis_mark SET rules_from = '2026-01-01'");
  EXPECT_EQ(reanalyse(), 0U);
  const auto places = [this] {
    return database_.queryText("SELECT scanned_until::date, scanned_id FROM rule ORDER BY name");
  };
  EXPECT_THAT(places(), ElementsAre(Row("2026-01-01", 0), Row("2025-12-31", 7)));
  database_.execute("UPDATE rule SET scanned_until = '2026-01-31', scanned_id = 7");
  EXPECT_EQ(reanalyse(), 0U);
  EXPECT_THAT(places(), ElementsAre(Row("2026-01-31", 7), Row("2026-01-31", 7)))
      << "once is enough, also for the next instance";
}

// Progress outlives its instance, so that the next one does not start over.
TEST_F(ReanalysisTest, ResumesWhereTheLastInstanceStopped) {
  const domain::ErrorId old = plantOld('1');
  const domain::ErrorId last = plantAndPlace();
  EXPECT_EQ(reanalyse(), 1U);
  EXPECT_THAT(
      database_.queryRow("SELECT placed_up_to, version, emptied_up_to FROM reanalysis_mark"),
      Row(last, domain::kStackHashVersion, kNull));
  // It does not examine again what it has passed: neither errors nor routes.
  database_.execute(std::format("DELETE FROM cluster_member WHERE auth_error_id = {}", old));
  EXPECT_EQ(reanalyse(), 0U);
  // It does examine errors that arrived since.
  const domain::ErrorId stray = plant();
  const domain::ErrorId outdated = plantOld('2', {.method = "find"});
  EXPECT_EQ(reanalyse(), 2U);
  EXPECT_EQ(clustersOf(stray).size(), 1U);
  EXPECT_EQ(hashOf(outdated), faultOf({.method = "find"}).stackHash);
}

TEST_F(ReanalysisTest, SearchesForRoutesOnlyUntilTheOldOnesAreEmptied) {
  EXPECT_EQ(reanalyse(), 0U);
  plantOld('1');
  clients_.run([this] { return clusters::upgradeRoutes(client_, 10s); });
  EXPECT_EQ(value("SELECT count(*) FROM cluster_route"), "1");
  EXPECT_EQ(reanalyse(), 1U) << "late errors of an older instance are found by their ids";
  EXPECT_EQ(value("SELECT count(DISTINCT cluster_id) FROM cluster_route"), "1");
}

TEST_F(ReanalysisTest, ExaminesAllRoutesOnceForANewVersion) {
  const domain::ErrorId id = plantOld('1');
  database_.execute(std::format(
      "UPDATE reanalysis_mark SET placed_up_to = {}, version = {}, emptied_up_to = NULL", id,
      domain::kStackHashVersion - 1));
  EXPECT_EQ(reanalyse(), 1U);
  EXPECT_EQ(hashOf(id), faultOf({}).stackHash);
}

TEST_F(ReanalysisTest, KeepsTheMarkOfANewerVersion) {
  database_.execute(std::format("UPDATE reanalysis_mark SET version = {}, emptied_up_to = 'a'",
                                domain::kStackHashVersion + 1));
  reanalyse();
  EXPECT_THAT(database_.queryRow("SELECT version, emptied_up_to FROM reanalysis_mark"),
              Row(domain::kStackHashVersion + 1, "a"));
}

// A rest as long as the whole run so far would double with each chunk.
TEST_F(ReanalysisTest, RestsAfterEachChunkAsLongAsItTook) {
  for (int i = 0; i < 20; ++i) {
    plantOld('1');
  }
  EXPECT_EQ(reanalyse(1), 20U);
}

TEST_F(ReanalysisTest, RunsInOneInstanceAtATime) {
  plantOld('1');
  clients_.run([this]() -> drogon::Task<void> {
    database::Transaction other = co_await client_.begin(in(10s));
    const database::Statement lock{
        .name = {},
        .sql = std::format("SELECT pg_advisory_xact_lock({})",
                           std::to_underlying(database::AdvisoryLock::reanalysis))};
    co_await other.run(lock);
    clusters::Reanalysis reanalysis(client_, {.instance = domain::InstanceName("instance")},
                                    metrics_);
    EXPECT_EQ(co_await reanalysis.runOnce(), 0U);
    co_await other.rollback();
    EXPECT_EQ(co_await reanalysis.runOnce(), 1U);
  });
}

}  // namespace
}  // namespace auth_errors::tests
