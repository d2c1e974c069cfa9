// Failing events: through the retry ladder, or to the dead letters.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <format>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/event_consumer_fixture.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::consumer {
namespace {

using namespace std::chrono_literals;
using messaging::PublishResult;
using testing::Each;
using testing::ElementsAre;
using tests::eventually;
using tests::kNull;
using tests::Row;
using tests::statusOfError;

TEST_F(EventConsumerTest, AFailingHandlerExhaustsTheRetriesAndDies) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    ++calls;
    co_return allOf(events.size(), {.kind = OutcomeKind::retry, .error = "no luck"});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "6");
  // Jitter shortens each wait by at most a tenth of its rung.
  EXPECT_THAT(
      database_.queryText(std::format(
          "SELECT attempt, lead(failed_at) OVER (ORDER BY id) - failed_at >= make_interval(secs => "
          "CASE attempt WHEN 1 THEN 0.1 WHEN 2 THEN 0.2 ELSE 0.4 END * 0.9) AS waited, error "
          "FROM delivery_attempt WHERE outbox_id = {} ORDER BY id",
          planted.outboxId)),
      ElementsAre(Row(1, true, "no luck"), Row(2, true, "no luck"), Row(3, true, "no luck"),
                  Row(4, true, "no luck"), Row(5, true, "no luck"), Row(6, kNull, "no luck")));
  EXPECT_THAT(database_.queryRow(std::format(
                  "SELECT status, source, reason, error, jsonb_array_length(attempts) AS attempts, "
                  "payload->>'authErrorId' AS error_id FROM dead_letter WHERE outbox_id = {}",
                  planted.outboxId)),
              Row("OPEN", "consumer", "retries_exhausted", "no luck", 6, planted.authErrorId));
  const messaging::Message letter = takeDeadLetter();
  EXPECT_EQ(letter.text("deadLetterReason"), "retries_exhausted");
  EXPECT_EQ(letter.integer("outboxId"), planted.outboxId.value());
  // A dead letter alone does not make its error terminal.
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "RETRY");
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, ARetrySetsTheErrorToRetryAndALaterSuccessResumes) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    const bool first = calls++ == 0;
    co_return allOf(events.size(),
                    first ? Outcome{.kind = OutcomeKind::retry, .error = "once"} : Outcome{});
  });
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(statusOfError(database_, planted.authErrorId), "RETRY");
  EXPECT_EQ(effectsOf(planted.outboxId), 1);
  EXPECT_EQ(database_.queryValue("SELECT cause FROM auth_error_transition"), "handler_failed");
}

TEST_F(EventConsumerTest, DoesWhatIsLeftToDoOnceTheEffectsAreCommitted) {
  std::atomic<int> calls = 0;
  std::atomic<int> afterwards = 0;
  std::atomic<int> effectsSeen = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    Prepared prepared = allOf(events.size(), {});
    prepared.apply = [&, apply = prepared.apply](
                         database::Transaction& transaction,
                         std::vector<EventInHand> ours) -> drogon::Task<database::AfterCommit> {
      co_await apply(transaction, std::move(ours));
      // Refused by the commit at first: what is left to do is lost with the effects.
      if (calls++ == 0) {
        co_await transaction.run({.name = "", .sql = "INSERT INTO refused_at_commit VALUES (1)"});
      }
      co_return [&] {
        effectsSeen = std::stoi(
            tests::PlainConnection(database_.url()).queryValue("SELECT count(*) FROM effect"));
        ++afterwards;
      };
    };
    co_return prepared;
  });
  database_.execute(
      "CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE refused_at_commit "
      "(id int REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)");
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(tests::eventually([&] { return afterwards == 1; }));
  EXPECT_EQ(effectsSeen, 1);
}

TEST_F(EventConsumerTest, APoisonEventFailsAlone) {
  const Planted poison = plant();
  std::vector<Planted> good;
  std::vector<messaging::Message> messages;
  for (int i = 0; i < 20; ++i) {
    good.push_back(plant());
    messages.push_back(messageOf(good.back().outboxId, good.back().authErrorId));
    if (i == 10) {
      messages.push_back(messageOf(poison.outboxId, poison.authErrorId));
    }
  }
  deliver(std::move(messages));
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    if (std::ranges::contains(events, poison.outboxId, &EventInHand::outboxId)) {
      throw std::runtime_error("poison");
    }
    co_return allOf(events.size(), {});
  });
  for (const Planted& planted : good) {
    EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
    EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
    EXPECT_EQ(effectsOf(planted.outboxId), 1);
  }
  EXPECT_TRUE(ledgerBecomes(poison.outboxId, "DEAD"));
}

TEST_F(EventConsumerTest, AnEffectRefusedByTheDatabaseFailsOnlyItsEvent) {
  const Planted poison = plant();
  const Planted good = plant();
  database_.execute(std::format("ALTER TABLE effect ADD CHECK (outbox_id <> {})", poison.outboxId));
  deliver(
      {messageOf(good.outboxId, good.authErrorId), messageOf(poison.outboxId, poison.authErrorId)});
  startScripted(always({}));
  EXPECT_TRUE(ledgerBecomes(good.outboxId, "DONE"));
  EXPECT_TRUE(ledgerBecomes(poison.outboxId, "DEAD"));
  EXPECT_EQ(effectsOf(good.outboxId), 1);
}

// Such as an unreadable page, which fails for this event on every attempt.
TEST_F(EventConsumerTest, AServerSystemErrorFailsOnlyItsEvent) {
  const Planted poison = plant();
  const Planted good = plant();
  database_.execute(std::format(
      "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.outbox_id = {} "
      "THEN RAISE EXCEPTION 'could not read block' USING ERRCODE = 'io_error'; END IF; RETURN NEW; "
      "END $$; CREATE TRIGGER spoil BEFORE INSERT ON effect FOR EACH ROW EXECUTE FUNCTION spoil()",
      poison.outboxId));
  deliver(
      {messageOf(good.outboxId, good.authErrorId), messageOf(poison.outboxId, poison.authErrorId)});
  startScripted(always({}));
  EXPECT_TRUE(ledgerBecomes(good.outboxId, "DONE"));
  EXPECT_TRUE(ledgerBecomes(poison.outboxId, "DEAD"));
  EXPECT_EQ(effectsOf(good.outboxId), 1);
}

// The same before the handler runs: an event that cannot be leased is redelivered alone.
TEST_F(EventConsumerTest, AnEventThatCannotBeLeasedDoesNotAffectItsNeighbours) {
  const Planted poison = plant();
  std::vector<Planted> good;
  std::vector<messaging::Message> messages{messageOf(poison.outboxId, poison.authErrorId)};
  for (int i = 0; i < 9; ++i) {
    good.push_back(plant());
    messages.push_back(messageOf(good.back().outboxId, good.back().authErrorId));
  }
  database_.execute(std::format(
      "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.outbox_id = {} "
      "THEN RAISE EXCEPTION 'could not read block' USING ERRCODE = 'io_error'; END IF; RETURN NEW; "
      "END $$; CREATE TRIGGER spoil BEFORE INSERT ON processed_message FOR EACH ROW EXECUTE "
      "FUNCTION spoil()",
      poison.outboxId));
  deliver(std::move(messages));
  startScripted(always({}));
  for (const Planted& planted : good) {
    EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
    EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
  }
  database_.execute("DROP TRIGGER spoil ON processed_message");
  EXPECT_TRUE(ledgerBecomes(poison.outboxId, "DONE"));
  EXPECT_EQ(ledger(poison.outboxId, "retry_count"), "0");
  EXPECT_TRUE(queuesAreEmpty());
}

// No interval can be computed from 'infinity', so the row of one of the two cannot be read.
TEST_F(EventConsumerTest, AnUnreadableLostEventDoesNotAffectItsNeighbours) {
  const Planted poison = plant();
  const Planted good = plant();
  std::atomic<bool> stolen = false;
  deliver(
      {messageOf(poison.outboxId, poison.authErrorId), messageOf(good.outboxId, good.authErrorId)});
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    if (!stolen.exchange(true)) {
      tests::PlainConnection(database_.url())
          .execute(std::format(
              "UPDATE processed_message SET lease_owner = 'thief/1', lease_until = now() + "
              "interval '1 hour', next_retry_at = CASE outbox_id WHEN {} THEN "
              "'infinity'::timestamptz END",
              poison.outboxId));
    }
    co_return allOf(events.size(), {});
  });
  ASSERT_TRUE(eventually([&] { return metrics_.messages[ConsumeOutcome::held].value() >= 4; }));
  database_.execute(
      "UPDATE processed_message SET status = 'PENDING', lease_owner = NULL, lease_until = NULL, "
      "next_retry_at = NULL WHERE status = 'PROCESSING'");
  EXPECT_TRUE(ledgerBecomes(good.outboxId, "DONE"));
  EXPECT_TRUE(ledgerBecomes(poison.outboxId, "DONE"));
}

TEST_F(EventConsumerTest, AnErrorWithAStatusOfANewerVersionIsLeftAloneAndSpendsNoAttempt) {
  // Drops the constraints, as a newer schema would.
  database_.execute("ALTER TABLE auth_error DROP CONSTRAINT auth_error_status_known");
  const Planted newer = plant("QUARANTINED");
  const Planted good = plant();
  deliver(
      {messageOf(newer.outboxId, newer.authErrorId), messageOf(good.outboxId, good.authErrorId)});
  startScripted(always({}));
  EXPECT_TRUE(ledgerBecomes(good.outboxId, "DONE"));
  ASSERT_TRUE(eventually([&] { return metrics_.messages[ConsumeOutcome::held].value() >= 3; }));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "0");
  database_.execute(
      std::format("ALTER TABLE auth_error DISABLE TRIGGER USER; UPDATE auth_error SET "
                  "status = 'NEW' WHERE id = {}",
                  newer.authErrorId));
  EXPECT_TRUE(ledgerBecomes(newer.outboxId, "DONE"));
  EXPECT_EQ(ledger(newer.outboxId, "retry_count"), "0");
}

struct PermanentCase {
  std::string name;
  std::string reason;
  std::function<void(messaging::Message&)> spoil;
};

std::ostream& operator<<(std::ostream& out, const PermanentCase& permanent) {
  return out << permanent.name;
}

void dropHeader(messaging::Message& message, std::string_view name) {
  std::erase_if(message.headers, [name](const auto& header) { return header.first == name; });
}

class PermanentFault : public EventConsumerTest,
                       public testing::WithParamInterface<PermanentCase> {};

TEST_P(PermanentFault, GoesStraightToTheDeadLetterQueueWithItsReason) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    ++calls;
    co_return allOf(events.size(), {});
  });
  const Planted planted = plant();
  messaging::Message message = messageOf(planted.outboxId, planted.authErrorId);
  GetParam().spoil(message);
  EXPECT_THAT(loop_.publish(*publisher_, {{.to = messaging::addressOf(topology_.workQueue),
                                           .message = message}}),
              Each(PublishResult::confirmed));
  const messaging::Message letter = takeDeadLetter();
  EXPECT_EQ(letter.text("deadLetterReason"), GetParam().reason);
  EXPECT_TRUE(letter.text("deadLetterError").has_value());
  EXPECT_EQ(letter.body, message.body);
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(queuesAreEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, PermanentFault,
    testing::Values(
        PermanentCase{"NoOutboxId", "missing_header",
                      [](auto& message) { dropHeader(message, "outboxId"); }},
        PermanentCase{"NoEventType", "missing_header",
                      [](auto& message) { dropHeader(message, "eventType"); }},
        PermanentCase{"NoAggregateType", "missing_header",
                      [](auto& message) { dropHeader(message, "aggregateType"); }},
        PermanentCase{"NotJson", "malformed_payload", [](auto& message) { message.body = "{"; }},
        PermanentCase{"NoAuthErrorId", "missing_auth_error_id",
                      [](auto& message) { message.body = "{}"; }},
        PermanentCase{"UnknownEventType", "unknown_event_type",
                      [](auto& message) {
                        dropHeader(message, "eventType");
                        message.headers.emplace_back("eventType", std::string("auth.error.odd.v9"));
                      }},
        PermanentCase{"UnknownAggregateType", "unknown_aggregate_type",
                      [](auto& message) {
                        dropHeader(message, "aggregateType");
                        message.headers.emplace_back("aggregateType", std::string("invoice"));
                      }},
        PermanentCase{"OfAnotherError", "foreign_event",
                      [](auto& message) { message.body = R"({"authErrorId":987654321})"; }}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(EventConsumerTest, ARejectedEventDiesAtOnceWithoutSpendingAnAttempt) {
  startScripted(always({.kind = OutcomeKind::reject, .error = "never"}));
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0");
  EXPECT_THAT(database_.queryRow("SELECT reason, error FROM dead_letter"),
              Row("rejected", "never"));
  EXPECT_EQ(takeDeadLetter().text("deadLetterReason"), "rejected");
}

TEST_F(EventConsumerTest, ARetryThatIsNotDueWaitsByTheDatabaseClock) {
  startScripted(always({}));
  const Planted planted = plant();
  database_.execute(std::format(
      "INSERT INTO processed_message (outbox_id, status, retry_count, next_retry_at, created_at, "
      "updated_at) VALUES ({}, 'RETRY_WAIT', 2, now() + interval '150 milliseconds', now(), now())",
      planted.outboxId));
  const std::string due = ledger(planted.outboxId, "next_retry_at");
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_GE(metrics_.messages[ConsumeOutcome::waiting].value(), 1);
  EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "2");
  EXPECT_EQ(database_.queryValue(
                std::format("SELECT updated_at >= '{}'::timestamptz FROM processed_message", due)),
            "t");
}

TEST_F(EventConsumerTest, AnOriginalIsAcknowledgedOnlyAfterItsCopyIsConfirmed) {
  auto nowhere = publisherOptions();
  nowhere.broker.url = "amqp://guest:guest@127.0.0.1:9/";
  auto& lost = loop_.publisher(std::move(nowhere));
  std::vector<std::unique_ptr<Handler>> handlers;
  handlers.push_back(
      std::make_unique<ScriptedHandler>(always({.kind = OutcomeKind::retry, .error = "again"})));
  auto& consumer = startConsumer(std::move(handlers), options(), makeClient(database_.url()), lost);
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "RETRY_WAIT"));
  stop(consumer, 500ms);
  EXPECT_TRUE(eventually([&] { return loop_.depth(*publisher_, topology_.workQueue) == 1U; }));
}

TEST_F(EventConsumerTest, AMessageThatCannotBeCopiedIsRequeuedWithoutBlockingOthers) {
  startScripted(always({}));
  messaging::Message monster = messageOf(domain::OutboxId(1), domain::ErrorId(1));
  dropHeader(monster, "outboxId");
  monster.headers.emplace_back("ballast", std::string(130'000, 'x'));
  EXPECT_THAT(loop_.publish(*publisher_, {{.to = messaging::addressOf(topology_.workQueue),
                                           .message = std::move(monster)}}),
              Each(PublishResult::confirmed));
  const Planted planted = plantAndDeliver();
  EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
  EXPECT_EQ(takeDeadLetter().text("eventType"), std::string(domain::kRecorded.eventType));
  EXPECT_TRUE(queuesAreEmpty());
}

TEST_F(EventConsumerTest, ADeletedRetryQueueIsDeclaredAgain) {
  std::atomic<int> calls = 0;
  startScripted([&](std::vector<EventInHand> events) -> drogon::Task<Prepared> {
    const bool first = calls++ == 0;
    co_return allOf(events.size(),
                    first ? Outcome{.kind = OutcomeKind::retry, .error = "once"} : Outcome{});
  });
  tests::AmqpClient(url_).deleteQueue(topology_.retryQueues.front());
  const Planted planted = plantAndDeliver();
  EXPECT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
}

TEST_F(EventConsumerTest, ARetryIsScheduledOnTheErrorItself) {
  startScripted(always({.kind = OutcomeKind::retry, .error = "again"}));
  const Planted planted = plantAndDeliver();
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_THAT(database_.queryRow(std::format("SELECT retry_count, next_retry_at > "
                                             "status_changed_at AS planned FROM auth_error "
                                             "WHERE id = {}",
                                             planted.authErrorId)),
              Row(5, true));
}

}  // namespace
}  // namespace auth_errors::consumer
