// Jobs on a real PostgreSQL: claimed by one worker at a time, run in chunks, released, cancelled,
// taken over and given up.
#include "triage/jobs/job_worker.h"

#include <atomic>
#include <chrono>
#include <format>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/database_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/row_matchers.h"
#include "triage/jobs/decide_work.h"
#include "triage/jobs/job_claims.h"
#include "triage/jobs/job_retention.h"
#include "triage/jobs/job_store.h"
#include "triage/jobs/metrics.h"

namespace auth_errors::jobs {
namespace {

using namespace std::chrono_literals;
using domain::Decision;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using tests::callOn;
using tests::eventually;
using tests::in;
using tests::plantCluster;
using tests::plantError;
using tests::plantMember;
using tests::Row;
using tests::statusOfError;
using Outcome = JobWorker::Outcome;

constexpr std::string_view kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

constexpr std::string_view kAwaitedLocks =
    "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";

// What must not compile: an instance for the owner of its claim.
static_assert(!std::is_invocable_v<decltype(claimJob), database::Client&, domain::InstanceName,
                                   std::vector<JobKind>, domain::JobId, std::chrono::milliseconds,
                                   database::Deadline>);

class JobWorkerTest : public tests::DatabaseTest {
 protected:
  // An instance's worker and its counters.
  struct Instance {
    Instance(database::Client& client, std::vector<std::unique_ptr<JobWork>> works,
             JobWorker::Options options)
        : worker(client, std::move(works), std::move(options), metrics) {}

    double ended(JobOutcome outcome) { return metrics.ended[outcome].value(); }

    telemetry::Registry registry;
    Metrics metrics{registry};
    JobWorker worker;
  };

  ~JobWorkerTest() override {
    for (const auto& instance : instances_) {
      stop(*instance);
    }
    clients_.closeAll();
  }

  Instance& instance(JobWorker::Options options) {
    std::vector<std::unique_ptr<JobWork>> works;
    works.push_back(std::make_unique<DecideWork>([this] { ++wakes_; }));
    return instance(std::move(options), std::move(works));
  }
  Instance& instance(JobWorker::Options options, std::vector<std::unique_ptr<JobWork>> works) {
    return *instances_.emplace_back(
        std::make_unique<Instance>(client_, std::move(works), std::move(options)));
  }
  Outcome runOnce(Instance& instance) {
    return clients_.run([&] { return instance.worker.runOnce(); });
  }
  std::vector<Outcome> runUntilIdle(Instance& instance) {
    std::vector<Outcome> outcomes;
    do {
      outcomes.push_back(runOnce(instance));
    } while (outcomes.back() != Outcome::idle);
    outcomes.pop_back();
    return outcomes;
  }
  void start(Instance& instance) {
    callOn(clients_.loop(), [&] { instance.worker.start(); });
  }
  void stop(Instance& instance) {
    clients_.run([&] { return instance.worker.stop(in(20s)); });
  }

  // Plants a cluster's errors in this state; returns their ids.
  std::vector<domain::ErrorId> plantMembers(domain::ClusterId cluster, int count,
                                            const std::string& status = "ANALYSIS_COMPLETED") {
    std::vector<domain::ErrorId> ids;
    for (int i = 0; i < count; ++i) {
      ids.push_back(plantError(database_, status));
      plantMember(database_, cluster, ids.back());
    }
    return ids;
  }
  domain::JobId ask(JobRequest request) {
    return clients_.run([this, request]() -> drogon::Task<domain::JobId> {
      database::Transaction transaction = co_await client_.begin(in(10s));
      const Job job = co_await enqueue(transaction, request);
      co_await transaction.commit();
      co_return job.id;
    });
  }
  domain::JobId requestDecision(domain::ClusterId cluster, Decision decision = Decision::resolve) {
    return ask({.kind = JobKind::decide,
                .clusterId = cluster,
                .requestedBy = "someone",
                .traceparent = std::string(kTraceparent),
                .decision = decision,
                .note = "noted",
                .targetClusterId = {},
                .stackHashes = {},
                .match = {}});
  }
  domain::JobId requestMove(domain::ClusterId from, domain::ClusterId to) {
    return ask({.kind = JobKind::move,
                .clusterId = from,
                .requestedBy = "someone",
                .traceparent = {},
                .decision = {},
                .note = {},
                .targetClusterId = to,
                .stackHashes = {std::string(64, 'a')},
                .match = {.clusterId = {},
                          .exceptionClass = {},
                          .httpStatus = 401,
                          .serviceName = {},
                          .environment = {},
                          .message = "part"}});
  }
  Job job(domain::JobId id) {
    return clients_.run([this, id] { return store_.find(id, in(10s)); }).value();
  }
  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  std::string statusOfJob(domain::JobId id) {
    return value(std::format("SELECT status FROM job WHERE id = {}", id));
  }
  void expireLeases() {
    database_.execute(
        "UPDATE job SET lease_until = now() - interval '1 second' "
        "WHERE status = 'RUNNING'");
  }
  // Until the holder rolls back, a chunk that reaches this error blocks within its transaction.
  static void holdError(tests::PlainConnection& holder, domain::ErrorId errorId) {
    holder.execute(std::format("BEGIN; SELECT FROM auth_error WHERE id = {} FOR UPDATE", errorId));
  }
  bool waitingForLocks(int count) {
    return eventually([&] {
      return value(std::format("SELECT count(*) {}", kAwaitedLocks)) == std::to_string(count);
    });
  }
  // Makes every status change of this error fail.
  void poison(domain::ErrorId errorId) {
    database_.execute(std::format(
        "CREATE OR REPLACE FUNCTION refuse_poisoned() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'poisoned'; END $$; "
        "CREATE TRIGGER poisoned BEFORE UPDATE ON auth_error FOR EACH ROW WHEN (OLD.id = {}) "
        "EXECUTE FUNCTION refuse_poisoned()",
        errorId));
  }

  database::Client& client_ = connect(4);
  JobStore store_{client_};
  std::atomic<int> wakes_ = 0;
  std::vector<std::unique_ptr<Instance>> instances_;
};

TEST_F(JobWorkerTest, DecidesInChunksOnMembersAwaitingADecision) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto waiting = plantMembers(cluster, 4);
  const auto ended = plantMembers(cluster, 2, "PROCESSED");
  const auto analysedAgain = plantMembers(cluster, 1);
  database_.execute(
      std::format("UPDATE auth_error SET status = 'RETRY' WHERE id = {}", analysedAgain.front()));
  const auto further = plantMembers(cluster, 1);
  const domain::ErrorId other = plantMembers(plantCluster(database_), 1).front();
  const domain::JobId id = requestDecision(cluster);

  EXPECT_THAT(runUntilIdle(instance({.instance = domain::InstanceName("one"), .chunkRows = 3})),
              ElementsAre(Outcome::advanced, Outcome::advanced, Outcome::done));
  for (const domain::ErrorId error : waiting) {
    EXPECT_EQ(statusOfError(database_, error), "RESOLVED");
  }
  EXPECT_EQ(statusOfError(database_, ended.front()), "PROCESSED");
  EXPECT_EQ(statusOfError(database_, analysedAgain.front()), "RETRY");
  EXPECT_EQ(statusOfError(database_, further.front()), "RESOLVED");
  EXPECT_EQ(statusOfError(database_, other), "ANALYSIS_COMPLETED");
  EXPECT_THAT(database_.queryText("SELECT type, note, decided_by, job_id, count(*) FROM decision "
                                  "GROUP BY type, note, decided_by, job_id"),
              ElementsAre(Row("RESOLVE", "noted", "someone", id, 5)));
  const Job done = job(id);
  EXPECT_EQ(done.status, JobStatus::done);
  EXPECT_EQ(done.total, 8);
  EXPECT_EQ(done.examined, 8);
  EXPECT_EQ(done.changed, 5);
  EXPECT_EQ(done.position, done.lastPosition);
  EXPECT_TRUE(done.startedAt && done.finishedAt);
  EXPECT_EQ(instances_.front()->ended(JobOutcome::done), 1);
  EXPECT_EQ(instances_.front()->metrics.errorsChanged[JobKind::decide].value(), 5);
}

TEST_F(JobWorkerTest, IsDoneAtOnceForAClusterWithoutMembers) {
  const domain::JobId id = requestDecision(plantCluster(database_));
  EXPECT_THAT(runUntilIdle(instance({.instance = domain::InstanceName("one")})),
              ElementsAre(Outcome::done));
  EXPECT_EQ(statusOfJob(id), "DONE");
}

TEST_F(JobWorkerTest, IgnoresMembersThatJoinAfterTheRequest) {
  const domain::ClusterId cluster = plantCluster(database_);
  const domain::ErrorId analysedLate = plantError(database_, "ANALYSIS_COMPLETED");
  const auto members = plantMembers(cluster, 2);
  const domain::JobId id = requestDecision(cluster);
  plantMember(database_, cluster, analysedLate);
  const domain::ErrorId newer = plantMembers(cluster, 1).front();

  runUntilIdle(instance({.instance = domain::InstanceName("one")}));
  EXPECT_EQ(statusOfError(database_, members.back()), "RESOLVED");
  EXPECT_EQ(statusOfError(database_, analysedLate), "ANALYSIS_COMPLETED");
  EXPECT_EQ(statusOfError(database_, newer), "ANALYSIS_COMPLETED");
  EXPECT_EQ(job(id).examined, 2);
}

// A request may have to wait for the cluster: members that join meanwhile are included and counted.
TEST_F(JobWorkerTest, IncludesMembersThatJoinWhileTheRequestWaits) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 1);
  tests::PlainConnection holder(database_.url());
  holder.execute(std::format("BEGIN; SELECT FROM cluster WHERE id = {} FOR UPDATE", cluster));
  auto asking = clients_.start([this, cluster]() -> drogon::Task<domain::JobId> {
    database::Transaction transaction = co_await client_.begin(in(10s));
    JobRequest request;
    request.clusterId = cluster;
    request.requestedBy = "someone";
    request.decision = Decision::fail;
    const Job job = co_await enqueue(transaction, request);
    co_await transaction.commit();
    co_return job.id;
  });
  ASSERT_TRUE(waitingForLocks(1));
  const auto meanwhile = plantMembers(cluster, 1);
  holder.execute("ROLLBACK");
  const domain::JobId id = tests::await(std::move(asking), tests::kWaitLimit);
  runUntilIdle(instance({.instance = domain::InstanceName("one")}));
  EXPECT_EQ(job(id).total, 2);
  EXPECT_EQ(job(id).examined, 2);
  EXPECT_EQ(statusOfError(database_, meanwhile.front()), "FAILED");
}

TEST_F(JobWorkerTest, IgnoresMembersThatHaveLeftTheCluster) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 2);
  requestDecision(cluster);
  database_.execute(
      std::format("DELETE FROM cluster_member WHERE auth_error_id = {}", members.front()));
  runUntilIdle(instance({.instance = domain::InstanceName("one")}));
  EXPECT_EQ(statusOfError(database_, members.front()), "ANALYSIS_COMPLETED");
  EXPECT_EQ(statusOfError(database_, members.back()), "RESOLVED");
}

TEST_F(JobWorkerTest, TakesTheOldestJobFirst) {
  const domain::JobId first = requestDecision(plantCluster(database_));
  const domain::JobId second = requestDecision(plantCluster(database_));
  Instance& worker = instance({.instance = domain::InstanceName("one")});
  EXPECT_EQ(runOnce(worker), Outcome::done);
  EXPECT_EQ(statusOfJob(first), "DONE");
  EXPECT_EQ(statusOfJob(second), "QUEUED");
}

TEST_F(JobWorkerTest, LetsASmallJobOvertakeALongOneBetweenTwoChunks) {
  const domain::ClusterId big = plantCluster(database_);
  plantMembers(big, 6);
  const domain::JobId longJob = requestDecision(big);
  Instance& worker = instance({.instance = domain::InstanceName("one"), .chunkRows = 1});
  EXPECT_EQ(runOnce(worker), Outcome::advanced);
  const domain::ClusterId middle = plantCluster(database_);
  plantMembers(middle, 2);
  const domain::JobId middleJob = requestDecision(middle);
  const domain::JobId small = requestDecision(plantCluster(database_));
  const domain::JobId sameCluster = requestDecision(big, Decision::ignore);
  // After one more chunk the other jobs are found, and then each has its turn.
  EXPECT_EQ(runOnce(worker), Outcome::advanced);
  EXPECT_EQ(job(longJob).examined, 2);
  EXPECT_EQ(statusOfJob(longJob), "RUNNING") << "its visible status";
  EXPECT_EQ(runOnce(worker), Outcome::advanced);
  EXPECT_EQ(job(middleJob).examined, 1);
  EXPECT_EQ(runOnce(worker), Outcome::done);
  EXPECT_EQ(statusOfJob(small), "DONE");
  EXPECT_EQ(runOnce(worker), Outcome::advanced);
  EXPECT_EQ(job(longJob).examined, 3);
  EXPECT_EQ(runOnce(worker), Outcome::done);
  EXPECT_EQ(statusOfJob(middleJob), "DONE");
  EXPECT_EQ(statusOfJob(sameCluster), "QUEUED");
  EXPECT_THAT(runUntilIdle(worker), Each(AnyOf(Outcome::advanced, Outcome::done)));
  EXPECT_EQ(job(longJob).changed, 6);
  EXPECT_EQ(statusOfJob(sameCluster), "DONE");
  EXPECT_EQ(instances_.front()->ended(JobOutcome::lost), 0);
}

TEST_F(JobWorkerTest, RunsJobsOfOneClusterOneAfterTheOther) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 2);
  requestDecision(cluster);
  const domain::JobId sameCluster = requestDecision(cluster, Decision::ignore);
  Instance& one = instance({.instance = domain::InstanceName("one"), .chunkRows = 1});
  Instance& two = instance({.instance = domain::InstanceName("two")});
  EXPECT_EQ(runOnce(one), Outcome::advanced);
  const domain::JobId otherCluster = requestDecision(plantCluster(database_));
  EXPECT_EQ(runOnce(two), Outcome::done);
  EXPECT_EQ(statusOfJob(otherCluster), "DONE");
  EXPECT_EQ(runOnce(two), Outcome::idle);
  EXPECT_EQ(runOnce(one), Outcome::done);
  EXPECT_EQ(runOnce(two), Outcome::done);
  EXPECT_EQ(job(sameCluster).changed, 0) << "the first job decided on all of them";
}

TEST_F(JobWorkerTest, WaitsForAMoveIntoItsCluster) {
  const domain::ClusterId from = plantCluster(database_);
  const domain::ClusterId to = plantCluster(database_);
  const domain::JobId move = requestMove(from, to);
  const domain::JobId decide = requestDecision(to);
  Instance& worker = instance({.instance = domain::InstanceName("one")});
  EXPECT_EQ(runOnce(worker), Outcome::idle) << "this worker has no work for moves";
  database_.execute(
      std::format("UPDATE job SET status = 'DONE', finished_at = now() WHERE id = {}", move));
  EXPECT_EQ(runOnce(worker), Outcome::done);
  EXPECT_EQ(statusOfJob(decide), "DONE");
}

TEST_F(JobWorkerTest, StoresItsRequest) {
  const domain::ClusterId from = plantCluster(database_);
  const domain::ClusterId to = plantCluster(database_);
  const Job move = job(requestMove(from, to));
  EXPECT_EQ(move.request.kind, JobKind::move);
  EXPECT_EQ(move.request.targetClusterId, to);
  EXPECT_THAT(move.request.stackHashes, ElementsAre(std::string(64, 'a')));
  EXPECT_EQ(move.request.match.httpStatus, 401);
  EXPECT_EQ(move.request.match.message, "part");
  const Job decide = job(requestDecision(from, Decision::retry));
  EXPECT_EQ(decide.request.decision, Decision::retry);
  EXPECT_EQ(decide.request.traceparent, kTraceparent);
  EXPECT_TRUE(decide.request.stackHashes.empty());
  EXPECT_TRUE(decide.request.match.empty());
}

TEST_F(JobWorkerTest, TwoWorkersDecideOnEachMemberOnce) {
  constexpr int kClusters = 4;
  constexpr int kMembers = 25;
  for (int i = 0; i < kClusters; ++i) {
    const domain::ClusterId cluster = plantCluster(database_);
    plantMembers(cluster, kMembers);
    requestDecision(cluster);
    requestDecision(cluster, Decision::fail);
  }
  for (const std::string name : {"one", "two"}) {
    start(instance({.instance = domain::InstanceName(name),
                    .chunkRows = 2,
                    .pauseMin = 0ms,
                    .interval = 5ms}));
  }
  ASSERT_TRUE(
      eventually([&] { return value("SELECT count(*) FROM job WHERE status <> 'DONE'") == "0"; }));
  EXPECT_THAT(database_.queryRow("SELECT count(*), count(DISTINCT auth_error_id) AS errors FROM "
                                 "decision WHERE type = 'RESOLVE'"),
              Row(kClusters * kMembers, kClusters * kMembers));
  EXPECT_EQ(value("SELECT count(*) FROM decision WHERE type <> 'RESOLVE'"), "0");
  EXPECT_EQ(value("SELECT sum(examined) FROM job"), std::to_string(2 * kClusters * kMembers));
  EXPECT_EQ(instances_.at(0)->ended(JobOutcome::done) + instances_.at(1)->ended(JobOutcome::done),
            2 * kClusters);
}

TEST_F(JobWorkerTest, WritesNothingAfterATakeover) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 4);
  const domain::JobId id = requestDecision(cluster);
  Instance& frozen = instance({.instance = domain::InstanceName("one"), .chunkRows = 1});
  Instance& successor = instance({.instance = domain::InstanceName("two"), .chunkRows = 1});
  EXPECT_EQ(runOnce(frozen), Outcome::advanced);
  EXPECT_EQ(runOnce(successor), Outcome::idle) << "the lease is still valid";
  expireLeases();
  EXPECT_EQ(runOnce(successor), Outcome::advanced);
  EXPECT_EQ(job(id).position, members.at(1).value()) << "it must resume where the last chunk ended";

  EXPECT_EQ(runOnce(frozen), Outcome::lost);
  EXPECT_EQ(job(id).examined, 2);
  EXPECT_EQ(statusOfError(database_, members.at(2)), "ANALYSIS_COMPLETED");
  EXPECT_EQ(frozen.ended(JobOutcome::lost), 1);
  EXPECT_EQ(runOnce(frozen), Outcome::idle);
  EXPECT_THAT(runUntilIdle(successor), ElementsAre(Outcome::advanced, Outcome::done));
  EXPECT_EQ(value("SELECT count(*) FROM decision"), "4");
}

TEST_F(JobWorkerTest, RenewsItsLeaseWithEachChunk) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 3);
  requestDecision(cluster);
  Instance& worker = instance({.instance = domain::InstanceName("one"), .chunkRows = 1});
  runOnce(worker);
  expireLeases();
  EXPECT_EQ(runOnce(worker), Outcome::advanced) << "no other worker has taken it over";
  EXPECT_EQ(value("SELECT lease_until > now() + interval '20 seconds' FROM job"), "t");
}

TEST_F(JobWorkerTest, StopsACancelledJobAndLeavesTheRestUndecided) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 3);
  const domain::JobId id = requestDecision(cluster);
  Instance& worker = instance({.instance = domain::InstanceName("one"), .chunkRows = 1});
  EXPECT_EQ(runOnce(worker), Outcome::advanced);
  const auto cancelled = clients_.run([&] { return store_.cancel(id, "someone else", in(10s)); });
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->status, JobStatus::cancelled);
  EXPECT_EQ(cancelled->cancelledBy, "someone else");

  EXPECT_EQ(runOnce(worker), Outcome::lost);
  EXPECT_EQ(runOnce(worker), Outcome::idle);
  EXPECT_EQ(statusOfError(database_, members.at(0)), "RESOLVED");
  EXPECT_EQ(statusOfError(database_, members.at(1)), "ANALYSIS_COMPLETED");
  EXPECT_EQ(job(id).changed, 1);
}

TEST_F(JobWorkerTest, ACancelWaitsForTheCurrentChunk) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 2);
  const domain::JobId id = requestDecision(cluster);
  Instance& worker = instance({.instance = domain::InstanceName("one"), .chunkRows = 1});
  tests::PlainConnection holder(database_.url());
  holdError(holder, members.front());
  auto chunk = clients_.start([&] { return worker.worker.runOnce(); });
  ASSERT_TRUE(waitingForLocks(1));
  auto cancelled = clients_.start([&] { return store_.cancel(id, "someone else", in(20s)); });
  ASSERT_TRUE(waitingForLocks(2));
  holder.execute("ROLLBACK");
  EXPECT_EQ(tests::await(std::move(chunk), 20s), Outcome::advanced);
  EXPECT_EQ(tests::await(std::move(cancelled), 20s).value().changed, 1);
  EXPECT_EQ(runOnce(worker), Outcome::lost);
  EXPECT_EQ(statusOfError(database_, members.front()), "RESOLVED");
  EXPECT_EQ(statusOfError(database_, members.back()), "ANALYSIS_COMPLETED");
}

TEST_F(JobWorkerTest, QueuesTheNextRoundsEventForEachRetriedError) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 3);
  for (const domain::ErrorId error : members) {
    tests::plantEvent(database_, error, "analysis_requested");
  }
  requestDecision(cluster, Decision::retry);
  EXPECT_THAT(runUntilIdle(instance({.instance = domain::InstanceName("one"), .chunkRows = 2})),
              ElementsAre(Outcome::advanced, Outcome::done));
  for (const domain::ErrorId error : members) {
    EXPECT_EQ(statusOfError(database_, error), "RETRY");
    EXPECT_THAT(
        database_.queryRow(
            std::format("SELECT idempotency_key, status, traceparent FROM outbox_message "
                        "WHERE aggregate_id = {} ORDER BY id DESC LIMIT 1",
                        error)),
        Row(std::format("auth_error:analysis_requested:{}:2", error), "PENDING", kTraceparent));
  }
  EXPECT_EQ(wakes_, 2) << "once after each chunk";
}

TEST_F(JobWorkerTest, WakesTheRelayOnlyForEvents) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 1);
  requestDecision(cluster);
  runUntilIdle(instance({.instance = domain::InstanceName("one")}));
  EXPECT_EQ(wakes_, 0);
}

TEST_F(JobWorkerTest, GivesUpAJobThatFailsFiveTimesAndRunsOthersMeanwhile) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 3);
  poison(members.at(1));
  const domain::JobId poisoned = requestDecision(cluster);
  const domain::JobId healthy = requestDecision(plantCluster(database_));
  Instance& worker = instance({.instance = domain::InstanceName("one"), .failurePause = 1h});
  EXPECT_EQ(runOnce(worker), Outcome::retried);
  EXPECT_EQ(runOnce(worker), Outcome::done);
  EXPECT_EQ(statusOfJob(healthy), "DONE");
  EXPECT_EQ(runOnce(worker), Outcome::idle) << "the backoff is not over";
  for (int failures = 1; failures < 5; ++failures) {
    EXPECT_EQ(statusOfJob(poisoned), "RUNNING");
    EXPECT_EQ(value(std::format("SELECT round(extract(epoch FROM lease_until - now()) / 3600) "
                                "FROM job WHERE id = {}",
                                poisoned)),
              std::to_string(1 << (failures - 1)))
        << "each backoff is twice as long";
    expireLeases();
    EXPECT_EQ(runOnce(worker), failures < 4 ? Outcome::retried : Outcome::failed);
  }
  const Job failed = job(poisoned);
  EXPECT_EQ(failed.status, JobStatus::failed);
  EXPECT_EQ(failed.failures, 5);
  EXPECT_THAT(failed.error.value_or(""), HasSubstr("poisoned"));
  EXPECT_EQ(failed.examined, 0);
  EXPECT_EQ(value("SELECT count(*) FROM decision"), "0");
  EXPECT_EQ(worker.ended(JobOutcome::failed), 1);
  EXPECT_EQ(runOnce(worker), Outcome::idle);
}

TEST_F(JobWorkerTest, ResetsFailuresOnProgress) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 2);
  poison(members.front());
  const domain::JobId id = requestDecision(cluster);
  Instance& worker =
      instance({.instance = domain::InstanceName("one"), .chunkRows = 1, .failurePause = 0ms});
  EXPECT_EQ(runOnce(worker), Outcome::retried);
  EXPECT_TRUE(job(id).error);
  database_.execute("DROP TRIGGER poisoned ON auth_error");
  EXPECT_EQ(runOnce(worker), Outcome::advanced);
  EXPECT_EQ(job(id).failures, 0);
  EXPECT_FALSE(job(id).error);
}

// An exception other than a database error may contain anything.
class BrokenWork final : public JobWork {
 public:
  explicit BrokenWork(JobKind kind) : kind_(kind) {}

  [[nodiscard]] JobKind kind() const override { return kind_; }
  drogon::Task<Chunk> run(database::Transaction& /*transaction*/, Job /*job*/,
                          std::size_t /*rows*/) override {
    throw std::logic_error("of alice42");
    co_return Chunk{};
  }

 private:
  JobKind kind_;
};

TEST_F(JobWorkerTest, HidesTheTextOfAnUnexpectedException) {
  const domain::JobId id = requestDecision(plantCluster(database_));
  std::vector<std::unique_ptr<JobWork>> works;
  works.push_back(std::make_unique<BrokenWork>(JobKind::decide));
  EXPECT_EQ(runOnce(instance({.instance = domain::InstanceName("one"), .maxFailures = 1},
                             std::move(works))),
            Outcome::failed);
  EXPECT_EQ(job(id).error, "internal error; see the log of the service");
}

TEST_F(JobWorkerTest, RetriesAMoveUntilItSucceeds) {
  const domain::JobId id = requestMove(plantCluster(database_), plantCluster(database_));
  std::vector<std::unique_ptr<JobWork>> works;
  works.push_back(std::make_unique<BrokenWork>(JobKind::move));
  Instance& worker =
      instance({.instance = domain::InstanceName("one"), .maxFailures = 1, .failurePause = 0ms},
               std::move(works));
  for (int failures = 1; failures <= 10; ++failures) {
    EXPECT_EQ(runOnce(worker), Outcome::retried);
  }
  EXPECT_EQ(job(id).status, JobStatus::running);
  EXPECT_EQ(job(id).failures, 10);
}

TEST_F(JobWorkerTest, SpendsNoAttemptOnAnOutageAndResumesAfterwards) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 2);
  const domain::JobId id = requestDecision(cluster);
  Instance& worker = instance({.instance = domain::InstanceName("one"), .chunkRows = 1});
  EXPECT_EQ(runOnce(worker), Outcome::advanced);
  tests::PlainConnection holder(database_.url());
  holdError(holder, members.back());
  auto chunk = clients_.start([&] { return worker.worker.runOnce(); });
  ASSERT_TRUE(waitingForLocks(1));
  database_.queryValue(std::format("SELECT pg_terminate_backend(pid) {}", kAwaitedLocks));
  const database::Error error = tests::errorOf([&] { tests::await(std::move(chunk), 20s); });
  EXPECT_TRUE(error.mayPass());
  holder.execute("ROLLBACK");

  EXPECT_EQ(statusOfJob(id), "RUNNING");
  EXPECT_EQ(job(id).failures, 0);
  EXPECT_EQ(runOnce(worker), Outcome::done) << "its lease is still valid";
  EXPECT_EQ(job(id).changed, 2);
}

TEST_F(JobWorkerTest, RunsOtherJobsWhileAnErrorStaysLocked) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 1);
  const domain::JobId stuck = requestDecision(cluster);
  const domain::JobId healthy = requestDecision(plantCluster(database_));
  database::ClientOptions impatient = options();
  impatient.lockTimeout = 5ms;
  std::vector<std::unique_ptr<JobWork>> works;
  works.push_back(std::make_unique<DecideWork>([] {}));
  Instance& worker = *instances_.emplace_back(std::make_unique<Instance>(
      clients_.connect(impatient), std::move(works),
      JobWorker::Options{.instance = domain::InstanceName("one"), .failurePause = 1h}));
  tests::PlainConnection holder(database_.url());
  holdError(holder, members.front());
  for (int attempt = 1; attempt < 5; ++attempt) {
    EXPECT_EQ(tests::errorOf([&] { runOnce(worker); }).sqlState(), "55P03");
  }
  EXPECT_EQ(runOnce(worker), Outcome::retried);
  EXPECT_EQ(runOnce(worker), Outcome::done);
  EXPECT_EQ(statusOfJob(healthy), "DONE");
  holder.execute("ROLLBACK");
  expireLeases();
  EXPECT_EQ(runOnce(worker), Outcome::done);
  EXPECT_EQ(job(stuck).changed, 1);
}

TEST_F(JobWorkerTest, StopsAfterTheCurrentChunkAndReleasesTheJob) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 3);
  const domain::JobId id = requestDecision(cluster);
  Instance& stopped =
      instance({.instance = domain::InstanceName("one"), .chunkRows = 1, .pauseMin = 1h});
  start(stopped);
  ASSERT_TRUE(eventually([&] { return job(id).examined == 1; }));
  stop(stopped);
  EXPECT_EQ(statusOfJob(id), "QUEUED");
  EXPECT_EQ(job(id).examined, 1);
  EXPECT_THAT(runUntilIdle(instance({.instance = domain::InstanceName("two")})),
              ElementsAre(Outcome::done));
  EXPECT_EQ(job(id).examined, 3);
}

TEST_F(JobWorkerTest, DeletesOldJobsButNotTheirDecisions) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 1);
  const domain::JobId old = requestDecision(cluster);
  runUntilIdle(instance({.instance = domain::InstanceName("one")}));
  for (const std::string status : {"DONE", "FAILED", "CANCELLED", "QUEUED"}) {
    for (const std::string age : {"29 days", "31 days"}) {
      const domain::JobId id = requestDecision(plantCluster(database_));
      database_.execute(
          std::format("UPDATE job SET created_at = now() - interval '{0}', status = '{1}', "
                      "finished_at = CASE WHEN '{1}' <> 'QUEUED' THEN now() - interval '{0}' END, "
                      "error = CASE '{1}' WHEN 'FAILED' THEN 'x' END, "
                      "cancelled_by = CASE '{1}' WHEN 'CANCELLED' THEN 'x' END WHERE id = {2}",
                      age, status, id));
    }
  }
  database_.execute(
      std::format("UPDATE job SET finished_at = now() - interval '31 days' WHERE id = {}", old));
  const auto prune = [this] {
    return clients_.run([this]() -> drogon::Task<std::size_t> {
      JobRetention retention(client_, {.age = std::chrono::days(30), .chunk = 3});
      co_return co_await retention.runOnce();
    });
  };
  EXPECT_EQ(prune(), 4U);
  EXPECT_EQ(prune(), 0U);
  EXPECT_THAT(
      database_.queryText("SELECT status FROM job ORDER BY id"),
      ElementsAre(Row("DONE"), Row("FAILED"), Row("CANCELLED"), Row("QUEUED"), Row("QUEUED")));
  EXPECT_EQ(value("SELECT job_id FROM decision"), std::format("{}", old));
}

TEST_F(JobWorkerTest, LeavesJobsOfANewerVersionAlone) {
  database_.execute(
      "ALTER TABLE job DROP CONSTRAINT job_kind_known, DROP CONSTRAINT job_decision_known, "
      "DROP CONSTRAINT job_decides_or_moves");
  std::vector<domain::JobId> jobs;
  for (const std::string_view change :
       {"kind = 'erase'", "decision = 'ESCALATE'", "requested_by = 'someone'"}) {
    const domain::ClusterId cluster = plantCluster(database_);
    plantMembers(cluster, 1);
    jobs.push_back(requestDecision(cluster));
    database_.execute(std::format("UPDATE job SET {} WHERE id = {}", change, jobs.back()));
  }
  runUntilIdle(instance({}));
  EXPECT_EQ(job(jobs.at(0)).status, JobStatus::queued);
  EXPECT_EQ(job(jobs.at(1)).status, JobStatus::queued);
  EXPECT_EQ(job(jobs.at(2)).status, JobStatus::done);
}

TEST_F(JobWorkerTest, StartsAtOnceWhenWoken) {
  Instance& worker = instance({.instance = domain::InstanceName("one"), .interval = 1h});
  start(worker);
  const domain::JobId id = requestDecision(plantCluster(database_));
  worker.worker.wake();
  EXPECT_TRUE(eventually([&] { return statusOfJob(id) == "DONE"; }));
}

// Takes its time, and counts nothing.
class SlowWork final : public JobWork {
 public:
  [[nodiscard]] JobKind kind() const override { return JobKind::decide; }
  drogon::Task<Chunk> run(database::Transaction& transaction, Job job,
                          std::size_t /*rows*/) override {
    co_await transaction.run({.name = "", .sql = "SELECT pg_sleep(0.05)"});
    co_return Chunk{
        .examined = 1, .changed = 0, .position = job.position + 1, .last = job.examined == 2};
  }
};

TEST_F(JobWorkerTest, RestsInProportionToTheDurationOfAChunk) {
  const domain::JobId id = requestDecision(plantCluster(database_));
  std::vector<std::unique_ptr<JobWork>> works;
  works.push_back(std::make_unique<SlowWork>());
  start(instance({.instance = domain::InstanceName("one"), .pauseShare = 3}, std::move(works)));
  ASSERT_TRUE(eventually([&] { return statusOfJob(id) == "DONE"; }));
  const Job done = job(id);
  // By the database's clock, the last chunk ends at its own start.
  EXPECT_THAT(*done.finishedAt - *done.startedAt, Gt(2 * 50ms + 2 * 150ms));
}

}  // namespace
}  // namespace auth_errors::jobs
