// Ownership of events when consumers are slow, die, or lose the database.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <format>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/event_consumer_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/tcp_proxy.h"

namespace auth_errors::consumer {
namespace {

using namespace std::chrono_literals;
using tests::eventually;
using tests::Row;
using tests::statusInLedger;
using tests::statusOfError;

TEST_F(EventConsumerTest, AnEventLeasedElsewhereIsRetriedLaterWithoutSpendingAnAttempt) {
  startScripted(always({}));
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, lease_owner, lease_until, "
      "created_at, updated_at) VALUES ({}, 'PROCESSING', 0, 'another/1', now() + interval '1 "
      "hour', "
      "now(), now())",
      planted.outboxId));
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(eventually([&] { return metrics_.messages[ConsumeOutcome::held].value() >= 3; }));
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
  EXPECT_EQ(ledger(planted.outboxId, "lease_owner"), "another/1");
  database_.execute(
      "UPDATE processed_message SET status = 'PENDING', lease_owner = NULL, "
      "lease_until = NULL");
  EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(effectsOf(planted.outboxId), 1);
}

TEST_F(EventConsumerTest, TakingOverAnExpiredLeaseSpendsAnAttempt) {
  startScripted(always({}));
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, lease_owner, lease_until, "
      "created_at, updated_at) VALUES ({}, 'PROCESSING', 2, 'late/7', now() - interval '1 second', "
      "now(), now())",
      planted.outboxId));
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "3");
  EXPECT_THAT(database_.queryRow("SELECT attempt, error FROM delivery_attempt"),
              Row(3, "the lease of late/7 expired"));
}

TEST_F(EventConsumerTest, AnEventWhoseEveryLeaseExpiredDiesWithoutAnotherAttempt) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    ++calls;
    co_return allOf(events.size(), {});
  });
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, lease_owner, lease_until, "
      "created_at, updated_at) VALUES ({}, 'PROCESSING', 5, 'late/7', now() - interval '1 second', "
      "now(), now())",
      planted.outboxId));
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(database_.queryValue("SELECT reason FROM dead_letter"), "retries_exhausted");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "1");
}

// An event that killed its consumer once may do so again, and must not take its neighbours along.
TEST_F(EventConsumerTest, AnEventWithAnExpiredLeaseIsLeasedAndHandledAlone) {
  std::vector<Planted> suspects;
  std::vector<Planted> fresh;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < 12; ++i) {
    std::vector<Planted>& kind = i % 2 == 0 ? suspects : fresh;
    kind.push_back(plant());
    messages.push_back(messageOf(kind.back().outboxId, kind.back().authErrorId));
  }
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const bool leased = i % 2 == 0;
    database_.execute(std::format(
        "INSERT INTO processed_message (outbox_id, status, retry_count, lease_owner, lease_until, "
        "lease_expired_at, created_at, updated_at) VALUES ({}, '{}', 1, {}, {}, {}, now(), now())",
        suspects[i].outboxId, leased ? "PROCESSING" : "PENDING", leased ? "'late/7'" : "NULL",
        leased ? "now() - interval '1 second'" : "NULL", leased ? "NULL" : "now()"));
  }
  deliver(std::move(messages));
  std::mutex mutex;
  std::vector<std::vector<domain::OutboxId>> batches;
  std::size_t mostLeases = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    const std::scoped_lock lock(mutex);
    auto& batch = batches.emplace_back();
    for (const EventInHand& event : events) {
      batch.push_back(event.outboxId);
    }
    if (std::ranges::contains(suspects, batch.front(), &Planted::outboxId)) {
      mostLeases = std::max<std::size_t>(
          mostLeases, std::stoul(tests::PlainConnection(database_.url())
                                     .queryValue("SELECT count(*) FROM processed_message WHERE "
                                                 "lease_owner LIKE 'test/%'")));
    }
    co_return allOf(events.size(), {});
  });
  for (const Planted& planted : fresh) {
    EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  }
  for (const Planted& planted : suspects) {
    EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
    EXPECT_EQ(effectsOf(planted.outboxId), 1);
    EXPECT_NE(ledger(planted.outboxId, "lease_expired_at"), "null");
    const std::scoped_lock lock(mutex);
    EXPECT_TRUE(std::ranges::contains(batches, std::vector{planted.outboxId}));
  }
  EXPECT_EQ(mostLeases, 1U) << "other events were leased with it";
}

TEST_F(EventConsumerTest, ALongHandlerKeepsItsLease) {
  auto slow = options();
  slow.lease = 600ms;
  std::atomic<int> calls = 0;
  startScripted(
      [&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
        ++calls;
        co_await drogon::sleepCoro(&loop_.loop(), 2s);
        co_return allOf(events.size(), {});
      },
      slow);
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
}

TEST_F(EventConsumerTest, AConsumerThatLostItsLeaseIsFencedOff) {
  std::atomic<bool> stolen = false;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    if (!stolen.exchange(true)) {
      tests::PlainConnection(database_.url())
          .execute(
              "UPDATE processed_message SET lease_owner = 'thief/1', lease_until = now() + "
              "interval '1 hour'");
    }
    co_return allOf(events.size(), {});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(
      eventually([&] { return metrics_.messages[ConsumeOutcome::fencedOff].value() == 1; }));
  EXPECT_EQ(effectsOf(planted.outboxId), 0);
  EXPECT_EQ(statusInLedger(database_, planted.outboxId), "PROCESSING");
  EXPECT_EQ(ledger(planted.outboxId, "lease_owner"), "thief/1");
}

TEST_F(EventConsumerTest, ALateFailureAfterALostLeaseChangesNothing) {
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    tests::PlainConnection(database_.url())
        .execute(
            "UPDATE processed_message SET lease_owner = NULL, lease_until = NULL, "
            "status = 'DONE'");
    co_return allOf(events.size(), {.kind = OutcomeKind::retry, .error = "late"});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(
      eventually([&] { return metrics_.messages[ConsumeOutcome::fencedOff].value() == 1; }));
  EXPECT_EQ(statusInLedger(database_, planted.outboxId), "DONE");
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "NEW");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "0");
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, DecidesNothingDuringADatabaseOutage) {
  tests::TcpProxy proxy(tests::portOf(database_.url()));
  auto& client = makeClient(tests::urlWithPort(database_.url(), proxy.port()));
  ASSERT_TRUE(eventually([&] { return client.connected(); }));
  proxy.setMode(tests::TcpProxy::Mode::reset);
  std::vector<std::unique_ptr<Handler>> handlers;
  handlers.push_back(std::make_unique<ScriptedHandler>(always({})));
  auto fast = options();
  fast.databaseDeadline = 500ms;
  startConsumer(std::move(handlers), fast, client, connectPublisher());
  std::vector<Planted> planted;
  for (int i = 0; i < 10; ++i) {
    planted.push_back(plantAndDeliver());
  }
  ASSERT_TRUE(eventually([&] { return proxy.counters().resets >= 3; }));
  proxy.setMode(tests::TcpProxy::Mode::pass);
  for (const Planted& each : planted) {
    EXPECT_TRUE(ledgerBecomes(each.outboxId, "DONE"));
    EXPECT_EQ(ledger(each.outboxId, "retry_count"), "0");
    EXPECT_EQ(effectsOf(each.outboxId), 1);
  }
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, StoppingReleasesLeasesThatAHandlerStillHolds) {
  auto& consumer = startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    co_await drogon::sleepCoro(&loop_.loop(), 1'500ms);
    co_return allOf(events.size(), {});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "PROCESSING"));
  stop(consumer, 400ms);
  EXPECT_EQ(statusInLedger(database_, planted.outboxId), "PENDING");
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
  EXPECT_TRUE(eventually([&] { return loop_.depth(*publisher_, topology_.workQueue) == 1U; }));
  // The handler's late writes match no row.
  ASSERT_TRUE(
      eventually([&] { return metrics_.messages[ConsumeOutcome::fencedOff].value() == 1; }));
  EXPECT_EQ(effectsOf(planted.outboxId), 0);
}

TEST_F(EventConsumerTest, ALeaseWhoseAnswerWasLostIsStillHeld) {
  auto& client = makeClient(database_.url());
  const Planted planted = plant();
  const outbox::EventIdentity event{
      .outboxId = planted.outboxId,
      .eventId = {},
      .installationId = {},
      .messageId = domain::kRecorded.idempotencyKey(planted.authErrorId),
      .eventType = std::string(domain::kRecorded.eventType),
      .authErrorId = planted.authErrorId};
  const auto take = [&](const char* owner) {
    return tests::runOn(loop_.loop(), [&client, &event, owner] {
      return takeLeases(client, LeaseOwner(owner), {event}, Company::others, 10s,
                        domain::InstanceName("test"), std::chrono::steady_clock::now() + 5s);
    });
  };
  EXPECT_EQ(take("one/1").front().state, LedgerState::leased);
  const LedgerEntry again = take("one/1").front();
  EXPECT_EQ(again.state, LedgerState::leased);
  EXPECT_EQ(again.retryCount, 0);
  EXPECT_EQ(take("two/1").front().state, LedgerState::held);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "0");
}

}  // namespace
}  // namespace auth_errors::consumer
