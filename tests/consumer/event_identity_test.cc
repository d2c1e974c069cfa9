// The identity of an event when ids and keys are reused, messages are foreign, and versions are
// mixed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <format>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/event_consumer_fixture.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::consumer {
namespace {

using tests::eventually;
using tests::kNull;
using tests::plantError;
using tests::Row;

constexpr std::string_view kEvent = "11111111-1111-4111-8111-111111111111";
constexpr std::string_view kOther = "22222222-2222-4222-8222-222222222222";
constexpr std::int64_t kNoRow = 1'000'000;

// A message's claims, the outbox row under its id, and the outcome for each ledger row that may
// exist, all of them DONE: none, the event's, another event's, one of an older version that is
// newer than the event, and an older one. H: handled, R: repeated, F: foreign.
struct IdentityCase {
  std::string_view message;
  std::string_view outbox;
  std::string_view outcomes;
};

// The table of docs/delivery.md.
constexpr std::array<IdentityCase, 12> kIdentityCases = {{
    {.message = "the event's id", .outbox = "with id", .outcomes = "HRHRH"},
    {.message = "the event's id", .outbox = "without id", .outcomes = "FFFFF"},
    {.message = "the event's id", .outbox = "no row", .outcomes = "FRFFF"},
    {.message = "another id", .outbox = "with id", .outcomes = "FFFFF"},
    {.message = "another id", .outbox = "without id", .outcomes = "FFFFF"},
    {.message = "another id", .outbox = "no row", .outcomes = "FFRFF"},
    {.message = "no id, the key", .outbox = "with id", .outcomes = "HRHRH"},
    {.message = "no id, the key", .outbox = "without id", .outcomes = "HHHRH"},
    {.message = "no id, the key", .outbox = "no row", .outcomes = "FFFFF"},
    {.message = "no id, another key", .outbox = "with id", .outcomes = "FFFFF"},
    {.message = "no id, another key", .outbox = "without id", .outcomes = "FFFFF"},
    {.message = "no id, another key", .outbox = "no row", .outcomes = "FFFFF"},
}};
constexpr std::array<std::string_view, 5> kLedgerRows = {"none", "the event's", "another's",
                                                         "unmarked, younger", "unmarked, older"};

struct PlantedCase {
  std::string name;
  std::string_view outbox;
  std::size_t ledgerRow = 0;
  char outcome = 'H';
  domain::ErrorId authErrorId;
  domain::OutboxId outboxId;
};

class EventIdentityTest : public EventConsumerTest {
 protected:
  domain::OutboxId plantWith(domain::ErrorId authErrorId, std::string_view eventId) {
    return database_.queryId<domain::OutboxId>(std::format(
        "INSERT INTO outbox_message (event_id, aggregate_type, aggregate_id, event_type, "
        "idempotency_key, payload, status, retry_count, created_at, published_at) VALUES ({0}, "
        "'auth_error', {1}, 'auth.error.recorded.v1', 'auth_error:recorded:{1}', "
        "jsonb_build_object('authErrorId', {1}), 'PUBLISHED', 0, now(), now()) RETURNING id",
        eventId.empty() ? "NULL" : std::format("'{}'", eventId), authErrorId));
  }
  void plantLedger(domain::OutboxId outboxId, const std::string& status, std::string_view eventId,
                   const std::string& createdAt = "now()") {
    database_.execute(std::format(
        "INSERT INTO processed_message (outbox_id, event_id, status, retry_count, created_at, "
        "updated_at) VALUES ({}, {}, '{}', 3, {}, now())",
        outboxId, eventId.empty() ? "NULL" : std::format("'{}'", eventId), status, createdAt));
  }
  static messaging::Message withEventId(messaging::Message message, std::string_view eventId) {
    message.headers.emplace_back("eventId", std::string(eventId));
    return message;
  }
  messaging::Message messageFor(const IdentityCase& identity, const PlantedCase& planted) {
    messaging::Message message = messageOf(planted.outboxId, planted.authErrorId);
    if (identity.message == "the event's id") {
      return withEventId(std::move(message), kEvent);
    }
    if (identity.message == "another id") {
      return withEventId(std::move(message), kOther);
    }
    if (identity.message == "no id, another key") {
      message.messageId += "0";
    }
    return message;
  }
  PlantedCase plantCase(const IdentityCase& identity, std::size_t ledgerRow) {
    PlantedCase planted{.name = std::format("message: {}; outbox: {}; ledger: {}", identity.message,
                                            identity.outbox, kLedgerRows.at(ledgerRow)),
                        .outbox = identity.outbox,
                        .ledgerRow = ledgerRow,
                        .outcome = identity.outcomes.at(ledgerRow),
                        .authErrorId = plantError(database_),
                        .outboxId = {}};
    planted.outboxId =
        identity.outbox == "no row"
            ? domain::OutboxId(kNoRow + planted.authErrorId.value())
            : plantWith(planted.authErrorId, identity.outbox == "with id" ? kEvent : "");
    if (ledgerRow > 0) {
      constexpr std::array<std::string_view, 5> kIds = {"", kEvent, kOther, "", ""};
      plantLedger(planted.outboxId, "DONE", kIds.at(ledgerRow),
                  ledgerRow == 4 ? "now() - interval '1 day'" : "now()");
    }
    return planted;
  }
  // The reasons of all messages in the dead-letter queue, after waiting for `count` of them.
  std::vector<std::string> deadReasons(std::size_t count) {
    tests::Inbox inbox;
    auto options = subscriberOptions(inbox);
    options.queue = topology_.deadLetterQueue;
    auto& subscriber = connectSubscriber(std::move(options));
    inbox.waitFor(count);
    finish(subscriber);
    std::vector<std::string> reasons;
    for (const messaging::Delivery& delivery : inbox.all()) {
      reasons.push_back(delivery.message.text("deadLetterReason").value_or("none"));
    }
    return reasons;
  }
  double counted(ConsumeOutcome outcome) { return metrics_.messages[outcome].value(); }
};

TEST_F(EventIdentityTest, EveryCombinationIsHandledRepeatedOrForeign) {
  std::vector<PlantedCase> cases;
  std::vector<messaging::Message> messages;
  for (const IdentityCase& identity : kIdentityCases) {
    for (std::size_t ledgerRow = 0; ledgerRow < kLedgerRows.size(); ++ledgerRow) {
      cases.push_back(plantCase(identity, ledgerRow));
      messages.push_back(messageFor(identity, cases.back()));
    }
  }
  const auto ledgerOf = [this](const PlantedCase& planted) {
    return database_.queryText(
        std::format("SELECT status, event_id, retry_count FROM processed_message WHERE "
                    "outbox_id = {}",
                    planted.outboxId));
  };
  std::vector<std::vector<tests::TextRow>> ledgerBefore;
  std::ranges::transform(cases, std::back_inserter(ledgerBefore), ledgerOf);

  startScripted(always({}));
  deliver(std::move(messages));
  const auto expected = [&](char outcome) {
    return static_cast<double>(std::ranges::count(cases, outcome, &PlantedCase::outcome));
  };
  EXPECT_TRUE(eventually([&] {
    return counted(ConsumeOutcome::done) + counted(ConsumeOutcome::repeated) +
               counted(ConsumeOutcome::foreign) ==
           static_cast<double>(cases.size());
  }));
  EXPECT_EQ(counted(ConsumeOutcome::done), expected('H'));
  EXPECT_EQ(counted(ConsumeOutcome::repeated), expected('R'));
  EXPECT_EQ(counted(ConsumeOutcome::foreign), expected('F'));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const PlantedCase& planted = cases[i];
    EXPECT_EQ(effectsOf(planted.outboxId), planted.outcome == 'H' ? 1 : 0) << planted.name;
    if (planted.outcome == 'H') {
      EXPECT_EQ(ledger(planted.outboxId, "status"), "DONE") << planted.name;
      EXPECT_EQ(ledger(planted.outboxId, "event_id"),
                planted.outbox == "with id" ? std::string(kEvent) : "null")
          << planted.name;
      EXPECT_EQ(ledger(planted.outboxId, "retry_count"), "0") << planted.name;
    } else {
      EXPECT_EQ(ledgerOf(planted), ledgerBefore[i]) << planted.name;
    }
  }
  EXPECT_TRUE(queuesAreEmpty());
  const auto foreign = static_cast<std::size_t>(expected('F'));
  EXPECT_THAT(deadReasons(foreign),
              testing::AllOf(testing::SizeIs(foreign), testing::Each("foreign_event")));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM dead_letter"), "0")
      << "only the intake writes letters";
}

TEST_F(EventIdentityTest, AForeignMessageNeverBlocksTheEventThatGetsItsIdLater) {
  startScripted(always({}));
  const domain::ErrorId error = plantError(database_);
  const auto next =
      database_.queryId<domain::OutboxId>("SELECT last_value FROM outbox_message_id_seq").value();
  std::vector<messaging::Message> messages;
  for (std::int64_t number = next; number <= next + 30; ++number) {
    const domain::OutboxId id(number);
    messages.push_back(withEventId(messageOf(id, error), kOther));
    messages.push_back(messageOf(id, error));
  }
  deliver(std::move(messages));
  ASSERT_TRUE(eventually([&] { return counted(ConsumeOutcome::foreign) == 62; }));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM processed_message"), "0");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM effect"), "0");
  for (int i = 0; i < 30; ++i) {
    const Planted planted = plantAndDeliver();
    ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DONE"));
    EXPECT_EQ(effectsOf(planted.outboxId), 1);
  }
}

TEST_F(EventIdentityTest, AForeignMessageDoesNotAffectTheEventInItsBatch) {
  const domain::ErrorId error = plantError(database_);
  const domain::OutboxId outboxId = plantWith(error, kEvent);
  messaging::Message otherError =
      withEventId(messageOf(outboxId, domain::ErrorId(error.value() + 7)), kEvent);
  messaging::Message otherType =
      withEventId(messageOf(outboxId, error, "analysis_requested"), kEvent);
  messaging::Message noUuid = withEventId(messageOf(outboxId, error), "' OR true --");
  messaging::Message noText = messageOf(outboxId, error);
  noText.messageId = "\xff\xfe";
  deliver({withEventId(messageOf(outboxId, error), kOther), std::move(otherError),
           std::move(otherType), std::move(noUuid), std::move(noText),
           withEventId(messageOf(outboxId, error), kEvent), messageOf(outboxId, error)});
  startScripted(always({}));
  ASSERT_TRUE(ledgerBecomes(outboxId, "DONE"));
  ASSERT_TRUE(eventually([&] { return counted(ConsumeOutcome::foreign) == 5; }));
  EXPECT_TRUE(queuesAreEmpty());
  EXPECT_EQ(effectsOf(outboxId), 1);
}

// The ledger row of a deleted event, in every state that it may be in.
TEST_F(EventIdentityTest, AStaleLedgerRowOfAnyStateBlocksNoEvent) {
  startScripted(always({}));
  for (const char* status : {"PENDING", "PROCESSING", "RETRY_WAIT", "DONE", "DEAD"}) {
    const domain::OutboxId outboxId = plantWith(plantError(database_), kEvent);
    plantLedger(outboxId, "PENDING", kOther);
    database_.execute(std::format(
        "UPDATE processed_message SET status = '{0}', lease_expired_at = now(), "
        "next_retry_at = CASE WHEN '{0}' = 'RETRY_WAIT' THEN now() + interval '1 day' END, "
        "lease_owner = CASE WHEN '{0}' = 'PROCESSING' THEN 'gone/1' END, "
        "lease_until = CASE WHEN '{0}' = 'PROCESSING' THEN now() + interval '1 day' END "
        "WHERE outbox_id = {1}",
        status, outboxId));
    const auto error = database_.queryId<domain::ErrorId>(
        std::format("SELECT aggregate_id FROM outbox_message WHERE id = {}", outboxId));
    deliver({withEventId(messageOf(outboxId, error), kEvent)});
    EXPECT_TRUE(ledgerBecomes(outboxId, "DONE")) << status;
    EXPECT_TRUE(eventually([&] { return effectsOf(outboxId) == 1; })) << status;
    EXPECT_THAT(database_.queryRow(std::format(
                    "SELECT event_id, retry_count, next_retry_at, lease_expired_at, completed_by "
                    "FROM processed_message WHERE outbox_id = {}",
                    outboxId)),
                Row(kEvent, 0, kNull, kNull, "test"))
        << status;
  }
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM delivery_attempt"), "0");
}

// The previous version leases and completes without setting the event's id.
TEST_F(EventIdentityTest, ARowOfThePreviousVersionIsAdoptedWithItsCount) {
  startScripted(always({}));
  const domain::ErrorId error = plantError(database_);
  const domain::OutboxId outboxId = plantWith(error, kEvent);
  plantLedger(outboxId, "PENDING", "");
  deliver({messageOf(outboxId, error)});
  ASSERT_TRUE(ledgerBecomes(outboxId, "DONE"));
  EXPECT_EQ(ledger(outboxId, "event_id"), kEvent);
  EXPECT_EQ(ledger(outboxId, "retry_count"), "3");
}

TEST_F(EventIdentityTest, AMessageOfAnotherInstallationIsOnlyParked) {
  startScripted(always({}));
  const domain::ErrorId error = plantError(database_);
  const domain::OutboxId outboxId = plantWith(error, kEvent);
  const auto from = [](messaging::Message message, messaging::HeaderValue installation) {
    message.headers.emplace_back("installationId", std::move(installation));
    return message;
  };
  // Even a message that resembles our event, and one that this version cannot read.
  messaging::Message unreadable = messageOf(outboxId, error);
  unreadable.body = "{";
  deliver({from(messageOf(outboxId, error), std::string(kOther)),
           from(withEventId(messageOf(outboxId, error), kEvent), std::string(kOther)),
           from(messageOf(outboxId, error), std::string("\xff")),
           from(messageOf(domain::OutboxId(outboxId.value() + 1), error), true),
           from(unreadable, std::string(kOther))});
  ASSERT_TRUE(eventually([&] { return loop_.depth(*publisher_, topology_.foreignQueue) == 5U; }));
  EXPECT_EQ(counted(ConsumeOutcome::parked), 5);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM processed_message"), "0");
  EXPECT_EQ(loop_.depth(*publisher_, topology_.deadLetterQueue), 0U);
  // Events of this installation are processed.
  const std::string ours = database_.queryValue("SELECT id FROM installation");
  deliver({from(withEventId(messageOf(outboxId, error), kEvent), ours)});
  ASSERT_TRUE(ledgerBecomes(outboxId, "DONE"));
  EXPECT_EQ(effectsOf(outboxId), 1);
  deliver({from(unreadable, ours)});
  EXPECT_THAT(deadReasons(1), testing::ElementsAre("malformed_payload"));
}

TEST_F(EventIdentityTest, AnEventOfADeletedErrorBecomesOneLetter) {
  startScripted(always({}));
  const Planted planted = plant();
  database_.execute(std::format("DELETE FROM auth_error WHERE id = {}", planted.authErrorId));
  deliver({messageOf(planted.outboxId, planted.authErrorId)});
  ASSERT_TRUE(ledgerBecomes(planted.outboxId, "DEAD"));
  EXPECT_THAT(database_.queryRow("SELECT reason, outbox_id FROM dead_letter"),
              Row("unknown_auth_error", planted.outboxId));
  EXPECT_THAT(deadReasons(1), testing::ElementsAre("unknown_auth_error"));
}

}  // namespace
}  // namespace auth_errors::consumer
