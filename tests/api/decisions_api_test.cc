// POST /api/auth-errors/{id}/decisions over HTTP, against the real service and a real PostgreSQL.
#include <format>
#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/row_matchers.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kTraceOfStoring =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr std::string_view kTraceOfDeciding =
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string pathOf(domain::ErrorId id) { return std::format("/api/auth-errors/{}/decisions", id); }

std::string bodyOf(std::string_view type) { return std::format(R"({{"type":"{}"}})", type); }

class DecisionsApi : public ApiTest {
 protected:
  HttpResponse decide(domain::ErrorId id, std::string_view body,
                      std::string_view key = kOperatorKey) {
    return post(pathOf(id), body, key);
  }
  // An analysed error with the two events that led there.
  domain::ErrorId plantAnalysed() {
    const domain::ErrorId id = plantError(database_, "ANALYSIS_COMPLETED");
    plantEvent(database_, id, "recorded");
    plantEvent(database_, id, "analysis_requested");
    return id;
  }
  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  void expectNothingDecided() {
    EXPECT_EQ(value("SELECT count(*) FROM decision"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM auth_error_transition"), "0");
  }
  // Key, status and trace of the newest event.
  TextRow newestEvent() {
    return database_.queryRow(
        "SELECT idempotency_key, event_type, status, traceparent FROM outbox_message "
        "ORDER BY id DESC LIMIT 1");
  }
};

TEST_F(DecisionsApi, SetTheStatusAndAreRecorded) {
  for (const auto& [type, status] : {std::pair{"PROCESS", "PROCESSED"}, std::pair{"FAIL", "FAILED"},
                                     std::pair{"RESOLVE", "RESOLVED"},
                                     std::pair{"IGNORE", "IGNORED"}, std::pair{"RETRY", "RETRY"}}) {
    const domain::ErrorId id = plantAnalysed();
    const HttpResponse response = decide(id, bodyOf(type));
    ASSERT_EQ(response.status, 201) << type << response.body;
    const Json::Value body = parseJson(response.body);
    EXPECT_EQ(idFrom<domain::ErrorId>(body["authErrorId"]), id);
    EXPECT_EQ(body["type"].asString(), type);
    EXPECT_EQ(body["status"].asString(), status);
    EXPECT_EQ(body["decidedBy"].asString(), "test-operator");
    EXPECT_TRUE(body["note"].isNull());
    EXPECT_EQ(statusOfError(database_, id), status);
    EXPECT_THAT(database_.queryRow(std::format("SELECT from_status, to_status, changed_by FROM "
                                               "auth_error_transition WHERE auth_error_id = {}",
                                               id)),
                Row("ANALYSIS_COMPLETED", status, "test-operator"));
    EXPECT_THAT(
        database_.queryRow(std::format(
            "SELECT id, type, decided_by, note FROM decision WHERE auth_error_id = {}", id)),
        Row(body["decisionId"].asInt64(), type, "test-operator", kNull));
  }
  EXPECT_EQ(value("SELECT count(*) FROM outbox_message WHERE status = 'PENDING'"), "1")
      << "only RETRY creates an event";
}

TEST_F(DecisionsApi, AreMadeOnceUnderConcurrency) {
  const domain::ErrorId id = plantAnalysed();
  std::vector<std::future<std::string>> answers;
  answers.reserve(20);
  for (std::size_t i = 0; i < 20; ++i) {
    answers.push_back(std::async(std::launch::async, [this, id, i] {
      HttpClient client(service_.port(), withType(bearer(kOperatorKey), kJsonType));
      const auto& row = domain::kDecisions.at(i % domain::kDecisions.size());
      const auto response = client.request("POST", pathOf(id), {}, bodyOf(row.name), kAnswerLimit);
      if (!response) {
        return response.error().message;
      }
      return response->status == 201
                 ? parseJson(response->body)["status"].asString()
                 : codeOf(*response) + " " + parseJson(response->body)["currentStatus"].asString();
    }));
  }
  std::vector<std::string> taken;
  std::vector<std::string> refused;
  for (auto& answer : answers) {
    const std::string text = answer.get();
    (text.starts_with("409") ? refused : taken).push_back(text);
  }
  ASSERT_EQ(taken.size(), 1U);
  const std::string& status = taken.front();
  EXPECT_THAT(refused, ::testing::Each("409 conflict " + status));
  EXPECT_EQ(statusOfError(database_, id), status);
  EXPECT_EQ(value("SELECT count(*) FROM decision"), "1");
  EXPECT_EQ(value("SELECT count(*) FROM auth_error_transition"), "1");
  EXPECT_EQ(value("SELECT count(*) FROM outbox_message"), status == "RETRY" ? "3" : "2");
}

TEST_F(DecisionsApi, AreRefusedBeforeAnalysisAndInATerminalState) {
  for (const auto& [status, name] : domain::kAuthErrorStatusNames) {
    if (status == domain::AuthErrorStatus::analysisCompleted) {
      continue;
    }
    const domain::ErrorId id = plantError(database_, std::string(name));
    for (const domain::DecisionRow& row : domain::kDecisions) {
      const HttpResponse response = decide(id, bodyOf(row.name));
      EXPECT_EQ(codeOf(response), "409 conflict") << name << " " << row.name;
      EXPECT_EQ(parseJson(response.body)["currentStatus"].asString(), name);
    }
    EXPECT_EQ(statusOfError(database_, id), name);
  }
  expectNothingDecided();
  EXPECT_EQ(value("SELECT count(*) FROM outbox_message"), "0");
}

TEST_F(DecisionsApi, ToRetryQueueTheNextRoundOfAnalysis) {
  const domain::ErrorId id = plantAnalysed();
  const auto isRequest = [id](int round, const auto& traceparent) {
    return Row(std::format("auth_error:analysis_requested:{}:{}", id, round),
               "auth.error.analysis.requested.v1", "PENDING", traceparent);
  };
  const auto analysedAgain = [&] {
    database_.execute("UPDATE auth_error SET status = 'ANALYSIS_COMPLETED'");
  };
  database_.execute(
      std::format("UPDATE outbox_message SET traceparent = '{}' WHERE event_type LIKE '%recorded%'",
                  kTraceOfStoring));
  ASSERT_EQ(decide(id, bodyOf("RETRY")).status, 201);
  EXPECT_THAT(newestEvent(), isRequest(2, kTraceOfStoring));
  EXPECT_THAT(
      database_.queryText("SELECT jsonb_object_keys(payload) AS key FROM outbox_message WHERE "
                          "status = 'PENDING' ORDER BY key"),
      ElementsAre(Row("authErrorId"), Row("occurredAt"), Row("requestId"), Row("requestedAt")));
  analysedAgain();
  Headers headers = withType(bearer(kOperatorKey), kJsonType);
  headers.emplace_back("traceparent", kTraceOfDeciding);
  ASSERT_EQ(send("POST", pathOf(id), headers, bodyOf("RETRY")).status, 201);
  EXPECT_THAT(newestEvent(), isRequest(3, kTraceOfDeciding));
  analysedAgain();
  database_.execute("DELETE FROM outbox_message WHERE idempotency_key NOT LIKE '%:3'");
  ASSERT_EQ(decide(id, bodyOf("RETRY")).status, 201);
  EXPECT_THAT(newestEvent(), isRequest(4, kTraceOfDeciding));
  analysedAgain();
  database_.execute("DELETE FROM outbox_message");
  ASSERT_EQ(decide(id, bodyOf("RETRY")).status, 201);
  EXPECT_THAT(newestEvent(), isRequest(5, kNull))
      << "no key is used twice, even after the events were deleted";
}

TEST_F(DecisionsApi, StoreAScrubbedNote) {
  const domain::ErrorId id = plantAnalysed();
  const HttpResponse response =
      decide(id, R"({"type":"FAIL","note":" seen, password=hunter2secret\u0007 "})");
  ASSERT_EQ(response.status, 201) << response.body;
  EXPECT_EQ(parseJson(response.body)["note"].asString(), "seen, password=[redacted:password]");
  EXPECT_EQ(value("SELECT note FROM decision"), "seen, password=[redacted:password]");
  const domain::ErrorId other = plantAnalysed();
  EXPECT_EQ(decide(other, R"({"type":"FAIL","note":")" + std::string(1'000, 'x') + R"("})").status,
            201);
  EXPECT_TRUE(
      parseJson(decide(plantAnalysed(), R"({"type":"FAIL","note":"  "})").body)["note"].isNull());
}

TEST_F(DecisionsApi, ReportAllInvalidFieldsAtOnce) {
  const domain::ErrorId id = plantAnalysed();
  EXPECT_EQ(codeOf(decide(id, "[]")), "400 malformed_json");
  EXPECT_EQ(codeOf(decide(id, "{}")), "400 invalid_fields");
  const auto errors = [&](const std::string& body) {
    return errorsOf(parseJson(decide(id, body).body));
  };
  EXPECT_THAT(errors("{}"), ElementsAre("type:required"));
  EXPECT_THAT(errors(R"({"type":null})"), ElementsAre("type:required"));
  EXPECT_THAT(errors(R"({"type":1,"note":[]})"), ElementsAre("note:wrong_type", "type:wrong_type"));
  EXPECT_THAT(
      errors(R"({"type":"process","nota":"x","note":")" + std::string(1'001, 'x') + R"("})"),
      ElementsAre("nota:unknown_field", "note:too_long", "type:invalid"));
  EXPECT_EQ(post(pathOf(id), bodyOf("FAIL"), kOperatorKey, "text/plain").status, 415);
  expectNothingDecided();
}

TEST_F(DecisionsApi, CheckTheRoleBeforeExistence) {
  for (const auto id : {domain::ErrorId(999), plantAnalysed()}) {
    EXPECT_EQ(codeOf(decide(id, bodyOf("FAIL"), kViewerKey)), "403 forbidden");
    EXPECT_EQ(codeOf(decide(id, bodyOf("FAIL"), kIngestKey)), "403 forbidden");
    EXPECT_EQ(send("POST", pathOf(id), {}).status, 401);
  }
  EXPECT_EQ(codeOf(decide(domain::ErrorId(999), bodyOf("FAIL"))), "404 not_found");
  EXPECT_EQ(codeOf(post("/api/auth-errors/x/decisions", bodyOf("FAIL"), kOperatorKey)),
            "404 not_found");
  EXPECT_EQ(get(pathOf(domain::ErrorId(1)), kOperatorKey).status, 405);
  expectNothingDecided();
}

TEST_F(DecisionsApi, AreAtomic) {
  const domain::ErrorId id = plantAnalysed();
  for (const std::string table : {"decision", "outbox_message"}) {
    database_.execute(std::format("ALTER TABLE {} RENAME TO hidden", table));
    const HttpResponse response = decide(id, bodyOf("RETRY"));
    EXPECT_EQ(codeOf(response), "503 database_unavailable") << table;
    EXPECT_FALSE(response.header("Retry-After").empty());
    database_.execute(std::format("ALTER TABLE hidden RENAME TO {}", table));
    EXPECT_EQ(statusOfError(database_, id), "ANALYSIS_COMPLETED");
    expectNothingDecided();
  }
  EXPECT_EQ(decide(id, bodyOf("RETRY")).status, 201);
}

}  // namespace
}  // namespace auth_errors::tests
