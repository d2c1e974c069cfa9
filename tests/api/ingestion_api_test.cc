// POST /api/auth-errors, over HTTP against the real service and a real PostgreSQL.
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/value.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/error_body.h"
#include "tests/support/http_client.h"
#include "tests/support/service_process.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kIngestTimeout = 10s;

class IngestionApi : public ApiTest {
 protected:
  HttpResponse post(const std::string& body, std::string_view contentType = kJsonType) {
    return ApiTest::post("/api/auth-errors", body, kIngestKey, contentType);
  }

  std::string count(const std::string& requestId) {
    return database_.queryValue("SELECT count(*) FROM auth_error WHERE dedup_key = '" + requestId +
                                "'");
  }
};

TEST_F(IngestionApi, AnswersANewErrorWith201AndALocation) {
  const HttpResponse response = post(ErrorBody{.requestId = "new-1"}.json());
  ASSERT_EQ(response.status, 201) << response.body;
  const Json::Value body = parseJson(response.body);
  EXPECT_EQ(body["requestId"].asString(), "new-1");
  EXPECT_EQ(body["status"].asString(), "NEW");
  EXPECT_FALSE(body["duplicate"].asBool());
  ASSERT_TRUE(body["authErrorId"].isInt64());
  const std::string id = std::to_string(body["authErrorId"].asInt64());
  EXPECT_EQ(response.header("Location"), "/api/auth-errors/" + id);
  EXPECT_THAT(std::string(response.header("Content-Type")), HasSubstr("application/json"));
  EXPECT_EQ(
      database_.queryValue("SELECT idempotency_key FROM outbox_message WHERE aggregate_id = " + id),
      "auth_error:recorded:" + id);
}

TEST_F(IngestionApi, AnswersARepeatWith200AndTheFirstId) {
  const HttpResponse first = post(ErrorBody{.requestId = "repeat-1"}.json());
  const HttpResponse second = post(ErrorBody{.requestId = "repeat-1"}.json());
  ASSERT_EQ(first.status, 201);
  ASSERT_EQ(second.status, 200);
  EXPECT_EQ(parseJson(second.body)["authErrorId"], parseJson(first.body)["authErrorId"]);
  EXPECT_TRUE(parseJson(second.body)["duplicate"].asBool());
  EXPECT_EQ(count("repeat-1"), "1");
}

TEST_F(IngestionApi, RefusesAnotherErrorUnderTheSameRequestId) {
  const HttpResponse first = post(ErrorBody{.requestId = "taken-1"}.json());
  ASSERT_EQ(first.status, 201);
  const HttpResponse second = post(ErrorBody{.requestId = "taken-1", .httpStatus = 403}.json());
  EXPECT_EQ(codeOf(second), "409 request_id_conflict");
  const Json::Value problem = parseJson(second.body);
  EXPECT_EQ(problem["authErrorId"], parseJson(first.body)["authErrorId"]);
  EXPECT_FALSE(problem.isMember("requestId")) << "this would be the id of the HTTP request";
  EXPECT_EQ(problem["httpRequestId"].asString(), second.header("X-Request-Id"));
  EXPECT_EQ(count("taken-1"), "1");
  EXPECT_EQ(post(ErrorBody{.requestId = "taken-1"}.json()).status, 200);
}

// The stored digest covers the pseudonym of the user, which depends on the key.
TEST_F(IngestionApi, RecognisesARepeatAfterARotationOfActorKeys) {
  std::string body = ErrorBody{.requestId = "rotated"}.json();
  body.insert(1, R"("userId":"alice42",)");
  ASSERT_EQ(post(body).status, 201);
  const ServiceProcess other(
      {.databaseUrl = database_.url(),
       .environment = {{"AUTH_ERRORS_ACTOR_KEYS", "2:" + std::string(64, 'n') + "," + actorKey()}},
       .headers = {}});
  auto answer = other.client().request("POST", "/api/auth-errors",
                                       withType(bearer(kIngestKey), kJsonType), body, kAnswerLimit);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200) << answer->body;
}

TEST_F(IngestionApi, StoresAHundredConcurrentRepeatsOnce) {
  std::vector<std::future<HttpClient::Result>> futures;
  futures.reserve(100);
  for (int index = 0; index < 100; ++index) {
    futures.push_back(std::async(std::launch::async, [this] {
      HttpClient client(service_.port(), bearer(kIngestKey));
      return client.post("/api/auth-errors", ErrorBody{.requestId = "storm"}.json(),
                         kIngestTimeout);
    }));
  }
  int created = 0;
  std::set<domain::ErrorId> ids;
  for (auto& future : futures) {
    const auto response = future.get();
    ASSERT_TRUE(response) << response.error().message;
    ASSERT_THAT(response->status, ::testing::AnyOf(200, 201)) << response->body;
    created += response->status == 201 ? 1 : 0;
    ids.insert(idFrom<domain::ErrorId>(parseJson(response->body)["authErrorId"]));
  }
  EXPECT_EQ(created, 1);
  EXPECT_EQ(ids.size(), 1U);
  EXPECT_EQ(count("storm"), "1");
}

TEST_F(IngestionApi, ReportsAllInvalidFieldsAtOnce) {
  const HttpResponse response =
      post(R"({"requestId":"ü","occurredAt":"today","httpStatus":"401","exceptionClass":"  "})");
  ASSERT_EQ(response.status, 400);
  EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
  const Json::Value problem = parseJson(response.body);
  EXPECT_EQ(problem["code"].asString(), "invalid_fields");
  EXPECT_EQ(problem["status"].asInt(), 400);
  EXPECT_THAT(errorsOf(problem),
              ::testing::UnorderedElementsAre("requestId:invalid", "occurredAt:invalid",
                                              "httpStatus:wrong_type", "exceptionClass:required",
                                              "stacktrace:required"));
}

TEST_F(IngestionApi, RefusesBodiesThatAreNotASingleJsonObject) {
  for (const std::string body : {"", "{", "[]", "\"x\"", "null", "{} {}", R"({"a":1,"a":2})"}) {
    const HttpResponse response = post(body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(parseJson(response.body)["code"].asString(), "malformed_json") << body;
  }
}

TEST_F(IngestionApi, RefusesInvalidJsonNumbers) {
  const std::string body = ErrorBody{.requestId = "number"}.json();
  const auto at = body.find("401");
  ASSERT_NE(at, std::string::npos);
  for (const std::string number :
       {"+401", "0401", "-0401", "401.", ".401e3", "401.e0", "401e", "-"}) {
    const HttpResponse response = post(body.substr(0, at) + number + body.substr(at + 3));
    EXPECT_EQ(codeOf(response), "400 malformed_json") << number;
  }
  EXPECT_EQ(codeOf(post(body + std::string(1, '\0'))), "400 malformed_json");
  EXPECT_EQ(count("number"), "0");
}

TEST_F(IngestionApi, RefusesLoneSurrogatesAndInvalidUtf8) {
  ErrorBody body{.requestId = "surrogate"};
  std::string text = body.json();
  const auto at = text.find("refused");
  EXPECT_EQ(post(text.substr(0, at) + R"(\udc00)" + text.substr(at)).status, 400);
  EXPECT_EQ(post(text.substr(0, at) + "\xff" + text.substr(at)).status, 400);
  EXPECT_EQ(count("surrogate"), "0");
}

TEST_F(IngestionApi, RequiresJson) {
  const HttpResponse response = post(ErrorBody{.requestId = "type"}.json(), "text/plain");
  EXPECT_EQ(response.status, 415);
  EXPECT_EQ(parseJson(response.body)["code"].asString(), "unsupported_media_type");
  EXPECT_EQ(post(ErrorBody{.requestId = "type"}.json(), "Application/JSON; charset=UTF-8").status,
            201);
}

TEST_F(IngestionApi, StoresTheTraceparentWithTheEventAndIgnoresAnInvalidOne) {
  const std::string ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
  const auto storedFor = [this](const std::string& requestId, const std::string& traceparent) {
    Headers headers = withType(bearer(kIngestKey), kJsonType);
    if (!traceparent.empty()) {
      headers.emplace_back("Traceparent", traceparent);
    }
    const HttpResponse response =
        send("POST", "/api/auth-errors", headers, ErrorBody{.requestId = requestId}.json());
    EXPECT_EQ(response.status, 201) << response.body;
    return database_.queryValue(
        "SELECT coalesce(traceparent, 'none') FROM outbox_message JOIN auth_error e ON "
        "e.id = aggregate_id WHERE dedup_key = '" +
        requestId + "'");
  };
  EXPECT_EQ(storedFor("traced", "00-" + ids + "-01"), "00-" + ids + "-01");
  EXPECT_EQ(storedFor("later", "01-" + ids + "-01-more"), "00-" + ids + "-01");
  EXPECT_EQ(storedFor("untraced", ""), "none");
  EXPECT_EQ(storedFor("invalid", "00-" + ids + "-zz"), "none");
  EXPECT_EQ(storedFor("quoted", "'; DROP TABLE auth_error"), "none");
}

// A client sends a retry in another span.
TEST_F(IngestionApi, IgnoresTheSpanWhenComparingARepeat) {
  for (const std::string flags : {"-00", "-01"}) {
    Headers headers = withType(bearer(kIngestKey), kJsonType);
    headers.emplace_back("traceparent",
                         "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331" + flags);
    send("POST", "/api/auth-errors", headers, ErrorBody{.requestId = "again"}.json());
  }
  EXPECT_THAT(metrics(), HasSubstr("auth_errors_ingest_conflicting_repeats_total 0"));
  EXPECT_THAT(database_.queryValue("SELECT traceparent FROM outbox_message"),
              ::testing::EndsWith("-00"));
}

TEST_F(IngestionApi, StoresATraceSanitisedTruncatedAndWithoutSecrets) {
  std::string trace = "BadCredentialsException\r\n\tat a.B(B.java:1) password=hunter2secret \x01";
  trace += std::string(9'000, 'x');
  const HttpResponse response = post(ErrorBody{.requestId = "trace", .stacktrace = trace}.json());
  ASSERT_EQ(response.status, 201) << response.body;
  const std::string stored =
      database_.queryValue("SELECT stacktrace FROM auth_error WHERE dedup_key = 'trace'");
  EXPECT_THAT(stored, HasSubstr("BadCredentialsException\n\tat a.B(B.java:1)"));
  EXPECT_THAT(stored, Not(HasSubstr("hunter2secret")));
  EXPECT_THAT(service_.logText(), Not(HasSubstr("hunter2secret")));
  EXPECT_LE(stored.size(), 8'000U);
  EXPECT_GT(stored.size(), 7'900U);
}

// Invariant 2: an unknown or failed outcome is answered with a 503 saying so.
TEST_F(IngestionApi, AnswersWith503DuringADatabaseOutage) {
  ServiceProcess alone({.databaseUrl = "postgresql://nobody@127.0.0.1:1/none",
                        .environment = {{"AUTH_ERRORS_REQUEST_DEADLINE_MS", "1000"}},
                        .waitUntilReady = false});
  HttpClient client = alone.client();
  const auto response =
      client.post("/api/auth-errors", ErrorBody{.requestId = "away"}.json(), kIngestTimeout);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 503);
  EXPECT_EQ(parseJson(response->body)["code"].asString(), "database_unavailable");
  EXPECT_FALSE(response->header("Retry-After").empty());
}

}  // namespace
}  // namespace auth_errors::tests
