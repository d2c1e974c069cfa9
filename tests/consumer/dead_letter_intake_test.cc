// Moves dead letters from a queue of a real RabbitMQ into a real PostgreSQL.
#include "consumer/dead_letter_intake.h"

#include <csignal>
#include <format>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "consumer/metrics.h"
#include "domain/identity/ids.h"
#include "platform/messaging/event_codec.h"
#include "tests/support/api_keys.h"
#include "tests/support/database_fixture.h"
#include "tests/support/messaging_fixture.h"
#include "tests/support/planted_events.h"
#include "tests/support/postgres_server.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::consumer {
namespace {

using namespace std::chrono_literals;
using messaging::Message;
using messaging::PublishResult;
using ::testing::Each;
using ::testing::ElementsAre;
using tests::kNull;
using tests::PlantedEvent;
using tests::Row;

constexpr std::string_view kRecordedType = "auth.error.recorded.v1";

Message eventMessage(const PlantedEvent& event, std::int32_t round = 0) {
  return messaging::encodeEvent(
      {.outboxId = event.outboxId,
       .retryRound = round,
       .aggregateType = "auth_error",
       .eventType = std::string(kRecordedType),
       .idempotencyKey = std::format("auth_error:planted:{}", event.authErrorId),
       .payload = std::format(R"({{"authErrorId":{}}})", event.authErrorId),
       .createdAt = 1,
       .traceparent = {}});
}

Message foreignMessage(std::string body) {
  Message message;
  message.body = std::move(body);
  return message;
}

class DeadLetterIntakeTest : public tests::MessagingTest {
 protected:
  ~DeadLetterIntakeTest() override { stop(); }

  std::unique_ptr<database::Client> clientOf() {
    return loop_.call([this] {
      return std::make_unique<database::Client>(
          loop_.loop(), database::ClientOptions{.url = databaseUrl_, .connections = 2});
    });
  }
  void start() {
    client_ = clientOf();
    // stop() closes it, so each intake gets its own.
    auto& copies = connectPublisher();
    loop_.call([this, &copies] {
      intake_ = std::make_unique<DeadLetterIntake>(
          *client_, copies,
          DeadLetterIntake::Options{.broker = tests::brokerAt(url_),
                                    .topology = topology_,
                                    .databaseDeadline = 1s,
                                    .pauses = {.shortest = 10ms, .longest = 100ms},
                                    .onState = {}},
          metrics_);
      intake_->start();
    });
  }
  void stop() {
    if (intake_ != nullptr) {
      tests::runOn(loop_.loop(), [this] { return intake_->stop(tests::in(2s)); });
    }
    loop_.call([this] {
      intake_.reset();
      client_.reset();
    });
  }

  void enqueue(std::vector<Message> messages) {
    std::vector<messaging::Publication> publications;
    for (Message& message : messages) {
      publications.push_back({.to = topology_.deadLetter(), .message = std::move(message)});
    }
    EXPECT_THAT(loop_.publish(publisher_, std::move(publications)), Each(PublishResult::confirmed));
  }
  // Whether this many messages were taken, with any outcome: recorded, stale or foreign.
  bool taken(int messages) {
    return tests::eventually([&] {
      double sum = 0;
      for (const auto outcome :
           {IntakeOutcome::recorded, IntakeOutcome::stale, IntakeOutcome::foreign}) {
        sum += metrics_.deadLetters[outcome].value();
      }
      return sum >= messages;
    });
  }
  bool queueIsEmpty() {
    stop();  // requeues unsettled messages
    return tests::eventually(
        [&] { return loop_.depth(publisher_, topology_.deadLetterQueue) == 0U; }, 5s);
  }
  std::vector<tests::TextRow> letters(const std::string& columns) {
    return database_.queryText("SELECT " + columns + " FROM dead_letter ORDER BY id");
  }
  std::string ledgerOf(const PlantedEvent& event) {
    return database_.queryValue(std::format(
        "SELECT coalesce((SELECT status FROM processed_message WHERE outbox_id = {}), 'none')",
        event.outboxId));
  }

  tests::TestDatabase database_;
  std::string databaseUrl_ = database_.url();
  telemetry::Registry registry_;
  Metrics metrics_{registry_};
  messaging::Publisher& publisher_ = connectPublisher();
  std::unique_ptr<database::Client> client_;
  std::unique_ptr<DeadLetterIntake> intake_;
};

TEST_F(DeadLetterIntakeTest, RecordsALetterWithAReasonForEachMessage) {
  const PlantedEvent ours = tests::plantEvent(database_, {.outboxStatus = "PUBLISHED"});
  Message malformed = eventMessage(ours);
  malformed.body = "{";
  malformed = messaging::withReason(malformed, domain::DeadLetterReason::malformedPayload,
                                    "not JSON, password=hunter2secret");
  Message headless = foreignMessage(R"({"authErrorId":1})");
  headless =
      messaging::withReason(headless, domain::DeadLetterReason::missingHeader, "no outboxId");
  enqueue({foreignMessage("hello"), malformed, headless,
           foreignMessage(std::string("\x00\xff\x01", 3)), eventMessage(ours)});
  start();
  ASSERT_TRUE(taken(5));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(database_.queryText("SELECT reason, source, body, body_encoding, outbox_id IS NULL "
                                  "FROM dead_letter ORDER BY reason, body"),
              ElementsAre(Row("foreign", "queue", "AP8B", "base64", true),
                          Row("foreign", "queue", "hello", "text", true),
                          Row("foreign", "queue", kNull, kNull, false),
                          Row("malformed_payload", "queue", "{", "text", true),
                          Row("missing_header", "queue", R"({"authErrorId":1})", "text", true)));
  EXPECT_EQ(
      database_.queryValue("SELECT error FROM dead_letter WHERE reason = 'malformed_payload'"),
      "not JSON, password=[redacted:password]");
  EXPECT_EQ(ledgerOf(ours), "DEAD");
}

TEST_F(DeadLetterIntakeTest, MarksTheEventDeadInOutboxAndLedger) {
  for (const std::optional<std::string>& ledger :
       {std::optional<std::string>(), std::optional<std::string>("PENDING"),
        std::optional<std::string>("RETRY_WAIT"), std::optional<std::string>("DEAD"),
        std::optional<std::string>("PROCESSING")}) {
    const PlantedEvent event = tests::plantEvent(
        database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = ledger, .leaseLeft = "-1 second"});
    enqueue({messaging::withReason(eventMessage(event), domain::DeadLetterReason::rejected, "no")});
  }
  start();
  ASSERT_TRUE(taken(5));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("status, source, reason, error, event_type, aggregate_id = "
                      "(payload ->> 'authErrorId')::bigint, retry_round"),
              ::testing::AllOf(::testing::SizeIs(5), Each(Row("OPEN", "queue", "rejected", "no",
                                                              kRecordedType, true, 0))));
  EXPECT_THAT(database_.queryText("SELECT DISTINCT status, lease_owner FROM processed_message"),
              ElementsAre(Row("DEAD", kNull)));
}

TEST_F(DeadLetterIntakeTest, ListsTheAttemptsOfTheRoundInUtc) {
  const PlantedEvent event = tests::plantEvent(database_, {.outboxStatus = "PUBLISHED"});
  database_.execute(std::format(
      "UPDATE outbox_message SET created_at = '2026-01-31T09:30:00Z' WHERE id = {0}; "
      "INSERT INTO delivery_attempt (outbox_id, retry_round, stage, attempt, error, instance, "
      "failed_at) VALUES ({0}, 0, 'publish', 1, 'nacked', 'a', '2026-01-31T09:30:00.5Z'), "
      "({0}, 0, 'consume', 1, 'failed', 'b', '2026-01-31T09:31:00Z'), "
      "({0}, 1, 'consume', 1, 'of another round', 'c', now()), "
      "({0}, 0, 'consume', 1, 'of another event', 'd', '2026-01-31T09:28:00Z')",
      event.outboxId));
  database_.execute(std::format("ALTER DATABASE {} SET timezone = 'Asia/Seoul'", database_.name()));
  enqueue({eventMessage(event)});
  start();
  ASSERT_TRUE(taken(1));
  EXPECT_THAT(
      database_.queryText("SELECT a ->> 'stage', a ->> 'at', a ->> 'error' FROM dead_letter, "
                          "jsonb_array_elements(attempts) a"),
      ElementsAre(Row("publish", "2026-01-31T09:30:00.500000Z", "nacked"),
                  Row("consume", "2026-01-31T09:31:00.000000Z", "failed")));
}

TEST_F(DeadLetterIntakeTest, IgnoresAnEventThatIsDoneOrBeingProcessed) {
  const PlantedEvent done =
      tests::plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = "DONE"});
  const PlantedEvent leased =
      tests::plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = "PROCESSING"});
  enqueue({eventMessage(done), eventMessage(leased)});
  start();
  ASSERT_TRUE(taken(2));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("id"), ElementsAre());
  EXPECT_EQ(ledgerOf(done), "DONE");
  EXPECT_EQ(ledgerOf(leased), "PROCESSING");
  EXPECT_EQ(metrics_.deadLetters[IntakeOutcome::stale].value(), 2);
}

// The consumer's copy arrives after its letter, and perhaps after an operator's retry.
TEST_F(DeadLetterIntakeTest, DoesNotBuryAnEventThatWasRetriedSince) {
  const PlantedEvent event =
      tests::plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = "PENDING"});
  database_.execute("UPDATE outbox_message SET retry_round = 1");
  enqueue({eventMessage(event, 0)});
  start();
  ASSERT_TRUE(taken(1));
  EXPECT_THAT(letters("id"), ElementsAre());
  EXPECT_EQ(ledgerOf(event), "PENDING");
  enqueue({eventMessage(event, 1)});
  ASSERT_TRUE(taken(2));
  EXPECT_THAT(letters("retry_round"), ElementsAre(Row(1)));
  EXPECT_EQ(ledgerOf(event), "DEAD");
}

TEST_F(DeadLetterIntakeTest, KeepsAnExistingLetter) {
  const PlantedEvent event =
      tests::plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = "DEAD"});
  const domain::DeadLetterId letter = tests::plantLetter(database_, event.outboxId);
  enqueue({eventMessage(event), eventMessage(event)});
  start();
  ASSERT_TRUE(taken(2));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("id, source"), ElementsAre(Row(letter, "consumer")));
}

TEST_F(DeadLetterIntakeTest, TrustsAMessageOnlyIfTheOutboxHasTheSameEvent) {
  const PlantedEvent event =
      tests::plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = "PENDING"});
  Message otherError =
      eventMessage({.authErrorId = domain::ErrorId(999), .outboxId = event.outboxId});
  Message otherEvent =
      eventMessage({.authErrorId = event.authErrorId, .outboxId = domain::OutboxId(999)});
  Message otherType = eventMessage(event);
  for (auto& [name, value] : otherType.headers) {
    if (name == domain::event_header::kEventType) {
      value = "auth.error.analysis.requested.v1";
    }
  }
  enqueue({otherError, otherEvent, otherType});
  start();
  ASSERT_TRUE(taken(3));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("outbox_id, digest IS NULL"),
              ::testing::AllOf(::testing::SizeIs(3), Each(Row(kNull, false))));
  EXPECT_EQ(ledgerOf(event), "PENDING");
}

// Ids and keys are assigned again after a restore, while copies from before it are still queued.
TEST_F(DeadLetterIntakeTest, DoesNotBuryTheNewOwnerOfAStaleCopysId) {
  const PlantedEvent event =
      tests::plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = "PENDING"});
  Message stale = eventMessage(event);
  stale.headers.emplace_back("eventId", std::string("22222222-2222-4222-8222-222222222222"));
  Message noUuid = eventMessage(event);
  noUuid.headers.emplace_back("eventId", std::string("none"));
  noUuid = messaging::withReason(noUuid, domain::DeadLetterReason::foreignEvent, "no UUID");
  Message otherKey = eventMessage(event);
  otherKey.messageId = "auth_error:planted:4711";
  stale = messaging::withReason(stale, domain::DeadLetterReason::rejected, "no");
  enqueue({stale, noUuid, otherKey});
  start();
  ASSERT_TRUE(taken(3));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("outbox_id, reason"),
              ::testing::AllOf(::testing::SizeIs(3), Each(Row(kNull, "foreign_event"))));
  EXPECT_EQ(ledgerOf(event), "PENDING");
}

TEST_F(DeadLetterIntakeTest, IdentifiesAnEventByItsIdAndReplacesAnotherEventsLedgerRow) {
  for (const char* ledger : {"DONE", "PROCESSING", "DEAD"}) {
    const PlantedEvent event =
        tests::plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = ledger});
    database_.execute(
        "UPDATE processed_message SET event_id = gen_random_uuid() WHERE event_id IS NULL");
    Message message = eventMessage(event);
    message.messageId = "whatever";
    message.headers.emplace_back(
        "eventId", database_.queryValue(std::format(
                       "SELECT event_id FROM outbox_message WHERE id = {}", event.outboxId)));
    enqueue({messaging::withReason(message, domain::DeadLetterReason::rejected, "no")});
  }
  start();
  ASSERT_TRUE(taken(3));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("reason, event_id IS NULL"),
              ::testing::AllOf(::testing::SizeIs(3), Each(Row("rejected", false))));
  EXPECT_THAT(database_.queryText("SELECT p.status, p.event_id = m.event_id FROM processed_message "
                                  "p JOIN outbox_message m ON m.id = p.outbox_id"),
              ::testing::AllOf(::testing::SizeIs(3), Each(Row("DEAD", true))));
}

TEST_F(DeadLetterIntakeTest, ParksMessagesOfOtherInstallations) {
  const PlantedEvent event = tests::plantEvent(database_, {.outboxStatus = "PUBLISHED"});
  Message theirs = eventMessage(event);
  theirs.headers.emplace_back("installationId", std::string("another"));
  Message theirText = foreignMessage("hello");
  theirText.headers.emplace_back("installationId", std::string("another"));
  Message ours = eventMessage(event);
  ours.headers.emplace_back("installationId", database_.queryValue("SELECT id FROM installation"));
  enqueue({theirs, ours, theirText});
  start();
  ASSERT_TRUE(taken(1));
  EXPECT_TRUE(
      tests::eventually([&] { return loop_.depth(publisher_, topology_.foreignQueue) == 2U; }));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("outbox_id"), ElementsAre(Row(event.outboxId)));
}

TEST_F(DeadLetterIntakeTest, DeduplicatesForeignMessagesByContent) {
  enqueue({foreignMessage("again"), foreignMessage("again")});
  start();
  ASSERT_TRUE(taken(2));
  enqueue({foreignMessage("again"), foreignMessage("another")});
  ASSERT_TRUE(taken(4));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(letters("body"), ElementsAre(Row("again"), Row("another")));
}

TEST_F(DeadLetterIntakeTest, StoresManyAtOnce) {
  std::vector<Message> messages;
  for (int i = 0; i < 1'000; ++i) {
    messages.push_back(foreignMessage(std::format("message {}", i)));
  }
  enqueue(std::move(messages));
  start();
  ASSERT_TRUE(taken(1'000));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM dead_letter"), "1000");
}

TEST_F(DeadLetterIntakeTest, LosesNothingDuringADatabaseOutage) {
  tests::PostgresServer server;
  databaseUrl_ = server.url();
  tests::prepareDatabase(databaseUrl_);
  enqueue({foreignMessage("one"), foreignMessage("two")});
  server.kill(SIGQUIT);
  start();
  // The messages are delivered, and so not ready for another consumer.
  EXPECT_TRUE(
      tests::eventually([&] { return loop_.depth(publisher_, topology_.deadLetterQueue) == 0U; }));
  stop();
  EXPECT_TRUE(
      tests::eventually([&] { return loop_.depth(publisher_, topology_.deadLetterQueue) == 2U; }));
  start();
  server.start();
  ASSERT_TRUE(taken(2));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_EQ(tests::PlainConnection(server.url()).queryValue("SELECT count(*) FROM dead_letter"),
            "2");
}

TEST_F(DeadLetterIntakeTest, RetriesUntilTheDatabaseAcceptsThem) {
  database_.execute("ALTER TABLE dead_letter RENAME TO hidden");
  enqueue({foreignMessage("one"), foreignMessage("two")});
  start();
  EXPECT_TRUE(tests::eventually([&] {
    return std::stoi(database_.queryValue(
               "SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()")) >
           2;
  }));
  database_.execute("ALTER TABLE hidden RENAME TO dead_letter");
  ASSERT_TRUE(taken(2));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM dead_letter"), "2");
}

// A message whose content cannot be stored must not affect its neighbours.
TEST_F(DeadLetterIntakeTest, StoresOnlyTheMetadataOfAMessageWhoseContentIsRefused) {
  database_.execute("ALTER TABLE dead_letter ADD CONSTRAINT no_poison CHECK (body <> 'poison')");
  enqueue({foreignMessage("good"), foreignMessage("poison"), foreignMessage("fine")});
  start();
  EXPECT_TRUE(tests::eventually(
      [&] { return database_.queryValue("SELECT count(*) FROM dead_letter") == "3"; }));
  EXPECT_TRUE(queueIsEmpty());
  EXPECT_THAT(database_.queryText("SELECT coalesce(body, error) FROM dead_letter ORDER BY 1"),
              ElementsAre(Row("fine"), Row("good"), Row("its content could not be stored")));
}

}  // namespace
}  // namespace auth_errors::consumer
