// The outbox rows on a real PostgreSQL: claiming, finalising, reaping, sweeping.
#include "outbox/outbox_store.h"

#include <chrono>
#include <cstdint>
#include <format>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/database_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/typed_ids.h"
#include "triage/dead_letters/dead_letter_writer.h"

namespace auth_errors::outbox {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using tests::ids;
using tests::in;
using tests::kNull;
using tests::Row;

constexpr auto kGrace = 660s;

// What must not compile: an instance for the owner of its claim, ids of errors for those of events.
static_assert(!std::is_invocable_v<decltype(markPublished), database::Client&, domain::InstanceName,
                                   std::vector<domain::OutboxId>, ClaimOwner, database::Deadline>);
static_assert(!std::is_invocable_v<decltype(handBack), database::Client&, ClaimOwner,
                                   std::vector<domain::ErrorId>, database::Deadline>);

class OutboxStoreTest : public tests::DatabaseTest {
 protected:
  // Messages with the ids 1 to `count`, PENDING and due.
  void insert(int count) {
    database_.execute(std::format(
        "INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, "
        "payload, status, retry_count, created_at) SELECT 'auth_error', n, "
        "'auth.error.recorded.v1', 'auth_error:recorded:' || n, "
        "jsonb_build_object('authErrorId', n), 'PENDING', 0, now() FROM generate_series(1, {}) n",
        count));
  }
  void set(const std::string& changes, const std::string& where = "true") {
    database_.execute("UPDATE outbox_message SET " + changes + " WHERE " + where);
  }
  void publishedAgo(std::chrono::seconds age, const std::string& where = "true") {
    set(std::format("status = 'PUBLISHED', published_by = 'before', "
                    "published_at = now() - interval '{} s'",
                    age.count()),
        where);
  }
  // Inserts the ledger row of a message, last updated this long ago.
  void ledger(int id, const std::string& status, std::chrono::seconds age,
              const std::string& nextRetryAt = "NULL", const std::string& leaseUntil = "NULL") {
    database_.execute(std::format(
        "INSERT INTO processed_message (outbox_id, status, retry_count, next_retry_at, "
        "lease_owner, lease_until, created_at, updated_at) VALUES ({}, '{}', 0, {}, {}, {}, "
        "now(), now() - interval '{} s')",
        id, status, nextRetryAt, leaseUntil == "NULL" ? "NULL" : "'someone'", leaseUntil,
        age.count()));
  }
  std::string statusOf(int id) {
    return database_.queryValue("SELECT status FROM outbox_message WHERE id = " +
                                std::to_string(id));
  }
  std::string count(const std::string& table, const std::string& where = "true") {
    return database_.queryValue("SELECT count(*) FROM " + table + " WHERE " + where);
  }
  // The complete outbox, to show that nothing changed.
  std::vector<tests::TextRow> wholeOutbox() {
    return database_.queryText("SELECT * FROM outbox_message ORDER BY id");
  }

  std::vector<ClaimedMessage> claim(const std::string& owner, std::int64_t limit = 1'000) {
    return clients_.run(
        [&, owner = ClaimOwner(owner)] { return claimMessages(client_, owner, limit, in(10s)); });
  }
  std::vector<domain::OutboxId> claimIds(const std::string& owner, std::int64_t limit = 1'000) {
    std::vector<domain::OutboxId> ids;
    for (const ClaimedMessage& message : claim(owner, limit)) {
      ids.push_back(message.event.outboxId);
    }
    return ids;
  }
  std::size_t markAsPublished(const std::string& owner, const std::vector<domain::OutboxId>& ids) {
    return clients_.run([&, owner = ClaimOwner(owner)] {
      return markPublished(client_, owner, ids, domain::InstanceName("instance-1"), in(10s));
    });
  }
  std::size_t giveBack(const std::string& owner, const std::vector<domain::OutboxId>& ids) {
    return clients_.run(
        [&, owner = ClaimOwner(owner)] { return handBack(client_, owner, ids, in(10s)); });
  }
  FailureCounts markAsFailed(const std::string& owner,
                             const std::vector<FailedPublication>& failed) {
    return clients_.run([&, owner = ClaimOwner(owner)] {
      return markFailed(client_, owner, failed, domain::RetryPolicy{},
                        domain::InstanceName("instance-1"), in(10s));
    });
  }
  std::size_t reap(std::chrono::milliseconds longest, std::int64_t limit = 1'000) {
    return clients_.run([&] { return reapClaims(client_, longest, limit, in(10s)); });
  }
  SweepCounts sweep(std::int64_t limit = 1'000, Backlog backlog = Backlog::no) {
    return clients_.run([&] { return sweepLost(client_, kGrace, backlog, limit, in(10s)); });
  }

  database::Client& client_ = connect(2);
};

TEST_F(OutboxStoreTest, ClaimsDueMessagesInOrderOfId) {
  insert(5);
  EXPECT_EQ(claimIds("a"), ids<domain::OutboxId>({1, 2, 3, 4, 5}));
  EXPECT_EQ(count("outbox_message",
                  "status = 'PROCESSING' AND processing_owner = 'a' AND "
                  "processing_started_at BETWEEN now() - interval '1 min' AND "
                  "now()"),
            "5");
}

TEST_F(OutboxStoreTest, ReturnsTheEventUnchanged) {
  insert(1);
  set("traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', retry_count = 3, "
      "created_at = '2026-01-31T09:30:00.75Z'");
  const auto messages = claim("a");
  ASSERT_THAT(messages, SizeIs(1));
  const messaging::OutgoingEvent& event = messages.front().event;
  EXPECT_EQ(messages.front().retryCount, 3);
  EXPECT_EQ(event.outboxId, domain::OutboxId(1));
  EXPECT_EQ(event.aggregateType, "auth_error");
  EXPECT_EQ(event.eventType, "auth.error.recorded.v1");
  EXPECT_EQ(event.idempotencyKey, "auth_error:recorded:1");
  EXPECT_EQ(event.payload, R"({"authErrorId": 1})");
  EXPECT_EQ(event.traceparent, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  // The broker's format truncates seconds since 1970 to integers.
  EXPECT_NEAR(static_cast<double>(event.createdAt), 1'769'851'800.75, 1);
}

TEST_F(OutboxStoreTest, SkipsMessagesThatAreNotDue) {
  insert(3);
  set("next_retry_at = now() + interval '1 minute'", "id = 1");
  set("next_retry_at = now() - interval '1 second'", "id = 2");
  EXPECT_EQ(claimIds("a"), ids<domain::OutboxId>({2, 3}));
  EXPECT_EQ(statusOf(1), "PENDING");
}

TEST_F(OutboxStoreTest, SkipsMessagesThatAreNotPending) {
  insert(4);
  set("status = 'PROCESSING', processing_owner = 'b', processing_started_at = now()", "id = 1");
  publishedAgo(1h, "id = 2");
  set("status = 'DEAD'", "id = 3");
  EXPECT_EQ(claimIds("a"), ids<domain::OutboxId>({4}));
  EXPECT_EQ(database_.queryValue("SELECT processing_owner FROM outbox_message WHERE id = 1"), "b");
}

TEST_F(OutboxStoreTest, SkipsMessagesLockedByAnotherTransaction) {
  insert(3);
  tests::PlainConnection other(database_.url());
  other.execute("BEGIN; SELECT FROM outbox_message WHERE id = 2 FOR UPDATE");
  EXPECT_EQ(claimIds("a"), ids<domain::OutboxId>({1, 3}));
  other.execute("COMMIT");
  EXPECT_EQ(claimIds("b"), ids<domain::OutboxId>({2}));
}

TEST_F(OutboxStoreTest, ClaimsAtMostItsLimitAndTheLongestDueFirst) {
  insert(6);
  set("created_at = now() - interval '1 hour'", "true");
  set("next_retry_at = now() - interval '2 hours'", "id = 5");
  set("next_retry_at = now() - interval '1 minute'", "id = 1");
  EXPECT_EQ(claimIds("a", 2), ids<domain::OutboxId>({2, 5}));
  EXPECT_EQ(claimIds("b", 3), ids<domain::OutboxId>({3, 4, 6}));
  EXPECT_EQ(claimIds("c", 3), ids<domain::OutboxId>({1}));
  EXPECT_THAT(claimIds("d", 3), IsEmpty());
}

TEST_F(OutboxStoreTest, NeverGivesAMessageToTwoClaimers) {
  constexpr int kMessages = 20'000;
  insert(kMessages);
  const auto claimAll = [this](std::string name, tests::ClientLoop& loop) {
    database::Client& client = loop.connect(options());
    return loop.start([name, &client]() -> drogon::Task<std::vector<domain::OutboxId>> {
      std::vector<domain::OutboxId> ids;
      for (int turn = 0;; ++turn) {
        const auto messages = co_await claimMessages(
            client, ClaimOwner(std::format("{}/{}", name, turn)), 50, in(10s));
        if (messages.empty()) {
          co_return ids;
        }
        for (const ClaimedMessage& message : messages) {
          ids.push_back(message.event.outboxId);
        }
      }
    });
  };
  tests::ClientLoop firstLoop;
  tests::ClientLoop secondLoop;
  auto first = claimAll("first", firstLoop);
  auto second = claimAll("second", secondLoop);
  const auto firstClaimed = tests::await(std::move(first), 2 * tests::kWaitLimit);
  const auto secondClaimed = tests::await(std::move(second), 2 * tests::kWaitLimit);
  std::set<domain::OutboxId> distinct(firstClaimed.begin(), firstClaimed.end());
  distinct.insert(secondClaimed.begin(), secondClaimed.end());
  EXPECT_EQ(firstClaimed.size() + secondClaimed.size(), kMessages);
  EXPECT_THAT(distinct, SizeIs(kMessages));
  EXPECT_THAT(firstClaimed, Not(IsEmpty())) << "the claimers did not run concurrently";
  EXPECT_THAT(secondClaimed, Not(IsEmpty())) << "the claimers did not run concurrently";
}

TEST_F(OutboxStoreTest, MarksMessagesPublishedForTheirOwner) {
  insert(3);
  ASSERT_THAT(claimIds("a", 2), SizeIs(2));
  EXPECT_EQ(markAsPublished("a", ids<domain::OutboxId>({1, 2})), 2U);
  EXPECT_EQ(
      count("outbox_message",
            "status = 'PUBLISHED' AND published_by = 'instance-1' AND "
            "published_at <= now() AND claimed_at <= published_at AND processing_owner IS NULL AND "
            "next_retry_at IS NULL"),
      "2");
  EXPECT_EQ(statusOf(3), "PENDING");
}

TEST_F(OutboxStoreTest, ChangesNothingForAnOwnerThatLostItsClaim) {
  insert(3);
  ASSERT_THAT(claimIds("slow"), SizeIs(3));
  EXPECT_EQ(reap(0ms), 3U);
  ASSERT_THAT(claimIds("quick"), SizeIs(3));
  const auto before = wholeOutbox();
  EXPECT_EQ(markAsPublished("slow", ids<domain::OutboxId>({1, 2, 3})), 0U);
  EXPECT_EQ(giveBack("slow", ids<domain::OutboxId>({1, 2, 3})), 0U);
  const FailureCounts failures =
      markAsFailed("slow", {{.id = domain::OutboxId(1), .retryCount = 5, .error = "e"}});
  EXPECT_EQ(failures.retried + failures.dead, 0U);
  EXPECT_EQ(wholeOutbox(), before);
  EXPECT_EQ(count("delivery_attempt"), "0");
  EXPECT_EQ(count("dead_letter"), "0");
}

TEST_F(OutboxStoreTest, ChangesNothingOnceAMessageIsFinal) {
  insert(2);
  ASSERT_THAT(claimIds("a"), SizeIs(2));
  ASSERT_EQ(markAsPublished("a", ids<domain::OutboxId>({1})), 1U);
  EXPECT_EQ(markAsFailed("a", {{.id = domain::OutboxId(2), .retryCount = 5, .error = "e"}}).dead,
            1U);
  const auto before = wholeOutbox();
  EXPECT_EQ(markAsPublished("a", ids<domain::OutboxId>({1, 2})), 1U)
      << "a row done by a lost answer counts as done";
  EXPECT_EQ(giveBack("a", ids<domain::OutboxId>({1, 2})), 0U);
  EXPECT_EQ(wholeOutbox(), before);
}

TEST_F(OutboxStoreTest, ReleasesWithoutSpendingAnAttempt) {
  insert(2);
  set("retry_count = 2, next_retry_at = now() - interval '1 second'", "id = 2");
  const auto before = wholeOutbox();
  ASSERT_THAT(claimIds("a"), SizeIs(2));
  EXPECT_EQ(giveBack("a", ids<domain::OutboxId>({1, 2})), 2U);
  EXPECT_EQ(wholeOutbox(), before);
  EXPECT_EQ(count("delivery_attempt"), "0");
  EXPECT_EQ(claimIds("b"), ids<domain::OutboxId>({1, 2}));
}

TEST_F(OutboxStoreTest, ClimbsTheLadderAndThenWritesADeadLetter) {
  insert(1);
  set("traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'");
  const std::vector<std::chrono::milliseconds> ladder = {10s, 1min, 10min, 10min, 10min};
  for (std::int32_t failures = 0; failures < 5; ++failures) {
    const auto messages = claim(std::format("a/{}", failures));
    ASSERT_THAT(messages, SizeIs(1));
    EXPECT_EQ(messages.front().retryCount, failures);
    const FailureCounts counts = markAsFailed(std::format("a/{}", failures),
                                              {{.id = domain::OutboxId(1),
                                                .retryCount = failures,
                                                .error = std::format("refused {}", failures)}});
    EXPECT_EQ(counts.retried, 1U);
    EXPECT_EQ(counts.dead, 0U);
    // Jitter only shortens the delay, and so does the time elapsed since.
    const std::int64_t delay = ladder.at(static_cast<std::size_t>(failures)).count();
    EXPECT_EQ(count("outbox_message",
                    std::format("status = 'PENDING' AND retry_count = {} AND next_retry_at - now() "
                                "BETWEEN interval '{} ms' AND interval '{} ms'",
                                failures + 1, delay * 9 / 10 - 5'000, delay)),
              "1")
        << failures;
    EXPECT_EQ(count("dead_letter"), "0");
    set("next_retry_at = now()");
  }
  ASSERT_THAT(claim("last"), SizeIs(1));
  const FailureCounts counts =
      markAsFailed("last", {{.id = domain::OutboxId(1), .retryCount = 5, .error = "refused 5"}});
  EXPECT_EQ(counts.retried, 0U);
  EXPECT_EQ(counts.dead, 1U);
  EXPECT_EQ(
      count("outbox_message", "status = 'DEAD' AND retry_count = 6 AND next_retry_at IS NULL"),
      "1");
  const auto letter = database_.queryRow(
      "SELECT status, source, reason, error, outbox_id, retry_round, event_type, aggregate_type, "
      "aggregate_id, payload::text, traceparent, jsonb_array_length(attempts), "
      "attempts #>> '{0,error}', attempts #>> '{5,error}', attempts #>> '{5,attempt}', "
      "attempts #>> '{5,stage}', attempts #>> '{5,instance}', closed_at FROM dead_letter");
  EXPECT_THAT(letter, Row("OPEN", "outbox", "retries_exhausted", "refused 5", 1, 0,
                          "auth.error.recorded.v1", "auth_error", 1, R"({"authErrorId": 1})",
                          "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", 6, "refused 0",
                          "refused 5", 6, "publish", "instance-1", kNull));
}

TEST_F(OutboxStoreTest, GivesEachOfManyFailuresItsOwnCountAndError) {
  insert(4);
  set("retry_count = 5", "id = 2");
  set("retry_count = 1", "id = 3");
  ASSERT_THAT(claimIds("a", 3), SizeIs(3));
  const FailureCounts counts =
      markAsFailed("a", {{.id = domain::OutboxId(3), .retryCount = 1, .error = "three"},
                         {.id = domain::OutboxId(4), .retryCount = 0, .error = "four"},
                         {.id = domain::OutboxId(1), .retryCount = 0, .error = "one"},
                         {.id = domain::OutboxId(2), .retryCount = 5, .error = "two"}});
  EXPECT_EQ(counts.retried, 2U);
  EXPECT_EQ(counts.dead, 1U);
  EXPECT_THAT(database_.queryText("SELECT id, status, retry_count FROM outbox_message ORDER BY id"),
              ElementsAre(Row(1, "PENDING", 1), Row(2, "DEAD", 6), Row(3, "PENDING", 2),
                          Row(4, "PENDING", 0)));
  EXPECT_THAT(
      database_.queryText("SELECT outbox_id, attempt, error FROM delivery_attempt ORDER BY 1"),
      ElementsAre(Row(1, 1, "one"), Row(2, 6, "two"), Row(3, 2, "three")));
}

// An operator retried it, so this round has its own letter with its own attempts.
TEST_F(OutboxStoreTest, WritesADeadLetterForEachRound) {
  insert(1);
  ASSERT_THAT(claimIds("a"), SizeIs(1));
  ASSERT_EQ(
      markAsFailed("a", {{.id = domain::OutboxId(1), .retryCount = 5, .error = "first"}}).dead, 1U);
  set("status = 'PENDING', retry_count = 0, retry_round = 1");
  ASSERT_THAT(claimIds("b"), SizeIs(1));
  ASSERT_EQ(
      markAsFailed("b", {{.id = domain::OutboxId(1), .retryCount = 5, .error = "second"}}).dead,
      1U);
  EXPECT_THAT(database_.queryText("SELECT retry_round, error, jsonb_array_length(attempts), "
                                  "attempts #>> '{0,error}' FROM dead_letter ORDER BY id"),
              ElementsAre(Row(0, "first", 1, "first"), Row(1, "second", 1, "second")));
}

TEST_F(OutboxStoreTest, StoresErrorsScrubbedTruncatedAndNeverEmpty) {
  insert(3);
  ASSERT_THAT(claimIds("a"), SizeIs(3));
  markAsFailed("a",
               {{.id = domain::OutboxId(1),
                 .retryCount = 0,
                 .error = "refused: password=correct-horse-battery"},
                {.id = domain::OutboxId(2), .retryCount = 0, .error = std::string(5'000, 'x')},
                {.id = domain::OutboxId(3), .retryCount = 0, .error = std::string("\0\x01", 2)}});
  EXPECT_THAT(database_.queryText("SELECT error FROM delivery_attempt ORDER BY outbox_id"),
              ElementsAre(Row(Not(HasSubstr("correct-horse"))), Row(SizeIs(1'000)),
                          Row("(no error text)")));
}

TEST_F(OutboxStoreTest, ReapsByElapsedTimeAlone) {
  insert(4);
  set("retry_count = 2", "id = 1");
  ASSERT_THAT(claimIds("a", 3), SizeIs(3));
  set("processing_started_at = now() - interval '61 seconds'", "id IN (1, 2)");
  set("processing_started_at = now() - interval '30 seconds'", "id = 3");
  EXPECT_EQ(reap(60s), 2U);
  EXPECT_THAT(database_.queryText("SELECT id, status, retry_count, processing_owner "
                                  "FROM outbox_message ORDER BY id"),
              ElementsAre(Row(1, "PENDING", 2, kNull), Row(2, "PENDING", 0, kNull),
                          Row(3, "PROCESSING", 0, "a"), Row(4, "PENDING", 0, kNull)));
  EXPECT_EQ(reap(60s), 0U);
}

TEST_F(OutboxStoreTest, ReapsTheOldestClaimsFirstUpToItsLimit) {
  insert(5);
  ASSERT_THAT(claimIds("a"), SizeIs(5));
  set("processing_started_at = now() - id * interval '1 hour'");
  EXPECT_EQ(reap(60s, 2), 2U);
  EXPECT_EQ(statusOf(5), "PENDING");
  EXPECT_EQ(statusOf(4), "PENDING");
  EXPECT_EQ(statusOf(3), "PROCESSING");
  EXPECT_EQ(reap(60s, 2), 2U);
  EXPECT_EQ(reap(60s, 2), 1U);
}

TEST_F(OutboxStoreTest, SweepsMessagesThatNeverReachedTheLedger) {
  insert(2);
  publishedAgo(kGrace + 1s);
  set("retry_count = 3", "id = 1");
  ledger(2, "DONE", 2h);
  const SweepCounts counts = sweep();
  EXPECT_EQ(counts.looked, 2U);
  EXPECT_EQ(counts.missing, 1U);
  EXPECT_EQ(counts.stranded, 0U);
  EXPECT_THAT(database_.queryRow("SELECT status, retry_count, published_at, published_by "
                                 "FROM outbox_message WHERE id = 1"),
              Row("PENDING", 3, kNull, kNull));
  EXPECT_EQ(statusOf(2), "PUBLISHED");
  EXPECT_EQ(claimIds("a"), ids<domain::OutboxId>({1}));
}

TEST_F(OutboxStoreTest, SweepsNothingDuringTheGracePeriod) {
  insert(1);
  publishedAgo(kGrace - 30s);
  const SweepCounts counts = sweep();
  EXPECT_EQ(counts.looked + counts.missing + counts.stranded, 0U);
  // The sweeper's mark did not pass it, so it is swept once it is due.
  set("published_at = published_at - interval '31 seconds'");
  database_.execute("UPDATE sweeper_mark SET swept_until = swept_until - interval '31 seconds'");
  EXPECT_EQ(sweep().missing, 1U);
}

TEST_F(OutboxStoreTest, SweepsEventsOpenInTheLedgerForTooLong) {
  insert(3);
  publishedAgo(2h);
  ledger(1, "PENDING", 1h);
  ledger(2, "PROCESSING", 1h, "NULL", "now() - interval '59 minutes'");
  ledger(3, "RETRY_WAIT", 1h, "now() - interval '50 minutes'");
  const SweepCounts counts = sweep();
  EXPECT_EQ(counts.looked, 3U);
  EXPECT_EQ(counts.missing, 0U);
  EXPECT_EQ(counts.stranded, 3U);
  EXPECT_EQ(count("outbox_message", "status = 'PENDING' AND published_at IS NULL"), "3");
  EXPECT_EQ(count("processed_message", "status IN ('PENDING', 'PROCESSING', 'RETRY_WAIT')"), "3")
      << "the ledger belongs to the consumer";
}

TEST_F(OutboxStoreTest, IgnoresEventsThatAreDoneDeadOrMerelyLate) {
  insert(8);
  publishedAgo(2h);
  ledger(1, "DONE", 1h);
  ledger(2, "DEAD", 1h);
  // Each of these misses one of the three conditions for being overdue.
  ledger(3, "PENDING", kGrace - 30s);
  ledger(4, "PROCESSING", 1h, "NULL", "now() - interval '5 minutes'");
  ledger(5, "PROCESSING", 1h, "NULL", "now() + interval '1 minute'");
  ledger(6, "RETRY_WAIT", 1h, "now() - interval '9 minutes'");
  ledger(7, "RETRY_WAIT", 1h, "now() + interval '1 minute'");
  ledger(8, "PENDING", 1h);
  set("published_at = now() - interval '1 minute'", "id = 8");
  const auto before = wholeOutbox();
  const SweepCounts counts = sweep();
  EXPECT_EQ(counts.missing + counts.stranded, 0U);
  EXPECT_EQ(wholeOutbox(), before);
}

TEST_F(OutboxStoreTest, SweepsOnlyPublishedMessages) {
  insert(3);
  set("status = 'DEAD'", "id = 2");
  set("status = 'PROCESSING', processing_owner = 'a', processing_started_at = now()", "id = 3");
  for (int id = 1; id <= 3; ++id) {
    ledger(id, "PENDING", 1h);
  }
  const auto before = wholeOutbox();
  EXPECT_EQ(sweep().stranded, 0U);
  EXPECT_EQ(wholeOutbox(), before);
}

TEST_F(OutboxStoreTest, ExaminesAPeriodOnceButRepublishedMessagesAgain) {
  insert(3);
  publishedAgo(2h);
  EXPECT_EQ(sweep().missing, 3U);
  publishedAgo(90min);
  EXPECT_EQ(sweep().looked, 0U) << "older than the mark";
  publishedAgo(kGrace);
  EXPECT_EQ(sweep().missing, 3U);
}

TEST_F(OutboxStoreTest, SweepsMessagesWhoseLedgerRowIsAnotherEvents) {
  insert(3);
  publishedAgo(2h);
  for (int id = 1; id <= 3; ++id) {
    ledger(id, "DONE", 1h);
  }
  database_.execute(
      "UPDATE processed_message SET event_id = gen_random_uuid() WHERE outbox_id = 1");
  database_.execute(
      "UPDATE processed_message SET created_at = now() - interval '1 day' WHERE outbox_id = 2");
  EXPECT_EQ(sweep().missing, 2U);
  EXPECT_EQ(statusOf(3), "PUBLISHED");
}

// Under a backlog the order of the queue reveals losses: a later event has been processed.
TEST_F(OutboxStoreTest, UnderABacklogSweepsEventsOvertakenByALaterOne) {
  insert(6);
  publishedAgo(2h);
  set("created_at = now() - interval '3 hours'");
  set("published_at = now() - interval '1 hour'", "id IN (3, 4)");
  ledger(2, "RETRY_WAIT", 2h, "now() - interval '2 hours'");
  ledger(4, "RETRY_WAIT", 1h, "now() - interval '1 hour'");
  EXPECT_EQ(sweep(100, Backlog::yes).looked, 0U) << "no later event was processed";
  set("created_at = now() - interval '90 minutes'", "id = 5");
  set("published_at = now() - interval '89 minutes'", "id = 5");
  ledger(5, "DONE", 30min);
  const SweepCounts counts = sweep(100, Backlog::yes);
  EXPECT_EQ(counts.missing, 2U);
  EXPECT_EQ(counts.stranded, 1U);
  EXPECT_EQ(count("outbox_message", "status = 'PENDING' AND id IN (1, 2, 6)"), "3");
  // The sweeper's mark did not pass the rest: without the backlog it is examined too.
  EXPECT_EQ(sweep().missing, 1U);
  EXPECT_EQ(statusOf(3), "PENDING");
}

TEST_F(OutboxStoreTest, SweepsInChunksWithoutSkippingAny) {
  insert(10);
  publishedAgo(2h);
  set("published_at = published_at + id * interval '1 second'");
  EXPECT_EQ(sweep(4).looked, 4U);
  EXPECT_EQ(count("outbox_message", "status = 'PENDING' AND id <= 4"), "4")
      << "the oldest come first";
  EXPECT_EQ(sweep(4).looked, 4U);
  EXPECT_EQ(sweep(4).looked, 2U);
  EXPECT_EQ(sweep(4).looked, 0U);
  EXPECT_EQ(count("outbox_message", "status = 'PENDING'"), "10");
}

// All rows of one finalised batch have the same time; a chunk that would end among them takes them
// all.
TEST_F(OutboxStoreTest, KeepsMessagesWithTheSameTimeInOneChunk) {
  insert(12);
  publishedAgo(2h);
  set("published_at = published_at - interval '1 minute'", "id <= 2");
  const SweepCounts counts = sweep(4);
  EXPECT_EQ(counts.looked, 12U);
  EXPECT_EQ(counts.missing, 12U);
  EXPECT_EQ(sweep(4).looked, 0U);
}

TEST_F(OutboxStoreTest, SweepsStrandedMessagesInChunks) {
  insert(5);
  publishedAgo(2h);
  for (int id = 1; id <= 5; ++id) {
    ledger(id, "PENDING", 1h);
  }
  EXPECT_EQ(sweep(2).stranded, 2U);
  EXPECT_EQ(sweep(2).stranded, 2U);
  EXPECT_EQ(sweep(2).stranded, 1U);
}

TEST_F(OutboxStoreTest, LetsTwoSweepersShareTheWork) {
  constexpr int kMessages = 2'000;
  insert(kMessages);
  publishedAgo(2h);
  set("published_at = published_at + id * interval '1 second'");
  const auto sweepAll = [this](tests::ClientLoop& loop) {
    database::Client& client = loop.connect(options());
    return loop.start([&client]() -> drogon::Task<std::size_t> {
      std::size_t missing = 0;
      SweepCounts counts;
      do {
        counts = co_await sweepLost(client, kGrace, Backlog::no, 20, in(20s));
        missing += counts.missing;
      } while (counts.looked > 0);
      co_return missing;
    });
  };
  tests::ClientLoop firstLoop;
  tests::ClientLoop secondLoop;
  auto first = sweepAll(firstLoop);
  auto second = sweepAll(secondLoop);
  EXPECT_EQ(tests::await(std::move(first), tests::kWaitLimit) +
                tests::await(std::move(second), tests::kWaitLimit),
            kMessages);
  EXPECT_EQ(count("outbox_message", "status = 'PENDING'"), std::to_string(kMessages));
}

}  // namespace
}  // namespace auth_errors::outbox
