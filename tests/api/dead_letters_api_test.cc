// /api/dead-letters over HTTP, against the real service and a real PostgreSQL.
#include <algorithm>
#include <format>
#include <future>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/planted_events.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kLetters = "/api/dead-letters";

class DeadLettersApi : public ApiTest {
 protected:
  static std::string path(domain::DeadLetterId id, std::string_view action = {}) {
    return std::format("{}/{}{}", kLetters, id, action);
  }
  HttpResponse retry(domain::DeadLetterId id, std::string_view key = kOperatorKey) {
    return send("POST", path(id, "/retry"), bearer(key));
  }
  HttpResponse resolve(domain::DeadLetterId id, std::string_view body,
                       std::string_view key = kOperatorKey) {
    return post(path(id, "/resolve"), body, key);
  }
  domain::DeadLetterId plantedLetter(const EventToPlant& event = {}) {
    planted_ = plantEvent(database_, event);
    return plantLetter(database_, planted_.outboxId);
  }
  std::vector<domain::DeadLetterId> idsOf(std::string_view query) {
    const HttpResponse response = get(std::string(kLetters) + std::string(query));
    EXPECT_EQ(response.status, 200) << query << response.body;
    std::vector<domain::DeadLetterId> ids;
    for (const Json::Value& item : parseJson(response.body)["items"]) {
      ids.push_back(idFrom<domain::DeadLetterId>(item["id"]));
    }
    return ids;
  }

  PlantedEvent planted_;
};

TEST_F(DeadLettersApi, ShowsALetterWithItsEventAndEveryAttempt) {
  const domain::DeadLetterId letter = plantedLetter();
  const Json::Value body = parseJson(get(path(letter)).body);
  EXPECT_EQ(idFrom<domain::DeadLetterId>(body["id"]), letter);
  EXPECT_EQ(body["status"].asString(), "OPEN");
  EXPECT_EQ(body["source"].asString(), "consumer");
  EXPECT_EQ(body["reason"].asString(), "retries_exhausted");
  EXPECT_EQ(body["error"].asString(), "it failed");
  EXPECT_EQ(idFrom<domain::OutboxId>(body["outboxId"]), planted_.outboxId);
  EXPECT_EQ(body["retryRound"].asInt(), 0);
  EXPECT_EQ(body["eventType"].asString(), "auth.error.recorded.v1");
  EXPECT_EQ(body["aggregateType"].asString(), "auth_error");
  EXPECT_EQ(idFrom<domain::ErrorId>(body["authErrorId"]), planted_.authErrorId);
  EXPECT_EQ(idFrom<domain::ErrorId>(body["payload"]["authErrorId"]), planted_.authErrorId);
  ASSERT_EQ(body["attempts"].size(), 1U);
  EXPECT_EQ(body["attempts"][0]["attempt"].asInt(), 6);
  EXPECT_FALSE(body["attempts"][0]["at"].asString().empty());
  EXPECT_EQ(body["attemptCount"].asInt(), 1);
  EXPECT_TRUE(body["closedAt"].isNull());
  EXPECT_TRUE(body["body"].isNull());
}

TEST_F(DeadLettersApi, ShowsAForeignMessageWithItsBodyAndHeaders) {
  const domain::DeadLetterId letter = plantForeignLetter(database_, "what is this?");
  const Json::Value body = parseJson(get(path(letter)).body);
  EXPECT_EQ(body["body"].asString(), "what is this?");
  EXPECT_EQ(body["bodyEncoding"].asString(), "text");
  EXPECT_EQ(body["headers"]["a"].asString(), "b");
  EXPECT_TRUE(body["outboxId"].isNull());
  EXPECT_TRUE(body["payload"].isNull());
}

TEST_F(DeadLettersApi, ListsNewestFirstInPages) {
  std::vector<domain::DeadLetterId> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(plantedLetter());
  }
  std::ranges::reverse(all);
  EXPECT_EQ(idsOf(""), all);
  std::vector<domain::DeadLetterId> paged;
  std::string query = "?limit=2";
  while (!query.empty()) {
    const Json::Value page = parseJson(get(std::string(kLetters) + query).body);
    EXPECT_FALSE(page["items"][0].isMember("payload"));
    for (const Json::Value& item : page["items"]) {
      paged.push_back(idFrom<domain::DeadLetterId>(item["id"]));
    }
    query = page["nextCursor"].isNull() ? "" : "?limit=2&cursor=" + page["nextCursor"].asString();
  }
  EXPECT_EQ(paged, all);
}

TEST_F(DeadLettersApi, FiltersByPropertyAndTime) {
  const domain::DeadLetterId recorded = plantedLetter();
  const std::string errorOfFirst = std::format("{}", planted_.authErrorId);
  const domain::DeadLetterId analysis =
      plantedLetter({.eventType = "auth.error.analysis.requested.v1"});
  const domain::DeadLetterId foreign = plantForeignLetter(database_, "x");
  EXPECT_EQ(retry(analysis).status, 200);
  EXPECT_THAT(idsOf("?status=RETRIED"), ElementsAre(analysis));
  EXPECT_THAT(idsOf("?status=OPEN"), ElementsAre(foreign, recorded));
  EXPECT_THAT(idsOf("?source=queue"), ElementsAre(foreign));
  EXPECT_THAT(idsOf("?reason=foreign"), ElementsAre(foreign));
  EXPECT_THAT(idsOf("?reason=retries_exhausted&eventType=auth.error.recorded.v1"),
              ElementsAre(recorded));
  EXPECT_THAT(idsOf("?authErrorId=" + errorOfFirst), ElementsAre(recorded));
  database_.execute(std::format(
      "UPDATE dead_letter SET created_at = '2026-01-31T10:00:00Z' WHERE id = {}", foreign));
  EXPECT_THAT(idsOf("?from=2026-01-31T10:00:00Z&to=2026-01-31T10:00:01Z"), ElementsAre(foreign));
  EXPECT_THAT(idsOf("?to=2026-01-31T10:00:00Z"), ElementsAre());
}

TEST_F(DeadLettersApi, ReportsAllInvalidParametersAtOnce) {
  const HttpResponse response =
      get(std::string(kLetters) +
          "?status=open&source=x&reason=y&eventType=&authErrorId=0&from=z&limit=201&cursor=c&a=b");
  EXPECT_EQ(codeOf(response), "400 invalid_fields");
  EXPECT_THAT(errorsOf(parseJson(response.body)),
              ::testing::UnorderedElementsAre("status:invalid", "source:invalid", "reason:invalid",
                                              "eventType:invalid", "authErrorId:out_of_range",
                                              "from:invalid", "limit:out_of_range",
                                              "cursor:invalid", "a:unknown"));
  EXPECT_THAT(
      errorsOf(parseJson(
          get(std::string(kLetters) + "?from=2026-01-31T10:00:00Z&to=2026-01-31T10:00:00Z").body)),
      ElementsAre("to:out_of_range"));
}

TEST_F(DeadLettersApi, RetriesAnEventOnce) {
  const domain::DeadLetterId letter = plantedLetter();
  std::vector<std::future<int>> statuses;
  statuses.reserve(20);
  for (int i = 0; i < 20; ++i) {
    statuses.push_back(std::async(std::launch::async, [this, letter] {
      HttpClient client(service_.port(), bearer(kOperatorKey));
      const auto response =
          client.request("POST", path(letter, "/retry"), {}, {}, std::chrono::seconds(20));
      return response ? response->status : 0;
    }));
  }
  std::vector<int> counts(600);
  for (auto& status : statuses) {
    ++counts.at(static_cast<std::size_t>(status.get()));
  }
  EXPECT_EQ(counts.at(200), 1);
  EXPECT_EQ(counts.at(409), 19);
  EXPECT_EQ(database_.queryValue("SELECT retry_round FROM outbox_message"), "1");
  const HttpResponse again = retry(letter);
  EXPECT_EQ(codeOf(again), "409 dead_letter_closed");
  EXPECT_EQ(parseJson(again.body)["currentStatus"].asString(), "RETRIED");
  const Json::Value shown = parseJson(get(path(letter)).body);
  EXPECT_EQ(shown["status"].asString(), "RETRIED");
  EXPECT_EQ(shown["closedBy"].asString(), "test-operator");
}

TEST_F(DeadLettersApi, ExplainsWhyAnEventCannotBeRetried) {
  EXPECT_EQ(codeOf(retry(plantForeignLetter(database_, "x"))), "409 dead_letter_not_retryable");
  const domain::DeadLetterId applied =
      plantedLetter({.outboxStatus = "PUBLISHED", .ledgerStatus = "DONE"});
  EXPECT_EQ(codeOf(retry(applied)), "409 dead_letter_not_retryable");
  EXPECT_EQ(parseJson(get(path(applied)).body)["status"].asString(), "OPEN");
}

TEST_F(DeadLettersApi, ResolvesWithADecisionThatEndsTheError) {
  const domain::DeadLetterId letter = plantedLetter();
  const HttpResponse undecided = resolve(letter, "{}");
  EXPECT_EQ(codeOf(undecided), "400 invalid_fields");
  EXPECT_THAT(errorsOf(parseJson(undecided.body)), ElementsAre("decision:required"));
  const HttpResponse resolved =
      resolve(letter, R"({"decision":"IGNORE","note":" seen, password=hunter2secret "})");
  ASSERT_EQ(resolved.status, 200) << resolved.body;
  const Json::Value body = parseJson(resolved.body);
  EXPECT_EQ(body["status"].asString(), "RESOLVED");
  EXPECT_EQ(body["decision"].asString(), "IGNORE");
  EXPECT_EQ(body["closedBy"].asString(), "test-operator");
  EXPECT_EQ(body["note"].asString(), "seen, password=[redacted:password]");
  EXPECT_EQ(database_.queryValue("SELECT status FROM auth_error"), "IGNORED");
  EXPECT_EQ(database_.queryValue("SELECT changed_by FROM auth_error_transition"), "test-operator");
  const HttpResponse again = resolve(letter, R"({"decision":"IGNORE"})");
  EXPECT_EQ(codeOf(again), "409 dead_letter_closed");
  EXPECT_EQ(parseJson(again.body)["currentStatus"].asString(), "RESOLVED");
}

TEST_F(DeadLettersApi, RefusesADecisionThatDoesNotApply) {
  const domain::DeadLetterId analysed = plantedLetter({.errorStatus = "ANALYSIS_COMPLETED"});
  const HttpResponse conflict = resolve(analysed, R"({"decision":"FAIL"})");
  EXPECT_EQ(codeOf(conflict), "409 conflict");
  EXPECT_EQ(parseJson(conflict.body)["currentStatus"].asString(), "ANALYSIS_COMPLETED");
  EXPECT_EQ(resolve(analysed, "{}").status, 200);
  const HttpResponse foreign =
      resolve(plantForeignLetter(database_, "x"), R"({"decision":"FAIL"})");
  EXPECT_EQ(codeOf(foreign), "400 invalid_fields");
  EXPECT_THAT(errorsOf(parseJson(foreign.body)), ElementsAre("decision:not_allowed"));
}

TEST_F(DeadLettersApi, RefusesInvalidResolutions) {
  const domain::DeadLetterId letter = plantedLetter();
  EXPECT_EQ(codeOf(resolve(letter, "[]")), "400 malformed_json");
  const HttpResponse bad = resolve(letter, R"({"decision":"PROCESS","desicion":"FAIL","note":")" +
                                               std::string(1'001, 'x') + R"("})");
  EXPECT_THAT(errorsOf(parseJson(bad.body)),
              ElementsAre("decision:invalid", "desicion:unknown_field", "note:too_long"));
  EXPECT_THAT(errorsOf(parseJson(resolve(letter, R"({"decision":1,"note":[]})").body)),
              ElementsAre("decision:wrong_type", "note:wrong_type"));
  EXPECT_EQ(
      resolve(letter, R"({"decision":"FAIL","note":")" + std::string(1'000, 'x') + R"("})").status,
      200);
}

TEST_F(DeadLettersApi, ChecksTheRoleBeforeExistence) {
  for (const auto id : {domain::DeadLetterId(999), plantedLetter()}) {
    EXPECT_EQ(codeOf(retry(id, kViewerKey)), "403 forbidden");
    EXPECT_EQ(codeOf(resolve(id, "{}", kViewerKey)), "403 forbidden");
    EXPECT_EQ(get(path(id), kIngestKey).status, 403);
    EXPECT_EQ(retry(id, kIngestKey).status, 403);
    EXPECT_EQ(send("POST", path(id, "/retry"), {}).status, 401);
  }
  EXPECT_EQ(get(kLetters, kIngestKey).status, 403);
  EXPECT_EQ(codeOf(retry(domain::DeadLetterId(999))), "404 not_found");
  EXPECT_EQ(codeOf(resolve(domain::DeadLetterId(999), "{}")), "404 not_found");
  EXPECT_EQ(codeOf(get(path(domain::DeadLetterId(999)))), "404 not_found");
  EXPECT_EQ(send("POST", "/api/dead-letters/x/retry", bearer(kOperatorKey)).status, 404);
}

TEST_F(DeadLettersApi, AnswersWith503WhenTheDatabaseIsUnavailable) {
  const domain::DeadLetterId letter = plantedLetter();
  database_.execute("ALTER TABLE dead_letter RENAME TO hidden");
  for (const HttpResponse& response :
       {get(kLetters), get(path(letter)), retry(letter), resolve(letter, "{}")}) {
    EXPECT_EQ(codeOf(response), "503 database_unavailable");
    EXPECT_FALSE(response.header("Retry-After").empty());
  }
  database_.execute("ALTER TABLE hidden RENAME TO dead_letter");
  EXPECT_EQ(retry(letter).status, 200);
}

}  // namespace
}  // namespace auth_errors::tests
