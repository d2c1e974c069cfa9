// Merges and splits of clusters, and what becomes of their errors then and when they are analysed
// again, on a real PostgreSQL.
#include <algorithm>
#include <chrono>
#include <format>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clusters/cluster_store.h"
#include "clusters/move_store.h"
#include "clusters/move_work.h"
#include "clusters/placement.h"
#include "clusters/reanalysis.h"
#include "clusters/split_title.h"
#include "jobs/decide_work.h"
#include "jobs/job_worker.h"
#include "rules/rule_store.h"
#include "tests/support/cluster_fixture.h"
#include "tests/support/rule_rows.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using clusters::AnalysedError;
using clusters::MoveFault;
using clusters::MoveStore;
using clusters::SplitChoice;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Outcome = jobs::JobWorker::Outcome;

lifecycle::ErrorMatch ofService(std::string name) {
  lifecycle::ErrorMatch match;
  match.serviceName = std::move(name);
  return match;
}

lifecycle::ErrorMatch ofEnvironment(std::string name) {
  lifecycle::ErrorMatch match;
  match.environment = std::move(name);
  return match;
}

SplitChoice by(lifecycle::ErrorMatch match) {
  return {.stackHashes = {}, .match = std::move(match), .title = std::nullopt};
}
SplitChoice by(std::vector<std::string> hashes) {
  return {.stackHashes = std::move(hashes), .match = {}, .title = std::nullopt};
}

template <typename T>
MoveFault refusalOf(const MoveStore::Answer<T>& answer) {
  EXPECT_FALSE(answer) << "was not refused";
  return answer ? MoveFault::unavailable : answer.error().fault;
}

class ClusterMoves : public ClusterTest {
 protected:
  static std::string hashOf(const std::string& method) {
    return faultOf({.method = method}).stackHash;
  }
  AnalysedError planted(const ErrorToPlant& error) {
    return {.authErrorId = plant(error), .fault = faultOf(error)};
  }
  // As the consumer does.
  std::int64_t arrive(const ErrorToPlant& error = {}) {
    arrived_.push_back(planted(error));
    place({arrived_.back()});
    return arrived_.back().authErrorId;
  }
  // As after RETRY: each error is analysed and placed again.
  void analyseAllAgain() { place(arrived_); }

  std::vector<std::int64_t> membersOf(std::int64_t cluster) {
    std::vector<std::int64_t> members;
    for (const auto& row : database_.queryText(std::format(
             "SELECT auth_error_id FROM cluster_member WHERE cluster_id = {} ORDER BY 1",
             cluster))) {
      members.push_back(std::stoll(row.at(0).value()));
    }
    return members;
  }
  std::string ofCluster(std::int64_t id, const std::string& columns) {
    return value(std::format("SELECT concat_ws(' ', {}) FROM cluster WHERE id = {}", columns, id));
  }

  std::future<MoveStore::Answer<jobs::Job>> startMerge(std::int64_t source, std::int64_t target) {
    return clients_.start([this, source, target] {
      return store_.merge(source, target, {.by = "anna", .note = "the same"}, in(20s));
    });
  }
  MoveStore::Answer<jobs::Job> tryMerge(std::int64_t source, std::int64_t target) {
    return await(startMerge(source, target), kWaitLimit);
  }
  void merge(std::int64_t source, std::int64_t target) {
    const auto job = tryMerge(source, target);
    ASSERT_TRUE(job) << static_cast<int>(job.error().fault);
  }
  std::future<MoveStore::Answer<clusters::SplitMade>> startSplit(std::int64_t source,
                                                                 const SplitChoice& choice) {
    return clients_.start([this, source, choice] {
      return store_.split(source, choice, {.by = "anna", .note = "not the same"}, in(20s));
    });
  }
  MoveStore::Answer<clusters::SplitMade> trySplit(std::int64_t source, const SplitChoice& choice) {
    return await(startSplit(source, choice), kWaitLimit);
  }
  // Both have looked for what would move before one of them comes first.
  std::vector<MoveStore::Answer<clusters::SplitMade>> splitAtOnce(std::int64_t source,
                                                                  const SplitChoice& one,
                                                                  const SplitChoice& other) {
    PlainConnection holder(database_.url());
    holder.execute("BEGIN");
    holder.queryText(std::format("SELECT pg_advisory_xact_lock({})", clusters::kRoutingLock));
    auto first = startSplit(source, one);
    auto second = startSplit(source, other);
    EXPECT_TRUE(waitingForLocks(2));
    holder.execute("ROLLBACK");
    std::vector<MoveStore::Answer<clusters::SplitMade>> answers;
    answers.push_back(await(std::move(first), kWaitLimit));
    answers.push_back(await(std::move(second), kWaitLimit));
    std::ranges::partition(answers, [](const auto& answer) { return answer.has_value(); });
    return answers;
  }
  std::int64_t split(std::int64_t source, const SplitChoice& choice) {
    const auto made = trySplit(source, choice);
    if (!made) {
      ADD_FAILURE() << static_cast<int>(made.error().fault);
      return 0;
    }
    return made->clusterId;
  }

  static std::vector<std::unique_ptr<jobs::JobWork>> works() {
    std::vector<std::unique_ptr<jobs::JobWork>> made;
    made.push_back(std::make_unique<clusters::MoveWork>());
    made.push_back(std::make_unique<jobs::DecideWork>([] {}));
    return made;
  }
  // In chunks so small that every move takes several.
  void finishJobs() {
    clients_.run([this]() -> drogon::Task<void> {
      jobs::JobWorker worker(client_, works(), {.instance = "test", .chunkRows = 2}, metrics_);
      Outcome outcome{};
      do {
        outcome = co_await worker.runOnce();
        EXPECT_NE(outcome, Outcome::retried);
        EXPECT_NE(outcome, Outcome::failed);
      } while (outcome == Outcome::advanced || outcome == Outcome::done);
    });
  }
  // As much of the oldest job as is one chunk of so many errors, and it is given back.
  void doOneChunk(std::size_t rows) {
    clients_.run([this, rows]() -> drogon::Task<void> {
      jobs::JobWorker worker(client_, works(), {.instance = "once", .chunkRows = rows}, metrics_);
      EXPECT_EQ(co_await worker.runOnce(), Outcome::advanced);
    });
    database_.execute(
        "UPDATE job SET status = 'QUEUED', lease_owner = NULL, lease_until = NULL "
        "WHERE status = 'RUNNING'");
  }
  // The job that decides on all errors of the cluster.
  std::int64_t ignoreAllOf(std::int64_t cluster) {
    const auto job = clients_.run([this, cluster] {
      return clusterStore_.decide({.clusterId = cluster,
                                   .type = domain::Decision::ignore,
                                   .note = {},
                                   .decidedBy = "eve",
                                   .traceparent = {}},
                                  in(20s));
    });
    return job.value().id;
  }
  std::string progressOf(std::int64_t job) {
    return value(std::format(
        "SELECT concat_ws(' ', status, total, examined, changed) FROM job WHERE id = {}", job));
  }
  void expectExactNumbers() {
    flush();
    EXPECT_EQ(wrongNumbers(), "");
  }
  // Until so many connections wait for a lock.
  bool waitingForLocks(int count) {
    return eventually([&] {
      return value(
                 "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                 "AND wait_event_type = 'Lock'") == std::to_string(count);
    });
  }
  drogon::Task<void> placeIn(std::vector<AnalysedError> errors) {
    database::Transaction transaction = co_await client_.begin(in(20s));
    co_await clusters::placeErrors(transaction, std::move(errors), "instance", in(20s));
    co_await transaction.commit(in(20s));
  }

  MoveStore store_{client_};
  clusters::ClusterStore clusterStore_{client_};
  std::vector<AnalysedError> arrived_;
};

TEST_F(ClusterMoves, MergeMovesEveryMemberAndItsNumbers) {
  const std::int64_t first = arrive({.method = "A", .user = "a"});
  const std::int64_t source = clusterOf(first);
  const std::int64_t second = arrive({.method = "A", .service = "shop", .user = "b"});
  const std::int64_t third = arrive({.method = "A", .environment = "staging", .user = "a"});
  const std::int64_t other = arrive({.method = "B", .user = "c"});
  const std::int64_t target = clusterOf(other);
  const auto job = tryMerge(source, target);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->request.clusterId, source);
  EXPECT_EQ(job->request.targetClusterId, target);
  EXPECT_EQ(job->request.note, "the same");
  EXPECT_EQ(job->total, 3);
  finishJobs();
  EXPECT_THAT(membersOf(source), IsEmpty());
  EXPECT_THAT(membersOf(target), ElementsAre(first, second, third, other));
  EXPECT_EQ(value("SELECT concat_ws(' ', status, examined, changed) FROM job"), "DONE 3 3");
  EXPECT_EQ(
      value(std::format("SELECT string_agg(coalesce(placed_by, '-'), ' ' ORDER BY auth_error_id) "
                        "FROM cluster_member WHERE cluster_id = {}",
                        target)),
      "anna anna anna -");
  expectExactNumbers();
  EXPECT_EQ(ofCluster(source, "error_count, actor_count, merged_into"),
            std::format("0 0 {}", target));
  EXPECT_EQ(ofCluster(target, "error_count, actor_count"), "4 3");
}

TEST_F(ClusterMoves, MergeCountsAnErrorOfBothOnce) {
  const std::int64_t error = arrive({.method = "A"});
  const std::int64_t source = clusterOf(error);
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
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
  expectExactNumbers();
  EXPECT_EQ(ofCluster(target, "error_count"), "2");
}

TEST_F(ClusterMoves, NewErrorsFollowAMergeAtOnce) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  merge(source, target);
  EXPECT_EQ(clusterOf(arrive({.method = "A"})), target);
  finishJobs();
  EXPECT_THAT(membersOf(source), IsEmpty());
  analyseAllAgain();
  EXPECT_THAT(membersOf(source), IsEmpty());
  EXPECT_EQ(membersOf(target).size(), 3U);
  expectExactNumbers();
}

TEST_F(ClusterMoves, MergeOfAMergeLeavesNothingBehindInWhateverOrderItIsDone) {
  const std::int64_t a = clusterOf(arrive({.method = "A"}));
  const std::int64_t b = clusterOf(arrive({.method = "B"}));
  const std::int64_t c = clusterOf(arrive({.method = "C"}));
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
  expectExactNumbers();
}

TEST_F(ClusterMoves, AMoveNeverMakesAResolvedClusterRegress) {
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  database_.execute(
      std::format("UPDATE cluster SET state = 'RESOLVED', state_changed_at = "
                  "now() - interval '1 hour' WHERE id = {}",
                  target));
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  merge(source, target);
  finishJobs();
  expectExactNumbers();
  EXPECT_EQ(ofCluster(target, "state"), "RESOLVED");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_transition"), "0");
  arrive({.method = "A"});
  EXPECT_EQ(ofCluster(target, "state"), "REGRESSED");
}

TEST_F(ClusterMoves, MergePassesRulesOn) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  database_.execute(std::format(
      "INSERT INTO rule (name, position, enabled, match_cluster_id, action, hit_count, "
      "failure_count, scanned_until, scanned_id, created_at, created_by, changed_at, changed_by) "
      "VALUES ('quiet', 1, true, {}, 'IGNORE', 0, 0, now(), 0, now(), 'eve', now(), 'eve')",
      source));
  merge(source, target);
  EXPECT_EQ(value("SELECT concat_ws(' ', match_cluster_id, changed_by) FROM rule"),
            std::format("{} anna", target));
}

// The rule's maker has seen that the cluster is there, and the merge that it has no rules.
TEST_F(ClusterMoves, MergePassesARuleOnThatIsStoredWhileItWaitsForTheRoutes) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
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
  EXPECT_EQ(value("SELECT concat_ws(' ', match_cluster_id, changed_by) FROM rule"),
            std::format("{} anna", target));
}

TEST_F(ClusterMoves, ARuleWithAnAgeLooksAnewWhenErrorsHaveMovedToItsCluster) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  const std::int64_t rule = plantRule(
      database_,
      {.name = "quiet", .match = std::format("cluster_id = {}", target), .afterSeconds = "60"});
  const std::int64_t other = plantRule(database_, {.name = "other", .afterSeconds = "60"});
  database_.execute("UPDATE rule SET scanned_until = now(), scanned_id = 7");
  merge(source, target);
  finishJobs();
  const auto begins = [this](std::int64_t id) {
    return value(std::format("SELECT scanned_until = '-infinity' FROM rule WHERE id = {}", id));
  };
  EXPECT_EQ(begins(rule), "t");
  EXPECT_EQ(begins(other), "f");
}

TEST_F(ClusterMoves, RefusesWhatCannotBeMerged) {
  const std::int64_t a = clusterOf(arrive({.method = "A"}));
  const std::int64_t b = clusterOf(arrive({.method = "B"}));
  const std::int64_t c = clusterOf(arrive({.method = "C"}));
  EXPECT_EQ(refusalOf(tryMerge(a, a)), MoveFault::sameCluster);
  EXPECT_EQ(refusalOf(tryMerge(999, a)), MoveFault::unknown);
  EXPECT_EQ(refusalOf(tryMerge(a, 999)), MoveFault::targetUnknown);
  merge(a, b);
  EXPECT_EQ(refusalOf(tryMerge(a, c)), MoveFault::mergedAway);
  const auto intoMerged = tryMerge(c, a);
  EXPECT_EQ(refusalOf(intoMerged), MoveFault::mergedAway);
  EXPECT_EQ(intoMerged.error().clusterId, a);
  EXPECT_EQ(refusalOf(trySplit(a, by(ofService("login")))), MoveFault::mergedAway);
  EXPECT_EQ(value("SELECT count(*) FROM job"), "1");
}

TEST_F(ClusterMoves, WaitsForDecisionsOnTheErrorsThatWouldMove) {
  const std::int64_t a = clusterOf(arrive({.method = "A"}));
  arrive({.method = "A", .service = "shop"});
  const std::int64_t b = clusterOf(arrive({.method = "B"}));
  database_.execute(std::format(
      "INSERT INTO job (kind, status, cluster_id, decision, requested_by, total, examined, "
      "changed, "
      "position, last_position, failures, created_at) VALUES ('decide', 'QUEUED', {}, 'IGNORE', "
      "'eve', 1, 0, 0, 0, 1, 0, now())",
      a));
  EXPECT_EQ(refusalOf(tryMerge(a, b)), MoveFault::beingDecided);
  EXPECT_EQ(refusalOf(trySplit(a, by(ofService("shop")))), MoveFault::beingDecided);
  database_.execute("UPDATE job SET status = 'DONE', finished_at = now()");
  merge(a, b);
}

TEST_F(ClusterMoves, SplitByMatchMovesWhatMatchesNowAndLater) {
  const std::int64_t stays = arrive({.occurredAt = "'2026-01-31T10:00:00Z'"});
  const std::int64_t source = clusterOf(stays);
  const std::int64_t goes = arrive({.service = "shop", .occurredAt = "'2026-01-31T08:00:00Z'"});
  const std::int64_t alsoGoes = arrive({.service = "shop", .occurredAt = "'2026-01-31T12:00:00Z'"});
  flush();
  const auto made = trySplit(source, by(ofService("shop")));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->title, "BadCredentials in com.acme.Login.check (service shop)");
  EXPECT_EQ(made->job.request.targetClusterId, made->clusterId);
  EXPECT_EQ(
      ofCluster(made->clusterId,
                "state, state_changed_by, state_note, sample_error_id, error_count, "
                "exception_class, title"),
      std::format("OPEN anna not the same {} 0 com.acme.BadCredentials {}", goes, made->title));
  const std::int64_t later = arrive({.service = "shop", .occurredAt = "'2026-01-31T10:00:00Z'"});
  EXPECT_EQ(clusterOf(later), made->clusterId);
  EXPECT_EQ(clusterOf(arrive({.occurredAt = "'2026-01-31T10:00:00Z'"})), source);
  finishJobs();
  EXPECT_THAT(membersOf(made->clusterId), ElementsAre(goes, alsoGoes, later));
  analyseAllAgain();
  EXPECT_THAT(membersOf(made->clusterId), ElementsAre(goes, alsoGoes, later));
  EXPECT_EQ(membersOf(source).size(), 2U);
  expectExactNumbers();
  const std::string seen =
      "to_char(first_seen_at AT TIME ZONE 'UTC', 'HH24:MI'), "
      "to_char(last_seen_at AT TIME ZONE 'UTC', 'HH24:MI')";
  EXPECT_EQ(ofCluster(made->clusterId, seen), "08:00 12:00");
  EXPECT_EQ(ofCluster(source, seen), "10:00 10:00");
}

TEST_F(ClusterMoves, AnErrorThatLeavesBeforeItWasAddedUpWasNotSeenHere) {
  const std::int64_t source = clusterOf(arrive({.occurredAt = "'2026-01-31T10:00:00Z'"}));
  arrive({.service = "shop", .occurredAt = "'2026-01-31T08:00:00Z'"});
  arrive({.service = "shop", .occurredAt = "'2026-01-31T12:00:00Z'"});
  split(source, by(ofService("shop")));
  finishJobs();
  expectExactNumbers();
  EXPECT_EQ(ofCluster(source,
                      "to_char(first_seen_at AT TIME ZONE 'UTC', 'HH24:MI'), "
                      "to_char(last_seen_at AT TIME ZONE 'UTC', 'HH24:MI')"),
            "10:00 10:00");
}

TEST_F(ClusterMoves, ASampleThatMovesAwayIsReplaced) {
  const std::int64_t sample = arrive({.service = "shop"});
  const std::int64_t source = clusterOf(sample);
  EXPECT_EQ(ofCluster(source, "sample_error_id"), std::to_string(sample));
  const std::int64_t stays = arrive();
  split(source, by(ofService("shop")));
  finishJobs();
  EXPECT_EQ(ofCluster(source, "sample_error_id"), std::to_string(stays));
}

TEST_F(ClusterMoves, SplitOfASplitAndASplitMergedBack) {
  const std::int64_t source = clusterOf(arrive());
  const std::int64_t shop = arrive({.service = "shop"});
  const std::int64_t shopStaging = arrive({.service = "shop", .environment = "staging"});
  const std::int64_t services = split(source, by(ofService("shop")));
  finishJobs();
  const std::int64_t staging = split(services, by(ofEnvironment("staging")));
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
  const std::int64_t again = split(source, by(ofService("shop")));
  finishJobs();
  EXPECT_EQ(clusterOf(shop), again);
  EXPECT_EQ(clusterOf(arrive({.service = "shop"})), again);
  analyseAllAgain();
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), std::to_string(arrived_.size()));
  expectExactNumbers();
}

TEST_F(ClusterMoves, EachJobMovesWhatItWasAskedFor) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  arrive({.method = "A"});
  const std::int64_t aShop = arrive({.method = "A", .service = "shop"});
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  const std::int64_t shop = split(source, by(ofService("shop")));
  merge(source, target);
  finishJobs();
  EXPECT_EQ(value("SELECT string_agg(changed::text, ' ' ORDER BY id) FROM job"), "1 2");
  EXPECT_THAT(membersOf(shop), ElementsAre(aShop));
  EXPECT_EQ(membersOf(target).size(), 3U);
  EXPECT_THAT(membersOf(source), IsEmpty());
  expectExactNumbers();
}

TEST_F(ClusterMoves, MembersThatATargetsSplitTakesGoOnToIt) {
  const std::int64_t a = clusterOf(arrive({.method = "A"}));
  const std::int64_t aShop = arrive({.method = "A", .service = "shop"});
  const std::int64_t b = clusterOf(arrive({.method = "B"}));
  arrive({.method = "B", .service = "shop"});
  const std::int64_t shop = split(b, by(ofService("shop")));
  finishJobs();
  plantRule(database_,
            {.name = "quiet", .match = std::format("cluster_id = {}", shop), .afterSeconds = "60"});
  database_.execute("UPDATE rule SET scanned_until = now(), scanned_id = 7");
  merge(a, b);
  finishJobs();
  EXPECT_EQ(clusterOf(aShop), shop);
  EXPECT_EQ(value("SELECT scanned_until = '-infinity' FROM rule"), "t") << "it has not seen them";
  EXPECT_THAT(membersOf(a), IsEmpty());
  analyseAllAgain();
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), "4");
  expectExactNumbers();
}

TEST_F(ClusterMoves, SplitByHashesUndoesAMerge) {
  const std::int64_t a = arrive({.method = "A"});
  const std::int64_t b = arrive({.method = "B"});
  const std::int64_t c = arrive({.method = "C"});
  const std::int64_t source = clusterOf(c);
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
  expectExactNumbers();
}

TEST_F(ClusterMoves, SplitByHashesTakesAlongWhatAnUnfinishedMergeStillBrings) {
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  std::vector<std::int64_t> merged;
  for (int i = 0; i < 4; ++i) {
    merged.push_back(arrive({.method = "A"}));
  }
  merge(clusterOf(merged.front()), target);
  doOneChunk(1);
  const std::int64_t made = split(target, by({hashOf("A")}));
  finishJobs();
  EXPECT_EQ(membersOf(made), merged);
  expectExactNumbers();
}

TEST_F(ClusterMoves, ADecisionOnANewClusterMeansTheErrorsThatAreOnTheirWayToIt) {
  const std::int64_t staying = arrive();
  std::vector<std::int64_t> going;
  for (int i = 0; i < 3; ++i) {
    going.push_back(arrive({.service = "shop"}));
  }
  const std::int64_t job = ignoreAllOf(split(clusterOf(staying), by(ofService("shop"))));
  finishJobs();
  EXPECT_EQ(progressOf(job), "DONE 3 3 3");
  for (const std::int64_t error : going) {
    EXPECT_EQ(fateOf(database_, error), "IGNORED by eve");
  }
  EXPECT_EQ(fateOf(database_, staying), "ANALYSIS_COMPLETED");
}

TEST_F(ClusterMoves, ADecisionMeansAlsoTheErrorsThatAMergeUnderWayBrings) {
  std::vector<std::int64_t> older{arrive({.method = "A"})};
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  for (int i = 0; i < 3; ++i) {
    older.push_back(arrive({.method = "A"}));
  }
  merge(clusterOf(older.front()), target);
  doOneChunk(1);
  const std::int64_t job = ignoreAllOf(target);
  const std::int64_t later = arrive({.method = "A"});
  finishJobs();
  EXPECT_EQ(progressOf(job), "DONE 5 5 5");
  for (const std::int64_t error : older) {
    EXPECT_EQ(fateOf(database_, error), "IGNORED by eve");
  }
  EXPECT_EQ(fateOf(database_, later), "ANALYSIS_COMPLETED") << "it came after the decision";
}

TEST_F(ClusterMoves, JobsFindTheirMembersWithoutThoseOfOtherClusters) {
  constexpr int kOthers = 20'000;
  const std::int64_t first = arrive({.method = "A"});
  database_.execute(
      std::format("INSERT INTO cluster_member SELECT 999, {0} + n, repeat('a', 64), now() "
                  "FROM generate_series(1, {1}) n; "
                  "ALTER TABLE auth_error ALTER COLUMN id RESTART WITH {2}",
                  first, kOthers, first + kOthers + 1));
  arrive({.method = "A"});
  const std::int64_t other = clusterOf(arrive({.method = "B"}));
  database_.execute("ANALYZE; SELECT pg_stat_reset()");
  ignoreAllOf(other);
  merge(clusterOf(first), other);
  {
    // What a connection has read is known when it ends.
    ClientLoop loop;
    database::ClientOptions generic = options();
    generic.url += "?options=-c%20plan_cache_mode%3Dforce_generic_plan";
    database::Client& client = loop.connect(generic);
    loop.run([&]() -> drogon::Task<void> {
      jobs::JobWorker worker(client, works(), {.instance = "test"}, metrics_);
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

TEST_F(ClusterMoves, HashesThatAreSplitOffLeaveEarlierSplitsAlone) {
  const std::int64_t a = arrive({.method = "A"});
  const std::int64_t source = clusterOf(a);
  merge(clusterOf(arrive({.method = "B"})), source);
  const std::int64_t aShop = arrive({.method = "A", .service = "shop"});
  finishJobs();
  const std::int64_t shop = split(source, by(ofService("shop")));
  finishJobs();
  const std::int64_t alone = split(source, by({hashOf("A")}));
  finishJobs();
  EXPECT_EQ(clusterOf(a), alone);
  EXPECT_EQ(clusterOf(aShop), shop);
  EXPECT_EQ(clusterOf(arrive({.method = "A", .service = "shop"})), shop);
  EXPECT_EQ(clusterOf(arrive({.method = "A"})), alone);
  analyseAllAgain();
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), std::to_string(arrived_.size()));
  expectExactNumbers();
}

TEST_F(ClusterMoves, RefusesSplitsThatSplitNothing) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  merge(clusterOf(arrive({.method = "B"})), source);
  finishJobs();
  arrive({.method = "C"});
  EXPECT_EQ(refusalOf(trySplit(999, by(ofService("x")))), MoveFault::unknown);
  EXPECT_EQ(refusalOf(trySplit(source, by(ofService("x")))), MoveFault::nothingToMove);
  EXPECT_EQ(refusalOf(trySplit(source, by(ofService("login")))), MoveFault::nothingToStay);
  EXPECT_EQ(refusalOf(trySplit(source, by({hashOf("A"), hashOf("B")}))), MoveFault::allHashes);
  const auto foreign = trySplit(source, by({hashOf("A"), hashOf("C"), hashOf("D")}));
  EXPECT_EQ(refusalOf(foreign), MoveFault::foreignHashes);
  EXPECT_THAT(foreign.error().stackHashes, ElementsAre(hashOf("C"), hashOf("D")));
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "3");
}

TEST_F(ClusterMoves, RefusesToSplitOffWhatASplitBeforeIsStillMoving) {
  const std::int64_t source = clusterOf(arrive());
  arrive({.service = "shop"});
  const std::int64_t staging = arrive({.environment = "staging"});
  split(source, by(ofService("shop")));
  EXPECT_EQ(refusalOf(trySplit(source, by(ofService("shop")))), MoveFault::nothingToMove);
  EXPECT_EQ(refusalOf(trySplit(source, by(ofService("login")))), MoveFault::nothingToStay);
  const auto previewed = [&](const SplitChoice& choice) {
    return clients_.run([&] { return store_.previewSplit(source, choice, in(10s)); });
  };
  EXPECT_EQ(refusalOf(previewed(by(ofService("shop")))), MoveFault::nothingToMove);
  const auto preview = previewed(by(ofEnvironment("staging")));
  ASSERT_TRUE(preview);
  EXPECT_EQ(preview->movingErrors, 1);
  EXPECT_EQ(preview->stayingErrors, 1);
  const std::int64_t made = split(source, by(ofEnvironment("staging")));
  finishJobs();
  EXPECT_THAT(membersOf(made), ElementsAre(staging));
  expectExactNumbers();
}

TEST_F(ClusterMoves, OfTwoEqualSplitsAtOnceTheSecondIsRefused) {
  const std::int64_t source = clusterOf(arrive());
  const std::int64_t shop = arrive({.service = "shop"});
  const auto answers = splitAtOnce(source, by(ofService("shop")), by(ofService("shop")));
  ASSERT_TRUE(answers.at(0));
  EXPECT_EQ(refusalOf(answers.at(1)), MoveFault::nothingToMove);
  finishJobs();
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "2");
  EXPECT_THAT(membersOf(answers.at(0)->clusterId), ElementsAre(shop));
}

TEST_F(ClusterMoves, TwoSplitsAtOnceLeaveTheClusterAHash) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  merge(clusterOf(arrive({.method = "B"})), source);
  finishJobs();
  const auto answers = splitAtOnce(source, by({hashOf("A")}), by({hashOf("B")}));
  ASSERT_TRUE(answers.at(0));
  EXPECT_EQ(refusalOf(answers.at(1)), MoveFault::allHashes);
  finishJobs();
  EXPECT_EQ(membersOf(source).size(), 1U);
}

// However many errors other clusters have, and whichever came first.
TEST_F(ClusterMoves, SplitLooksAtErrorsOfItsClusterOnly) {
  const auto plantMany = [this](const std::string& service, int count, std::int64_t cluster) {
    database_.execute(std::format(
        "WITH made AS (INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, "
        "status_changed_at, http_status, exception_class, stacktrace, service_name, retry_count, "
        "stack_hash) SELECT '{0}' || n, 'ANALYSIS_COMPLETED', now(), now(), now(), 401, 'x', 'x', "
        "'{0}', 0, repeat('1', 64) FROM generate_series(1, {1}) n RETURNING id) "
        "INSERT INTO cluster_member SELECT {2}, id, repeat('1', 64), now() FROM made",
        service, count, cluster));
  };
  plantMany("mail", 20'000, clusterOf(arrive({.method = "other"})));
  const std::int64_t source = clusterOf(arrive());
  plantMany("shop", 2'000, source);
  database_.execute("ANALYZE");
  database::Client& client = connect(1);
  const auto made = clients_.run([&]() -> drogon::Task<MoveStore::Answer<clusters::SplitMade>> {
    MoveStore store(client);
    auto answer =
        co_await store.split(source, by(ofService("shop")), {.by = "anna", .note = {}}, in(20s));
    co_await client.run({.name = {}, .sql = "SELECT pg_stat_force_next_flush()"}, {}, in(20s));
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
  const std::int64_t source = clusterOf(arrive({.method = "A", .service = "shop"}));
  arrive({.method = "A", .environment = "staging"});
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
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
  EXPECT_EQ(ofCluster(source, "merged_into"), "");
}

TEST_F(ClusterMoves, PreviewsASplit) {
  const std::int64_t source = clusterOf(arrive());
  std::vector<std::int64_t> going;
  for (int i = 0; i < 7; ++i) {
    going.push_back(arrive({.service = "shop", .environment = i == 0 ? "staging" : "production"}));
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
  EXPECT_EQ(preview->samples.front().id, going.back());
  EXPECT_EQ(preview->samples.front().serviceName, "shop");
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "1");
}

TEST_F(ClusterMoves, TitlesOfSplitsFitTheirColumn) {
  const std::string title = clusters::splitTitle(std::string(255, 'x'), std::string(1'000, 'y'));
  EXPECT_EQ(title.size(), 255U);
  EXPECT_TRUE(title.ends_with("y)"));
  lifecycle::ErrorMatch match = ofService("login");
  match.httpStatus = 401;
  EXPECT_EQ(clusters::splitTitle("A in b", clusters::describe(match)),
            "A in b (status 401, service login)");
}

// A placement that is under way when a merge comes must not put its error into the merged-away
// cluster after the job has passed.
TEST_F(ClusterMoves, AMergeWaitsForPlacementsThatAreUnderWay) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  const AnalysedError late = planted({.method = "A"});
  auto placing = clients_.run([&]() -> drogon::Task<database::Transaction> {
    database::Transaction transaction = co_await client_.begin(in(20s));
    co_await clusters::placeErrors(transaction, {late}, "test", in(20s));
    co_return transaction;
  });
  auto merging = startMerge(source, target);
  ASSERT_TRUE(waitingForLocks(1));
  clients_.run([&] { return placing.commit(in(10s)); });
  const auto job = await(std::move(merging), kWaitLimit);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->total, 2);
  finishJobs();
  EXPECT_THAT(membersOf(source), IsEmpty());
  EXPECT_EQ(clusterOf(late.authErrorId), target);
  expectExactNumbers();
}

TEST_F(ClusterMoves, PlacementsWaitForAMergeThatIsUnderWay) {
  const std::int64_t source = clusterOf(arrive({.method = "A"}));
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
  PlainConnection merging(database_.url());
  merging.execute("BEGIN");
  merging.queryText(std::format("SELECT pg_advisory_xact_lock({})", clusters::kRoutingLock));
  const AnalysedError late = planted({.method = "A"});
  auto placing = clients_.start([&] { return placeIn({late}); });
  ASSERT_TRUE(waitingForLocks(1));
  merging.execute(
      std::format("UPDATE cluster SET merged_into = {} WHERE id = {}; COMMIT", target, source));
  await(std::move(placing), kWaitLimit);
  EXPECT_EQ(clusterOf(late.authErrorId), target);
}

// As after a new version of the hash, which comes to an error while a job moves it.
TEST_F(ClusterMoves, AnErrorThatGetsANewHashWhileItMovesIsCountedByIt) {
  const std::int64_t error = arrive({.method = "A"});
  const std::int64_t target = clusterOf(arrive({.method = "B"}));
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
    co_await work.run(transaction, *job, 10, in(20s));
    co_return transaction;
  });
  clusters::Reanalysis reanalysis(client_, {.instance = "test", .strayAge = 0ms}, metrics_);
  auto analysing = clients_.start([&] { return reanalysis.runOnce(); });
  ASSERT_TRUE(waitingForLocks(1));
  clients_.run([&] { return moving.commit(in(10s)); });
  EXPECT_EQ(await(std::move(analysing), kWaitLimit), 1U);
  EXPECT_EQ(clusterOf(error), target);
  EXPECT_EQ(
      value(std::format("SELECT stack_hash FROM cluster_member WHERE auth_error_id = {}", error)),
      hashOf("A"));
  finishJobs();
  expectExactNumbers();
}

// Errors are placed by many while clusters are merged and split and the jobs run: none is lost,
// none is counted twice, none is left in a cluster that is merged away.
TEST_F(ClusterMoves, NothingIsLostWhileErrorsArriveDuringMoves) {
  const std::vector<std::string> faults{"A", "B", "C"};
  std::vector<std::int64_t> made;
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
  const std::int64_t shop = split(made.at(1), by(ofService("shop")));
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
  expectExactNumbers();
}

}  // namespace
}  // namespace auth_errors::tests
