// From a message in the work queue to its effect, exactly one.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <format>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/event_consumer_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"

namespace auth_errors::consumer {
namespace {

using namespace std::chrono_literals;
using tests::eventually;
using tests::plantError;
using tests::plantEvent;
using tests::Row;
using tests::statusInLedger;
using tests::statusOfError;

TEST_F(EventConsumerTest, ARecordedErrorRequestsItsAnalysisOnce) {
  startReal();
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "ANALYSIS_REQUESTED");
  EXPECT_THAT(database_.queryRow(std::format(
                  "SELECT event_type, status, payload ? 'requestedAt' AS has_time FROM "
                  "outbox_message WHERE idempotency_key = 'auth_error:analysis_requested:{}'",
                  planted.authErrorId)),
              Row("auth.error.analysis.requested.v1", "PENDING", true));
  EXPECT_TRUE(eventually([this] { return wakes_ == 1; }));
  EXPECT_EQ(ledger(planted.outboxId, "completed_by"), "test");
}

TEST_F(EventConsumerTest, AnAnalysisCompletesWithAStackHash) {
  startReal();
  const domain::ErrorId error = plantError(database_, "ANALYSIS_REQUESTED");
  const domain::OutboxId outboxId = plantEvent(database_, error, "analysis_requested");
  deliver({messageOf(outboxId, error, "analysis_requested")});
  ASSERT_TRUE(ledgerBecomes(outboxId, "DONE"));
  EXPECT_EQ(statusOfError(database_, error), "ANALYSIS_COMPLETED");
  EXPECT_EQ(database_.queryValue(
                std::format("SELECT length(stack_hash) FROM auth_error WHERE id = {}", error)),
            "64");
  EXPECT_THAT(database_.queryRow(std::format("SELECT from_status, to_status, cause, changed_by "
                                             "FROM auth_error_transition WHERE auth_error_id = {}",
                                             error)),
              Row("ANALYSIS_REQUESTED", "ANALYSIS_COMPLETED", "analysis_completed", "test"));
}

TEST_F(EventConsumerTest, ARuleDecidesAfterTheAnalysisAndAFailingRuleDoesNotStopIt) {
  tests::plantRule(database_, {.name = "bad", .match = "http_status = 401"});
  tests::plantRule(database_, {.name = "good", .match = "http_status = 403", .action = "RESOLVE"});
  tests::failDecisions(database_, "NEW.decided_by = 'rule:bad'");
  std::vector<domain::ErrorId> errors;
  std::vector<domain::OutboxId> events;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < 6; ++i) {
    errors.push_back(plantError(database_, "ANALYSIS_REQUESTED"));
    events.push_back(plantEvent(database_, errors.back(), "analysis_requested"));
    messages.push_back(messageOf(events.back(), errors.back(), "analysis_requested"));
  }
  database_.execute("UPDATE auth_error SET http_status = 403 WHERE id % 2 = 0");
  startReal();
  deliver(std::move(messages));
  for (std::size_t i = 0; i < errors.size(); ++i) {
    ASSERT_TRUE(ledgerBecomes(events[i], "DONE"));
    EXPECT_EQ(tests::fateOf(database_, errors[i]),
              errors[i].value() % 2 == 0 ? "RESOLVED by rule:good" : "ANALYSIS_COMPLETED");
    EXPECT_EQ(ledger(events[i], "retry_count"), "0") << "no attempt must be spent";
  }
  EXPECT_TRUE(
      eventually([&] { return ruleMetrics_.decisions[domain::Decision::resolve].value() == 3; }));
  EXPECT_EQ(ruleMetrics_.failures.value(), 3);
  EXPECT_THAT(
      database_.queryRow("SELECT sum(hits) AS hits, sum(failures) AS failures FROM rule_delta"),
      Row(3, 3));
}

TEST_F(EventConsumerTest, SkipsATerminalErrorOnAnyEvent) {
  startReal();
  for (const char* status : {"PROCESSED", "FAILED", "RESOLVED", "IGNORED"}) {
    const domain::ErrorId error = plantError(database_, status);
    const domain::OutboxId recorded = plantEvent(database_, error);
    const domain::OutboxId analysis = plantEvent(database_, error, "analysis_requested");
    deliver({messageOf(analysis, error, "analysis_requested"), messageOf(recorded, error)});
    EXPECT_TRUE(ledgerBecomes(recorded, "DONE"));
    EXPECT_TRUE(ledgerBecomes(analysis, "DONE"));
    EXPECT_EQ(statusOfError(database_, error), status);
  }
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error_transition"), "0");
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, EventsOutOfOrderReachTheRightState) {
  startReal();
  const domain::ErrorId error = plantError(database_, "ANALYSIS_REQUESTED");
  const domain::OutboxId recorded = plantEvent(database_, error);
  const domain::OutboxId analysis = plantEvent(database_, error, "analysis_requested");
  deliver({messageOf(analysis, error, "analysis_requested")});
  ASSERT_TRUE(ledgerBecomes(analysis, "DONE"));
  deliver({messageOf(recorded, error)});
  ASSERT_TRUE(ledgerBecomes(recorded, "DONE"));
  EXPECT_EQ(statusOfError(database_, error), "ANALYSIS_COMPLETED");
}

TEST_F(EventConsumerTest, ARepeatOfADoneOrDeadEventIsOnlyAcknowledged) {
  startScripted(always({.kind = OutcomeKind::done, .error = {}}));
  const Planted done = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(done.outboxId, "DONE"));
  const Planted dead = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, created_at, updated_at) "
      "VALUES ({}, 'DEAD', 6, now(), now())",
      dead.outboxId));
  for (int i = 0; i < 20; ++i) {
    deliver({messageOf(done.outboxId, done.authErrorId), messageOf(dead.outboxId, dead.authErrorId),
             messageOf(done.outboxId, done.authErrorId)});
  }
  EXPECT_TRUE(queuesAreEmpty());
  EXPECT_TRUE(
      eventually([&] { return metrics_.messages[ConsumeOutcome::repeated].value() == 60; }));
  EXPECT_EQ(effectsOf(done.outboxId), 1);
  EXPECT_EQ(effectsOf(dead.outboxId), 0);
  EXPECT_EQ(statusInLedger(database_, dead.outboxId), "DEAD");
}

TEST_F(EventConsumerTest, ThousandsOfRepeatsInAnyOrderApplyEachEffectOnce) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(std::format("seed {}", seed));
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
  startReal();
  startReal();
  constexpr int kErrors = 300;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < kErrors; ++i) {
    const domain::ErrorId error = plantError(database_);
    const domain::OutboxId recorded = plantEvent(database_, error);
    for (int copies = 0; copies < 10; ++copies) {
      messages.push_back(messageOf(recorded, error));
    }
  }
  std::ranges::shuffle(messages, random);
  deliver(std::move(messages));
  ASSERT_TRUE(eventually([&] {
    return database_.queryValue("SELECT count(*) FROM processed_message WHERE status = 'DONE'") ==
           std::to_string(kErrors);
  }));
  EXPECT_TRUE(queuesAreEmpty());
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error_transition"),
            std::to_string(kErrors));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM outbox_message WHERE event_type = "
                                 "'auth.error.analysis.requested.v1'"),
            std::to_string(kErrors));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error WHERE status <> "
                                 "'ANALYSIS_REQUESTED'"),
            "0");
}

TEST_F(EventConsumerTest, AnAnalysisThatOvertakesItsRequestWaitsForIt) {
  startReal();
  const domain::ErrorId error = plantError(database_);
  const domain::OutboxId analysis = plantEvent(database_, error, "analysis_requested");
  deliver({messageOf(analysis, error, "analysis_requested")});
  ASSERT_TRUE(ledgerBecomes(analysis, "DONE"));
  EXPECT_EQ(statusOfError(database_, error), "ANALYSIS_COMPLETED");
  EXPECT_EQ(ledger(analysis, "retry_count"), "1");
}

TEST_F(EventConsumerTest, ThousandsOfStaleAndReorderedCopiesApplyOnceAndKeepTerminalStates) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(std::format("seed {}", seed));
  std::minstd_rand random(static_cast<std::minstd_rand::result_type>(seed));
  constexpr int kErrors = 250;
  constexpr int kCopies = 5;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < kErrors; ++i) {
    const domain::ErrorId error = plantError(database_, i % 5 == 0 ? "IGNORED" : "NEW");
    const domain::OutboxId recorded = plantEvent(database_, error);
    const domain::OutboxId analysis = plantEvent(database_, error, "analysis_requested");
    for (int copies = 0; copies < kCopies; ++copies) {
      messages.push_back(messageOf(recorded, error));
      messages.push_back(messageOf(analysis, error, "analysis_requested"));
    }
  }
  std::ranges::shuffle(messages, random);
  const std::vector<messaging::Message> stale = messages;
  startReal();
  startReal();
  deliver(std::move(messages));
  ASSERT_TRUE(eventually([&] {
    return database_.queryValue("SELECT count(*) FROM processed_message WHERE status = 'DONE'") ==
           std::to_string(2 * kErrors);
  }));
  database_.execute(
      "UPDATE auth_error SET status = 'RESOLVED' WHERE id % 2 = 0 AND status <> "
      "'IGNORED'");
  const auto before = database_.queryText("SELECT * FROM auth_error ORDER BY id");
  const auto repeated = [this] { return metrics_.messages[ConsumeOutcome::repeated].value(); };
  const double soFar = repeated();
  deliver(stale);
  ASSERT_TRUE(eventually([&] { return repeated() >= soFar + static_cast<double>(stale.size()); }));
  EXPECT_TRUE(queuesAreEmpty());
  EXPECT_EQ(database_.queryText("SELECT * FROM auth_error ORDER BY id"), before);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error WHERE status NOT IN "
                                 "('IGNORED', 'RESOLVED', 'ANALYSIS_COMPLETED')"),
            "0");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error WHERE status = 'IGNORED'"),
            std::to_string(kErrors / 5));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error_transition WHERE to_status = "
                                 "'ANALYSIS_COMPLETED'"),
            std::to_string(kErrors / 5 * 4));
}

}  // namespace
}  // namespace auth_errors::consumer
