// POST /api/clusters/{id}/state and /mute over HTTP, and regressions caused by new errors, against
// the real service and a real PostgreSQL.
#include <chrono>
#include <format>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/clusters/cluster.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/values/instant.h"
#include "tests/support/api_fixture.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/database_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/row_matchers.h"
#include "tests/support/typed_ids.h"
#include "triage/clusters/placement.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using domain::ClusterEvent;
using domain::ClusterState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ClusterStateApi : public ApiTest {
 protected:
  HttpResponse setState(domain::ClusterId cluster, std::string_view body,
                        std::string_view key = kOperatorKey) {
    return post(std::format("/api/clusters/{}/state", cluster), body, key);
  }
  HttpResponse setState(domain::ClusterId cluster, ClusterState state) {
    return setState(cluster, std::format(R"({{"state":"{}"}})", domain::toText(state)));
  }
  HttpResponse mute(domain::ClusterId cluster, std::string_view body,
                    std::string_view key = kOperatorKey) {
    return post(std::format("/api/clusters/{}/mute", cluster), body, key);
  }
  HttpResponse muteUntil(domain::ClusterId cluster, std::chrono::system_clock::duration ahead) {
    const auto until = std::chrono::time_point_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now() + ahead);
    return mute(cluster, std::format(R"({{"until":"{}"}})", domain::formatInstant(until)));
  }
  HttpResponse unmute(domain::ClusterId cluster, std::string_view key = kOperatorKey) {
    return send("DELETE", std::format("/api/clusters/{}/mute", cluster), bearer(key));
  }
  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  std::string stateOf(domain::ClusterId cluster) {
    return value(std::format("SELECT state FROM cluster WHERE id = {}", cluster));
  }
  TextRow muteOf(domain::ClusterId cluster) {
    return database_.queryRow(std::format(
        "SELECT muted_until, muted_until_count, muted_by FROM cluster WHERE id = {}", cluster));
  }
};

TEST_F(ClusterStateApi, FollowsTheTransitionTableFromEveryState) {
  for (const auto& [from, fromName] : domain::kClusterStateNames) {
    for (const ClusterEvent event :
         {ClusterEvent::reopened, ClusterEvent::resolved, ClusterEvent::ignored}) {
      const ClusterState to = domain::targetOf(event);
      const domain::ClusterId cluster = plantCluster(database_, {.state = std::string(fromName)});
      const HttpResponse response = setState(cluster, to);
      const std::string name = std::format("{} to {}", fromName, domain::toText(to));
      const auto logged = database_.queryText(
          std::format("SELECT from_state, to_state, cause, changed_by FROM cluster_transition "
                      "WHERE cluster_id = {}",
                      cluster));
      if (domain::transition(from, event)) {
        ASSERT_EQ(response.status, 200) << name << response.body;
        const Json::Value body = parseJson(response.body);
        EXPECT_EQ(idFrom<domain::ClusterId>(body["clusterId"]), cluster);
        EXPECT_EQ(body["state"].asString(), domain::toText(to));
        EXPECT_EQ(body["stateChangedBy"].asString(), "test-operator");
        EXPECT_EQ(stateOf(cluster), domain::toText(to)) << name;
        EXPECT_THAT(logged, ElementsAre(Row(fromName, domain::toText(to), domain::toText(event),
                                            "test-operator")));
      } else {
        EXPECT_EQ(codeOf(response), "409 conflict") << name;
        EXPECT_EQ(parseJson(response.body)["currentStatus"].asString(), fromName) << name;
        EXPECT_EQ(stateOf(cluster), fromName) << name;
        EXPECT_THAT(logged, IsEmpty());
      }
    }
  }
}

TEST_F(ClusterStateApi, KeepsTheNoteOfTheLastChange) {
  const domain::ClusterId cluster = plantCluster(database_);
  const HttpResponse response =
      setState(cluster, R"({"state":"RESOLVED","note":"fixed, password=hunter2x"})");
  const std::string note = parseJson(response.body)["stateNote"].asString();
  EXPECT_THAT(note, HasSubstr("fixed, password=[redacted"));
  EXPECT_EQ(value("SELECT note FROM cluster_transition"), note);
  EXPECT_TRUE(parseJson(setState(cluster, ClusterState::open).body)["stateNote"].isNull());
}

TEST_F(ClusterStateApi, CannotBeSetToRegressedByAnOperator) {
  const domain::ClusterId cluster = plantCluster(database_, {.state = "RESOLVED"});
  const HttpResponse response = setState(cluster, ClusterState::regressed);
  EXPECT_EQ(codeOf(response), "400 invalid_fields");
  EXPECT_THAT(errorsOf(parseJson(response.body)), ElementsAre("state:invalid"));
  EXPECT_EQ(stateOf(cluster), "RESOLVED");
}

TEST_F(ClusterStateApi, ReportsAllInvalidFieldsAtOnce) {
  const domain::ClusterId cluster = plantCluster(database_);
  EXPECT_THAT(errorsOf(parseJson(setState(cluster, R"({"state":1,"note":2,"x":3})").body)),
              ElementsAre("note:wrong_type", "state:wrong_type", "x:unknown_field"));
  EXPECT_THAT(errorsOf(parseJson(setState(cluster, "{}").body)), ElementsAre("state:required"));
  EXPECT_EQ(setState(cluster, R"({"state":"RESOLVED"})", kViewerKey).status, 403);
  EXPECT_EQ(codeOf(setState(domain::ClusterId(999), ClusterState::resolved)), "404 not_found");
}

TEST_F(ClusterStateApi, CannotBeChangedOnceAClusterWasMerged) {
  const domain::ClusterId target = plantCluster(database_);
  const domain::ClusterId merged = plantCluster(database_, {.mergedInto = target});
  for (const HttpResponse& response :
       {setState(merged, ClusterState::resolved), mute(merged, R"({"count":1})"), unmute(merged)}) {
    EXPECT_EQ(codeOf(response), "409 conflict");
    const Json::Value problem = parseJson(response.body);
    EXPECT_EQ(problem["currentStatus"].asString(), "MERGED");
    EXPECT_THAT(problem["detail"].asString(), HasSubstr(std::format("cluster {}", target)));
  }
}

TEST_F(ClusterStateApi, MutesUntilATimeAtMostAYearAhead) {
  const domain::ClusterId cluster = plantCluster(database_);
  const HttpResponse response = muteUntil(cluster, 48h);
  ASSERT_EQ(response.status, 200) << response.body;
  const Json::Value body = parseJson(response.body);
  EXPECT_EQ(body["state"].asString(), "OPEN");
  EXPECT_TRUE(body["mutedUntil"].isString());
  EXPECT_TRUE(body["mutedUntilCount"].isNull());
  EXPECT_EQ(body["mutedBy"].asString(), "test-operator");
  EXPECT_EQ(value("SELECT round(extract(epoch FROM muted_until - now()) / 3600) FROM cluster"),
            "48");
  EXPECT_EQ(muteUntil(cluster, std::chrono::days(365)).status, 200);
  for (const auto ahead : {std::chrono::hours(-1), std::chrono::hours(367 * 24)}) {
    const HttpResponse refused = muteUntil(cluster, ahead);
    EXPECT_EQ(codeOf(refused), "400 invalid_fields");
    EXPECT_THAT(errorsOf(parseJson(refused.body)), ElementsAre("until:out_of_range"));
  }
}

TEST_F(ClusterStateApi, MutesForANumberOfFurtherErrors) {
  const domain::ClusterId cluster = plantCluster(database_, {.errorCount = 7});
  const Json::Value body = parseJson(mute(cluster, R"({"count":100})").body);
  EXPECT_EQ(body["mutedUntilCount"].asInt(), 107);
  EXPECT_TRUE(body["mutedUntil"].isNull());
  EXPECT_EQ(mute(cluster, R"({"count":1000000000})").status, 200);
  EXPECT_THAT(muteOf(cluster), Row(kNull, 1'000'000'007, "test-operator"));
  ASSERT_EQ(muteUntil(cluster, 1h).status, 200);
  EXPECT_EQ(value("SELECT muted_until_count IS NULL FROM cluster"), "t")
      << "the new mute must replace the old one";
}

TEST_F(ClusterStateApi, DoesNotCountKnownMembersTowardsAMute) {
  const domain::ClusterId cluster = plantCluster(database_, {.errorCount = 7});
  database_.execute(
      std::format("INSERT INTO cluster_delta (cluster_id, change, occurred_at, stack_hash) SELECT "
                  "{}, 1, now(), 'x' FROM generate_series(1, 3)",
                  cluster));
  EXPECT_EQ(parseJson(mute(cluster, R"({"count":100})").body)["mutedUntilCount"].asInt(), 110);
}

TEST_F(ClusterStateApi, RequiresExactlyOneKindOfMute) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto errors = [&](std::string_view body) {
    return errorsOf(parseJson(mute(cluster, body).body));
  };
  EXPECT_THAT(errors("{}"), ElementsAre("until:required"));
  EXPECT_THAT(errors(R"({"until":null,"count":null})"), ElementsAre("until:required"));
  EXPECT_THAT(errors(R"({"until":"2099-01-01T00:00:00Z","count":1})"),
              ElementsAre("count:not_allowed"));
  EXPECT_THAT(errors(R"({"count":0})"), ElementsAre("count:out_of_range"));
  EXPECT_THAT(errors(R"({"count":1000000001})"), ElementsAre("count:out_of_range"));
  EXPECT_THAT(errors(R"({"count":1.5,"until":"tomorrow","x":1})"),
              ElementsAre("count:wrong_type", "until:invalid", "x:unknown_field"));
  EXPECT_EQ(mute(cluster, R"({"count":1})", kViewerKey).status, 403);
  EXPECT_EQ(codeOf(mute(domain::ClusterId(999), R"({"count":1})")), "404 not_found");
  EXPECT_THAT(muteOf(cluster), Row(kNull, kNull, kNull));
}

TEST_F(ClusterStateApi, Unmutes) {
  const domain::ClusterId cluster = plantCluster(database_);
  ASSERT_EQ(mute(cluster, R"({"count":1})").status, 200);
  for (int i = 0; i < 2; ++i) {
    const HttpResponse response = unmute(cluster);
    ASSERT_EQ(response.status, 200) << response.body;
    EXPECT_TRUE(parseJson(response.body)["mutedBy"].isNull());
    EXPECT_THAT(muteOf(cluster), Row(kNull, kNull, kNull));
  }
  EXPECT_EQ(unmute(cluster, kViewerKey).status, 403);
  EXPECT_EQ(codeOf(unmute(domain::ClusterId(999))), "404 not_found");
}

class ClusterRegression : public ClusterStateApi {
 protected:
  ClusterRegression() {
    place(plantError(database_, "ANALYSIS_COMPLETED"));
    cluster_ = database_.queryId<domain::ClusterId>("SELECT id FROM cluster");
  }

  // Every error is of the same fault.
  void place(domain::ErrorId error) {
    clients_.run([this, error]() -> drogon::Task<void> {
      database::Transaction transaction = co_await client_.begin(in(10s));
      co_await clusters::placeErrors(
          transaction,
          {{.authErrorId = error,
            .fault = clusters::faultOf({.exceptionClass = "BadCredentials",
                                        .rootCauseClass = "",
                                        .exceptionMessage = "",
                                        .stacktrace = "at a.B.c(B.java:1)"})}},
          domain::InstanceName("instance-1"));
      co_await transaction.commit();
    });
  }

  ClientLoop clients_;
  database::Client& client_ =
      clients_.connect({.url = database_.url(), .applicationName = "placement"});
  domain::ClusterId cluster_;
};

TEST_F(ClusterRegression, ReopensAResolvedClusterOnTheNextError) {
  ASSERT_EQ(setState(cluster_, ClusterState::resolved).status, 200);
  place(plantError(database_, "ANALYSIS_COMPLETED"));
  EXPECT_EQ(stateOf(cluster_), "REGRESSED");
  EXPECT_THAT(database_.queryRow("SELECT from_state, to_state, cause, changed_by FROM "
                                 "cluster_transition ORDER BY id DESC LIMIT 1"),
              Row("RESOLVED", "REGRESSED", "regression", "instance-1"));
  place(plantError(database_, "ANALYSIS_COMPLETED"));
  EXPECT_EQ(value("SELECT count(*) FROM cluster_transition"), "2") << "it must regress once";
}

TEST_F(ClusterRegression, IgnoresErrorsFromBeforeTheResolution) {
  const domain::ErrorId onItsWay = plantError(database_, "ANALYSIS_COMPLETED");
  ASSERT_EQ(setState(cluster_, ClusterState::resolved).status, 200);
  place(onItsWay);
  EXPECT_EQ(stateOf(cluster_), "RESOLVED");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_member"), "2");
}

TEST_F(ClusterRegression, DoesNotHappenToAnIgnoredOrOpenCluster) {
  place(plantError(database_, "ANALYSIS_COMPLETED"));
  EXPECT_EQ(stateOf(cluster_), "OPEN");
  ASSERT_EQ(setState(cluster_, ClusterState::ignored).status, 200);
  place(plantError(database_, "ANALYSIS_COMPLETED"));
  EXPECT_EQ(stateOf(cluster_), "IGNORED");
}

TEST_F(ClusterRegression, FollowsADecisionToResolveACluster) {
  ASSERT_EQ(post(std::format("/api/clusters/{}/decisions", cluster_), R"({"type":"RESOLVE"})",
                 kOperatorKey)
                .status,
            202);
  place(plantError(database_, "ANALYSIS_COMPLETED"));
  EXPECT_EQ(stateOf(cluster_), "REGRESSED");
  ASSERT_EQ(setState(cluster_, ClusterState::resolved).status, 200) << "it can be resolved again";
}

}  // namespace
}  // namespace auth_errors::tests
