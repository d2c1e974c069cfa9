// All concurrent operations on clusters and their errors, on a real PostgreSQL: nothing is lost or
// counted twice, and no deadlock occurs.
#include <algorithm>
#include <chrono>
#include <format>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/cluster_fixture.h"
#include "tests/support/rule_rows.h"
#include "triage/clusters/cluster_store.h"
#include "triage/clusters/move_store.h"
#include "triage/clusters/move_work.h"
#include "triage/clusters/placement.h"
#include "triage/clusters/reanalysis.h"
#include "triage/errors/decision_store.h"
#include "triage/errors/status_changes.h"
#include "triage/jobs/decide_work.h"
#include "triage/jobs/job_worker.h"
#include "triage/rules/aged_rules_worker.h"
#include "triage/rules/rule_application.h"
#include "triage/rules/rule_delta_flusher.h"
#include "triage/rules/rule_store.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using jobs::JobWorker;

constexpr int kErrors = 240;
constexpr int kRounds = 40;
const std::vector<std::string> kFaults{"a", "b", "c", "d", "e", "f"};

class ClusterRaces : public ClusterTest {
 protected:
  ClusterRaces() : ClusterTest(12) {}

  template <typename Id>
  Id pickId(int most) {
    return Id(pick(most));
  }
  int pick(int most) { return std::uniform_int_distribution<int>(1, most)(random_); }
  static ErrorToPlant errorAt(int i) {
    return {.method = kFaults.at(static_cast<std::size_t>(i) % kFaults.size()),
            .service = i % 3 == 0 ? "shop" : "login",
            .environment = i % 5 == 0 ? "staging" : "production",
            .user = std::string(1, static_cast<char>('a' + (i % 7))),
            .status = "ANALYSIS_REQUESTED"};
  }
  // Repeats a step, each time after the last, until all rounds are over.
  void repeat(std::function<drogon::Task<void>()> step) {
    running_.push_back(clients_.start([step = std::move(step)]() -> drogon::Task<void> {
      for (int round = 0; round < kRounds; ++round) {
        co_await step();
      }
    }));
  }

  // Handles a batch of events like the consumer.
  drogon::Task<void> analyse(std::vector<domain::ErrorId> ids) {
    std::vector<triage::Analysis> analyses;
    for (const domain::ErrorId id : ids) {
      analyses.push_back({.authErrorId = id, .stackHash = faults_.at(id).stackHash});
    }
    database::Transaction transaction = co_await client_.begin(in(20s));
    const auto completed =
        co_await triage::completeAnalyses(transaction, analyses, domain::InstanceName("consumer"));
    std::vector<clusters::AnalysedError> placed;
    for (const domain::ErrorId id : completed) {
      placed.push_back({.authErrorId = id, .fault = faults_.at(id)});
    }
    co_await clusters::placeErrors(transaction, placed, domain::InstanceName("consumer"));
    co_await rules::applyRules(transaction, completed);
    co_await transaction.commit();
  }
  std::vector<domain::ErrorId> someErrors() {
    std::vector<domain::ErrorId> ids;
    for (int i = 0; i < 12; ++i) {
      ids.push_back(pickId<domain::ErrorId>(kErrors));
    }
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    return ids;
  }

  drogon::Task<void> actAsOperator() {
    clusters::MoveStore moves(client_);
    clusters::ClusterStore store(client_);
    const auto one = pickId<domain::ClusterId>(12);
    const auto other = pickId<domain::ClusterId>(12);
    switch (pick(5)) {
      case 1:
        if (const auto merged =
                co_await moves.merge(one, other, {.by = "anna", .note = {}}, in(20s));
            !merged) {
          EXPECT_NE(merged.error(), domain::Outage::unavailable);
        }
        break;
      case 2: {
        clusters::SplitChoice choice{.stackHashes = {}, .match = {}, .title = {}};
        if (pick(2) == 1) {
          choice.match.serviceName = "shop";
        } else {
          choice.stackHashes = {faultOf(errorAt(static_cast<int>(one.value()))).stackHash};
        }
        if (const auto made =
                co_await moves.split(other, choice, {.by = "anna", .note = {}}, in(20s));
            !made) {
          EXPECT_NE(made.error(), domain::Outage::unavailable);
        }
        break;
      }
      case 3: {
        const auto event =
            pick(2) == 1 ? domain::ClusterEvent::resolved : domain::ClusterEvent::reopened;
        if (const auto changed = co_await store.changeState(
                {.clusterId = one, .event = event, .note = {}, .changedBy = "anna"}, in(20s));
            !changed) {
          EXPECT_NE(changed.error(), domain::Outage::unavailable);
        }
        break;
      }
      default: {
        const auto type = pick(3) == 1 ? domain::Decision::resolve : domain::Decision::retry;
        if (const auto asked = co_await store.decide({.clusterId = one,
                                                      .type = type,
                                                      .note = {},
                                                      .decidedBy = "anna",
                                                      .traceparent = {}},
                                                     in(20s));
            !asked) {
          EXPECT_NE(asked.error(), domain::Outage::unavailable);
        }
      }
    }
  }

  std::unique_ptr<JobWorker> worker(const std::string& name) {
    std::vector<std::unique_ptr<jobs::JobWork>> works;
    works.push_back(std::make_unique<clusters::MoveWork>());
    works.push_back(std::make_unique<jobs::DecideWork>([] {}));
    return std::make_unique<JobWorker>(
        client_, std::move(works),
        JobWorker::Options{.instance = domain::InstanceName(name), .chunkRows = 5}, jobMetrics_);
  }

  std::mt19937 random_;
  std::map<domain::ErrorId, clusters::Fault> faults_;
  std::vector<std::future<void>> running_;
  jobs::Metrics jobMetrics_{registry_};
  rules::Metrics ruleMetrics_{registry_};
};

TEST_F(ClusterRaces, LoseNothingAndNeverDeadlock) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(std::format("seed {}", seed));
  random_.seed(seed);
  for (int i = 0; i < kErrors; ++i) {
    const domain::ErrorId id = plant(errorAt(i));
    faults_[id] = faultOf(errorAt(i));
  }
  // Some of them predate a new hash version.
  for (int i = 0; i < kErrors; i += 4) {
    const domain::ErrorId id(i + 1);
    clusters::Fault old = faults_.at(id);
    std::ranges::reverse(old.stackHash);
    database_.execute(std::format(
        "UPDATE auth_error SET stack_hash = '{}', status = 'ANALYSIS_COMPLETED' WHERE id = {}",
        old.stackHash, id));
    place({{.authErrorId = id, .fault = old}});
  }
  database_.execute("UPDATE cluster_route SET version = 1");
  for (int cluster = 1; cluster <= 6; ++cluster) {
    plantRule(database_, {.name = std::format("aged{}", cluster),
                          .match = std::format("cluster_id = {}, service_name = 'shop'", cluster),
                          .action = "RETRY",
                          .afterSeconds = "60"});
  }
  plantRule(database_, {.name = "now", .match = "message = 'nowhere'"});

  const auto first = worker("first");
  const auto second = worker("second");
  clusters::Reanalysis reanalysis(
      client_, {.instance = domain::InstanceName("test"), .chunk = 7, .strayAge = 0ms}, metrics_);
  rules::AgedRulesWorker aged(client_, {.chunk = 9, .onEnqueued = [] {}}, ruleMetrics_);
  rules::RuleDeltaFlusher ruleDeltas(client_, {});
  clusters::DeltaFlusher deltas(client_, {.interval = 0ms, .chunk = 50}, metrics_);
  rules::RuleStore ruleStore(client_);
  triage::DecisionStore decisions(client_);
  for (int i = 0; i < 2; ++i) {
    repeat([this] { return analyse(someErrors()); });
    repeat([this] { return actAsOperator(); });
  }
  repeat([&]() -> drogon::Task<void> { co_await first->runOnce(); });
  repeat([&]() -> drogon::Task<void> { co_await second->runOnce(); });
  repeat([&]() -> drogon::Task<void> { co_await reanalysis.runOnce(); });
  repeat([&]() -> drogon::Task<void> { co_await deltas.runOnce(); });
  repeat([&]() -> drogon::Task<void> { co_await ruleDeltas.runOnce(); });
  repeat([&]() -> drogon::Task<void> {
    // Old enough for the rules.
    co_await client_.run({.name = "",
                          .sql = "UPDATE auth_error SET status_changed_at = now() - "
                                 "interval '1 hour' WHERE id = $1"},
                         in(20s), pickId<domain::ErrorId>(kErrors));
    co_await aged.runOnce();
  });
  repeat([&]() -> drogon::Task<void> {
    rules::RuleSettings settings{.name = "aged1",
                                 .position = 1,
                                 .match = {},
                                 .action = domain::Decision::retry,
                                 .note = {},
                                 .afterSeconds = 60};
    settings.match.clusterId = pickId<domain::ClusterId>(6);
    if (const auto changed =
            co_await ruleStore.replace(domain::RuleId(1), settings, "anna", in(20s));
        !changed) {
      EXPECT_NE(changed.error(), domain::Outage::unavailable);
    }
    const auto decided = co_await decisions.decide({.authErrorId = pickId<domain::ErrorId>(kErrors),
                                                    .type = domain::Decision::retry,
                                                    .note = {},
                                                    .decidedBy = "anna",
                                                    .traceparent = {}},
                                                   in(20s));
    if (!decided) {
      EXPECT_NE(decided.error(), domain::Outage::unavailable);
    }
  });
  for (auto& each : running_) {
    EXPECT_NO_THROW(await(std::move(each), 120s));
  }

  // Finishes the remaining work.
  clients_.run(
      [&]() -> drogon::Task<void> {
        std::vector<domain::ErrorId> all;
        for (const auto& [id, fault] : faults_) {
          all.push_back(id);
        }
        co_await analyse(all);
        co_await reanalysis.runOnce();
        for (const auto& each : {first.get(), second.get()}) {
          while (co_await each->runOnce() != JobWorker::Outcome::idle) {
          }
        }
      },
      120s);
  flush();
  EXPECT_EQ(counterMismatches(), "");
  EXPECT_EQ(value("SELECT count(*) FROM job WHERE status <> 'DONE'"), "0");
  EXPECT_EQ(value("SELECT count(DISTINCT auth_error_id) FROM cluster_member"),
            std::to_string(kErrors));
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id "
                  "WHERE c.merged_into IS NOT NULL"),
            "0");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member m JOIN auth_error e ON e.id = "
                  "m.auth_error_id WHERE m.stack_hash <> e.stack_hash"),
            "0");
  EXPECT_EQ(value("SELECT count(*) FROM cluster c WHERE c.state = 'RESOLVED' AND EXISTS (SELECT "
                  "FROM cluster_member m JOIN auth_error e ON e.id = m.auth_error_id WHERE "
                  "m.cluster_id = c.id AND m.placed_by IS NULL AND e.received_at > "
                  "c.state_changed_at)"),
            "0");
  clients_.closeAll();
  EXPECT_EQ(value("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"),
            "0");
}

}  // namespace
}  // namespace auth_errors::tests
