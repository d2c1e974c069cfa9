// POST /api/auth-errors/batch, compressed bodies and the preview, against the real service.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_fixture.h"
#include "tests/support/error_body.h"
#include "tests/support/gzip.h"
#include "tests/support/loop_runner.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kBatch = "/api/auth-errors/batch";

std::string arrayOf(const std::vector<std::string>& entries) {
  std::string text = "[";
  for (const std::string& entry : entries) {
    text.append(text.size() > 1 ? "," : "").append(entry);
  }
  return text + "]";
}

std::string linesOf(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) {
    text.append(entry).append("\n");
  }
  return text;
}

std::vector<std::string> bodies(std::size_t count, const std::string& prefix) {
  std::vector<std::string> result;
  for (std::size_t index = 0; index < count; ++index) {
    result.push_back(ErrorBody{.requestId = prefix + std::to_string(index)}.json());
  }
  return result;
}

class BatchApi : public ApiTest {
 protected:
  std::string stored(const std::string& requestId) {
    return database_.queryValue("SELECT count(*) FROM auth_error WHERE dedup_key = '" + requestId +
                                "'");
  }
  // Returns once the service has reloaded its keys.
  void plant(const PlantedKey& key) {
    plantKey(database_.url(), key);
    EXPECT_TRUE(eventually(
        [&] { return send("GET", "/api/auth-errors", bearer(key.secret)).status != 401; }));
  }
  // The statuses of a batch's results. Fails if their indices are out of order.
  static std::vector<int> statusesOf(const HttpResponse& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    std::vector<int> statuses;
    for (const Json::Value& result : parseJson(response.body)["results"]) {
      EXPECT_EQ(result["index"].asUInt64(), statuses.size());
      statuses.push_back(result["status"].asInt());
    }
    return statuses;
  }
};

TEST_F(BatchApi, StoresEachEntryOfAnArrayOrOfLines) {
  EXPECT_THAT(statusesOf(post(kBatch, arrayOf(bodies(3, "array-")))), ElementsAre(201, 201, 201));
  EXPECT_THAT(statusesOf(post(kBatch, linesOf(bodies(3, "line-")), kIngestKey, kLinesType)),
              ElementsAre(201, 201, 201));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error"), "6");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM outbox_message"), "6");
}

TEST_F(BatchApi, GivesEveryEventTheTraceparentOfTheRequest) {
  const std::string traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  Headers headers = withType(bearer(kIngestKey), kJsonType);
  headers.emplace_back("traceparent", traceparent);
  EXPECT_EQ(send("POST", kBatch, headers, arrayOf(bodies(3, "traced-"))).status, 200);
  EXPECT_EQ(post(kBatch, arrayOf(bodies(2, "untraced-"))).status, 200);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM outbox_message WHERE traceparent = '" +
                                 traceparent + "'"),
            "3");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM outbox_message WHERE traceparent IS NULL"),
            "2");
}

TEST_F(BatchApi, StoresTheValidEntriesBesideAnInvalidOne) {
  std::vector<std::string> entries = bodies(7, "good-");
  entries.at(1) = "{\"requestId\":";
  entries.at(2) = "{\"a\":1,\"a\":2}";
  entries.at(3) = "\"\xff\"";
  entries.at(4) = ErrorBody{.requestId = "bad", .httpStatus = 99}.json();
  entries.at(5) = "17";
  const HttpResponse lines = post(kBatch, linesOf(entries), kIngestKey, kLinesType);
  EXPECT_THAT(statusesOf(lines), ElementsAre(201, 400, 400, 400, 400, 400, 201));
  const Json::Value results = parseJson(lines.body)["results"];
  EXPECT_EQ(results[2]["problem"]["code"].asString(), "malformed_json");
  EXPECT_EQ(results[4]["problem"]["code"].asString(), "invalid_fields");
  EXPECT_EQ(results[4]["problem"]["errors"][0]["field"].asString(), "httpStatus");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error"), "2");

  entries.at(1) = "{\"requestId\":]";
  EXPECT_THAT(statusesOf(post(kBatch, arrayOf(entries))),
              ElementsAre(200, 400, 400, 400, 400, 400, 200));
  EXPECT_THAT(metrics(), HasSubstr("reason=\"malformed_json\""));
}

TEST_F(BatchApi, AnswersARepeatWithinABatchWithTheFirstId) {
  const std::string entry = ErrorBody{.requestId = "twice"}.json();
  const HttpResponse response = post(kBatch, arrayOf({entry, entry}));
  EXPECT_THAT(statusesOf(response), ElementsAre(201, 200));
  const Json::Value results = parseJson(response.body)["results"];
  EXPECT_EQ(results[0]["authErrorId"], results[1]["authErrorId"]);
  EXPECT_TRUE(results[1]["duplicate"].asBool());
  EXPECT_EQ(stored("twice"), "1");
}

TEST_F(BatchApi, AcceptsAtMostFiveHundredEntries) {
  EXPECT_EQ(statusesOf(post(kBatch, arrayOf(bodies(500, "many-")))), std::vector<int>(500, 201));
  const HttpResponse refused = post(kBatch, arrayOf(bodies(501, "more-")));
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(parseJson(refused.body)["code"].asString(), "batch_too_large");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error"), "500");
}

TEST_F(BatchApi, AcceptsABodyLargerThanTheLimitOfASingleError) {
  std::vector<std::string> entries;
  for (int index = 0; index < 300; ++index) {
    entries.push_back(ErrorBody{.requestId = "large-" + std::to_string(index),
                                .stacktrace = makeStacktrace(20'000, 1)}
                          .json());
  }
  const std::string body = arrayOf(entries);
  ASSERT_GT(body.size(), 5'000'000U);
  EXPECT_EQ(statusesOf(post(kBatch, body)), std::vector<int>(300, 201));
  EXPECT_EQ(post("/api/auth-errors", body).status, 413);
}

TEST_F(BatchApi, RefusesMalformedBatches) {
  EXPECT_EQ(
      parseJson(post(kBatch, ErrorBody{.requestId = "single"}.json()).body)["code"].asString(),
      "malformed_json");
  EXPECT_EQ(post(kBatch, "[").status, 400);
  EXPECT_EQ(post(kBatch, "[]", kIngestKey, "text/plain").status, 415);
  EXPECT_THAT(statusesOf(post(kBatch, "[]")), ElementsAre());
}

TEST_F(BatchApi, InflatesGzipBodies) {
  Headers headers = withType(bearer(kIngestKey), kJsonType);
  headers.emplace_back("Content-Encoding", "gzip");
  const std::string one = ErrorBody{.requestId = "zipped"}.json();
  EXPECT_EQ(send("POST", "/api/auth-errors", headers, gzip(one)).status, 201);
  EXPECT_EQ(stored("zipped"), "1");
  EXPECT_THAT(statusesOf(send("POST", kBatch, headers, gzip(arrayOf(bodies(2, "zip-"))))),
              ElementsAre(201, 201));

  const HttpResponse broken = send("POST", "/api/auth-errors", headers, one);
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(parseJson(broken.body)["code"].asString(), "malformed_encoding");
  const HttpResponse bomb =
      send("POST", "/api/auth-errors", headers, gzip(std::string(std::size_t{8} << 20U, ' ')));
  EXPECT_EQ(bomb.status, 413);
  EXPECT_EQ(parseJson(bomb.body)["code"].asString(), "body_too_large");
  headers.back().second = "br";
  const HttpResponse unknown = send("POST", "/api/auth-errors", headers, one);
  EXPECT_EQ(unknown.status, 415);
  EXPECT_EQ(parseJson(unknown.body)["code"].asString(), "unsupported_encoding");
  EXPECT_EQ(unknown.header("Accept-Encoding"), "gzip, identity");
}

TEST_F(BatchApi, CountsUnknownFields) {
  std::string body = ErrorBody{.requestId = "unknown"}.json();
  body.insert(1, R"("colour":"red","size":{"a":1},)");
  EXPECT_EQ(post("/api/auth-errors", body).status, 201);
  EXPECT_THAT(metrics(), HasSubstr("auth_errors_ingest_unknown_fields_total 2"));
}

TEST_F(BatchApi, PreviewsRedactionsWithoutStoringAnything) {
  const HttpResponse response = post(
      "/api/scrub/preview",
      R"({"exceptionMessage":"alice42 with password=hunter2","userId":"alice42"})", kOperatorKey);
  ASSERT_EQ(response.status, 200) << response.body;
  const Json::Value body = parseJson(response.body);
  const Json::Value& message = body["fields"]["exceptionMessage"];
  EXPECT_EQ(message["text"].asString(), "[redacted:user-id] with password=[redacted:password]");
  EXPECT_FALSE(message["truncated"].asBool());
  EXPECT_EQ(message["redactions"]["password"].asInt(), 1);
  EXPECT_EQ(body["redactions"]["user_id"].asInt(), 1);
  EXPECT_THAT(response.body, Not(HasSubstr("hunter2")));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error"), "0");
  EXPECT_EQ(post("/api/scrub/preview", R"({"stacktrace":17})", kOperatorKey).status, 400);
  EXPECT_EQ(post("/api/scrub/preview", "{}", kViewerKey).status, 403);
}

TEST_F(BatchApi, StoresActorsOnlyAsPseudonyms) {
  std::string body = ErrorBody{.requestId = "actors"}.json();
  body.insert(1, R"("userId":"alice42","sessionId":"s-1234567","clientIp":"192.0.2.7",)");
  ASSERT_EQ(post("/api/auth-errors", body).status, 201);
  const auto row = database_.queryRow(
      "SELECT user_pseudonym ~ '^v1:', session_pseudonym ~ '^v1:', client_ip_pseudonym ~ '^v1:', "
      "num_nonnulls(user_id, session_id, client_ip) FROM auth_error");
  EXPECT_THAT(row, Row(true, true, true, 0));
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error AS e WHERE e::text ~ "
                                 "'alice42|s-1234567|192.0.2.7'"),
            "0");
}

TEST_F(BatchApi, RefusesEntriesOfServicesOtherThanTheKeys) {
  constexpr std::string_view kBound = "aek_test-bound-test-bound-test-bound-test-bound";
  plant({.secret = kBound, .name = "bound", .serviceName = "shop"});
  std::vector<std::string> entries = bodies(3, "bound-");
  entries.at(0).insert(1, R"("serviceName":"shop",)");
  entries.at(1).insert(1, R"("serviceName":"bank",)");
  const HttpResponse response = post(kBatch, arrayOf(entries), kBound);
  EXPECT_THAT(statusesOf(response), ElementsAre(201, 403, 201));
  EXPECT_EQ(parseJson(response.body)["results"][1]["problem"]["code"].asString(), "forbidden");
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM auth_error WHERE service_name = 'shop'"),
            "2");
}

TEST_F(BatchApi, ReportsARequestIdConflictAndNamesTheStoredErrorOnlyToItsService) {
  constexpr std::string_view kShop = "aek_test-shop--test-shop--test-shop--test-shop-";
  constexpr std::string_view kBank = "aek_test-bank--test-bank--test-bank--test-bank-";
  plant({.secret = kShop, .name = "shop", .serviceName = "shop"});
  plant({.secret = kBank, .name = "bank", .serviceName = "bank"});
  const std::string first = ErrorBody{.requestId = "taken"}.json();
  const std::string other = ErrorBody{.requestId = "taken", .httpStatus = 403}.json();
  const HttpResponse made = post(kBatch, arrayOf({first, other, first}), kShop);
  EXPECT_THAT(statusesOf(made), ElementsAre(201, 409, 200));
  const Json::Value id = parseJson(made.body)["results"][0]["authErrorId"];
  const auto problem = [&](std::string_view key) {
    const HttpResponse response = post(kBatch, arrayOf({other}), key);
    EXPECT_THAT(statusesOf(response), ElementsAre(409));
    return parseJson(response.body)["results"][0]["problem"];
  };
  EXPECT_EQ(problem(kShop)["code"].asString(), "request_id_conflict");
  EXPECT_EQ(problem(kShop)["authErrorId"], id);
  EXPECT_EQ(problem(kIngestKey)["authErrorId"], id);
  EXPECT_FALSE(problem(kBank).isMember("authErrorId"));
  EXPECT_EQ(stored("taken"), "1");
}

// Rows of the previous version have no digest version, so their content can't be compared.
TEST_F(BatchApi, DoesNotTreatAnErrorOfAnotherServiceAsARepeatWhenDigestsCannotBeCompared) {
  constexpr std::string_view kShop = "aek_test-shop--test-shop--test-shop--test-shop-";
  constexpr std::string_view kBank = "aek_test-bank--test-bank--test-bank--test-bank-";
  plant({.secret = kShop, .name = "shop", .serviceName = "shop"});
  plant({.secret = kBank, .name = "bank", .serviceName = "bank"});
  const std::string body = ErrorBody{.requestId = "old"}.json();
  ASSERT_EQ(post("/api/auth-errors", body, kBank).status, 201);
  database_.execute("UPDATE auth_error SET content_digest_version = NULL");
  EXPECT_EQ(post("/api/auth-errors", body, kBank).status, 200);
  const HttpResponse single = post("/api/auth-errors", body, kShop);
  EXPECT_EQ(codeOf(single), "409 request_id_conflict");
  EXPECT_FALSE(parseJson(single.body).isMember("authErrorId"));
  const HttpResponse batch = post(kBatch, arrayOf({body}), kShop);
  EXPECT_THAT(statusesOf(batch), ElementsAre(409));
  EXPECT_FALSE(parseJson(batch.body)["results"][0]["problem"].isMember("authErrorId"));
}

TEST_F(BatchApi, ChargesItsKeyOneTokenPerEntry) {
  constexpr std::string_view kSlow = "aek_test-slow--test-slow--test-slow--test-slow-";
  plant({.secret = kSlow, .name = "slow", .rateLimit = 10});
  // More than the burst, which is two seconds' worth; the rest is debt.
  EXPECT_EQ(statusesOf(post(kBatch, arrayOf(bodies(100, "debt-")), kSlow)).size(), 100U);
  const HttpResponse refused = post(kBatch, "[]", kSlow);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(parseJson(refused.body)["code"].asString(), "rate_limited");
  EXPECT_GE(std::stoi(std::string(refused.header("Retry-After"))), 5);
}

class PlainActors : public ApiTest {
 protected:
  PlainActors() : ApiTest({{"AUTH_ERRORS_STORE_IDENTIFIERS", "true"}}) {}
};

TEST_F(PlainActors, AreStoredVerbatimIfConfigured) {
  std::string body = ErrorBody{.requestId = "actors"}.json();
  body.insert(1, R"("userId":" alice42 ","clientIp":"::ffff:192.0.2.7",)");
  ASSERT_EQ(post("/api/auth-errors", body).status, 201);
  const auto row =
      database_.queryRow("SELECT user_id, client_ip, user_pseudonym ~ '^v1:' FROM auth_error");
  EXPECT_THAT(row, Row("alice42", "192.0.2.7", true));
}

}  // namespace
}  // namespace auth_errors::tests
