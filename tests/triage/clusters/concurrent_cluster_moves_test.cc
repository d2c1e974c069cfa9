// Merges and splits concurrent with placements, decisions, rules and each other, on a real
// PostgreSQL.
#include <chrono>
#include <format>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/advisory_lock.h"
#include "tests/support/cluster_moves_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"
#include "triage/clusters/reanalysis.h"
#include "triage/rules/rule_store.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using clusters::AnalysedError;
using clusters::SplitChoice;
using MoveReason = clusters::MoveRefusal::Reason;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The rule's transaction has found the cluster open, and the merge has found no rules.
TEST_F(ClusterMoves, AMergeTakesOverARuleStoredWhileItAwaitsTheRoutingLock) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  PlainConnection holder(database_.url());
  holder.execute(
      "BEGIN; INSERT INTO rule (name, position, enabled, match_http_status, action, hit_count, "
      "failure_count, scanned_until, scanned_id, created_at, created_by, changed_at, changed_by) "
      "VALUES ('quiet', 1, true, 401, 'IGNORE', 0, 0, now(), 0, now(), 'eve', now(), 'eve')");
  rules::RuleStore rules(client_);
  rules::RuleSettings settings{.name = "quiet",
                               .position = {},
                               .enabled = true,
                               .match = {},
                               .action = domain::Decision::ignore,
                               .note = {},
                               .afterSeconds = {}};
  settings.match.clusterId = source;
  auto making = clients_.start([&] { return rules.create(settings, "eve", in(20s)); });
  ASSERT_TRUE(waitingForLocks(1));
  auto merging = startMerge(source, target);
  ASSERT_TRUE(waitingForLocks(2));
  holder.execute("ROLLBACK");
  ASSERT_TRUE(await(std::move(making), kWaitLimit));
  ASSERT_TRUE(await(std::move(merging), kWaitLimit));
  EXPECT_THAT(database_.queryRow("SELECT match_cluster_id, changed_by FROM rule"),
              Row(target, "anna"));
}

TEST_F(ClusterMoves, RefusesToMoveErrorsWithAnOpenDecisionJob) {
  const domain::ClusterId a = clusterOf(arrive({.method = "A"}));
  arrive({.method = "A", .service = "shop"});
  const domain::ClusterId b = clusterOf(arrive({.method = "B"}));
  database_.execute(std::format(
      "INSERT INTO job (kind, status, cluster_id, decision, requested_by, total, examined, "
      "changed, "
      "position, last_position, failures, created_at) VALUES ('decide', 'QUEUED', {}, 'IGNORE', "
      "'eve', 1, 0, 0, 0, 1, 0, now())",
      a));
  EXPECT_EQ(reasonOf(tryMerge(a, b)), MoveReason::beingDecided);
  EXPECT_EQ(reasonOf(trySplit(a, by(ofService("shop")))), MoveReason::beingDecided);
  database_.execute("UPDATE job SET status = 'DONE', finished_at = now()");
  merge(a, b);
}

TEST_F(ClusterMoves, ASplitByHashesTakesErrorsThatAnUnfinishedMergeStillBrings) {
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  std::vector<domain::ErrorId> merged;
  for (int i = 0; i < 4; ++i) {
    merged.push_back(arrive({.method = "A"}));
  }
  merge(clusterOf(merged.front()), target);
  runOneChunk(1);
  const domain::ClusterId made = split(target, by({hashOf("A")}));
  finishJobs();
  EXPECT_EQ(membersOf(made), merged);
  expectExactCounters();
}

TEST_F(ClusterMoves, ADecisionOnANewClusterIncludesErrorsStillMovingThere) {
  const domain::ErrorId remaining = arrive();
  std::vector<domain::ErrorId> going;
  for (int i = 0; i < 3; ++i) {
    going.push_back(arrive({.service = "shop"}));
  }
  const domain::JobId job = ignoreAllOf(split(clusterOf(remaining), by(ofService("shop"))));
  finishJobs();
  EXPECT_THAT(progressOf(job), Row("DONE", 3, 3, 3));
  for (const domain::ErrorId error : going) {
    EXPECT_EQ(fateOf(database_, error), "IGNORED by eve");
  }
  EXPECT_EQ(fateOf(database_, remaining), "ANALYSIS_COMPLETED");
}

TEST_F(ClusterMoves, ADecisionIncludesErrorsThatAMergeStillBrings) {
  std::vector<domain::ErrorId> older{arrive({.method = "A"})};
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  for (int i = 0; i < 3; ++i) {
    older.push_back(arrive({.method = "A"}));
  }
  merge(clusterOf(older.front()), target);
  runOneChunk(1);
  const domain::JobId job = ignoreAllOf(target);
  const domain::ErrorId later = arrive({.method = "A"});
  finishJobs();
  EXPECT_THAT(progressOf(job), Row("DONE", 5, 5, 5));
  for (const domain::ErrorId error : older) {
    EXPECT_EQ(fateOf(database_, error), "IGNORED by eve");
  }
  EXPECT_EQ(fateOf(database_, later), "ANALYSIS_COMPLETED") << "it arrived after the decision";
}

TEST_F(ClusterMoves, RefusesASplitOfErrorsThatAnEarlierOneIsStillMoving) {
  const domain::ClusterId source = clusterOf(arrive());
  arrive({.service = "shop"});
  const domain::ErrorId staging = arrive({.environment = "staging"});
  split(source, by(ofService("shop")));
  EXPECT_EQ(reasonOf(trySplit(source, by(ofService("shop")))), MoveReason::nothingToMove);
  EXPECT_EQ(reasonOf(trySplit(source, by(ofService("login")))), MoveReason::nothingToStay);
  const auto previewed = [&](const SplitChoice& choice) {
    return clients_.run([&] { return store_.previewSplit(source, choice, in(10s)); });
  };
  EXPECT_EQ(reasonOf(previewed(by(ofService("shop")))), MoveReason::nothingToMove);
  const auto preview = previewed(by(ofEnvironment("staging")));
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->movingErrors, 1);
  EXPECT_EQ(preview->stayingErrors, 1);
  const domain::ClusterId made = split(source, by(ofEnvironment("staging")));
  finishJobs();
  EXPECT_THAT(membersOf(made), ElementsAre(staging));
  expectExactCounters();
}

TEST_F(ClusterMoves, TheSecondOfTwoEqualConcurrentSplitsIsRefused) {
  const domain::ClusterId source = clusterOf(arrive());
  const domain::ErrorId shop = arrive({.service = "shop"});
  const auto answers = splitAtOnce(source, by(ofService("shop")), by(ofService("shop")));
  ASSERT_TRUE(answers.at(0));
  EXPECT_EQ(reasonOf(answers.at(1)), MoveReason::nothingToMove);
  finishJobs();
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "2");
  EXPECT_THAT(membersOf(answers.at(0)->clusterId), ElementsAre(shop));
}

TEST_F(ClusterMoves, ConcurrentSplitsLeaveTheClusterAHash) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  merge(clusterOf(arrive({.method = "B"})), source);
  finishJobs();
  const auto answers = splitAtOnce(source, by({hashOf("A")}), by({hashOf("B")}));
  ASSERT_TRUE(answers.at(0));
  EXPECT_EQ(reasonOf(answers.at(1)), MoveReason::allHashes);
  finishJobs();
  EXPECT_EQ(membersOf(source).size(), 1U);
}

// A placement in progress when a merge starts must not put its error into the merged cluster after
// the job has passed.
TEST_F(ClusterMoves, AMergeWaitsForPlacementsInProgress) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  const AnalysedError late = planted({.method = "A"});
  auto placing = clients_.run([&]() -> drogon::Task<database::Transaction> {
    database::Transaction transaction = co_await client_.begin(in(20s));
    co_await clusters::placeErrors(transaction, {late}, domain::InstanceName("test"));
    co_return transaction;
  });
  auto merging = startMerge(source, target);
  ASSERT_TRUE(waitingForLocks(1));
  clients_.run([&] { return placing.commit(); });
  const auto job = await(std::move(merging), kWaitLimit);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->total, 2);
  finishJobs();
  EXPECT_THAT(membersOf(source), IsEmpty());
  EXPECT_EQ(clusterOf(late.authErrorId), target);
  expectExactCounters();
}

TEST_F(ClusterMoves, PlacementsWaitForAMergeInProgress) {
  const domain::ClusterId source = clusterOf(arrive({.method = "A"}));
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  PlainConnection merging(database_.url());
  merging.execute("BEGIN");
  merging.queryText(std::format("SELECT pg_advisory_xact_lock({})",
                                std::to_underlying(database::AdvisoryLock::routes)));
  const AnalysedError late = planted({.method = "A"});
  auto placing = clients_.start([&] { return placeIn({late}); });
  ASSERT_TRUE(waitingForLocks(1));
  merging.execute(
      std::format("UPDATE cluster SET merged_into = {} WHERE id = {}; COMMIT", target, source));
  await(std::move(placing), kWaitLimit);
  EXPECT_EQ(clusterOf(late.authErrorId), target);
}

// Simulates a new hash version that reaches an error while a job moves it.
TEST_F(ClusterMoves, AnErrorRehashedDuringAMoveIsCountedUnderItsNewHash) {
  const domain::ErrorId error = arrive({.method = "A"});
  const domain::ClusterId target = clusterOf(arrive({.method = "B"}));
  const std::string old(64, '1');
  database_.execute(std::format(
      "UPDATE auth_error SET stack_hash = '{0}' WHERE id = {1}; "
      "UPDATE cluster_member SET stack_hash = '{0}' WHERE auth_error_id = {1}; "
      "UPDATE cluster_route SET stack_hash = '{0}', version = 1 WHERE stack_hash = '{2}';"
      "UPDATE cluster_delta SET stack_hash = '{0}' WHERE stack_hash = '{2}'",
      old, error, hashOf("A")));
  const auto job = tryMerge(clusterOf(error), target);
  ASSERT_TRUE(job);
  clusters::MoveWork work;
  auto moving = clients_.run([&]() -> drogon::Task<database::Transaction> {
    database::Transaction transaction = co_await client_.begin(in(20s));
    co_await work.run(transaction, *job, 10);
    co_return transaction;
  });
  clusters::Reanalysis reanalysis(
      client_, {.instance = domain::InstanceName("test"), .strayAge = 0ms}, metrics_);
  auto analysing = clients_.start([&] { return reanalysis.runOnce(); });
  ASSERT_TRUE(waitingForLocks(1));
  clients_.run([&] { return moving.commit(); });
  EXPECT_EQ(await(std::move(analysing), kWaitLimit), 1U);
  EXPECT_EQ(clusterOf(error), target);
  EXPECT_EQ(
      value(std::format("SELECT stack_hash FROM cluster_member WHERE auth_error_id = {}", error)),
      hashOf("A"));
  finishJobs();
  expectExactCounters();
}

// Concurrent placements while clusters are merged and split and the jobs run: no error is lost,
// counted twice or left in a merged cluster.
TEST_F(ClusterMoves, NothingIsLostWhileErrorsArriveDuringMoves) {
  const std::vector<std::string> faults{"A", "B", "C"};
  std::vector<domain::ClusterId> made;
  for (const std::string& fault : faults) {
    made.push_back(clusterOf(arrive({.method = fault})));
    arrive({.method = fault, .service = "shop"});
  }
  std::vector<AnalysedError> late;
  for (int i = 0; i < 90; ++i) {
    late.push_back(planted({.method = faults.at(static_cast<std::size_t>(i) % faults.size()),
                            .service = i % 2 == 0 ? "shop" : "login",
                            .user = std::string(1, static_cast<char>('a' + (i % 7)))}));
  }
  std::vector<std::future<void>> placements;
  for (const AnalysedError& error : late) {
    placements.push_back(clients_.start([this, error] { return placeIn({error}); }));
    arrived_.push_back(error);
  }
  merge(made.at(0), made.at(1));
  const domain::ClusterId shop = split(made.at(1), by(ofService("shop")));
  merge(made.at(1), made.at(2));
  finishJobs();
  for (auto& placement : placements) {
    await(std::move(placement), kWaitLimit);
  }
  finishJobs();
  EXPECT_THAT(membersOf(made.at(0)), IsEmpty());
  EXPECT_THAT(membersOf(made.at(1)), IsEmpty());
  EXPECT_EQ(membersOf(shop).size() + membersOf(made.at(2)).size(), arrived_.size());
  analyseAllAgain();
  EXPECT_EQ(membersOf(shop).size() + membersOf(made.at(2)).size(), arrived_.size());
  EXPECT_EQ(value(std::format(
                "SELECT count(*) FROM cluster_member m JOIN auth_error e ON e.id = m.auth_error_id "
                "WHERE m.cluster_id = {} AND e.service_name <> 'shop'",
                shop)),
            "0");
  expectExactCounters();
}

}  // namespace
}  // namespace auth_errors::tests
