// Rules without an age, applied to errors that were just analysed, on a real PostgreSQL.
#include "triage/rules/rule_application.h"

#include <chrono>
#include <format>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/database_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"
#include "triage/rules/rule.h"
#include "triage/rules/rule_delta_flusher.h"

namespace auth_errors::rules {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using tests::countsOf;
using tests::failDecisions;
using tests::fateOf;
using tests::in;
using tests::joinCluster;
using tests::kNull;
using tests::plantAnalysed;
using tests::plantRule;
using tests::Row;

class RuleApplicationTest : public tests::DatabaseTest {
 protected:
  // Applies the rules as the consumer does; returns the statement_timeout of its transaction
  // afterwards.
  std::string apply(std::vector<domain::ErrorId> ids, std::chrono::milliseconds time = 10s) {
    return clients_.run([this, ids, time]() -> drogon::Task<std::string> {
      database::Transaction transaction = co_await client_.begin(in(10s));
      transaction.setDeadline(in(time));
      work_ = co_await applyRules(transaction, ids);
      transaction.setDeadline(in(10s));
      const auto limit = (co_await transaction.run({.name = "", .sql = "SHOW statement_timeout"}))
                             .only<std::string>();
      co_await transaction.commit();
      co_return limit;
    });
  }
  std::size_t flush() {
    return clients_.run([this]() -> drogon::Task<std::size_t> {
      RuleDeltaFlusher flusher(client_, {});
      co_return co_await flusher.runOnce();
    });
  }
  domain::ErrorId analysed(const std::string& columns = {}) {
    return plantAnalysed(database_, columns);
  }
  std::string fate(domain::ErrorId id) { return fateOf(database_, id); }
  std::string value(const std::string& sql) { return database_.queryValue(sql); }

  database::Client& client_ = connect();
  RuleWork work_;
};

TEST_F(RuleApplicationTest, EachConditionMatchesOnlyItsErrors) {
  // The odd ones match, each the rule of its pair.
  for (const auto& [condition, matching, other] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"cluster_id = 7", "retry_count = 0", "retry_count = 0"},
           {"exception_class = 'A.B'", "exception_class = 'A.B'", "exception_class = 'A.b'"},
           {"http_status = 403", "http_status = 403", "http_status = 401"},
           {"service_name = 'login'", "service_name = 'login'", "service_name = 'logins'"},
           {"environment = 'prod'", "environment = 'prod'", "environment = NULL"},
           {"message = 'TIMED out'", "exception_message = 'it Timed OUT there'",
            "exception_message = 'timed-out'"},
           {"message = 'pool'", "root_cause_message = 'the POOL is empty'",
            "root_cause_message = NULL"}}) {
    SCOPED_TRACE(condition);
    database_.execute("UPDATE rule SET enabled = false");
    const domain::ErrorId first = analysed(matching);
    const domain::ErrorId second = analysed(other);
    joinCluster(database_, domain::ClusterId(7), "id % 2 = 1");
    plantRule(database_, {.name = std::format("r{}", first), .match = condition});
    apply({first, second});
    EXPECT_EQ(fate(first), std::format("IGNORED by rule:r{}", first));
    EXPECT_EQ(fate(second), "ANALYSIS_COMPLETED");
  }
}

TEST_F(RuleApplicationTest, AllConditionsOfARuleMustHold) {
  const std::string all =
      "exception_class = 'A', http_status = 403, service_name = 's', environment = 'e', "
      "exception_message = 'some text'";
  const domain::ErrorId matching = analysed(all);
  std::vector<domain::ErrorId> others;
  for (const std::string but : {"exception_class = 'B'", "http_status = 401", "service_name = 't'",
                                "environment = 'f'", "exception_message = 'other'"}) {
    others.push_back(analysed(all));
    database_.execute(std::format("UPDATE auth_error SET {} WHERE id = {}", but, others.back()));
  }
  const domain::ErrorId elsewhere = analysed(all);
  joinCluster(database_, domain::ClusterId(7), std::format("id <> {}", elsewhere));
  others.push_back(elsewhere);
  plantRule(database_, {.name = "all",
                        .match = "cluster_id = 7, exception_class = 'A', http_status = 403, "
                                 "service_name = 's', environment = 'e', message = 'TEXT'"});
  std::vector<domain::ErrorId> ids = others;
  ids.push_back(matching);
  apply(ids);
  EXPECT_EQ(fate(matching), "IGNORED by rule:all");
  for (const domain::ErrorId id : others) {
    EXPECT_EQ(fate(id), "ANALYSIS_COMPLETED");
  }
}

TEST_F(RuleApplicationTest, TheFirstByPositionThenByIdDecides) {
  plantRule(database_, {.name = "late", .action = "FAIL", .position = 3});
  plantRule(database_, {.name = "second", .action = "RESOLVE", .position = 2});
  plantRule(database_, {.name = "third", .action = "IGNORE", .position = 2});
  plantRule(database_, {.name = "other", .match = "http_status = 403", .action = "PROCESS"});
  const domain::ErrorId both = analysed();
  const domain::ErrorId other = analysed("http_status = 403");
  apply({both, other});
  EXPECT_EQ(fate(both), "RESOLVED by rule:second");
  EXPECT_EQ(fate(other), "PROCESSED by rule:other");
  EXPECT_EQ(work_.decidedBy(domain::Decision::resolve), 1U);
  EXPECT_EQ(work_.decidedBy(domain::Decision::process), 1U);
}

TEST_F(RuleApplicationTest, DisabledRulesAndThoseWithAnAgeDoNothing) {
  plantRule(database_, {.name = "off", .enabled = false});
  plantRule(database_, {.name = "aged", .afterSeconds = "60"});
  const domain::ErrorId id = analysed();
  apply({id});
  EXPECT_EQ(fate(id), "ANALYSIS_COMPLETED");
  EXPECT_EQ(value("SELECT count(*) FROM rule_delta"), "0");
}

TEST_F(RuleApplicationTest, ADecisionHasTheNameAndNoteOfTheRule) {
  plantRule(database_, {.name = "bots", .note = "'known bots'"});
  const domain::ErrorId id = analysed();
  apply({id});
  EXPECT_THAT(database_.queryRow("SELECT type, decided_by, note FROM decision"),
              Row("IGNORE", "rule:bots", "known bots"));
  EXPECT_THAT(
      database_.queryRow("SELECT from_status, to_status, changed_by FROM auth_error_transition"),
      Row("ANALYSIS_COMPLETED", "IGNORED", "rule:bots"));
}

TEST_F(RuleApplicationTest, HitsAreCountedExactly) {
  const domain::RuleId rule = plantRule(database_, {.name = "bots"});
  const domain::RuleId idle = plantRule(database_, {.name = "idle", .match = "http_status = 599"});
  const domain::RuleId gone =
      plantRule(database_, {.name = "gone", .match = "http_status = 403", .action = "FAIL"});
  apply({analysed(), analysed(), analysed("http_status = 403")});
  apply({analysed()});
  apply({analysed("http_status = 500")});
  EXPECT_EQ(value("SELECT count(*) FROM rule_delta"), "3") << "one per rule and batch";
  database_.execute(std::format("DELETE FROM rule WHERE id = {}", gone));
  EXPECT_EQ(flush(), 3U);
  EXPECT_EQ(flush(), 0U);
  EXPECT_EQ(value("SELECT count(*) FROM rule_delta"), "0");
  EXPECT_THAT(database_.queryRow(std::format(
                  "SELECT hit_count, failure_count, last_hit_at > now() - interval '1 minute' AS "
                  "just_hit, last_failure FROM rule WHERE id = {}",
                  rule)),
              Row(3, 0, true, kNull));
  EXPECT_THAT(database_.queryRow(
                  std::format("SELECT hit_count, last_hit_at FROM rule WHERE id = {}", idle)),
              Row(0, kNull));
  apply({analysed()});
  flush();
  EXPECT_THAT(countsOf(database_, rule), Row(4, 0));
}

TEST_F(RuleApplicationTest, AFailingRuleLeavesItsErrorsAnalysedAndOtherRulesAct) {
  const domain::RuleId before =
      plantRule(database_, {.name = "before", .match = "http_status = 403"});
  const domain::RuleId bad = plantRule(database_, {.name = "bad", .position = 2});
  const domain::RuleId after =
      plantRule(database_, {.name = "after", .match = "http_status = 500", .position = 3});
  failDecisions(database_, "NEW.decided_by = 'rule:bad'");
  const domain::ErrorId first = analysed("http_status = 403");
  const domain::ErrorId second = analysed();
  const domain::ErrorId third = analysed();
  const domain::ErrorId fourth = analysed("http_status = 500");
  EXPECT_EQ(apply({first, second, third, fourth}), "30s")
      << "the session's own timeout is restored";
  EXPECT_EQ(fate(first), "IGNORED by rule:before");
  EXPECT_EQ(fate(second), "ANALYSIS_COMPLETED");
  EXPECT_EQ(fate(third), "ANALYSIS_COMPLETED");
  EXPECT_EQ(fate(fourth), "IGNORED by rule:after");
  EXPECT_EQ(value("SELECT count(*) FROM auth_error_transition"), "2")
      << "the failed one must be rolled back";
  EXPECT_THAT(countsOf(database_, before), Row(1, 0));
  EXPECT_THAT(countsOf(database_, bad), Row(0, 2));
  EXPECT_THAT(countsOf(database_, after), Row(1, 0));
  EXPECT_EQ(work_.failed, 2U);
  flush();
  EXPECT_EQ(value(std::format("SELECT last_failure FROM rule WHERE id = {} AND last_failure_at > "
                              "now() - interval '1 minute' AND last_hit_at IS NULL",
                              bad)),
            "planted (P0001)");
}

TEST_F(RuleApplicationTest, AFailingErrorFailsAlone) {
  const domain::RuleId rule = plantRule(database_, {.name = "bots"});
  std::vector<domain::ErrorId> ids;
  for (int i = 0; i < 9; ++i) {
    ids.push_back(analysed());
  }
  const domain::ErrorId bad = ids.at(4);
  failDecisions(database_, std::format("NEW.auth_error_id = {}", bad));
  apply(ids);
  for (const domain::ErrorId id : ids) {
    EXPECT_EQ(fate(id), id == bad ? "ANALYSIS_COMPLETED" : "IGNORED by rule:bots");
  }
  EXPECT_THAT(countsOf(database_, rule), Row(8, 1));
}

TEST_F(RuleApplicationTest, ARuleThatTakesTooLongIsCancelled) {
  const domain::RuleId rule = plantRule(database_, {.name = "slow"});
  failDecisions(database_, "true", "P0001", "20");
  const std::vector<domain::ErrorId> ids{analysed(), analysed(), analysed(), analysed()};
  apply(ids, 2s);
  for (const domain::ErrorId id : ids) {
    EXPECT_EQ(fate(id), "ANALYSIS_COMPLETED");
  }
  EXPECT_THAT(countsOf(database_, rule), Row(0, 4));
}

TEST_F(RuleApplicationTest, SlowRulesLeaveTheBatchEnoughTime) {
  constexpr int kRules = 60;
  std::vector<domain::ErrorId> ids;
  for (int i = 0; i < kRules; ++i) {
    plantRule(database_,
              {.name = std::format("slow{}", i), .match = std::format("service_name = 's{}'", i)});
    ids.push_back(analysed(std::format("service_name = 's{}'", i)));
  }
  failDecisions(database_, "true", "P0001", "20");
  apply(ids, 2s);
  EXPECT_EQ(value("SELECT count(*) FROM auth_error WHERE status = 'ANALYSIS_COMPLETED'"),
            std::to_string(kRules));
  EXPECT_THAT(database_.queryRow("SELECT count(DISTINCT rule_id) AS rules, sum(failures) AS "
                                 "failures FROM rule_delta"),
              Row(kRules, kRules));
}

TEST_F(RuleApplicationTest, AFailedComparisonIsRecordedForEveryRule) {
  const domain::RuleId first = plantRule(database_, {.name = "first"});
  const domain::RuleId second = plantRule(database_, {.name = "second", .match = "cluster_id = 1"});
  const domain::RuleId aged = plantRule(database_, {.name = "aged", .afterSeconds = "60"});
  const domain::ErrorId id = analysed();
  database_.execute("ALTER TABLE cluster_member RENAME TO hidden");
  apply({id});
  EXPECT_EQ(fate(id), "ANALYSIS_COMPLETED");
  EXPECT_THAT(countsOf(database_, first), Row(0, 1));
  EXPECT_THAT(countsOf(database_, second), Row(0, 1));
  EXPECT_THAT(countsOf(database_, aged), Row(0, 0));
  EXPECT_THAT(value("SELECT DISTINCT failure FROM rule_delta"), HasSubstr("42P01"));
}

// The worst case: every rule searches for a text, and none is found. The bound is a multiple of the
// measured time.
TEST_F(RuleApplicationTest, ComparesAThousandRulesWithABatchQuickly) {
  database_.execute(std::format(
      "INSERT INTO rule (name, position, enabled, match_message, action, hit_count, failure_count, "
      "scanned_until, scanned_id, created_at, created_by, changed_at, changed_by) "
      "SELECT 'r' || n, n, true, 'The request of client ' || n || ' was refused', 'IGNORE', 0, 0, "
      "'-infinity', 0, now(), 'test', now(), 'test' FROM generate_series(1, {}) n",
      kMaxRules));
  std::vector<domain::ErrorId> ids;
  for (int i = 0; i < 128; ++i) {
    ids.push_back(analysed(
        "exception_message = left(repeat('The request of client ' || id || ' timed out. ', 40), "
        "1000), root_cause_message = left(repeat('Refused by ' || id || ' of many. ', 60), 1000)"));
  }
  ids.push_back(analysed(
      "exception_message = repeat('x', 900) || ' THE REQUEST of client 1000 was refused'"));
  const auto began = std::chrono::steady_clock::now();
  apply(ids, 30s);
  const auto took = std::chrono::steady_clock::now() - began;

  RecordProperty(
      "milliseconds",
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(took, 1s);
#endif
  EXPECT_EQ(fate(ids.back()), "IGNORED by rule:r1000");
  EXPECT_EQ(value("SELECT count(*) FROM decision"), "1");
}

TEST_F(RuleApplicationTest, AConflictIsNotAFailureOfTheRule) {
  const domain::RuleId rule = plantRule(database_, {.name = "bots"});
  const domain::ErrorId id = analysed();
  failDecisions(database_, "true", "40001");
  EXPECT_TRUE(tests::errorOf([&] { apply({id}); }).isConflict()) << "the batch must be retried";
  EXPECT_EQ(fate(id), "ANALYSIS_COMPLETED");
  EXPECT_THAT(countsOf(database_, rule), Row(0, 0));
}

// A decision cannot be undone, so a later rule must not decide in place of the one that matches.
TEST_F(RuleApplicationTest, AnActionOfANewerVersionFailsOnlyItsRule) {
  database_.execute("ALTER TABLE rule DROP CONSTRAINT rule_action_known");
  const domain::RuleId newer =
      plantRule(database_, {.name = "newer", .match = "http_status = 403", .action = "ESCALATE"});
  const domain::RuleId known =
      plantRule(database_, {.name = "known", .match = "exception_class = 'E'", .position = 2});
  const domain::ErrorId matching = analysed("http_status = 403, exception_class = 'E'");
  const domain::ErrorId other = analysed("http_status = 401, exception_class = 'E'");
  apply({matching, other});
  EXPECT_EQ(fate(matching), "ANALYSIS_COMPLETED");
  EXPECT_EQ(fate(other), "IGNORED by rule:known");
  EXPECT_THAT(countsOf(database_, newer), Row(0, 1));
  EXPECT_THAT(countsOf(database_, known), Row(1, 0));
  EXPECT_THAT(value("SELECT failure FROM rule_delta WHERE failure IS NOT NULL"),
              HasSubstr("ESCALATE"));
}

TEST_F(RuleApplicationTest, AnErrorDecidedConcurrentlyIsNotAHit) {
  const domain::RuleId rule = plantRule(database_, {.name = "bots"});
  const domain::ErrorId id = analysed("status = 'RESOLVED'");
  apply({id});
  EXPECT_EQ(fate(id), "RESOLVED");
  EXPECT_THAT(countsOf(database_, rule), Row(0, 0));
}

}  // namespace
}  // namespace auth_errors::rules
