// The journey of an error, as GET /api/auth-errors/{id} derives it from the stored rows.
#include <format>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/error_body.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;

class JourneyApi : public ApiTest {
 protected:
  Json::Value show(domain::ErrorId id) {
    const HttpResponse response = get(std::format("/api/auth-errors/{}", id));
    EXPECT_EQ(response.status, 200) << response.body;
    return parseJson(response.body);
  }
  // One line per step with its members in a fixed order.
  static std::vector<std::string> linesOf(const Json::Value& error) {
    std::vector<std::string> lines;
    for (const Json::Value& step : error["journey"]) {
      std::string line = step["at"].asString().substr(17, 2) + " " + step["step"].asString();
      for (const char* name :
           {"by", "event", "attempt", "error", "cause", "from", "to", "type", "note"}) {
        if (step.isMember(name)) {
          line += std::format(" {}={}", name, step[name].asString());
        }
      }
      lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(JourneyApi, BeginsWithTheErrorAndItsFirstEvent) {
  const std::string traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  Headers headers = withType(bearer(kIngestKey), kJsonType);
  headers.emplace_back("traceparent", traceparent);
  ASSERT_EQ(
      send("POST", "/api/auth-errors", headers, ErrorBody{.requestId = "traced"}.json()).status,
      201);
  const Json::Value error = show(domain::ErrorId(1));
  EXPECT_EQ(error["traceparent"].asString(), traceparent);
  ASSERT_EQ(error["journey"].size(), 3U);
  const std::string instance = error["journey"][0]["by"].asString();
  EXPECT_NE(instance, "");
  for (const Json::Value& step : error["journey"]) {
    EXPECT_EQ(step["at"].asString(), error["receivedAt"].asString());
    EXPECT_EQ(step["by"].asString(), instance);
  }
  EXPECT_EQ(error["journey"][0]["step"].asString(), "received");
  EXPECT_EQ(error["journey"][1]["step"].asString(), "stored");
  EXPECT_EQ(error["journey"][2]["step"].asString(), "enqueued");
  EXPECT_EQ(error["journey"][2]["event"].asString(), "auth.error.recorded.v1");
  EXPECT_THAT(error["journey"][2].getMemberNames(), ElementsAre("at", "by", "event", "step"));
}

TEST_F(JourneyApi, OmitsEventsThatWereDeleted) {
  const Json::Value error = show(plantError(database_));
  EXPECT_TRUE(error["traceparent"].isNull());
  ASSERT_EQ(error["journey"].size(), 2U);
}

TEST_F(JourneyApi, ListsStepsByTimeAndCausesBeforeEffects) {
  const domain::ErrorId id = plantError(database_, "PROCESSED");
  const domain::OutboxId recorded = plantEvent(database_, id, "recorded");
  const domain::OutboxId analysis = plantEvent(database_, id, "analysis_requested");
  const domain::ErrorId other = plantError(database_);
  const domain::OutboxId otherEvent = plantEvent(database_, other, "recorded");
  const auto at = [](int second) { return std::format("'2026-01-31T10:00:{:02}Z'", second); };
  database_.execute(std::format(
      "UPDATE auth_error SET received_at = {}, received_by = 'door' WHERE id = {}", at(0), id));
  for (const auto& [outboxId, created, published] :
       {std::tuple{recorded, 0, 2}, std::tuple{analysis, 6, 7}, std::tuple{otherEvent, 0, 1}}) {
    database_.execute(
        std::format("UPDATE outbox_message SET created_at = {0}, claimed_at = {1}, "
                    "published_at = {1}, published_by = 'relay' WHERE id = {2}",
                    at(created), at(published), outboxId));
    database_.execute(
        std::format("INSERT INTO processed_message (outbox_id, status, retry_count, created_at, "
                    "updated_at, completed_by) VALUES ({}, 'DONE', 0, now(), {}, 'worker')",
                    outboxId, at(outboxId == recorded ? 6 : 8)));
  }
  for (const auto& [outboxId, stage, second] :
       {std::tuple{recorded, "publish", 1}, std::tuple{recorded, "consume", 3},
        std::tuple{otherEvent, "consume", 3}}) {
    database_.execute(std::format(
        "INSERT INTO delivery_attempt (outbox_id, retry_round, stage, attempt, error, instance, "
        "failed_at) VALUES ({}, 0, '{}', 1, 'it failed', 'worker', {})",
        outboxId, stage, at(second)));
  }
  database_.execute(std::format(
      "INSERT INTO dead_letter (status, source, reason, error, outbox_id, retry_round, event_type, "
      "aggregate_type, aggregate_id, attempts, created_at, closed_at, closed_by) VALUES "
      "('RETRIED', 'consumer', 'retries_exhausted', 'it failed', {0}, 0, 'auth.error.recorded.v1', "
      "'auth_error', {1}, '[]', {2}, {3}, 'ann')",
      recorded, id, at(3), at(4)));
  for (const auto& [from, to, cause, second] :
       {std::tuple{"NEW", "ANALYSIS_REQUESTED", "analysis_requested", 6},
        std::tuple{"ANALYSIS_REQUESTED", "ANALYSIS_COMPLETED", "analysis_completed", 8},
        std::tuple{"ANALYSIS_COMPLETED", "PROCESSED", "decision_process", 9}}) {
    database_.execute(std::format(
        "INSERT INTO auth_error_transition (auth_error_id, from_status, to_status, cause, "
        "changed_by, changed_at) VALUES ({}, '{}', '{}', '{}', 'someone', {})",
        id, from, to, cause, at(second)));
  }
  database_.execute(
      std::format("INSERT INTO decision (auth_error_id, type, note, decided_by, decided_at) VALUES "
                  "({}, 'PROCESS', 'seen', 'bob', {})",
                  id, at(9)));

  EXPECT_THAT(
      linesOf(show(id)),
      ElementsAre(
          "00 received by=door", "00 stored by=door",
          "00 enqueued by=door event=auth.error.recorded.v1",
          "01 publish_failed by=worker event=auth.error.recorded.v1 attempt=1 error=it failed",
          "02 claimed by=relay event=auth.error.recorded.v1",
          "02 published by=relay event=auth.error.recorded.v1",
          "03 consume_failed by=worker event=auth.error.recorded.v1 attempt=1 error=it failed",
          "03 dead_lettered event=auth.error.recorded.v1 error=it failed cause=retries_exhausted",
          "04 dead_letter_closed by=ann event=auth.error.recorded.v1 to=RETRIED",
          "06 consumed by=worker event=auth.error.recorded.v1",
          "06 status_changed by=someone cause=analysis_requested from=NEW to=ANALYSIS_REQUESTED",
          "06 enqueued by=someone event=auth.error.analysis.requested.v1",
          "07 claimed by=relay event=auth.error.analysis.requested.v1",
          "07 published by=relay event=auth.error.analysis.requested.v1",
          "08 consumed by=worker event=auth.error.analysis.requested.v1", "08 analysed by=someone",
          "08 status_changed by=someone cause=analysis_completed from=ANALYSIS_REQUESTED "
          "to=ANALYSIS_COMPLETED",
          "09 decided by=bob type=PROCESS note=seen",
          "09 status_changed by=someone cause=decision_process from=ANALYSIS_COMPLETED "
          "to=PROCESSED"));
}

TEST_F(JourneyApi, NamesTheJobThatDecidedOnTheCluster) {
  const domain::ErrorId id = plantError(database_, "PROCESSED");
  database_.execute(std::format(
      "INSERT INTO decision (auth_error_id, type, decided_by, decided_at, job_id) VALUES "
      "({0}, 'RETRY', 'ann', now() + interval '1 s', NULL), "
      "({0}, 'PROCESS', 'bob', now() + interval '2 s', 17)",
      id));
  const Json::Value journey = show(id)["journey"];
  ASSERT_EQ(journey.size(), 4U);
  EXPECT_THAT(journey[2].getMemberNames(), ElementsAre("at", "by", "step", "type"));
  EXPECT_EQ(journey[3]["by"].asString(), "bob");
  EXPECT_EQ(journey[3]["jobId"].asInt64(), 17);
}

TEST_F(JourneyApi, NamesTheOwnerOfAClaimedEvent) {
  const domain::ErrorId id = plantError(database_);
  const domain::OutboxId event = plantEvent(database_, id, "recorded");
  database_.execute(
      std::format("UPDATE outbox_message SET status = 'PROCESSING', published_at = NULL, "
                  "processing_owner = 'host-1/a/17', processing_started_at = now() "
                  "WHERE id = {}",
                  event));
  const Json::Value step = show(id)["journey"][3];
  EXPECT_EQ(step["step"].asString(), "claimed");
  EXPECT_EQ(step["by"].asString(), "host-1/a");
}

TEST_F(JourneyApi, IsShownForASingleErrorButNotInLists) {
  plantError(database_);
  EXPECT_FALSE(parseJson(get("/api/auth-errors").body)["items"][0].isMember("journey"));
  EXPECT_FALSE(parseJson(get("/api/auth-errors/export").body).isMember("journey"));
}

TEST_F(JourneyApi, AnswersWith503WhenItCannotBeRead) {
  const domain::ErrorId id = plantError(database_);
  database_.execute("ALTER TABLE decision RENAME TO hidden");
  const HttpResponse response = get(std::format("/api/auth-errors/{}", id));
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(parseJson(response.body)["code"].asString(), "database_unavailable");
}

}  // namespace
}  // namespace auth_errors::tests
