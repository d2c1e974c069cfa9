// POST /api/auth-errors/{id}/redeliver and the list of stuck errors, against the real service and a
// real PostgreSQL.
#include <format>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/planted_events.h"
#include "tests/support/row_matchers.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RedeliveryApi : public ApiTest {
 protected:
  HttpResponse redeliver(domain::ErrorId authErrorId, std::string_view key = kOperatorKey) {
    return send("POST", std::format("/api/auth-errors/{}/redeliver", authErrorId), bearer(key));
  }
  TextRow outboxOf(domain::OutboxId outboxId) {
    return database_.queryRow(std::format(
        "SELECT status, retry_count, retry_round, next_retry_at, processing_owner, published_at "
        "FROM outbox_message WHERE id = {}",
        outboxId));
  }
  std::vector<TextRow> ledgerOf(domain::OutboxId outboxId) {
    return database_.queryText(
        std::format("SELECT p.status, p.retry_count, p.next_retry_at, p.lease_owner, "
                    "p.completed_by, p.event_id = m.event_id FROM processed_message p JOIN "
                    "outbox_message m ON m.id = p.outbox_id WHERE outbox_id = {}",
                    outboxId));
  }
  std::vector<domain::ErrorId> listed(const std::string& query) {
    const HttpResponse response = get("/api/auth-errors?" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    std::vector<domain::ErrorId> ids;
    for (const Json::Value& item : parseJson(response.body)["items"]) {
      ids.push_back(idFrom<domain::ErrorId>(item["authErrorId"]));
    }
    return ids;
  }
};

TEST_F(RedeliveryApi, RepublishesAnEventFromEveryState) {
  for (const char* error : {"NEW", "RETRY", "ANALYSIS_REQUESTED"}) {
    for (const char* outbox : {"PENDING", "PROCESSING", "PUBLISHED", "DEAD"}) {
      for (const std::optional<std::string>& ledger :
           {std::optional<std::string>(), std::optional<std::string>("PENDING"),
            std::optional<std::string>("PROCESSING"), std::optional<std::string>("RETRY_WAIT"),
            std::optional<std::string>("DONE"), std::optional<std::string>("DEAD")}) {
        const std::string name =
            std::format("{}, {}, {}", error, outbox, ledger.value_or("no ledger row"));
        const PlantedEvent event = plantEvent(database_, {.errorStatus = error,
                                                          .outboxStatus = outbox,
                                                          .ledgerStatus = ledger,
                                                          .leaseLeft = "-1 second"});
        const HttpResponse response = redeliver(event.authErrorId);
        ASSERT_EQ(response.status, 200) << name << response.body;
        EXPECT_EQ(idFrom<domain::OutboxId>(parseJson(response.body)["outboxId"]), event.outboxId);
        EXPECT_EQ(parseJson(response.body)["retryRound"].asInt(), 1);
        EXPECT_THAT(outboxOf(event.outboxId), Row("PENDING", 0, 1, kNull, kNull, kNull)) << name;
        if (ledger) {
          EXPECT_THAT(ledgerOf(event.outboxId),
                      ElementsAre(Row("PENDING", 0, kNull, kNull, kNull, true)))
              << name;
        } else {
          EXPECT_THAT(ledgerOf(event.outboxId), IsEmpty()) << name;
        }
      }
    }
  }
}

TEST_F(RedeliveryApi, RefusesAnEventThatIsBeingProcessed) {
  const PlantedEvent event =
      plantEvent(database_, {.outboxStatus = "PUBLISHED", .ledgerStatus = "PROCESSING"});
  const TextRow before = outboxOf(event.outboxId);
  const HttpResponse response = redeliver(event.authErrorId);
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(parseJson(response.body)["code"].asString(), "conflict");
  EXPECT_EQ(outboxOf(event.outboxId), before);
}

TEST_F(RedeliveryApi, IsRefusedAfterAnalysisOrInATerminalState) {
  for (const char* status : {"ANALYSIS_COMPLETED", "PROCESSED", "FAILED", "RESOLVED", "IGNORED"}) {
    const PlantedEvent event = plantEvent(database_, {.errorStatus = status});
    const HttpResponse response = redeliver(event.authErrorId);
    EXPECT_EQ(response.status, 409) << status;
    EXPECT_EQ(parseJson(response.body)["currentStatus"].asString(), status);
    EXPECT_EQ(outboxOf(event.outboxId).cells.front(), "DEAD");
  }
}

TEST_F(RedeliveryApi, RedeliversTheNewestEventAndClosesItsOpenLetters) {
  const PlantedEvent older = plantEvent(database_, {.outboxStatus = "PUBLISHED"});
  const auto newest = database_.queryId<domain::OutboxId>(std::format(
      "INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key, "
      "payload, status, retry_count, created_at) VALUES ('auth_error', {0}, "
      "'auth.error.analysis.requested.v1', 'auth_error:analysis_requested:{0}', "
      "'{{\"authErrorId\":{0}}}', 'DEAD', 6, now()) RETURNING id",
      older.authErrorId));
  const domain::DeadLetterId letter = plantLetter(database_, newest);
  const domain::DeadLetterId other = plantLetter(database_, older.outboxId);
  const Json::Value body = parseJson(redeliver(older.authErrorId).body);
  EXPECT_EQ(idFrom<domain::OutboxId>(body["outboxId"]), newest);
  EXPECT_EQ(body["eventType"].asString(), "auth.error.analysis.requested.v1");
  ASSERT_EQ(body["retriedDeadLetters"].size(), 1U);
  EXPECT_EQ(idFrom<domain::DeadLetterId>(body["retriedDeadLetters"][0]), letter);
  EXPECT_THAT(database_.queryText("SELECT id, status, closed_by FROM dead_letter ORDER BY id"),
              ElementsAre(Row(letter, "RETRIED", "test-operator"), Row(other, "OPEN", kNull)));
  EXPECT_EQ(outboxOf(older.outboxId).cells.front(), "PUBLISHED");
}

TEST_F(RedeliveryApi, RequiresTheOperatorRoleAndAnExistingError) {
  const PlantedEvent event = plantEvent(database_);
  EXPECT_EQ(redeliver(event.authErrorId, kViewerKey).status, 403);
  EXPECT_EQ(redeliver(event.authErrorId, kIngestKey).status, 403);
  EXPECT_EQ(redeliver(domain::ErrorId(999)).status, 404);
  EXPECT_EQ(send("POST", "/api/auth-errors/x/redeliver", bearer(kOperatorKey)).status, 404);
  database_.execute("DELETE FROM outbox_message");
  EXPECT_EQ(redeliver(event.authErrorId).status, 409);
}

TEST_F(RedeliveryApi, ListsStuckErrorsWhateverTheCause) {
  std::vector<domain::ErrorId> ids;
  for (const char* status :
       {"NEW", "RETRY", "ANALYSIS_REQUESTED", "ANALYSIS_COMPLETED", "PROCESSED", "NEW"}) {
    ids.push_back(plantEvent(database_, {.errorStatus = status}).authErrorId);
  }
  database_.execute(
      std::format("UPDATE auth_error SET status_changed_at = now() - interval '61 minutes' WHERE "
                  "id <> {}",
                  ids.back()));
  EXPECT_THAT(listed("stuck=true"), ElementsAre(ids[2], ids[1], ids[0]));
  EXPECT_THAT(listed("stuck=false"), ElementsAre(ids[5], ids[4], ids[3]));
  EXPECT_THAT(listed("stuck=true&status=RETRY"), ElementsAre(ids[1]));
  EXPECT_EQ(get("/api/auth-errors?stuck=maybe").status, 400);
}

}  // namespace
}  // namespace auth_errors::tests
