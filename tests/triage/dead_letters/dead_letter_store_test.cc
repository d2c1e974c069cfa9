// Dead letters retried and resolved on a real PostgreSQL, also concurrently.
#include "triage/dead_letters/dead_letter_store.h"

#include <format>
#include <future>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/database_fixture.h"
#include "tests/support/planted_events.h"
#include "tests/support/row_matchers.h"
#include "triage/dead_letters/dead_letter_writer.h"

namespace auth_errors::triage {
namespace {

using namespace std::chrono_literals;
using domain::DeadLetterDecision;
using domain::DeadLetterStatus;
using ::testing::ElementsAre;
using tests::EventToPlant;
using tests::kNull;
using tests::PlantedEvent;
using tests::Row;
using tests::RowMatcher;
using tests::TextRow;
using Answer = DeadLetterStore::Answer<WholeDeadLetter>;
using Reason = DeadLetterRefusal::Reason;

class DeadLetterStoreTest : public tests::DatabaseTest {
 protected:
  void SetUp() override { store_ = std::make_unique<DeadLetterStore>(connect(20)); }

  Answer retry(domain::DeadLetterId id) {
    return clients_.run([&] { return store_->retry(id, "ops", tests::in(10s)); });
  }
  std::future<Answer> startRetry(domain::DeadLetterId id) {
    return clients_.start([this, id] { return store_->retry(id, "ops", tests::in(20s)); });
  }
  Answer resolve(domain::DeadLetterId id, Resolution resolution = {}) {
    return tests::await(startResolve(id, std::move(resolution)), tests::kWaitLimit);
  }
  std::future<Answer> startResolve(domain::DeadLetterId id, Resolution resolution) {
    return clients_.start(
        [this, id, resolution] { return store_->resolve(id, resolution, "ops", tests::in(20s)); });
  }
  domain::DeadLetterId plantedLetter(const EventToPlant& event) {
    planted_ = tests::plantEvent(database_, event);
    return tests::plantLetter(database_, planted_.outboxId);
  }

  static std::pair<Reason, std::string> refusalOf(const Answer& answer) {
    if (answer || answer.error().outage() != nullptr) {
      ADD_FAILURE() << "the request was not refused";
      return {};
    }
    return {answer.error().refusal().reason, answer.error().refusal().currentStatus};
  }
  TextRow outboxOf(domain::OutboxId outboxId) {
    return database_.queryRow(std::format(
        "SELECT status, retry_count, retry_round, next_retry_at, processing_owner, "
        "processing_started_at, published_at, published_by FROM outbox_message WHERE id = {}",
        outboxId));
  }
  // An outbox row that waits for the relay with a full set of attempts.
  static RowMatcher isPendingInRound(int round) {
    return Row("PENDING", 0, round, kNull, kNull, kNull, kNull, kNull);
  }
  std::string statusInOutbox(domain::OutboxId outboxId) {
    return database_.queryValue(
        std::format("SELECT status FROM outbox_message WHERE id = {}", outboxId));
  }
  TextRow ledgerOf(domain::OutboxId outboxId) {
    return database_.queryRow(
        std::format("SELECT status, retry_count, next_retry_at, lease_owner "
                    "FROM processed_message WHERE outbox_id = {}",
                    outboxId));
  }
  std::string errorOf(domain::ErrorId id) {
    return database_.queryValue(std::format("SELECT status FROM auth_error WHERE id = {}", id));
  }
  std::string letterOf(domain::DeadLetterId id) {
    return database_.queryValue(std::format("SELECT status FROM dead_letter WHERE id = {}", id));
  }
  // Waits until this many of the service's connections wait for a lock.
  bool waitingForLocks(int count) {
    return tests::eventually([&] {
      return database_.queryValue(
                 "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                 "datname = current_database()") == std::to_string(count);
    });
  }

  std::unique_ptr<DeadLetterStore> store_;
  PlantedEvent planted_;
};

TEST_F(DeadLetterStoreTest, RetriesAnEventThatDiedInTheOutbox) {
  const domain::DeadLetterId letter = plantedLetter({.outboxStatus = "DEAD"});
  const auto retried = retry(letter);
  ASSERT_TRUE(retried);
  EXPECT_EQ(retried->letter.status, DeadLetterStatus::retried);
  EXPECT_EQ(retried->letter.closedBy, "ops");
  EXPECT_TRUE(retried->letter.closedAt);
  EXPECT_EQ(retried->letter.decision, std::nullopt);
  EXPECT_THAT(outboxOf(planted_.outboxId), isPendingInRound(1));
  EXPECT_EQ(errorOf(planted_.authErrorId), "NEW");
}

TEST_F(DeadLetterStoreTest, RetriesAnEventThatDiedInTheConsumer) {
  const domain::DeadLetterId letter =
      plantedLetter({.outboxStatus = "PUBLISHED", .ledgerStatus = "DEAD"});
  ASSERT_TRUE(retry(letter));
  EXPECT_THAT(outboxOf(planted_.outboxId), isPendingInRound(1));
  EXPECT_THAT(ledgerOf(planted_.outboxId), Row("PENDING", 0, kNull, kNull));
}

// Its copy waited on a rung when the event was retried and could no longer be published.
TEST_F(DeadLetterStoreTest, ARetriedEventGetsAllItsAttemptsUnlessItIsLeased) {
  for (const std::string status : {"RETRY_WAIT", "PENDING"}) {
    ASSERT_TRUE(retry(plantedLetter({.outboxStatus = "DEAD", .ledgerStatus = status})));
    EXPECT_THAT(ledgerOf(planted_.outboxId), Row("PENDING", 0, kNull, kNull));
  }
  ASSERT_TRUE(retry(plantedLetter({.outboxStatus = "DEAD", .ledgerStatus = "PROCESSING"})));
  EXPECT_THAT(ledgerOf(planted_.outboxId), Row("PROCESSING", 6, kNull, "lease"));
}

TEST_F(DeadLetterStoreTest, RetriesEachRoundOnce) {
  const domain::DeadLetterId first = plantedLetter({.outboxStatus = "DEAD"});
  ASSERT_TRUE(retry(first));
  EXPECT_EQ(refusalOf(retry(first)), std::pair(Reason::closed, std::string("RETRIED")));
  database_.execute("UPDATE outbox_message SET status = 'DEAD'");
  const domain::DeadLetterId second = tests::plantLetter(database_, planted_.outboxId);
  const auto retried = retry(second);
  ASSERT_TRUE(retried);
  EXPECT_EQ(retried->letter.retryRound, 1);
  EXPECT_THAT(outboxOf(planted_.outboxId), isPendingInRound(2));
}

TEST_F(DeadLetterStoreTest, DoesNotRetryWithoutAnOutboxRow) {
  EXPECT_EQ(refusalOf(retry(tests::plantForeignLetter(database_, "x"))).first, Reason::eventGone);
  const domain::DeadLetterId cleanedUp = plantedLetter({.outboxStatus = "DEAD"});
  database_.execute("DELETE FROM outbox_message");
  EXPECT_EQ(refusalOf(retry(cleanedUp)).first, Reason::eventGone);
  EXPECT_EQ(letterOf(cleanedUp), "OPEN");
}

// Its id now belongs to another event, which the letter must not touch.
TEST_F(DeadLetterStoreTest, DoesNotRetryAnEventWhoseIdWasReused) {
  for (const char* stale :
       {"event_id = gen_random_uuid()", "created_at = now() - interval '1 day'"}) {
    const domain::DeadLetterId letter =
        plantedLetter({.outboxStatus = "PUBLISHED", .ledgerStatus = "DEAD"});
    database_.execute(std::format("UPDATE dead_letter SET {} WHERE id = {}", stale, letter));
    const auto before = outboxOf(planted_.outboxId);
    EXPECT_EQ(refusalOf(retry(letter)).first, Reason::eventGone);
    EXPECT_EQ(outboxOf(planted_.outboxId), before);
  }
}

TEST_F(DeadLetterStoreTest, RetriesAnEventWhoseLedgerRowIsAnotherEvents) {
  const domain::DeadLetterId letter =
      plantedLetter({.outboxStatus = "DEAD", .ledgerStatus = "DONE"});
  database_.execute("UPDATE processed_message SET event_id = gen_random_uuid()");
  EXPECT_TRUE(retry(letter));
}

// Older versions recorded letters for messages whose id belonged to no event.
TEST_F(DeadLetterStoreTest, AStaleLetterDoesNotBlockTheLetterOfAnEvent) {
  const domain::DeadLetterId stale = plantedLetter({.outboxStatus = "DEAD"});
  database_.execute("UPDATE dead_letter SET created_at = now() - interval '1 day'");
  database::Client& client = connect();
  clients_.run([&]() -> drogon::Task<void> {
    database::Transaction transaction = co_await client.begin(tests::in(10s));
    co_await recordDeadLetters(transaction, domain::DeadLetterSource::consumer,
                               {{.outboxId = planted_.outboxId,
                                 .eventType = "auth.error.recorded.v1",
                                 .authErrorId = planted_.authErrorId,
                                 .reason = domain::DeadLetterReason::rejected,
                                 .error = "no"}});
    co_await transaction.commit();
  });
  EXPECT_THAT(
      database_.queryText("SELECT id, reason, outbox_id, aggregate_id FROM dead_letter "
                          "ORDER BY id"),
      ElementsAre(Row(stale, "retries_exhausted", kNull, kNull),
                  Row(stale.value() + 1, "rejected", planted_.outboxId, planted_.authErrorId)));
}

TEST_F(DeadLetterStoreTest, DoesNotRetryAnEventInProgress) {
  for (const std::string status : {"PENDING", "PROCESSING"}) {
    const domain::DeadLetterId letter = plantedLetter({.outboxStatus = status});
    const auto before = outboxOf(planted_.outboxId);
    EXPECT_EQ(refusalOf(retry(letter)).first, Reason::eventUnderWay);
    EXPECT_EQ(outboxOf(planted_.outboxId), before);
    EXPECT_EQ(letterOf(letter), "OPEN");
  }
}

TEST_F(DeadLetterStoreTest, DoesNotRetryTheLetterOfAnEarlierRound) {
  const domain::DeadLetterId letter = plantedLetter({.outboxStatus = "DEAD"});
  database_.execute("UPDATE outbox_message SET retry_round = 1");
  EXPECT_EQ(refusalOf(retry(letter)).first, Reason::eventUnderWay);
}

TEST_F(DeadLetterStoreTest, DoesNotRetryAnAppliedEvent) {
  const domain::DeadLetterId letter =
      plantedLetter({.outboxStatus = "PUBLISHED", .ledgerStatus = "DONE"});
  EXPECT_EQ(refusalOf(retry(letter)).first, Reason::eventApplied);
  EXPECT_EQ(letterOf(letter), "OPEN");
  EXPECT_THAT(ledgerOf(planted_.outboxId), Row("DONE", 6, kNull, kNull));
}

TEST_F(DeadLetterStoreTest, TwentyConcurrentRetriesTakeEffectOnce) {
  const domain::DeadLetterId letter =
      plantedLetter({.outboxStatus = "PUBLISHED", .ledgerStatus = "DEAD"});
  std::vector<std::future<Answer>> answers;
  answers.reserve(20);
  for (int i = 0; i < 20; ++i) {
    answers.push_back(startRetry(letter));
  }
  int retried = 0;
  for (auto& answer : answers) {
    const Answer got = tests::await(std::move(answer), tests::kWaitLimit);
    if (got) {
      ++retried;
    } else {
      EXPECT_EQ(refusalOf(got), std::pair(Reason::closed, std::string("RETRIED")));
    }
  }
  EXPECT_EQ(retried, 1);
  EXPECT_THAT(outboxOf(planted_.outboxId), isPendingInRound(1));
}

TEST_F(DeadLetterStoreTest, OnlyOneOfARetryAndAResolutionWins) {
  std::map<DeadLetterStatus, int> wins;
  for (int i = 0; i < 20; ++i) {
    const domain::DeadLetterId letter = plantedLetter({.outboxStatus = "DEAD"});
    auto resolving = startResolve(letter, {.decision = DeadLetterDecision::ignore, .note = {}});
    auto retrying = startRetry(letter);
    const Answer resolved = tests::await(std::move(resolving), tests::kWaitLimit);
    const Answer retried = tests::await(std::move(retrying), tests::kWaitLimit);
    ASSERT_NE(resolved.has_value(), retried.has_value());
    const Answer& loser = resolved ? retried : resolved;
    EXPECT_EQ(refusalOf(loser), std::pair(Reason::closed, letterOf(letter)));
    EXPECT_EQ(errorOf(planted_.authErrorId), resolved ? "IGNORED" : "NEW");
    EXPECT_EQ(statusInOutbox(planted_.outboxId), resolved ? "DEAD" : "PENDING");
  }
}

TEST_F(DeadLetterStoreTest, ADecisionEndsAWaitingError) {
  const std::vector<std::pair<DeadLetterDecision, std::string>> decisions = {
      {DeadLetterDecision::fail, "FAILED"},
      {DeadLetterDecision::resolve, "RESOLVED"},
      {DeadLetterDecision::ignore, "IGNORED"}};
  for (const std::string status : {"NEW", "RETRY", "ANALYSIS_REQUESTED"}) {
    for (const auto& [decision, target] : decisions) {
      const domain::DeadLetterId letter = plantedLetter({.errorStatus = status});
      EXPECT_EQ(refusalOf(resolve(letter)), std::pair(Reason::decisionRequired, status));
      EXPECT_EQ(letterOf(letter), "OPEN");
      const auto resolved = resolve(letter, {.decision = decision, .note = "seen"});
      ASSERT_TRUE(resolved);
      EXPECT_EQ(resolved->letter.status, DeadLetterStatus::resolved);
      EXPECT_EQ(resolved->letter.note, "seen");
      EXPECT_EQ(resolved->letter.closedBy, "ops");
      EXPECT_EQ(resolved->letter.decision, std::string(domain::rowOf(decision).name));
      EXPECT_EQ(errorOf(planted_.authErrorId), target);
      EXPECT_THAT(
          database_.queryText(std::format("SELECT from_status, to_status, cause, changed_by FROM "
                                          "auth_error_transition WHERE auth_error_id = {}",
                                          planted_.authErrorId)),
          ElementsAre(Row(status, target, domain::toText(domain::rowOf(decision).event), "ops")));
      EXPECT_EQ(statusInOutbox(planted_.outboxId), "DEAD");
    }
  }
}

TEST_F(DeadLetterStoreTest, RefusesADecisionAfterAnalysisOrInATerminalState) {
  for (const std::string status :
       {"ANALYSIS_COMPLETED", "PROCESSED", "FAILED", "RESOLVED", "IGNORED"}) {
    const domain::DeadLetterId letter = plantedLetter({.errorStatus = status});
    EXPECT_EQ(refusalOf(resolve(letter, {.decision = DeadLetterDecision::fail, .note = {}})),
              std::pair(Reason::alreadyAnalysed, status));
    EXPECT_EQ(letterOf(letter), "OPEN");
    EXPECT_TRUE(resolve(letter));
    EXPECT_EQ(errorOf(planted_.authErrorId), status);
  }
}

TEST_F(DeadLetterStoreTest, RefusesADecisionWithoutAnError) {
  const domain::DeadLetterId foreign = tests::plantForeignLetter(database_, "x");
  const domain::DeadLetterId gone = plantedLetter({});
  database_.execute("DELETE FROM auth_error");
  for (const domain::DeadLetterId letter : {foreign, gone}) {
    EXPECT_EQ(refusalOf(resolve(letter, {.decision = DeadLetterDecision::fail, .note = {}})).first,
              Reason::nothingToDecide);
    EXPECT_EQ(letterOf(letter), "OPEN");
    EXPECT_TRUE(resolve(letter));
    EXPECT_EQ(refusalOf(resolve(letter)), std::pair(Reason::closed, std::string("RESOLVED")));
  }
}

TEST_F(DeadLetterStoreTest, ChecksTheErrorOnceItIsUnlocked) {
  const domain::DeadLetterId letter = plantedLetter({.errorStatus = "ANALYSIS_REQUESTED"});
  tests::PlainConnection other(database_.url());
  other.execute("BEGIN; UPDATE auth_error SET status = 'ANALYSIS_COMPLETED'");
  auto resolving = startResolve(letter, {.decision = DeadLetterDecision::fail, .note = {}});
  EXPECT_TRUE(waitingForLocks(1));
  other.execute("COMMIT");
  EXPECT_EQ(refusalOf(tests::await(std::move(resolving), tests::kWaitLimit)),
            std::pair(Reason::alreadyAnalysed, std::string("ANALYSIS_COMPLETED")));
  EXPECT_EQ(errorOf(planted_.authErrorId), "ANALYSIS_COMPLETED");
}

// Simulates the outbox, which locks the event before it adds the letter of the same round.
TEST_F(DeadLetterStoreTest, WaitsForAWriterOfLettersWithoutADeadlock) {
  const domain::DeadLetterId letter = plantedLetter({.outboxStatus = "DEAD"});
  tests::PlainConnection other(database_.url());
  other.execute("BEGIN; SELECT FROM outbox_message FOR UPDATE");
  auto retrying = startRetry(letter);
  EXPECT_TRUE(waitingForLocks(1));
  other.execute(
      "INSERT INTO dead_letter (status, source, reason, outbox_id, retry_round, attempts, "
      "created_at) SELECT 'OPEN', 'outbox', 'rejected', id, 0, '[]', now() FROM outbox_message "
      "ON CONFLICT DO NOTHING; COMMIT");
  EXPECT_TRUE(tests::await(std::move(retrying), tests::kWaitLimit));
}

TEST_F(DeadLetterStoreTest, RefusesAnUnknownLetter) {
  EXPECT_EQ(refusalOf(retry(domain::DeadLetterId(1))).first, Reason::unknown);
  EXPECT_EQ(refusalOf(resolve(domain::DeadLetterId(1))).first, Reason::unknown);
  EXPECT_EQ(refusalOf(clients_.run([&] {
              return store_->find(domain::DeadLetterId(1), tests::in(10s));
            })).first,
            Reason::unknown);
}

TEST_F(DeadLetterStoreTest, ChangesNothingDuringADatabaseOutage) {
  auto& unreachable = clients_.connect({.url = "postgresql://x@127.0.0.1:1/x"});
  DeadLetterStore store(unreachable);
  const auto retried =
      clients_.run([&] { return store.retry(domain::DeadLetterId(1), "ops", tests::in(300ms)); });
  ASSERT_FALSE(retried);
  EXPECT_EQ(retried.error(), domain::Outage::unavailable);
}

// After a restore, the letter refers to an earlier error of the same id.
TEST_F(DeadLetterStoreTest, ResolvingALetterNeverEndsANewerError) {
  const domain::DeadLetterId letter = plantedLetter({});
  database_.execute("UPDATE dead_letter SET created_at = now() - interval '1 day'");
  EXPECT_EQ(refusalOf(resolve(letter, {.decision = DeadLetterDecision::fail, .note = {}})).first,
            Reason::nothingToDecide);
  const Answer resolved = resolve(letter);
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->letter.status, DeadLetterStatus::resolved);
  EXPECT_EQ(errorOf(planted_.authErrorId), "NEW");
}

}  // namespace
}  // namespace auth_errors::triage
