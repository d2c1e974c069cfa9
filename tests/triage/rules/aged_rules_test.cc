// Rules with an age, on a real PostgreSQL: due errors, precedence, and single application.
#include <chrono>
#include <cstdint>
#include <format>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "platform/database/advisory_lock.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/database_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"
#include "triage/clusters/placement.h"
#include "triage/rules/aged_rules_worker.h"
#include "triage/rules/rule_store.h"

namespace auth_errors::rules {
namespace {

using namespace std::chrono_literals;
using tests::countsOf;
using tests::failDecisions;
using tests::fateOf;
using tests::in;
using tests::plantAnalysed;
using tests::plantRule;
using tests::Row;
using tests::RuleToPlant;

class AgedRulesTest : public tests::DatabaseTest {
 protected:
  std::size_t run(std::int64_t chunk = 500) {
    return clients_.run([this, chunk]() -> drogon::Task<std::size_t> {
      AgedRulesWorker worker(client_, {.chunk = chunk, .onEnqueued = [this] { ++wakes_; }},
                             metrics_);
      co_return co_await worker.runOnce();
    });
  }
  // Plants an error that has been undecided for this long.
  domain::ErrorId waiting(std::chrono::seconds time,
                          const std::string& columns = "retry_count = 0") {
    return plantAnalysed(
        database_, std::format("{}, status_changed_at = now() - interval '{} seconds'", columns,
                               time.count()));
  }
  domain::RuleId aged(RuleToPlant rule, int seconds = 60) {
    rule.afterSeconds = std::to_string(seconds);
    return plantRule(database_, rule);
  }
  std::string fate(domain::ErrorId id) { return fateOf(database_, id); }
  std::string value(const std::string& sql) { return database_.queryValue(sql); }

  database::Client& client_ = connect();
  telemetry::Registry registry_;
  Metrics metrics_{registry_};
  int wakes_ = 0;
};

TEST_F(AgedRulesTest, ActOnlyOnErrorsThatHaveWaitedLongEnough) {
  const domain::ErrorId old = waiting(61s);
  const domain::ErrorId young = waiting(50s);
  aged({.name = "bots", .note = "'after a minute'"});
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(old), "IGNORED by rule:bots");
  EXPECT_EQ(fate(young), "ANALYSIS_COMPLETED");
  EXPECT_EQ(value("SELECT note FROM decision"), "after a minute");
  database_.execute(
      "UPDATE auth_error SET status_changed_at = now() - interval '61 s' "
      "WHERE status = 'ANALYSIS_COMPLETED'");
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(young), "IGNORED by rule:bots");
  EXPECT_EQ(metrics_.decisions[domain::Decision::ignore].value(), 2);
  EXPECT_EQ(wakes_, 0) << "no event was created";
}

TEST_F(AgedRulesTest, WithAnActionOfANewerVersionAreSkipped) {
  database_.execute("ALTER TABLE rule DROP CONSTRAINT rule_action_known");
  aged({.name = "newer", .match = "http_status = 403", .action = "ESCALATE"});
  aged({.name = "bots", .position = 2});
  const domain::ErrorId matching = waiting(61s, "http_status = 403");
  const domain::ErrorId other = waiting(61s);
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(matching), "ANALYSIS_COMPLETED");
  EXPECT_EQ(fate(other), "IGNORED by rule:bots");
  EXPECT_EQ(value("SELECT scanned_until FROM rule WHERE name = 'newer'"), "-infinity");
}

TEST_F(AgedRulesTest, ActOnErrorsFromBeforeTheRule) {
  const domain::ErrorId old = waiting(24h * 300);
  const domain::RuleId rule = aged({.name = "bots"}, 31'536'000);
  EXPECT_EQ(run(), 0U);
  database_.execute(std::format("UPDATE rule SET after_seconds = 3600 WHERE id = {}", rule));
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(old), "IGNORED by rule:bots");
}

TEST_F(AgedRulesTest, ExamineErrorsThatDoNotMatchOnce) {
  const domain::ErrorId other = waiting(1h, "http_status = 403");
  const domain::ErrorId ended = waiting(1h, "status = 'FAILED'");
  aged({.name = "bots"});
  EXPECT_EQ(run(), 0U);
  EXPECT_EQ(fate(other), "ANALYSIS_COMPLETED");
  EXPECT_EQ(fate(ended), "FAILED");
  EXPECT_EQ(value("SELECT scanned_id FROM rule"), std::format("{}", other));
  database_.execute("UPDATE auth_error SET http_status = 401");
  EXPECT_EQ(run(), 0U) << "it was examined before";
}

TEST_F(AgedRulesTest, ProcessMoreThanAChunkAndCountExactly) {
  for (int i = 0; i < 25; ++i) {
    waiting(std::chrono::seconds(100 + i / 5),
            i % 5 == 0 ? "http_status = 403" : "retry_count = 0");
  }
  const domain::RuleId rule = aged({.name = "bots"});
  EXPECT_EQ(run(4), 20U);
  EXPECT_EQ(run(4), 0U);
  EXPECT_EQ(value("SELECT count(*) FROM decision"), "20");
  EXPECT_THAT(countsOf(database_, rule), Row(20, 0));
}

TEST_F(AgedRulesTest, TheEarlierRuleDecidesEvenIfBothAreDueAtOnce) {
  aged({.name = "later", .action = "FAIL", .position = 2});
  aged({.name = "earlier", .action = "RESOLVE", .position = 1});
  std::vector<domain::ErrorId> ids;
  for (int i = 0; i < 7; ++i) {
    ids.push_back(waiting(2min));
  }
  EXPECT_EQ(run(3), 7U);
  for (const domain::ErrorId id : ids) {
    EXPECT_EQ(fate(id), "RESOLVED by rule:earlier");
  }
}

TEST_F(AgedRulesTest, ALaterRuleDecidesOnErrorsTooRecentForTheEarlierOne) {
  aged({.name = "earlier", .action = "RESOLVE", .position = 1}, 3'600);
  aged({.name = "later", .action = "FAIL", .position = 2}, 60);
  const domain::ErrorId young = waiting(2min);
  const domain::ErrorId old = waiting(2h);
  EXPECT_EQ(run(), 2U);
  EXPECT_EQ(fate(young), "FAILED by rule:later");
  EXPECT_EQ(fate(old), "RESOLVED by rule:earlier");
}

TEST_F(AgedRulesTest, DisabledRulesAndThoseWithoutAnAgeDoNothing) {
  const domain::ErrorId id = waiting(1h);
  aged({.name = "off", .enabled = false});
  plantRule(database_, {.name = "at-once"});
  EXPECT_EQ(run(), 0U);
  EXPECT_EQ(fate(id), "ANALYSIS_COMPLETED");
}

TEST_F(AgedRulesTest, ReanalyseAnErrorOnce) {
  const domain::ErrorId id = waiting(1h);
  aged({.name = "again", .action = "RETRY", .position = 1});
  aged({.name = "give-up", .action = "FAIL", .position = 2}, 600);
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(id), "RETRY by rule:again");
  EXPECT_EQ(wakes_, 1) << "the relay has work";
  EXPECT_THAT(database_.queryRow("SELECT event_type, status FROM outbox_message"),
              Row("auth.error.analysis.requested.v1", "PENDING"));
  // It is analysed again, and waits.
  database_.execute(
      "UPDATE auth_error SET status = 'ANALYSIS_COMPLETED', "
      "status_changed_at = now() - interval '5 minutes'");
  EXPECT_EQ(run(), 0U) << "not a second time";
  database_.execute("UPDATE rule SET scanned_until = '-infinity', scanned_id = 0");
  EXPECT_EQ(run(), 0U) << "nor after the rule starts over";
  database_.execute("UPDATE auth_error SET status_changed_at = now() - interval '11 minutes'");
  database_.execute("UPDATE rule SET scanned_until = '-infinity', scanned_id = 0");
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(id), "FAILED by rule:again, rule:give-up");
  EXPECT_EQ(value("SELECT count(*) FROM outbox_message"), "1");
  EXPECT_EQ(wakes_, 1);
}

TEST_F(AgedRulesTest, AChangedRuleStartsOver) {
  const domain::ErrorId id = waiting(1h, "http_status = 403");
  const domain::RuleId rule = aged({.name = "bots"});
  EXPECT_EQ(run(), 0U);
  clients_.run([this, rule]() -> drogon::Task<> {
    RuleStore store(client_);
    RuleSettings settings{.name = "bots",
                          .position = {},
                          .enabled = true,
                          .match = {},
                          .action = domain::Decision::fail,
                          .note = {},
                          .afterSeconds = 60};
    settings.match.httpStatus = 403;
    const auto changed = co_await store.replace(rule, settings, "test", in(10s));
    EXPECT_TRUE(changed.has_value());
  });
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(id), "FAILED by rule:bots");
}

// The holder of a rule may wait for errors, and the holder of errors for the routes, so a
// transaction that waits for a rule must not hold the routes.
TEST_F(AgedRulesTest, AChangeWaitsForItsRuleWithoutBlockingMerges) {
  const domain::ClusterId cluster = tests::plantCluster(database_);
  const domain::RuleId rule = aged({.name = "old"});
  tests::PlainConnection worker(database_.url());
  worker.execute(std::format("BEGIN; SELECT FROM rule WHERE id = {} FOR UPDATE", rule));
  RuleStore store(client_);
  RuleSettings settings{.name = "new",
                        .position = 1,
                        .match = {},
                        .action = domain::Decision::ignore,
                        .note = {},
                        .afterSeconds = 60};
  settings.match.clusterId = cluster;
  auto changing = clients_.start([&] { return store.replace(rule, settings, "anna", in(20s)); });
  ASSERT_TRUE(tests::eventually([&] {
    return value(
               "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
               "wait_event_type = 'Lock'") == "1";
  }));
  EXPECT_EQ(value(std::format("SELECT pg_try_advisory_xact_lock({})",
                              std::to_underlying(database::AdvisoryLock::routes))),
            "t");
  worker.execute("ROLLBACK");
  EXPECT_TRUE(tests::await(std::move(changing), tests::kWaitLimit));
}

TEST_F(AgedRulesTest, AFailingErrorIsRecordedAndSkipped) {
  std::vector<domain::ErrorId> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(waiting(1h));
  }
  const domain::RuleId rule = aged({.name = "bots"});
  failDecisions(database_, std::format("NEW.auth_error_id IN ({}, {})", ids.at(2), ids.at(7)));
  EXPECT_EQ(run(5), 8U);
  EXPECT_EQ(fate(ids.at(2)), "ANALYSIS_COMPLETED");
  EXPECT_EQ(fate(ids.at(7)), "ANALYSIS_COMPLETED");
  EXPECT_THAT(countsOf(database_, rule), Row(8, 2));
  EXPECT_EQ(metrics_.failures.value(), 2);
  EXPECT_EQ(run(5), 0U);
  EXPECT_THAT(countsOf(database_, rule), Row(8, 2));
}

TEST_F(AgedRulesTest, AConflictIsRetriedLater) {
  const domain::ErrorId id = waiting(1h);
  const domain::RuleId rule = aged({.name = "bots"});
  failDecisions(database_, "true", "40001");
  EXPECT_TRUE(tests::errorOf([this] { run(); }).isConflict());
  EXPECT_THAT(countsOf(database_, rule), Row(0, 0));
  EXPECT_EQ(value("SELECT scanned_id FROM rule"), "0");
  database_.execute("DROP TRIGGER fail_decision ON decision");
  EXPECT_EQ(run(), 1U);
  EXPECT_EQ(fate(id), "IGNORED by rule:bots");
}

TEST_F(AgedRulesTest, SeveralWorkersDecideOnEachErrorOnceAndInOrder) {
  database_.execute(
      "INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, status_changed_at, "
      "http_status, exception_class, stacktrace, retry_count, stack_hash) SELECT 'many-' || n, "
      "'ANALYSIS_COMPLETED', now(), now(), now() - interval '1 hour' + n / 10 * interval '1 ms', "
      "CASE WHEN n % 2 = 0 THEN 401 ELSE 403 END, 'A', 'at a.B.c(B.java:1)', 0, repeat('a', 64) "
      "FROM generate_series(1, 1000) AS n");
  const domain::RuleId first = aged({.name = "first", .action = "RETRY", .position = 1});
  const domain::RuleId second =
      aged({.name = "second", .match = "exception_class = 'A'", .action = "FAIL", .position = 2});
  struct Instance {
    tests::ClientLoop loop;
    database::Client* client = nullptr;
  };
  std::vector<Instance> instances(3);
  std::vector<std::future<std::size_t>> runs;
  for (Instance& instance : instances) {
    instance.client = &instance.loop.connect(options());
    runs.push_back(tests::startOn(
        instance.loop.loop(), [this, client = instance.client]() -> drogon::Task<std::size_t> {
          AgedRulesWorker worker(*client, {.chunk = 20, .onEnqueued = [] {}}, metrics_);
          co_return co_await worker.runOnce();
        }));
  }
  std::size_t decided = 0;
  for (auto& result : runs) {
    decided += tests::await(std::move(result), 60s);
  }
  EXPECT_EQ(decided, 1'000U);
  EXPECT_THAT(
      database_.queryRow("SELECT count(*), count(DISTINCT auth_error_id) AS errors FROM decision"),
      Row(1'000, 1'000));
  EXPECT_EQ(value("SELECT count(*) FROM outbox_message"), "500");
  EXPECT_THAT(countsOf(database_, first), Row(500, 0));
  EXPECT_THAT(countsOf(database_, second), Row(500, 0));
}

}  // namespace
}  // namespace auth_errors::rules
