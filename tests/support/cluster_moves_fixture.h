// Merges and splits of clusters, with a worker for their jobs, on a real PostgreSQL.
#pragma once

#include <algorithm>
#include <chrono>
#include <format>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/advisory_lock.h"
#include "tests/support/cluster_fixture.h"
#include "triage/clusters/cluster_store.h"
#include "triage/clusters/move_store.h"
#include "triage/clusters/move_work.h"
#include "triage/clusters/placement.h"
#include "triage/jobs/decide_work.h"
#include "triage/jobs/job_worker.h"

namespace auth_errors::tests {

inline triage::ErrorMatch ofService(std::string name) {
  triage::ErrorMatch match;
  match.serviceName = std::move(name);
  return match;
}

inline triage::ErrorMatch ofEnvironment(std::string name) {
  triage::ErrorMatch match;
  match.environment = std::move(name);
  return match;
}

inline clusters::SplitChoice by(triage::ErrorMatch match) {
  return {.stackHashes = {}, .match = std::move(match), .title = std::nullopt};
}
inline clusters::SplitChoice by(std::vector<std::string> hashes) {
  return {.stackHashes = std::move(hashes), .match = {}, .title = std::nullopt};
}

// The refusal, or nullopt if there was none, which fails the test.
template <typename T>
std::optional<clusters::MoveRefusal::Reason> reasonOf(
    const clusters::MoveStore::Answer<T>& answer) {
  EXPECT_FALSE(answer) << "the request was not refused";
  if (answer || answer.error().outage() != nullptr) {
    return std::nullopt;
  }
  return answer.error().refusal().reason;
}

inline std::string textOf(const domain::OutageOr<clusters::MoveRefusal>& failure) {
  return failure.outage() != nullptr
             ? std::format("outage {}", std::to_underlying(*failure.outage()))
             : std::format("refusal {}", std::to_underlying(failure.refusal().reason));
}

class ClusterMoves : public ClusterTest {
 protected:
  static std::string hashOf(const std::string& method) {
    return faultOf({.method = method}).stackHash;
  }
  clusters::AnalysedError planted(const ErrorToPlant& error) {
    return {.authErrorId = plant(error), .fault = faultOf(error)};
  }
  // Like the consumer.
  domain::ErrorId arrive(const ErrorToPlant& error = {}) {
    arrived_.push_back(planted(error));
    place({arrived_.back()});
    return arrived_.back().authErrorId;
  }
  // Analyses and places each error again, as after RETRY.
  void analyseAllAgain() { place(arrived_); }

  std::vector<domain::ErrorId> membersOf(domain::ClusterId cluster) {
    std::vector<domain::ErrorId> members;
    for (const auto& row : database_.queryText(std::format(
             "SELECT auth_error_id FROM cluster_member WHERE cluster_id = {} ORDER BY 1",
             cluster))) {
      members.emplace_back(std::stoll(row.at(0).value()));
    }
    return members;
  }
  TextRow clusterColumns(domain::ClusterId id, const std::string& columns) {
    return database_.queryRow(std::format("SELECT {} FROM cluster WHERE id = {}", columns, id));
  }

  std::future<clusters::MoveStore::Answer<jobs::Job>> startMerge(domain::ClusterId source,
                                                                 domain::ClusterId target) {
    return clients_.start([this, source, target] {
      return store_.merge(source, target, {.by = "anna", .note = "the same"},
                          in(std::chrono::seconds(20)));
    });
  }
  clusters::MoveStore::Answer<jobs::Job> tryMerge(domain::ClusterId source,
                                                  domain::ClusterId target) {
    return await(startMerge(source, target), kWaitLimit);
  }
  void merge(domain::ClusterId source, domain::ClusterId target) {
    const auto job = tryMerge(source, target);
    ASSERT_TRUE(job) << textOf(job.error());
  }
  std::future<clusters::MoveStore::Answer<clusters::SplitMade>> startSplit(
      domain::ClusterId source, const clusters::SplitChoice& choice) {
    return clients_.start([this, source, choice] {
      return store_.split(source, choice, {.by = "anna", .note = "not the same"},
                          in(std::chrono::seconds(20)));
    });
  }
  clusters::MoveStore::Answer<clusters::SplitMade> trySplit(domain::ClusterId source,
                                                            const clusters::SplitChoice& choice) {
    return await(startSplit(source, choice), kWaitLimit);
  }
  // Both splits have read the members to move before either gets the routing lock.
  std::vector<clusters::MoveStore::Answer<clusters::SplitMade>> splitAtOnce(
      domain::ClusterId source, const clusters::SplitChoice& one,
      const clusters::SplitChoice& other) {
    PlainConnection holder(database_.url());
    holder.execute("BEGIN");
    holder.queryText(std::format("SELECT pg_advisory_xact_lock({})",
                                 std::to_underlying(database::AdvisoryLock::routes)));
    auto first = startSplit(source, one);
    auto second = startSplit(source, other);
    EXPECT_TRUE(waitingForLocks(2));
    holder.execute("ROLLBACK");
    std::vector<clusters::MoveStore::Answer<clusters::SplitMade>> answers;
    answers.push_back(await(std::move(first), kWaitLimit));
    answers.push_back(await(std::move(second), kWaitLimit));
    std::ranges::partition(answers, [](const auto& answer) { return answer.has_value(); });
    return answers;
  }
  domain::ClusterId split(domain::ClusterId source, const clusters::SplitChoice& choice) {
    const auto made = trySplit(source, choice);
    if (!made) {
      ADD_FAILURE() << textOf(made.error());
      return {};
    }
    return made->clusterId;
  }

  static std::vector<std::unique_ptr<jobs::JobWork>> works() {
    std::vector<std::unique_ptr<jobs::JobWork>> made;
    made.push_back(std::make_unique<clusters::MoveWork>());
    made.push_back(std::make_unique<jobs::DecideWork>([] {}));
    return made;
  }
  // Chunks so small that every move takes several.
  void finishJobs() {
    clients_.run([this]() -> drogon::Task<void> {
      jobs::JobWorker worker(client_, works(),
                             {.instance = domain::InstanceName("test"), .chunkRows = 2},
                             jobMetrics_);
      jobs::JobWorker::Outcome outcome{};
      do {
        outcome = co_await worker.runOnce();
        EXPECT_NE(outcome, jobs::JobWorker::Outcome::retried);
        EXPECT_NE(outcome, jobs::JobWorker::Outcome::failed);
      } while (outcome == jobs::JobWorker::Outcome::advanced ||
               outcome == jobs::JobWorker::Outcome::done);
    });
  }
  // Runs one chunk of at most this many errors of the oldest job, then releases the job.
  void runOneChunk(std::size_t rows) {
    clients_.run([this, rows]() -> drogon::Task<void> {
      jobs::JobWorker worker(client_, works(),
                             {.instance = domain::InstanceName("once"), .chunkRows = rows},
                             jobMetrics_);
      EXPECT_EQ(co_await worker.runOnce(), jobs::JobWorker::Outcome::advanced);
    });
    database_.execute(
        "UPDATE job SET status = 'QUEUED', lease_owner = NULL, lease_until = NULL "
        "WHERE status = 'RUNNING'");
  }
  // A job that decides on all errors of the cluster.
  domain::JobId ignoreAllOf(domain::ClusterId cluster) {
    const auto job = clients_.run([this, cluster] {
      return clusterStore_.decide({.clusterId = cluster,
                                   .type = domain::Decision::ignore,
                                   .note = {},
                                   .decidedBy = "eve",
                                   .traceparent = {}},
                                  in(std::chrono::seconds(20)));
    });
    return job.value().id;
  }
  TextRow progressOf(domain::JobId job) {
    return database_.queryRow(
        std::format("SELECT status, total, examined, changed FROM job WHERE id = {}", job));
  }
  void expectExactCounters() {
    flush();
    EXPECT_EQ(counterMismatches(), "");
  }
  // Waits until this many connections wait for a lock.
  bool waitingForLocks(int count) {
    return eventually([&] {
      return value(
                 "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                 "AND wait_event_type = 'Lock'") == std::to_string(count);
    });
  }
  drogon::Task<void> placeIn(std::vector<clusters::AnalysedError> errors) {
    database::Transaction transaction = co_await client_.begin(in(std::chrono::seconds(20)));
    co_await clusters::placeErrors(transaction, std::move(errors),
                                   domain::InstanceName("instance"));
    co_await transaction.commit();
  }

  clusters::MoveStore store_{client_};
  clusters::ClusterStore clusterStore_{client_};
  std::vector<clusters::AnalysedError> arrived_;
  jobs::Metrics jobMetrics_{registry_};
};

}  // namespace auth_errors::tests
