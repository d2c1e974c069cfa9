// Names written by a newer version that runs beside this one during an upgrade: lists and single
// rows show them verbatim, and actions that depend on their meaning are refused.
#include <format>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/error_body.h"
#include "tests/support/loop_runner.h"
#include "tests/support/planted_events.h"
#include "tests/support/rule_rows.h"

namespace auth_errors::tests {
namespace {

using ::testing::HasSubstr;

class UnknownNames : public ApiTest {
 protected:
  // Drops the constraints, as a newer schema would.
  UnknownNames() {
    database_.execute(R"(DO $$ DECLARE each record; BEGIN
      FOR each IN SELECT conrelid::regclass AS owner, conname FROM pg_constraint
                  WHERE contype = 'c' AND conrelid <> 0 AND connamespace = 'public'::regnamespace LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', each.owner, each.conname);
      END LOOP; END $$;
      ALTER TABLE auth_error DISABLE TRIGGER USER;
      ALTER TABLE dead_letter DISABLE TRIGGER USER;
      ALTER TABLE job DISABLE TRIGGER USER;
      ALTER TABLE cluster DISABLE TRIGGER USER)");
  }

  Json::Value shown(const std::string& path, std::string_view key = kOperatorKey) {
    const HttpResponse response = get(path, key);
    EXPECT_EQ(response.status, 200) << path << ": " << response.body;
    return response.status == 200 ? parseJson(response.body) : Json::Value();
  }
  // The problem's code and the status that conflicts.
  std::string refusal(const std::string& path, const std::string& body = {}) {
    const HttpResponse response =
        body.empty() ? send("POST", path, bearer(kOperatorKey)) : post(path, body, kOperatorKey);
    return codeOf(response) + " " + parseJson(response.body)["currentStatus"].asString();
  }
};

TEST_F(UnknownNames, AreShownForErrorStatuses) {
  const std::string body = ErrorBody{.requestId = "newer"}.json();
  ASSERT_EQ(post("/api/auth-errors", body).status, 201);
  ASSERT_EQ(post("/api/auth-errors", ErrorBody{.requestId = "neighbour"}.json()).status, 201);
  database_.execute("UPDATE auth_error SET status = 'QUARANTINED' WHERE dedup_key = 'newer'");
  const Json::Value items = shown("/api/auth-errors")["items"];
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0]["status"].asString(), "NEW");
  EXPECT_EQ(items[1]["status"].asString(), "QUARANTINED");
  EXPECT_EQ(shown("/api/auth-errors/1")["status"].asString(), "QUARANTINED");
  EXPECT_THAT(get("/api/auth-errors/export").body, HasSubstr(R"("QUARANTINED")"));
  const HttpResponse again = post("/api/auth-errors", body);
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(parseJson(again.body)["status"].asString(), "QUARANTINED");
  EXPECT_EQ(refusal("/api/auth-errors/1/decisions", R"({"type":"FAIL"})"),
            "409 conflict QUARANTINED");
}

TEST_F(UnknownNames, AreShownForDeadLetters) {
  const auto event = plantEvent(database_);
  const domain::DeadLetterId letter = plantLetter(database_, event.outboxId);
  plantForeignLetter(database_, "x");
  const std::string path = std::format("/api/dead-letters/{}", letter);
  database_.execute(
      std::format("UPDATE dead_letter SET source = 'watchdog', reason = 'stuck' WHERE id = {}; "
                  "UPDATE auth_error SET status = 'QUARANTINED'",
                  letter));
  EXPECT_EQ(refusal(path + "/resolve", R"({"decision":"FAIL"})"), "409 conflict QUARANTINED");
  database_.execute(std::format("UPDATE dead_letter SET status = 'PARKED' WHERE id = {}", letter));
  const Json::Value items = shown("/api/dead-letters")["items"];
  ASSERT_EQ(items.size(), 2U);
  for (const Json::Value& shownLetter : {items[1], shown(path)}) {
    EXPECT_EQ(shownLetter["status"].asString(), "PARKED");
    EXPECT_EQ(shownLetter["source"].asString(), "watchdog");
    EXPECT_EQ(shownLetter["reason"].asString(), "stuck");
  }
  EXPECT_EQ(refusal(path + "/retry"), "409 dead_letter_closed PARKED");
}

TEST_F(UnknownNames, AreShownForJobs) {
  const std::string cluster = std::format("/api/clusters/{}/decisions", plantCluster(database_));
  for (int count = 0; count < 2; ++count) {
    ASSERT_EQ(post(cluster, R"({"type":"FAIL"})", kOperatorKey).status, 202);
  }
  database_.execute(
      "UPDATE job SET kind = 'erase', status = 'PAUSED', decision = 'ESCALATE' WHERE id = 1");
  const Json::Value items = shown("/api/jobs")["items"];
  ASSERT_EQ(items.size(), 2U);
  for (const Json::Value& job : {items[1], shown("/api/jobs/1")}) {
    EXPECT_EQ(job["kind"].asString(), "erase");
    EXPECT_EQ(job["status"].asString(), "PAUSED");
    EXPECT_EQ(job["decision"].asString(), "ESCALATE");
  }
  EXPECT_EQ(refusal("/api/jobs/1/cancel"), "409 conflict PAUSED");
}

TEST_F(UnknownNames, AreShownForClusterStates) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantCluster(database_);
  const std::string path = std::format("/api/clusters/{}", cluster);
  database_.execute(std::format("UPDATE cluster SET state = 'SNOOZED' WHERE id = {}", cluster));
  EXPECT_EQ(shown("/api/clusters")["items"].size(), 2U);
  EXPECT_EQ(shown(path)["state"].asString(), "SNOOZED");
  EXPECT_EQ(refusal(path + "/state", R"({"state":"RESOLVED"})"), "409 conflict SNOOZED");
  const HttpResponse muted = post(path + "/mute", R"({"count":5})", kOperatorKey);
  EXPECT_EQ(muted.status, 200) << muted.body;
  EXPECT_EQ(parseJson(muted.body)["state"].asString(), "SNOOZED");
}

TEST_F(UnknownNames, AreShownForRuleActions) {
  const domain::RuleId rule = plantRule(database_, {.name = "newer", .action = "ESCALATE"});
  plantRule(database_, {.name = "known", .position = 2});
  EXPECT_EQ(shown("/api/rules")["items"].size(), 2U);
  EXPECT_EQ(shown(std::format("/api/rules/{}", rule))["action"].asString(), "ESCALATE");
}

TEST_F(UnknownNames, AreShownForKeyRolesAndGrantNothing) {
  constexpr std::string_view kAuditor = "aek_test-audit-test-audit-test-audit-test-audit";
  constexpr std::string_view kLater = "aek_test-later-test-later-test-later-test-later";
  plantKey(database_.url(), {.secret = kAuditor, .name = "auditor", .role = "auditor"});
  plantKey(database_.url(), {.secret = kLater, .name = "later", .role = "viewer"});
  EXPECT_TRUE(eventually([&] { return get("/api/auth-errors", kLater).status == 200; }));
  const HttpResponse refused = get("/api/auth-errors", kAuditor);
  EXPECT_EQ(codeOf(refused), "403 forbidden");
  EXPECT_THAT(get("/api/keys", kOperatorKey).body, HasSubstr(R"("auditor")"));
}

}  // namespace
}  // namespace auth_errors::tests
