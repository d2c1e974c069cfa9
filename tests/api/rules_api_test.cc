// /api/rules over HTTP, against the real service and a real PostgreSQL.
#include <format>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/row_matchers.h"
#include "tests/support/rule_rows.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string pathOf(domain::RuleId id) { return std::format("/api/rules/{}", id); }

std::string bodyOf(std::string_view name, std::string_view more = {}) {
  return std::format(R"({{"name":"{}","match":{{"httpStatus":401}},"action":"IGNORE"{}{}}})", name,
                     more.empty() ? "" : ",", more);
}

class RulesApi : public ApiTest {
 protected:
  HttpResponse create(std::string_view body, std::string_view key = kOperatorKey) {
    return post("/api/rules", body, key);
  }
  HttpResponse replace(domain::RuleId id, std::string_view body,
                       std::string_view key = kOperatorKey) {
    return send("PUT", pathOf(id), withType(bearer(key), kJsonType), body);
  }
  HttpResponse remove(domain::RuleId id, std::string_view key = kOperatorKey) {
    return send("DELETE", pathOf(id), bearer(key));
  }
  Json::Value preview(std::string_view body) {
    const HttpResponse response = post("/api/rules/preview", body, kOperatorKey);
    EXPECT_EQ(response.status, 200) << response.body;
    return parseJson(response.body);
  }
  std::vector<std::string> names(const std::string& query = {}) {
    std::vector<std::string> found;
    const HttpResponse response = get("/api/rules" + query);
    EXPECT_EQ(response.status, 200) << response.body;
    page_ = parseJson(response.body);
    for (const Json::Value& rule : page_["items"]) {
      found.push_back(rule["name"].asString());
    }
    return found;
  }
  std::set<std::string> errors(std::string_view body) {
    const HttpResponse response = create(body);
    EXPECT_EQ(codeOf(response), "400 invalid_fields") << body;
    return errorsOf(parseJson(response.body));
  }
  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  domain::ClusterId plantCluster(const std::string& mergedInto = "NULL") {
    return database_.queryId<domain::ClusterId>(std::format(
        "INSERT INTO cluster (title, exception_class, state, state_changed_at, state_changed_by, "
        "merged_into, sample_error_id, error_count, actor_count, first_seen_at, last_seen_at, "
        "created_at) VALUES ('t', 'A', 'OPEN', now(), 'test', {}, 1, 0, 0, now(), now(), now()) "
        "RETURNING id",
        mergedInto));
  }

  Json::Value page_;
};

TEST_F(RulesApi, AreCreatedWithDefaultsAndShown) {
  const HttpResponse made = create(bodyOf("bots"));
  ASSERT_EQ(made.status, 201) << made.body;
  const Json::Value rule = parseJson(made.body);
  EXPECT_EQ(made.header("Location"), pathOf(idFrom<domain::RuleId>(rule["id"])));
  EXPECT_EQ(rule["name"].asString(), "bots");
  EXPECT_EQ(rule["position"].asInt(), 1);
  EXPECT_TRUE(rule["enabled"].asBool());
  EXPECT_EQ(rule["match"]["httpStatus"].asInt(), 401);
  EXPECT_TRUE(rule["match"]["clusterId"].isNull());
  EXPECT_EQ(rule["action"].asString(), "IGNORE");
  for (const char* name : {"note", "afterSeconds", "lastHitAt", "lastFailure", "lastFailureAt"}) {
    EXPECT_TRUE(rule.isMember(name) && rule[name].isNull()) << name;
  }
  EXPECT_EQ(rule["hitCount"].asInt(), 0);
  EXPECT_EQ(rule["failureCount"].asInt(), 0);
  EXPECT_EQ(rule["createdBy"].asString(), "test-operator");
  EXPECT_EQ(rule["changedBy"].asString(), "test-operator");
  EXPECT_EQ(rule["createdAt"], rule["changedAt"]);
  EXPECT_EQ(get(pathOf(idFrom<domain::RuleId>(rule["id"]))).body, made.body);
}

TEST_F(RulesApi, StoreEveryConditionAndSetting) {
  const domain::ClusterId cluster = plantCluster();
  const HttpResponse made = create(std::format(
      R"({{"name":"A-1._b","position":1000000,"enabled":false,"action":"RETRY","note":" why ",
          "afterSeconds":31536000,"match":{{"clusterId":{},"exceptionClass":"A.B","httpStatus":599,
          "serviceName":"login","environment":"prod","message":"timed out"}}}})",
      cluster));
  ASSERT_EQ(made.status, 201) << made.body;
  const Json::Value rule = parseJson(made.body);
  EXPECT_EQ(rule["position"].asInt(), 1'000'000);
  EXPECT_FALSE(rule["enabled"].asBool());
  EXPECT_EQ(rule["action"].asString(), "RETRY");
  EXPECT_EQ(rule["note"].asString(), "why");
  EXPECT_EQ(rule["afterSeconds"].asInt(), 31'536'000);
  EXPECT_EQ(idFrom<domain::ClusterId>(rule["match"]["clusterId"]), cluster);
  EXPECT_EQ(rule["match"]["exceptionClass"].asString(), "A.B");
  EXPECT_EQ(rule["match"]["httpStatus"].asInt(), 599);
  EXPECT_EQ(rule["match"]["serviceName"].asString(), "login");
  EXPECT_EQ(rule["match"]["environment"].asString(), "prod");
  EXPECT_EQ(rule["match"]["message"].asString(), "timed out");
  ASSERT_EQ(create(bodyOf("last")).status, 201);
  EXPECT_THAT(names(), ElementsAre("A-1._b", "last")) << "appended after the last position";
}

TEST_F(RulesApi, AreListedInOrderOfApplication) {
  for (const auto& [name, position] : std::vector<std::pair<std::string, int>>{
           {"c", 2}, {"d", 2}, {"a", 1}, {"e", 900'000}, {"b", 1}}) {
    ASSERT_EQ(create(bodyOf(name, std::format(R"("position":{})", position))).status, 201);
  }
  ASSERT_EQ(create(bodyOf("f")).status, 201);
  EXPECT_THAT(names(), ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_TRUE(page_["nextCursor"].isNull());
  EXPECT_THAT(names("?limit=3"), ElementsAre("a", "b", "c"));
  const std::string cursor = page_["nextCursor"].asString();
  EXPECT_THAT(names("?limit=3&cursor=" + cursor), ElementsAre("d", "e", "f"));
  EXPECT_TRUE(page_["nextCursor"].isNull());
  database_.execute("DELETE FROM rule WHERE name = 'c'");
  EXPECT_THAT(names("?cursor=" + cursor), ElementsAre("d", "e", "f"))
      << "the cursor must work after the last rule of the page was deleted";
  EXPECT_EQ(codeOf(get("/api/rules?cursor=x")), "400 invalid_fields");
}

TEST_F(RulesApi, AreReplacedAsAWhole) {
  ASSERT_EQ(create(bodyOf("other")).status, 201);
  const auto id = idFrom<domain::RuleId>(parseJson(
      create(bodyOf("old", R"("note":"n","afterSeconds":60,"enabled":false)")).body)["id"]);
  database_.execute(
      "UPDATE rule SET hit_count = 5, scanned_until = now(), scanned_id = 9, "
      "created_by = 'somebody'");
  const HttpResponse changed =
      replace(id, R"({"name":"new","match":{"message":"x"},"action":"FAIL"})");
  ASSERT_EQ(changed.status, 200) << changed.body;
  const Json::Value rule = parseJson(changed.body);
  EXPECT_EQ(idFrom<domain::RuleId>(rule["id"]), id);
  EXPECT_EQ(rule["name"].asString(), "new");
  EXPECT_EQ(rule["position"].asInt(), 2) << "it keeps its position";
  EXPECT_TRUE(rule["enabled"].asBool());
  EXPECT_TRUE(rule["match"]["httpStatus"].isNull());
  EXPECT_EQ(rule["match"]["message"].asString(), "x");
  EXPECT_EQ(rule["action"].asString(), "FAIL");
  EXPECT_TRUE(rule["note"].isNull());
  EXPECT_TRUE(rule["afterSeconds"].isNull());
  EXPECT_EQ(rule["hitCount"].asInt(), 5);
  EXPECT_EQ(rule["createdBy"].asString(), "somebody");
  EXPECT_EQ(rule["changedBy"].asString(), "test-operator");
  EXPECT_THAT(database_.queryRow(
                  std::format("SELECT scanned_until, scanned_id FROM rule WHERE id = {}", id)),
              Row("-infinity", 0));
  EXPECT_EQ(parseJson(replace(id, bodyOf("new", R"("position":1)")).body)["position"].asInt(), 1);
  EXPECT_EQ(codeOf(replace(id, bodyOf("other"))), "409 conflict");
  EXPECT_EQ(codeOf(replace(id, "{}")), "400 invalid_fields");
  EXPECT_EQ(codeOf(replace(domain::RuleId(999), bodyOf("x"))), "404 not_found");
}

TEST_F(RulesApi, CanBeDeletedWithoutTheirDecisions) {
  const auto id = idFrom<domain::RuleId>(parseJson(create(bodyOf("bots")).body)["id"]);
  const domain::ErrorId error = plantAnalysed(database_);
  database_.execute(std::format(
      "UPDATE auth_error SET status = 'IGNORED' WHERE id = {0}; INSERT INTO decision "
      "(auth_error_id, type, decided_by, decided_at) VALUES ({0}, 'IGNORE', 'rule:bots', now())",
      error));
  const HttpResponse gone = remove(id);
  EXPECT_EQ(gone.status, 204);
  EXPECT_EQ(gone.body, "");
  EXPECT_EQ(codeOf(get(pathOf(id))), "404 not_found");
  EXPECT_EQ(codeOf(remove(id)), "404 not_found");
  EXPECT_EQ(fateOf(database_, error), "IGNORED by rule:bots");
  const Json::Value journey = parseJson(get(std::format("/api/auth-errors/{}", error)).body);
  EXPECT_EQ(journey["journey"][journey["journey"].size() - 1]["by"].asString(), "rule:bots");
  EXPECT_EQ(create(bodyOf("bots")).status, 201) << "its name is free again";
}

TEST_F(RulesApi, HaveUniqueNames) {
  ASSERT_EQ(create(bodyOf("bots")).status, 201);
  EXPECT_EQ(codeOf(create(bodyOf("bots"))), "409 conflict");
  EXPECT_EQ(create(bodyOf("Bots")).status, 201);
  EXPECT_EQ(value("SELECT count(*) FROM rule"), "2");
}

TEST_F(RulesApi, ReportAllInvalidFieldsAtOnce) {
  EXPECT_EQ(codeOf(create("[]")), "400 malformed_json");
  EXPECT_THAT(errors("{}"), ElementsAre("action:required", "match:required", "name:required"));
  EXPECT_THAT(
      errors(R"({"name":1,"position":"x","enabled":1,"match":[],"action":1,"note":1,
                         "afterSeconds":1.0})"),
      ElementsAre("action:wrong_type", "afterSeconds:wrong_type", "enabled:wrong_type",
                  "match:wrong_type", "name:wrong_type", "note:wrong_type", "position:wrong_type"));
  EXPECT_THAT(
      errors(R"({"name":"-a","position":0,"match":{},"action":"ignore",
                         "afterSeconds":59,"aftersecond":1})"),
      ElementsAre("action:invalid", "afterSeconds:out_of_range", "aftersecond:unknown_field",
                  "match:required", "name:invalid", "position:out_of_range"));
  EXPECT_THAT(errors(R"({"name":"a b","position":1000001,"action":"FAIL","afterSeconds":31536001,
                         "match":{"clusterId":0,"httpStatus":600,"exceptionClass":1,
                                  "serviceName":"","environment":" ","message":"\u0007","x":1}})"),
              ElementsAre("afterSeconds:out_of_range", "match.clusterId:out_of_range",
                          "match.environment:invalid", "match.exceptionClass:wrong_type",
                          "match.httpStatus:out_of_range", "match.message:invalid",
                          "match.serviceName:invalid", "match.x:unknown_field", "name:invalid",
                          "position:out_of_range"));
  EXPECT_THAT(errors(bodyOf(std::string(65, 'a'))), ElementsAre("name:invalid"));
  EXPECT_THAT(errors(bodyOf(kIngestKey)), ElementsAre("name:secret"));
  EXPECT_EQ(create(bodyOf(std::string(64, 'a'))).status, 201);
  EXPECT_THAT(errors(R"({"name":"a","match":{"httpStatus":null},"action":"FAIL"})"),
              ElementsAre("match:required"));
}

TEST_F(RulesApi, RequireAnAgeToRetry) {
  const std::string retry = R"({"name":"again","match":{"httpStatus":401},"action":"RETRY")";
  EXPECT_THAT(errors(retry + "}"), ElementsAre("afterSeconds:required"));
  EXPECT_EQ(create(retry + R"(,"afterSeconds":60})").status, 201);
}

TEST_F(RulesApi, RequireAnExistingCluster) {
  const domain::ClusterId open = plantCluster();
  const domain::ClusterId merged = plantCluster(std::format("{}", open));
  const auto body = [](domain::ClusterId cluster) {
    return std::format(R"({{"name":"x","match":{{"clusterId":{}}},"action":"FAIL"}})", cluster);
  };
  EXPECT_THAT(errors(body(domain::ClusterId(999))), ElementsAre("match.clusterId:invalid"));
  EXPECT_THAT(errors(body(merged)), ElementsAre("match.clusterId:invalid"));
  EXPECT_EQ(codeOf(post("/api/rules/preview", body(merged), kOperatorKey)), "400 invalid_fields");
  const HttpResponse made = create(body(open));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(codeOf(replace(idFrom<domain::RuleId>(parseJson(made.body)["id"]),
                           body(domain::ClusterId(999)))),
            "400 invalid_fields");
}

TEST_F(RulesApi, StoreScrubbedTexts) {
  const HttpResponse made = create(
      R"({"name":"x","match":{"message":"password=hunter2secret"},"action":"FAIL",
          "note":"token=abcdef1234567890abcdef"})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(value("SELECT match_message FROM rule"), "password=[redacted:password]");
  EXPECT_EQ(made.body.find("abcdef1234567890"), std::string::npos) << made.body;
}

TEST_F(RulesApi, AreLimitedToAThousand) {
  database_.execute(
      "INSERT INTO rule (name, position, enabled, match_http_status, action, hit_count, "
      "failure_count, scanned_until, scanned_id, created_at, created_by, changed_at, changed_by) "
      "SELECT 'r' || n, n, true, 401, 'FAIL', 0, 0, '-infinity', 0, now(), 'test', now(), 'test' "
      "FROM generate_series(1, 999) n");
  ASSERT_EQ(create(bodyOf("last")).status, 201);
  EXPECT_EQ(codeOf(create(bodyOf("one-more"))), "409 too_many_rules");
  database_.execute("DELETE FROM rule WHERE name = 'r5'");
  EXPECT_EQ(create(bodyOf("one-more")).status, 201);
}

TEST_F(RulesApi, CheckTheRoleBeforeExistence) {
  const std::string body = bodyOf("x");
  for (const auto key : {kViewerKey, kIngestKey}) {
    EXPECT_EQ(codeOf(create(body, key)), "403 forbidden");
    EXPECT_EQ(codeOf(replace(domain::RuleId(999), body, key)), "403 forbidden");
    EXPECT_EQ(codeOf(remove(domain::RuleId(999), key)), "403 forbidden");
    EXPECT_EQ(codeOf(post("/api/rules/preview", body, key)), "403 forbidden");
  }
  EXPECT_EQ(codeOf(get("/api/rules", kIngestKey)), "403 forbidden");
  EXPECT_EQ(codeOf(get(pathOf(domain::RuleId(999)), kIngestKey)), "403 forbidden");
  EXPECT_EQ(send("GET", "/api/rules", {}).status, 401);
  EXPECT_EQ(get("/api/rules/preview").status, 405);
  EXPECT_EQ(value("SELECT count(*) FROM rule"), "0");
}

TEST_F(RulesApi, PreviewCountsMatchingErrors) {
  const std::string old = "status_changed_at = now() - interval '2 minutes', ";
  plantAnalysed(database_, "http_status = 403");
  const domain::ErrorId waiting = plantAnalysed(
      database_, old + "service_name = 'login', environment = 'prod', exception_message = 'no'");
  const domain::ErrorId young = plantAnalysed(database_);
  const domain::ErrorId ended = plantAnalysed(database_, old + "status = 'FAILED'");
  const domain::ErrorId fresh = plantError(database_);
  const Json::Value aged = preview(bodyOf("x", R"("afterSeconds":60)"));
  EXPECT_EQ(aged["matching"].asInt(), 4);
  EXPECT_EQ(aged["undecided"].asInt(), 2);
  EXPECT_EQ(aged["wouldDecideNow"].asInt(), 1);
  ASSERT_EQ(aged["samples"].size(), 4U);
  EXPECT_EQ(idFrom<domain::ErrorId>(aged["samples"][0]["authErrorId"]), fresh);
  EXPECT_EQ(aged["samples"][0]["status"].asString(), "NEW");
  EXPECT_EQ(idFrom<domain::ErrorId>(aged["samples"][1]["authErrorId"]), ended);
  EXPECT_EQ(idFrom<domain::ErrorId>(aged["samples"][2]["authErrorId"]), young);
  EXPECT_TRUE(aged["samples"][2]["serviceName"].isNull());
  const Json::Value& sample = aged["samples"][3];
  EXPECT_EQ(idFrom<domain::ErrorId>(sample["authErrorId"]), waiting);
  EXPECT_EQ(sample["exceptionClass"].asString(), "BadCredentials");
  EXPECT_EQ(sample["exceptionMessage"].asString(), "no");
  EXPECT_EQ(sample["serviceName"].asString(), "login");
  EXPECT_EQ(sample["environment"].asString(), "prod");
  EXPECT_EQ(sample["httpStatus"].asInt(), 401);
  EXPECT_TRUE(aged["earlierRules"].isArray());
  EXPECT_EQ(preview(bodyOf("x"))["wouldDecideNow"].asInt(), 0)
      << "without an age it acts only on later analyses";
}

TEST_F(RulesApi, PreviewCoversThirtyDaysAndShowsTheNewest) {
  for (int day = 40; day > 0; --day) {
    plantAnalysed(database_, std::format("received_at = now() - interval '{} days' + interval "
                                         "'1 hour', status_changed_at = now() - interval '{} days'",
                                         day, day));
  }
  const Json::Value seen = preview(bodyOf("x", R"("afterSeconds":86400)"));
  EXPECT_EQ(seen["matching"].asInt(), 30);
  EXPECT_EQ(seen["wouldDecideNow"].asInt(), 30);
  ASSERT_EQ(seen["samples"].size(), 10U);
  EXPECT_EQ(seen["samples"][0]["authErrorId"].asInt64(), 40);
  EXPECT_EQ(seen["samples"][9]["authErrorId"].asInt64(), 31);
}

TEST_F(RulesApi, PreviewFindsTheMembersOfACluster) {
  const domain::ClusterId cluster = plantCluster();
  const domain::ErrorId member = plantAnalysed(database_);
  plantAnalysed(database_);
  joinCluster(database_, cluster, std::format("id = {}", member));
  const Json::Value seen =
      preview(std::format(R"({{"name":"x","match":{{"clusterId":{}}},"action":"FAIL"}})", cluster));
  EXPECT_EQ(seen["matching"].asInt(), 1);
  EXPECT_EQ(idFrom<domain::ErrorId>(seen["samples"][0]["authErrorId"]), member);
}

TEST_F(RulesApi, PreviewExcludesErrorsThatTheRuleHasRetried) {
  const domain::ErrorId id =
      plantAnalysed(database_, "status_changed_at = now() - interval '2 minutes'");
  const std::string body =
      R"({"name":"again","match":{"httpStatus":401},"action":"RETRY","afterSeconds":60})";
  EXPECT_EQ(preview(body)["wouldDecideNow"].asInt(), 1);
  database_.execute(
      std::format("INSERT INTO decision (auth_error_id, type, decided_by, decided_at) "
                  "VALUES ({}, 'RETRY', 'rule:again', now())",
                  id));
  EXPECT_EQ(preview(body)["wouldDecideNow"].asInt(), 0);
}

TEST_F(RulesApi, PreviewListsEarlierRulesThatMatchTheSamples) {
  plantRule(database_, {.name = "other", .match = "http_status = 500"});
  plantRule(database_, {.name = "off", .enabled = false});
  plantRule(database_, {.name = "second", .position = 5});
  plantRule(database_, {.name = "first", .position = 4});
  plantRule(database_, {.name = "later", .position = 6});
  plantAnalysed(database_);
  const auto earlier = [this](std::string_view name, std::string_view more = {}) {
    std::vector<std::string> found;
    for (const Json::Value& rule : preview(bodyOf(name, more))["earlierRules"]) {
      found.push_back(rule.asString());
    }
    return found;
  };
  EXPECT_THAT(earlier("x", R"("position":5)"), ElementsAre("first", "second"));
  EXPECT_THAT(earlier("second", R"("position":5)"), ElementsAre("first"))
      << "a rule is not earlier than itself";
  EXPECT_THAT(earlier("x"), ElementsAre("first", "second", "later")) << "appended after the last";
  EXPECT_THAT(earlier("x", R"("position":3)"), IsEmpty());
}

TEST_F(RulesApi, PreviewChangesNothing) {
  plantAnalysed(database_, "status_changed_at = now() - interval '1 day'");
  const std::string all =
      "SELECT e::text FROM auth_error e UNION ALL SELECT r::text FROM rule r UNION ALL "
      "SELECT d::text FROM decision d UNION ALL SELECT d::text FROM rule_delta d";
  plantRule(database_, {.name = "there"});
  const auto before = database_.queryText(all);
  preview(bodyOf("there", R"("afterSeconds":60)"));
  EXPECT_EQ(database_.queryText(all), before);
}

}  // namespace
}  // namespace auth_errors::tests
