// GET /api/auth-errors, /{id} and POST /search, over HTTP against the real service and PostgreSQL.
#include <format>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/value.h>

#include "tests/support/api_fixture.h"
#include "tests/support/error_body.h"
#include "tests/support/loop_runner.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr const char* kFirstKey = "1:first-secret-of-at-least-32-characters";
constexpr const char* kBothKeys =
    "2:second-secret-of-at-least-32-characters,1:first-secret-of-at-least-32-characters";

std::vector<std::string> requestIds(const Json::Value& page) {
  std::vector<std::string> ids;
  for (const Json::Value& item : page["items"]) {
    ids.push_back(item["requestId"].asString());
  }
  return ids;
}

class ReadingApi : public ApiTest {
 protected:
  ReadingApi() : ApiTest({{"AUTH_ERRORS_ACTOR_KEYS", kFirstKey}}) {}

  // Another instance on the same database, which receives all further requests.
  void restartWith(Environment environment, bool waitUntilReady = true) {
    service_.terminate();
    other_.emplace(ServiceOptions{.databaseUrl = database_.url(),
                                  .environment = std::move(environment),
                                  .headers = {},
                                  .waitUntilReady = waitUntilReady});
    client_ = other_->client();
  }

  Json::Value list(const std::string& query) {
    const HttpResponse response = get("/api/auth-errors?" + query);
    EXPECT_EQ(response.status, 200) << query << ": " << response.body;
    return parseJson(response.body);
  }

  HttpResponse search(const std::string& body) {
    return post("/api/auth-errors/search", body, kViewerKey);
  }

  std::string create(const std::string& body) {
    const HttpResponse response = post("/api/auth-errors", body);
    EXPECT_EQ(response.status, 201) << response.body;
    return parseJson(response.body)["authErrorId"].asString();
  }

  // The required fields, and those in `more`.
  std::string createWith(const std::string& requestId, const std::string& more) {
    const std::string body = ErrorBody{.requestId = requestId}.json();
    return create(body.substr(0, body.size() - 1) + "," + more + "}");
  }

  std::optional<ServiceProcess> other_;
};

TEST_F(ReadingApi, ShowsEveryStoredField) {
  const std::string id =
      create(R"json({"requestId":"full","occurredAt":"2026-01-05T10:15:30.25+01:00",
      "httpStatus":403,"exceptionClass":"a.B","stacktrace":"a.B: \"no\"\n\tat a.B.c(B.java:1)",
      "exceptionMessage":"password=hunter2secret refused €","rootCauseClass":"c.D",
      "rootCauseMessage":"cause","httpMethod":"POST","requestUri":"/login","userAgent":"curl",
      "serviceName":"shop","environment":"prod","traceId":"t-1","userId":"alice","sessionId":"s-1",
      "clientIp":"10.0.0.1"})json");
  const HttpResponse response = get("/api/auth-errors/" + id);
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_THAT(std::string(response.header("Content-Type")), HasSubstr("application/json"));
  const Json::Value error = parseJson(response.body);
  EXPECT_EQ(error["authErrorId"].asString(), id);
  EXPECT_TRUE(error["authErrorId"].isIntegral());
  EXPECT_EQ(error["requestId"], "full");
  EXPECT_EQ(error["status"], "NEW");
  EXPECT_EQ(error["occurredAt"], "2026-01-05T09:15:30.250000Z");
  EXPECT_THAT(error["receivedAt"].asString(), MatchesRegex("2.*T.*[.]......Z"));
  EXPECT_EQ(error["statusChangedAt"], error["receivedAt"]);
  EXPECT_EQ(error["httpStatus"], 403);
  EXPECT_EQ(error["exceptionClass"], "a.B");
  EXPECT_EQ(error["stacktrace"], "a.B: \"no\"\n\tat a.B.c(B.java:1)");
  EXPECT_THAT(error["exceptionMessage"].asString(), HasSubstr("refused €"));
  EXPECT_THAT(response.body, Not(HasSubstr("hunter2secret")));
  EXPECT_EQ(error["redactions"]["password"], 1) << response.body;
  EXPECT_EQ(error["rootCauseClass"], "c.D");
  EXPECT_EQ(error["rootCauseMessage"], "cause");
  EXPECT_EQ(error["httpMethod"], "POST");
  EXPECT_EQ(error["requestUri"], "/login");
  EXPECT_EQ(error["userAgent"], "curl");
  EXPECT_EQ(error["serviceName"], "shop");
  EXPECT_EQ(error["environment"], "prod");
  EXPECT_EQ(error["traceId"], "t-1");
  for (const char* pseudonym : {"userPseudonym", "sessionPseudonym", "clientIpPseudonym"}) {
    EXPECT_THAT(error[pseudonym].asString(), ::testing::StartsWith("v1:")) << pseudonym;
  }
  for (const char* plain : {"userId", "sessionId", "clientIp"}) {
    EXPECT_TRUE(error.isMember(plain) && error[plain].isNull()) << plain;
  }
  EXPECT_EQ(error["retryCount"], 0);
  for (const char* absent : {"stackHash", "nextRetryAt"}) {
    EXPECT_TRUE(error.isMember(absent) && error[absent].isNull()) << absent;
  }
}

TEST_F(ReadingApi, ShowsAbsentFieldsAsNull) {
  const Json::Value error =
      parseJson(get("/api/auth-errors/" + create(ErrorBody{.requestId = "bare"}.json())).body);
  for (const char* name : {"exceptionMessage", "rootCauseClass", "httpMethod", "userPseudonym",
                           "environment", "traceId", "userId"}) {
    EXPECT_TRUE(error.isMember(name) && error[name].isNull()) << name;
  }
  EXPECT_TRUE(error["redactions"].isObject() && error["redactions"].empty());
}

TEST_F(ReadingApi, AnswersWith404ForAnUnknownError) {
  for (const char* id : {"1", "0", "-1", "01", "x", "1.0", "9223372036854775807",
                         "9223372036854775808", "99999999999999999999999999", "%00", "1%20"}) {
    const HttpResponse response = get(std::string("/api/auth-errors/") + id);
    EXPECT_EQ(response.status, 404) << id;
    EXPECT_EQ(parseJson(response.body)["code"], "not_found") << id;
  }
}

TEST_F(ReadingApi, ListsNewestFirstInPages) {
  for (const char* requestId : {"a", "b", "c", "d", "e"}) {
    create(ErrorBody{.requestId = requestId}.json());
  }
  const Json::Value first = list("limit=2");
  EXPECT_THAT(requestIds(first), ElementsAre("e", "d"));
  // Errors that arrive between pages do not shift them.
  create(ErrorBody{.requestId = "f"}.json());
  const Json::Value second = list("limit=2&cursor=" + first["nextCursor"].asString());
  EXPECT_THAT(requestIds(second), ElementsAre("c", "b"));
  const Json::Value third = list("limit=2&cursor=" + second["nextCursor"].asString());
  EXPECT_THAT(requestIds(third), ElementsAre("a"));
  EXPECT_TRUE(third["nextCursor"].isNull());
  EXPECT_TRUE(list("limit=6")["nextCursor"].isNull());
}

TEST_F(ReadingApi, RefusesACursorOfAnotherList) {
  create(ErrorBody{.requestId = "a"}.json());
  create(ErrorBody{.requestId = "b"}.json());
  const std::string cursor = list("limit=1")["nextCursor"].asString();
  for (const char* other :
       {"/api/clusters", "/api/dead-letters", "/api/jobs", "/api/keys", "/api/rules"}) {
    const HttpResponse response = get(std::format("{}?cursor={}", other, cursor), kOperatorKey);
    EXPECT_THAT(errorsOf(parseJson(response.body)), ElementsAre("cursor:invalid")) << other;
  }
}

TEST_F(ReadingApi, ListsAnEmptyTable) {
  EXPECT_EQ(get("/api/auth-errors").body, R"({"items":[],"nextCursor":null})");
}

TEST_F(ReadingApi, ListsSummaries) {
  create(ErrorBody{.requestId = "short"}.json());
  const Json::Value item = list("")["items"][0];
  EXPECT_THAT(item.getMemberNames(),
              UnorderedElementsAre("authErrorId", "requestId", "status", "occurredAt", "receivedAt",
                                   "httpStatus", "exceptionClass", "exceptionMessage",
                                   "rootCauseClass", "httpMethod", "requestUri", "serviceName",
                                   "environment", "traceId", "stackHash"));
}

TEST_F(ReadingApi, FiltersByEachField) {
  createWith("one", R"("serviceName":"shop","environment":"prod")");
  createWith("two", R"("serviceName":"web shop","environment":"test")");
  create(ErrorBody{.requestId = "three", .httpStatus = 500, .exceptionClass = "x.Y"}.json());
  const std::string hash(64, 'f');
  database_.execute("UPDATE auth_error SET status = 'ANALYSIS_COMPLETED', stack_hash = '" + hash +
                    "' WHERE dedup_key = 'two'");
  EXPECT_THAT(requestIds(list("serviceName=web+shop")), ElementsAre("two"));
  EXPECT_THAT(requestIds(list("environment=prod")), ElementsAre("one"));
  EXPECT_THAT(requestIds(list("httpStatus=500")), ElementsAre("three"));
  EXPECT_THAT(requestIds(list("exceptionClass=x.Y")), ElementsAre("three"));
  EXPECT_THAT(requestIds(list("status=NEW")), ElementsAre("three", "one"));
  EXPECT_THAT(requestIds(list("stackHash=" + hash)), ElementsAre("two"));
  EXPECT_THAT(requestIds(list("status=NEW&httpStatus=401")), ElementsAre("one"));
  EXPECT_THAT(requestIds(list("serviceName=%27%20OR%201%3D1")), IsEmpty());
}

TEST_F(ReadingApi, TreatsFromAsInclusiveAndToAsExclusive) {
  for (const char* minute : {"10", "11", "12"}) {
    create(ErrorBody{.requestId = minute, .occurredAt = std::format("2026-01-05T10:{}:00Z", minute)}
               .json());
  }
  EXPECT_THAT(requestIds(list("from=2026-01-05T10:10:00Z&to=2026-01-05T10:12:00Z")),
              ElementsAre("11", "10"));
  EXPECT_THAT(requestIds(list("from=2026-01-05T11:11:00%2B01:00")), ElementsAre("12", "11"));
  EXPECT_THAT(requestIds(list("to=2026-01-05T10:11:00Z")), ElementsAre("10"));
}

TEST_F(ReadingApi, MatchesTextInMessagesLiterally) {
  createWith("percent", R"("exceptionMessage":"used 100% of it")");
  createWith("under", R"("rootCauseMessage":"Bad_Token\\x")");
  createWith("other", R"("exceptionMessage":"bad token")");
  const std::string range = "&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z";
  EXPECT_THAT(requestIds(list("q=100%25" + range)), ElementsAre("percent"));
  EXPECT_THAT(requestIds(list("q=%25" + range)), ElementsAre("percent"));
  EXPECT_THAT(requestIds(list("q=bad_t" + range)), ElementsAre("under"));
  EXPECT_THAT(requestIds(list("q=n%5CX" + range)), ElementsAre("under"));
  EXPECT_THAT(requestIds(list("q=BAD+TOK" + range)), ElementsAre("other"));
}

TEST_F(ReadingApi, ReportsAllInvalidParametersAtOnce) {
  const HttpResponse response =
      get("/api/auth-errors?limit=201&limit=3&status=OLD&cursor=forged&nonsense=%zz&userId=alice");
  ASSERT_EQ(response.status, 400);
  EXPECT_EQ(response.header("Content-Type"), "application/problem+json");
  const Json::Value problem = parseJson(response.body);
  EXPECT_EQ(problem["code"], "invalid_fields");
  EXPECT_THAT(errorsOf(problem),
              UnorderedElementsAre("limit:out_of_range", "limit:repeated", "status:invalid",
                                   "cursor:invalid", "nonsense:malformed", "userId:unknown"));
}

TEST_F(ReadingApi, FindsAnActorUnderEveryKnownKey) {
  createWith("old", R"("userId":" alice ","clientIp":"::ffff:10.0.0.1")");
  createWith("bob", R"("userId":"bob","clientIp":"10.0.0.1")");
  restartWith({{"AUTH_ERRORS_ACTOR_KEYS", kBothKeys}});
  createWith("new", R"("userId":"alice","sessionId":"alice")");

  EXPECT_THAT(requestIds(parseJson(search(R"({"userId":"alice"})").body)),
              ElementsAre("new", "old"));
  EXPECT_THAT(requestIds(parseJson(search(R"({"userId":"alice\t"})").body)),
              ElementsAre("new", "old"));
  EXPECT_THAT(requestIds(parseJson(search(R"({"clientIp":"10.0.0.1"})").body)),
              ElementsAre("bob", "old"));
  EXPECT_THAT(requestIds(parseJson(search(R"({"userId":"alice","clientIp":"10.0.0.1"})").body)),
              ElementsAre("old"));
  EXPECT_THAT(requestIds(parseJson(search(R"({"sessionId":"alice"})").body)), ElementsAre("new"));
  EXPECT_THAT(requestIds(parseJson(search(R"({"userId":"alice","httpStatus":500})").body)),
              IsEmpty());

  const Json::Value first = parseJson(search(R"({"userId":"alice","limit":1})").body);
  EXPECT_THAT(requestIds(first), ElementsAre("new"));
  const Json::Value second = parseJson(
      search(R"({"userId":"alice","limit":1,"cursor":")" + first["nextCursor"].asString() + "\"}")
          .body);
  EXPECT_THAT(requestIds(second), ElementsAre("old"));
  EXPECT_TRUE(second["nextCursor"].isNull());
  EXPECT_THAT(other_->logText(), Not(HasSubstr("alice")));
}

TEST_F(ReadingApi, RequiresAnActorToSearchFor) {
  EXPECT_THAT(errorsOf(parseJson(search("{}").body)), ElementsAre("userId:required"));
  EXPECT_THAT(errorsOf(parseJson(search(R"({"userId":7,"clientIp":"here","other":1})").body)),
              UnorderedElementsAre("userId:wrong_type", "clientIp:invalid", "other:unknown"));
  EXPECT_EQ(parseJson(search("[]").body)["code"], "malformed_json");
}

TEST_F(ReadingApi, RefusesASearchWithoutActorKeys) {
  restartWith({}, false);
  HttpResponse response;
  // Until the API keys are loaded the answer is 503.
  ASSERT_TRUE(eventually([&] {
    response = search(R"({"userId":"alice"})");
    return response.status != 503;
  }));
  EXPECT_EQ(response.status, 409);
  EXPECT_EQ(parseJson(response.body)["code"], "conflict");
  EXPECT_THAT(parseJson(response.body)["detail"].asString(), HasSubstr("no actor keys"));
}

TEST_F(ReadingApi, DistinguishesNamedSegmentsFromIds) {
  const HttpResponse response = get("/api/auth-errors/search");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.header("Allow"), "POST, OPTIONS");
}

TEST_F(ReadingApi, AdvisesToNarrowAReadThatIsTooSlow) {
  restartWith({{"AUTH_ERRORS_ACTOR_KEYS", kFirstKey}, {"AUTH_ERRORS_REQUEST_DEADLINE_MS", "300"}});
  PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  for (const char* path : {"/api/auth-errors", "/api/auth-errors/1", "/api/auth-errors/export"}) {
    const HttpResponse response = get(path);
    EXPECT_EQ(response.status, 503) << path;
    EXPECT_EQ(parseJson(response.body)["code"], "query_too_slow") << path;
    EXPECT_THAT(parseJson(response.body)["detail"].asString(), HasSubstr("Narrow")) << path;
    EXPECT_FALSE(response.header("Retry-After").empty()) << path;
  }
  holder.execute("ROLLBACK");
  EXPECT_EQ(get("/api/auth-errors").status, 200);
}

TEST_F(ReadingApi, RequiresTheViewerOrOperatorRole) {
  for (const char* path : {"/api/auth-errors", "/api/auth-errors/1", "/api/auth-errors/export"}) {
    EXPECT_EQ(get(path, kIngestKey).status, 403) << path;
    EXPECT_NE(get(path, kOperatorKey).status, 403) << path;
    EXPECT_EQ(send("GET", path, {}).status, 401) << path;
  }
  EXPECT_EQ(post("/api/auth-errors/search", R"({"userId":"u"})", kIngestKey).status, 403);
  EXPECT_EQ(post("/api/auth-errors/search", R"({"userId":"u"})", kOperatorKey).status, 200);
}

}  // namespace
}  // namespace auth_errors::tests
