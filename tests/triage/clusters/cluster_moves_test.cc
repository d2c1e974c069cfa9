// Merges and splits of clusters, and their effect on errors both at once and on re-analysis, on a
// real PostgreSQL.
#include <chrono>
#include <format>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/cluster_moves_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"
#include "triage/clusters/split_title.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using clusters::MoveStore;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using MoveReason = clusters::MoveRefusal::Reason;
using Outcome = jobs::JobWorker::Outcome;

// What must not compile: an error for a cluster.
static_assert(!std::is_invocable_v<decltype(&clusters::MoveStore::merge), clusters::MoveStore&,
                                   domain::ClusterId, domain::ErrorId, clusters::MoveOrder,
                                   database::Deadline>);
static_assert(!std::is_invocable_v<decltype(clusters::destinationsFrom), database::Transaction&,
                                   domain::ErrorId, std::vector<domain::ClusterId>>);

TEST_F(ClusterMoves, AMergeMovesEveryMemberAndItsCounters) {
  const domain::ErrorId first = arrive({.method = "A", .user = "a"});
  const domain::ClusterId source = clusterOf(first);
  const domain::ErrorId second = arrive({.method = "A", .service = "shop", .user = "b"});
  const domain::ErrorId third = arrive({.method = "A", .environment = "staging", .user = "a"});
  const domain::ErrorId other = arrive({.method = "B", .user = "c"});
  const domain::ClusterId target = clusterOf(other);
  const auto job = tryMerge(source, target);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->request.clusterId, source);
  EXPECT_EQ(job->request.targetClusterId, target);
  EXPECT_EQ(job->request.note, "the same");
  EXPECT_EQ(job->total, 3);
  finishJobs();
  EXPECT_THAT(membersOf(source), IsEmpty());
  EXPECT_THAT(membersOf(target), ElementsAre(first, second, third, other));
  EXPECT_THAT(database_.queryRow("SELECT status, examined, changed FROM job"), Row("DONE", 3, 3));
  EXPECT_THAT(
      database_.queryText(std::format(
          "SELECT placed_by FROM cluster_member WHERE cluster_id = {} ORDER BY auth_error_id",
          target)),
      ElementsAre(Row("anna"), Row("anna"), Row("anna"), Row(kNull)));
  expectExactCounters();
  EXPECT_THAT(clusterColumns(source, "error_count, actor_count, merged_into"), Row(0, 0, target));
  EXPECT_THAT(clusterColumns(target, "error_count, actor_count"), Row(4, 3));
}

TEST_F(ClusterMoves, AMergeCountsAnErrorOfBothClustersOnce) {
  const domain::ErrorId error = arrive({.method = "A"});
  const domain::ClusterId source = clusterOf(error);
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  database_.execute(std::format(
      "INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at) "
      "VALUES ({0}, {1}, '{2}', now()); "
      "INSERT INTO cluster_delta (cluster_id, change, occurred_at, stack_hash, service_name, "
      "environment, actor) SELECT {0}, 1, occurred_at, stack_hash, service_name, environment, "
      "user_pseudonym FROM auth_error WHERE id = {1}",
      target, error, hashOf("A")));
  const auto preview = clients_.run([&] { return store_.previewMerge(source, target, in(10s)); });
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->movingErrors, 0);
  EXPECT_EQ(preview->errorsInBoth, 1);
  merge(source, target);
  finishJobs();
  EXPECT_THAT(membersOf(source), IsEmpty());
  expectExactCounters();
  EXPECT_THAT(clusterColumns(target, "error_count"), Row(2));
}

TEST_F(ClusterMoves, NewErrorsFollowAMergeAtOnce) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  merge(source, target);
  EXPECT_EQ(clusterOf(arrive({.method = "A"})), target);
  finishJobs();
  EXPECT_THAT(membersOf(source), IsEmpty());
  analyseAllAgain();
  EXPECT_THAT(membersOf(source), IsEmpty());
  EXPECT_EQ(membersOf(target).size(), 3U);
  expectExactCounters();
}

TEST_F(ClusterMoves, ChainedMergesLeaveNothingBehindInAnyOrder) {
  const domain::ClusterId a = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId b = clusterOf(arrive({.method = "B"}));
  const domain::ClusterId c = clusterOf(arrive({.method = "C"}));
  arrive({.method = "A"});
  merge(a, b);
  merge(b, c);
  EXPECT_EQ(clusterOf(arrive({.method = "A"})), c);
  finishJobs();
  EXPECT_THAT(membersOf(a), IsEmpty());
  EXPECT_THAT(membersOf(b), IsEmpty());
  EXPECT_EQ(membersOf(c).size(), 5U);
  analyseAllAgain();
  EXPECT_EQ(membersOf(c).size(), 5U);
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), "5");
  expectExactCounters();
}

TEST_F(ClusterMoves, AMoveNeverCausesARegression) {
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  database_.execute(
      std::format("UPDATE cluster SET state = 'RESOLVED', state_changed_at = "
                  "now() - interval '1 hour' WHERE id = {}",
                  target));
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  merge(source, target);
  finishJobs();
  expectExactCounters();
  EXPECT_EQ(stateOf(target), "RESOLVED");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_transition"), "0");
  arrive({.method = "A"});
  EXPECT_EQ(stateOf(target), "REGRESSED");
}

TEST_F(ClusterMoves, AMergeTakesOverRules) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  database_.execute(std::format(
      "INSERT INTO rule (name, position, enabled, match_cluster_id, action, hit_count, "
      "failure_count, scanned_until, scanned_id, created_at, created_by, changed_at, changed_by) "
      "VALUES ('quiet', 1, true, {}, 'IGNORE', 0, 0, now(), 0, now(), 'eve', now(), 'eve')",
      source));
  merge(source, target);
  EXPECT_THAT(database_.queryRow("SELECT match_cluster_id, changed_by FROM rule"),
              Row(target, "anna"));
}

TEST_F(ClusterMoves, ARuleWithAnAgeRescansAfterErrorsMovedToItsCluster) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  const domain::RuleId rule = plantRule(
      database_,
      {.name = "quiet", .match = std::format("cluster_id = {}", target), .afterSeconds = "60"});
  const domain::RuleId other = plantRule(database_, {.name = "other", .afterSeconds = "60"});
  database_.execute("UPDATE rule SET scanned_until = now(), scanned_id = 7");
  merge(source, target);
  finishJobs();
  const auto begins = [this](domain::RuleId id) {
    return value(std::format("SELECT scanned_until = '-infinity' FROM rule WHERE id = {}", id));
  };
  EXPECT_EQ(begins(rule), "t");
  EXPECT_EQ(begins(other), "f");
}

TEST_F(ClusterMoves, RefusesInvalidMerges) {
  const domain::ClusterId a = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId b = clusterOf(arrive({.method = "B"}));
  const domain::ClusterId c = clusterOf(arrive({.method = "C"}));
  EXPECT_EQ(reasonOf(tryMerge(a, a)), MoveReason::sameCluster);
  EXPECT_EQ(reasonOf(tryMerge(domain::ClusterId(999), a)), MoveReason::unknown);
  EXPECT_EQ(reasonOf(tryMerge(a, domain::ClusterId(999))), MoveReason::targetUnknown);
  merge(a, b);
  EXPECT_EQ(reasonOf(tryMerge(a, c)), MoveReason::mergedAway);
  const auto intoMerged = tryMerge(c, a);
  EXPECT_EQ(reasonOf(intoMerged), MoveReason::mergedAway);
  EXPECT_EQ(intoMerged.error().refusal().clusterId, a);
  EXPECT_EQ(reasonOf(trySplit(a, by(ofService("login")))), MoveReason::mergedAway);
  EXPECT_EQ(value("SELECT count(*) FROM job"), "1");
}

TEST_F(ClusterMoves, ASplitByMatchMovesCurrentAndFutureMatches) {
  const domain::ErrorId remaining = arrive({.occurredAt = "'2026-01-31T10:00:00Z'"});
  const domain::ClusterId source = clusterOf(remaining);
  const domain::ErrorId goes = arrive({.service = "shop", .occurredAt = "'2026-01-31T08:00:00Z'"});
  const domain::ErrorId alsoGoes =
      arrive({.service = "shop", .occurredAt = "'2026-01-31T12:00:00Z'"});
  flush();
  const auto made = trySplit(source, by(ofService("shop")));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->title, "BadCredentials in com.acme.Login.check (service shop)");
  EXPECT_EQ(made->job.request.targetClusterId, made->clusterId);
  EXPECT_THAT(clusterColumns(made->clusterId,
                             "state, state_changed_by, state_note, sample_error_id, error_count, "
                             "exception_class, title"),
              Row("OPEN", "anna", "not the same", goes, 0, "com.acme.BadCredentials", made->title));
  const domain::ErrorId later = arrive({.service = "shop", .occurredAt = "'2026-01-31T10:00:00Z'"});
  EXPECT_EQ(clusterOf(later), made->clusterId);
  EXPECT_EQ(clusterOf(arrive({.occurredAt = "'2026-01-31T10:00:00Z'"})), source);
  finishJobs();
  EXPECT_THAT(membersOf(made->clusterId), ElementsAre(goes, alsoGoes, later));
  analyseAllAgain();
  EXPECT_THAT(membersOf(made->clusterId), ElementsAre(goes, alsoGoes, later));
  EXPECT_EQ(membersOf(source).size(), 2U);
  expectExactCounters();
  const std::string seen =
      "to_char(first_seen_at AT TIME ZONE 'UTC', 'HH24:MI'), "
      "to_char(last_seen_at AT TIME ZONE 'UTC', 'HH24:MI')";
  EXPECT_THAT(clusterColumns(made->clusterId, seen), Row("08:00", "12:00"));
  EXPECT_THAT(clusterColumns(source, seen), Row("10:00", "10:00"));
}

TEST_F(ClusterMoves, AnErrorMovedBeforeItsFlushDoesNotAffectTheOldClustersTimes) {
  const domain::ClusterId source = clusterOf(arrive({.occurredAt = "'2026-01-31T10:00:00Z'"}));
  arrive({.service = "shop", .occurredAt = "'2026-01-31T08:00:00Z'"});
  arrive({.service = "shop", .occurredAt = "'2026-01-31T12:00:00Z'"});
  split(source, by(ofService("shop")));
  finishJobs();
  expectExactCounters();
  EXPECT_THAT(clusterColumns(source,
                             "to_char(first_seen_at AT TIME ZONE 'UTC', 'HH24:MI'), "
                             "to_char(last_seen_at AT TIME ZONE 'UTC', 'HH24:MI')"),
              Row("10:00", "10:00"));
}

TEST_F(ClusterMoves, ASampleThatMovesAwayIsReplaced) {
  const domain::ErrorId sample = arrive({.service = "shop"});
  const domain::ClusterId source = clusterOf(sample);
  EXPECT_THAT(clusterColumns(source, "sample_error_id"), Row(sample));
  const domain::ErrorId remaining = arrive();
  split(source, by(ofService("shop")));
  finishJobs();
  EXPECT_THAT(clusterColumns(source, "sample_error_id"), Row(remaining));
}

TEST_F(ClusterMoves, SplitsCanBeSplitAndMergedBack) {
  const domain::ClusterId source = clusterOf(arrive());
  const domain::ErrorId shop = arrive({.service = "shop"});
  const domain::ErrorId shopStaging = arrive({.service = "shop", .environment = "staging"});
  const domain::ClusterId services = split(source, by(ofService("shop")));
  finishJobs();
  const domain::ClusterId staging = split(services, by(ofEnvironment("staging")));
  finishJobs();
  EXPECT_THAT(membersOf(services), ElementsAre(shop));
  EXPECT_THAT(membersOf(staging), ElementsAre(shopStaging));
  EXPECT_EQ(clusterOf(arrive({.service = "shop", .environment = "staging"})), staging);
  merge(services, source);
  finishJobs();
  EXPECT_EQ(clusterOf(shop), source);
  EXPECT_EQ(clusterOf(shopStaging), staging);
  EXPECT_EQ(clusterOf(arrive({.service = "shop"})), source);
  EXPECT_EQ(clusterOf(arrive({.service = "shop", .environment = "staging"})), staging);
  const domain::ClusterId again = split(source, by(ofService("shop")));
  finishJobs();
  EXPECT_EQ(clusterOf(shop), again);
  EXPECT_EQ(clusterOf(arrive({.service = "shop"})), again);
  analyseAllAgain();
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), std::to_string(arrived_.size()));
  expectExactCounters();
}

TEST_F(ClusterMoves, EachJobMovesOnlyItsOwnErrors) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  arrive({.method = "A"});
  const domain::ErrorId aShop = arrive({.method = "A", .service = "shop"});
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  const domain::ClusterId shop = split(source, by(ofService("shop")));
  merge(source, target);
  finishJobs();
  EXPECT_THAT(database_.queryText("SELECT changed FROM job ORDER BY id"),
              ElementsAre(Row(1), Row(2)));
  EXPECT_THAT(membersOf(shop), ElementsAre(aShop));
  EXPECT_EQ(membersOf(target).size(), 3U);
  EXPECT_THAT(membersOf(source), IsEmpty());
  expectExactCounters();
}

TEST_F(ClusterMoves, MergedMembersMatchingASplitOfTheTargetFollowIt) {
  const domain::ClusterId a = clusterOf(arrive({.method = "A"}));
  const domain::ErrorId aShop = arrive({.method = "A", .service = "shop"});
  const domain::ClusterId b = clusterOf(arrive({.method = "B"}));
  arrive({.method = "B", .service = "shop"});
  const domain::ClusterId shop = split(b, by(ofService("shop")));
  finishJobs();
  plantRule(database_,
            {.name = "quiet", .match = std::format("cluster_id = {}", shop), .afterSeconds = "60"});
  database_.execute("UPDATE rule SET scanned_until = now(), scanned_id = 7");
  merge(a, b);
  finishJobs();
  EXPECT_EQ(clusterOf(aShop), shop);
  EXPECT_EQ(value("SELECT scanned_until = '-infinity' FROM rule"), "t")
      << "it must scan the new members";
  EXPECT_THAT(membersOf(a), IsEmpty());
  analyseAllAgain();
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), "4");
  expectExactCounters();
}

TEST_F(ClusterMoves, ASplitByHashesUndoesAMerge) {
  const domain::ErrorId a = arrive({.method = "A"});
  const domain::ErrorId b = arrive({.method = "B"});
  const domain::ErrorId c = arrive({.method = "C"});
  const domain::ClusterId source = clusterOf(c);
  merge(clusterOf(a), source);
  merge(clusterOf(b), source);
  finishJobs();
  const auto made = trySplit(source, by({hashOf("A")}));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->title, "BadCredentials in com.acme.Login.A");
  EXPECT_EQ(clusterOf(arrive({.method = "A"})), made->clusterId);
  EXPECT_EQ(clusterOf(arrive({.method = "B"})), source);
  finishJobs();
  EXPECT_EQ(clusterOf(a), made->clusterId);
  EXPECT_THAT(membersOf(made->clusterId).size(), 2U);
  analyseAllAgain();
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), "5");
  expectExactCounters();
}

TEST_F(ClusterMoves, JobsReadOnlyMembersOfTheirCluster) {
  constexpr int kOthers = 20'000;
  const domain::ErrorId first = arrive({.method = "A"});
  database_.execute(
      std::format("INSERT INTO cluster_member SELECT 999, {0} + n, repeat('a', 64), now() "
                  "FROM generate_series(1, {1}) n; "
                  "ALTER TABLE auth_error ALTER COLUMN id RESTART WITH {2}",
                  first, kOthers, first.value() + kOthers + 1));
  arrive({.method = "A"});
  const domain::ClusterId other = clusterOf(arrive({.method = "B"}));
  database_.execute("ANALYZE; SELECT pg_stat_reset()");
  ignoreAllOf(other);
  merge(clusterOf(first), other);
  {
    // The statistics of a connection are published when it ends.
    ClientLoop loop;
    database::ClientOptions generic = options();
    generic.url += "?options=-c%20plan_cache_mode%3Dforce_generic_plan";
    database::Client& client = loop.connect(generic);
    loop.run([&]() -> drogon::Task<void> {
      jobs::JobWorker worker(client, works(), {.instance = domain::InstanceName("test")},
                             jobMetrics_);
      EXPECT_EQ(co_await worker.runOnce(), Outcome::done);
      EXPECT_EQ(co_await worker.runOnce(), Outcome::done);
    });
  }
  ASSERT_TRUE(eventually([&] {
    return value("SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'cluster_member'") ==
           "2";
  }));
  EXPECT_LT(std::stoll(value("SELECT idx_tup_read FROM pg_stat_user_indexes "
                             "WHERE indexrelname = 'cluster_member_of_error'")),
            kOthers);
}

TEST_F(ClusterMoves, ASplitByHashesPreservesEarlierSplits) {
  const domain::ErrorId a = arrive({.method = "A"});
  const domain::ClusterId source = clusterOf(a);
  merge(clusterOf(arrive({.method = "B"})), source);
  const domain::ErrorId aShop = arrive({.method = "A", .service = "shop"});
  finishJobs();
  const domain::ClusterId shop = split(source, by(ofService("shop")));
  finishJobs();
  const domain::ClusterId alone = split(source, by({hashOf("A")}));
  finishJobs();
  EXPECT_EQ(clusterOf(a), alone);
  EXPECT_EQ(clusterOf(aShop), shop);
  EXPECT_EQ(clusterOf(arrive({.method = "A", .service = "shop"})), shop);
  EXPECT_EQ(clusterOf(arrive({.method = "A"})), alone);
  analyseAllAgain();
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), std::to_string(arrived_.size()));
  expectExactCounters();
}

TEST_F(ClusterMoves, RefusesSplitsThatSeparateNothing) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  merge(clusterOf(arrive({.method = "B"})), source);
  finishJobs();
  arrive({.method = "C"});
  EXPECT_EQ(reasonOf(trySplit(domain::ClusterId(999), by(ofService("x")))), MoveReason::unknown);
  EXPECT_EQ(reasonOf(trySplit(source, by(ofService("x")))), MoveReason::nothingToMove);
  EXPECT_EQ(reasonOf(trySplit(source, by(ofService("login")))), MoveReason::nothingToStay);
  EXPECT_EQ(reasonOf(trySplit(source, by({hashOf("A"), hashOf("B")}))), MoveReason::allHashes);
  const auto foreign = trySplit(source, by({hashOf("A"), hashOf("C"), hashOf("D")}));
  EXPECT_EQ(reasonOf(foreign), MoveReason::foreignHashes);
  EXPECT_THAT(foreign.error().refusal().stackHashes, ElementsAre(hashOf("C"), hashOf("D")));
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "3");
}

// However many errors other clusters have, and whichever is older.
TEST_F(ClusterMoves, ASplitReadsOnlyErrorsOfItsCluster) {
  const auto plantMany = [this](const std::string& service, int count, domain::ClusterId cluster) {
    database_.execute(std::format(
        "WITH made AS (INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, "
        "status_changed_at, http_status, exception_class, stacktrace, service_name, retry_count, "
        "stack_hash) SELECT '{0}' || n, 'ANALYSIS_COMPLETED', now(), now(), now(), 401, 'x', 'x', "
        "'{0}', 0, repeat('1', 64) FROM generate_series(1, {1}) n RETURNING id) "
        "INSERT INTO cluster_member SELECT {2}, id, repeat('1', 64), now() FROM made",
        service, count, cluster));
  };
  plantMany("mail", 20'000, clusterOf(arrive({.method = "other"})));
  const domain::ClusterId source = clusterOf(arrive());
  plantMany("shop", 2'000, source);
  database_.execute("ANALYZE");
  database::Client& client = connect(1);
  const auto made = clients_.run([&]() -> drogon::Task<MoveStore::Answer<clusters::SplitMade>> {
    MoveStore store(client);
    auto answer =
        co_await store.split(source, by(ofService("shop")), {.by = "anna", .note = {}}, in(20s));
    co_await client.run({.name = {}, .sql = "SELECT pg_stat_force_next_flush()"}, in(20s));
    co_return answer;
  });
  ASSERT_TRUE(made);
  const auto read = [this] {
    return std::stoll(
        value("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = "
              "'auth_error'"));
  };
  ASSERT_TRUE(eventually([&] { return read() > 0; }));
  EXPECT_LT(read(), 5'000);
}

TEST_F(ClusterMoves, PreviewsAMerge) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A", .service = "shop"}));
  arrive({.method = "A", .environment = "staging"});
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  flush();
  const auto preview = clients_.run([&] { return store_.previewMerge(source, target, in(10s)); });
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->movingErrors, 2);
  EXPECT_EQ(preview->errorsInBoth, 0);
  EXPECT_EQ(preview->source.errorCount, 2);
  EXPECT_EQ(preview->target.errorCount, 1);
  EXPECT_EQ(preview->target.state, "OPEN");
  EXPECT_THAT(preview->servicesGained, ElementsAre("shop"));
  EXPECT_THAT(preview->environmentsGained, ElementsAre("staging"));
  EXPECT_THAT(preview->stackHashes, ElementsAre(hashOf("A")));
  EXPECT_EQ(preview->stackHashCount, 1);
  EXPECT_THAT(clusterColumns(source, "merged_into"), Row(kNull));
}

TEST_F(ClusterMoves, PreviewsASplit) {
  const domain::ClusterId source = clusterOf(arrive());
  std::vector<domain::ErrorId> moving;
  for (int i = 0; i < 7; ++i) {
    moving.push_back(arrive({.service = "shop", .environment = i == 0 ? "staging" : "production"}));
  }
  const auto preview =
      clients_.run([&] { return store_.previewSplit(source, by(ofService("shop")), in(10s)); });
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->movingErrors, 7);
  EXPECT_EQ(preview->stayingErrors, 1);
  EXPECT_THAT(preview->services, ElementsAre("shop"));
  EXPECT_THAT(preview->environments, ElementsAre("production", "staging"));
  EXPECT_EQ(preview->title, "BadCredentials in com.acme.Login.check (service shop)");
  ASSERT_EQ(preview->samples.size(), 5U);
  EXPECT_EQ(preview->samples.front().id, moving.back());
  EXPECT_EQ(preview->samples.front().serviceName, "shop");
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "1");
}

TEST_F(ClusterMoves, TitlesOfSplitsFitTheirColumn) {
  const std::string title = clusters::splitTitle(std::string(255, 'x'), std::string(1'000, 'y'));
  EXPECT_EQ(title.size(), 255U);
  EXPECT_TRUE(title.ends_with("y)"));
  triage::ErrorMatch match = ofService("login");
  match.httpStatus = 401;
  EXPECT_EQ(clusters::splitTitle("A in b", clusters::describe(match)),
            "A in b (status 401, service login)");
}

}  // namespace
}  // namespace auth_errors::tests
