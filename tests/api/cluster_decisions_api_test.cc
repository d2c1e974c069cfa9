// Decisions on whole clusters and their jobs over HTTP, against the real service and a real
// PostgreSQL. With the role ops the service runs the jobs too.
#include <chrono>
#include <format>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/errors/decision.h"
#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/delivery_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/loop_runner.h"
#include "tests/support/row_matchers.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

std::string pathOf(domain::ClusterId cluster) {
  return std::format("/api/clusters/{}/decisions", cluster);
}

std::string bodyOf(std::string_view type) { return std::format(R"({{"type":"{}"}})", type); }

class ClusterDecisionsApi : public ApiTest {
 protected:
  HttpResponse decide(domain::ClusterId cluster, std::string_view body,
                      std::string_view key = kOperatorKey) {
    return post(pathOf(cluster), body, key);
  }
  // Requests a decision and returns the id of its queued job.
  domain::JobId requestJob(domain::ClusterId cluster, std::string_view type = "FAIL") {
    return idFrom<domain::JobId>(parseJson(decide(cluster, bodyOf(type)).body)["jobId"]);
  }
  HttpResponse cancel(domain::JobId job, std::string_view key = kOperatorKey) {
    return send("POST", std::format("/api/jobs/{}/cancel", job), bearer(key));
  }
  std::vector<domain::JobId> idsOf(const std::string& query) {
    std::vector<domain::JobId> ids;
    for (const Json::Value& item : parseJson(get("/api/jobs" + query).body)["items"]) {
      ids.push_back(idFrom<domain::JobId>(item["jobId"]));
    }
    return ids;
  }
  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  std::string stateOf(domain::ClusterId cluster) {
    return value(std::format("SELECT state FROM cluster WHERE id = {}", cluster));
  }
};

TEST_F(ClusterDecisionsApi, AreQueuedAsAJob) {
  const domain::ClusterId cluster = plantCluster(database_);
  const domain::ErrorId error = plantError(database_, "ANALYSIS_COMPLETED");
  plantMember(database_, cluster, error);
  Headers headers = withType(bearer(kOperatorKey), kJsonType);
  headers.emplace_back("traceparent", kTraceparent);
  const HttpResponse response =
      send("POST", pathOf(cluster), headers, R"({"type":"FAIL","note":" known "})");
  ASSERT_EQ(response.status, 202) << response.body;
  const Json::Value job = parseJson(response.body);
  EXPECT_EQ(response.header("Location"), std::format("/api/jobs/{}", job["jobId"].asInt64()));
  EXPECT_EQ(job["kind"].asString(), "decide");
  EXPECT_EQ(job["status"].asString(), "QUEUED");
  EXPECT_EQ(idFrom<domain::ClusterId>(job["clusterId"]), cluster);
  EXPECT_TRUE(job["targetClusterId"].isNull());
  EXPECT_EQ(job["decision"].asString(), "FAIL");
  EXPECT_EQ(job["note"].asString(), "known");
  EXPECT_EQ(job["requestedBy"].asString(), "test-operator");
  EXPECT_EQ(job["total"].asInt(), 1);
  EXPECT_EQ(job["examined"].asInt(), 0);
  EXPECT_EQ(job["changed"].asInt(), 0);
  EXPECT_TRUE(job["startedAt"].isNull() && job["finishedAt"].isNull());
  EXPECT_EQ(value("SELECT traceparent FROM job"), kTraceparent);
  EXPECT_EQ(statusOfError(database_, error), "ANALYSIS_COMPLETED") << "the request must not wait";
  EXPECT_EQ(get(std::string(response.header("Location"))).body, response.body);
}

TEST_F(ClusterDecisionsApi, ToResolveOrIgnoreAlsoSetTheClusterState) {
  for (const auto& [type, state] :
       {std::pair{"RESOLVE", "RESOLVED"}, std::pair{"IGNORE", "IGNORED"}, std::pair{"FAIL", "OPEN"},
        std::pair{"PROCESS", "OPEN"}, std::pair{"RETRY", "OPEN"}}) {
    const domain::ClusterId cluster = plantCluster(database_);
    ASSERT_EQ(decide(cluster, std::format(R"({{"type":"{}","note":"why"}})", type)).status, 202);
    EXPECT_EQ(stateOf(cluster), state) << type;
    const auto logged = database_.queryText(
        std::format("SELECT from_state, to_state, changed_by, note FROM cluster_transition "
                    "WHERE cluster_id = {}",
                    cluster));
    if (std::string_view(state) == "OPEN") {
      EXPECT_THAT(logged, IsEmpty());
    } else {
      EXPECT_THAT(logged, ElementsAre(Row("OPEN", state, "test-operator", "why")));
    }
  }
  EXPECT_EQ(value("SELECT count(*) FROM job"), "5");
}

TEST_F(ClusterDecisionsApi, AreAcceptedForAClusterAlreadyInThatState) {
  const domain::ClusterId cluster = plantCluster(database_, {.state = "RESOLVED"});
  EXPECT_EQ(decide(cluster, bodyOf("RESOLVE")).status, 202);
  EXPECT_EQ(stateOf(cluster), "RESOLVED");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_transition"), "0");
}

TEST_F(ClusterDecisionsApi, AreRefusedOnAnUnknownCluster) {
  EXPECT_EQ(codeOf(decide(domain::ClusterId(999), bodyOf("FAIL"))), "404 not_found");
  EXPECT_EQ(codeOf(post("/api/clusters/x/decisions", bodyOf("FAIL"), kOperatorKey)),
            "404 not_found");
}

TEST_F(ClusterDecisionsApi, AreRefusedOnAMergedCluster) {
  const domain::ClusterId target = plantCluster(database_);
  const domain::ClusterId merged = plantCluster(database_, {.mergedInto = target});
  const HttpResponse response = decide(merged, bodyOf("RESOLVE"));
  EXPECT_EQ(codeOf(response), "409 conflict");
  const Json::Value problem = parseJson(response.body);
  EXPECT_EQ(problem["currentStatus"].asString(), "MERGED");
  EXPECT_THAT(problem["detail"].asString(), HasSubstr(std::format("cluster {}", target)));
  EXPECT_EQ(value("SELECT count(*) FROM job"), "0");
  EXPECT_EQ(stateOf(merged), "OPEN");
}

TEST_F(ClusterDecisionsApi, ReportAllInvalidFieldsAtOnce) {
  const domain::ClusterId cluster = plantCluster(database_);
  EXPECT_THAT(errorsOf(parseJson(decide(cluster, R"({"type":"x","note":1,"y":2})").body)),
              ElementsAre("note:wrong_type", "type:invalid", "y:unknown_field"));
  EXPECT_THAT(errorsOf(parseJson(decide(cluster, "{}").body)), ElementsAre("type:required"));
  EXPECT_EQ(decide(cluster, bodyOf("FAIL"), kViewerKey).status, 403);
  EXPECT_EQ(value("SELECT count(*) FROM job"), "0");
}

TEST_F(ClusterDecisionsApi, ListTheirJobsNewestFirstWithFilters) {
  const domain::ClusterId one = plantCluster(database_);
  const domain::ClusterId two = plantCluster(database_);
  const domain::JobId first = requestJob(one);
  const domain::JobId second = requestJob(two);
  const domain::JobId third = requestJob(one);
  ASSERT_EQ(cancel(second).status, 200);
  EXPECT_THAT(idsOf(""), ElementsAre(third, second, first));
  EXPECT_THAT(idsOf("?status=QUEUED"), ElementsAre(third, first));
  EXPECT_THAT(idsOf("?status=CANCELLED&kind=decide"), ElementsAre(second));
  EXPECT_THAT(idsOf("?kind=move"), IsEmpty());
  EXPECT_THAT(idsOf(std::format("?clusterId={}", one)), ElementsAre(third, first));
  database_.execute(std::format(
      "UPDATE job SET kind = 'move', decision = NULL, target_cluster_id = {} WHERE id = {}", two,
      third));
  EXPECT_THAT(idsOf(std::format("?clusterId={}", two)), ElementsAre(third, second))
      << "a move also belongs to its target";

  const Json::Value page = parseJson(get("/api/jobs?limit=2").body);
  ASSERT_TRUE(page["nextCursor"].isString());
  EXPECT_THAT(idsOf("?limit=2&cursor=" + page["nextCursor"].asString()), ElementsAre(first));
  EXPECT_THAT(errorsOf(parseJson(get("/api/jobs?status=x&kind=y&clusterId=z&w=1").body)),
              ElementsAre("clusterId:invalid", "kind:invalid", "status:invalid", "w:unknown"));
}

TEST_F(ClusterDecisionsApi, CanBeCancelledUntilTheirJobEnds) {
  const domain::JobId id = requestJob(plantCluster(database_));
  const Json::Value cancelled = parseJson(cancel(id).body);
  EXPECT_EQ(cancelled["status"].asString(), "CANCELLED");
  EXPECT_EQ(cancelled["cancelledBy"].asString(), "test-operator");
  EXPECT_TRUE(cancelled["finishedAt"].isString());
  const domain::JobId running = requestJob(plantCluster(database_));
  database_.execute(
      std::format("UPDATE job SET status = 'RUNNING', lease_owner = 'x', "
                  "lease_until = now(), started_at = now() WHERE id = {}",
                  running));
  EXPECT_EQ(cancel(running).status, 200);
  for (const std::string status : {"DONE", "FAILED"}) {
    const domain::JobId ended = requestJob(plantCluster(database_));
    database_.execute(
        std::format("UPDATE job SET status = '{}', error = 'e', finished_at = now() "
                    "WHERE id = {}",
                    status, ended));
    const HttpResponse response = cancel(ended);
    EXPECT_EQ(codeOf(response), "409 conflict");
    EXPECT_EQ(parseJson(response.body)["currentStatus"].asString(), status);
  }
  EXPECT_EQ(parseJson(cancel(id).body)["currentStatus"].asString(), "CANCELLED");
  EXPECT_EQ(codeOf(cancel(domain::JobId(999))), "404 not_found");
  EXPECT_EQ(cancel(id, kViewerKey).status, 403);
  EXPECT_EQ(codeOf(get("/api/jobs/999")), "404 not_found");
}

TEST_F(ClusterDecisionsApi, CannotBeCancelledIfTheirJobMovesErrors) {
  const domain::JobId id = requestJob(plantCluster(database_));
  database_.execute(std::format(
      "UPDATE job SET kind = 'move', decision = NULL, target_cluster_id = {} WHERE id = {}",
      plantCluster(database_), id));
  const HttpResponse response = cancel(id);
  EXPECT_EQ(codeOf(response), "409 conflict");
  EXPECT_EQ(parseJson(response.body)["currentStatus"].asString(), "QUEUED");
  EXPECT_EQ(value("SELECT status FROM job"), "QUEUED");
}

// Instances that run the jobs.
class ClusterJobs : public DeliveryTest {
 protected:
  [[nodiscard]] ServiceOptions inChunksOf(int rows, const std::string& roles = "api,ops") const {
    ServiceOptions options = DeliveryTest::options(roles);
    options.environment["AUTH_ERRORS_JOBS_CHUNK_ROWS"] = std::to_string(rows);
    options.environment["AUTH_ERRORS_JOBS_LEASE_MS"] = "1000";
    return options;
  }
  std::vector<domain::ErrorId> plantMembers(domain::ClusterId cluster, int count) {
    std::vector<domain::ErrorId> ids;
    for (int i = 0; i < count; ++i) {
      ids.push_back(plantError(database_, "ANALYSIS_COMPLETED"));
      plantMember(database_, cluster, ids.back());
    }
    return ids;
  }
  static void decide(ServiceProcess& service, domain::ClusterId cluster,
                     std::string_view type = "RESOLVE") {
    HttpClient client(service.port(), bearer(kOperatorKey));
    const auto answer = client.post(pathOf(cluster), bodyOf(type), kAnswerLimit);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->status, 202) << answer->body;
  }
  bool jobIs(const std::string& status) {
    return eventually([&] { return value("SELECT status FROM job") == status; });
  }
};

TEST_F(ClusterJobs, AreRunByTheServiceAndCounted) {
  ServiceProcess& service = start(inChunksOf(2));
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 5);
  decide(service, cluster);
  ASSERT_TRUE(jobIs("DONE"));
  EXPECT_THAT(database_.queryRow("SELECT examined, changed FROM job"), Row(5, 5));
  EXPECT_EQ(value("SELECT count(*) FROM auth_error WHERE status = 'RESOLVED'"), "5");
  EXPECT_EQ(metric(service, R"(auth_errors_jobs_total{outcome="done"})"), 1);
  EXPECT_EQ(metric(service, R"(auth_errors_job_errors_changed_total{kind="decide"})"), 5);
}

TEST_F(ClusterJobs, AreFinishedByAnotherInstanceAfterACrash) {
  const domain::ClusterId cluster = plantCluster(database_);
  const auto members = plantMembers(cluster, 6);
  // Blocks the first instance at this error.
  PlainConnection holder(database_.url());
  holder.execute(
      std::format("BEGIN; SELECT FROM auth_error WHERE id = {} FOR UPDATE", members.at(3)));
  ServiceProcess& killed = start(inChunksOf(1));
  decide(killed, cluster);
  ASSERT_TRUE(eventually([&] {
    return value(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
               "datname = current_database()") == "1";
  }));
  killed.kill9();
  EXPECT_THAT(database_.queryRow("SELECT status, examined FROM job"), Row("RUNNING", 3));
  holder.execute("ROLLBACK");

  ServiceProcess& successor = start(inChunksOf(1));
  ASSERT_TRUE(jobIs("DONE"));
  EXPECT_THAT(database_.queryRow("SELECT examined, changed FROM job"), Row(6, 6));
  EXPECT_EQ(metric(successor, R"(auth_errors_job_errors_changed_total{kind="decide"})"), 3);
  EXPECT_THAT(
      database_.queryRow("SELECT count(*), count(DISTINCT auth_error_id) AS errors FROM decision"),
      Row(6, 6))
      << "each error must be decided once";
}

TEST_F(ClusterJobs, AreReleasedOnShutdown) {
  const domain::ClusterId cluster = plantCluster(database_);
  plantMembers(cluster, 500);
  ServiceProcess& service = start(inChunksOf(1));
  decide(service, cluster);
  ASSERT_TRUE(jobIs("RUNNING"));
  EXPECT_EQ(service.terminate(), (ExitStatus{.code = 0, .signal = 0}));
  EXPECT_EQ(value("SELECT status FROM job"), "QUEUED")
      << "500 chunks were done before the shutdown";
  EXPECT_EQ(value("SELECT examined = (SELECT count(*) FROM decision) FROM job"), "t");
}

TEST_F(ClusterJobs, ReanalyseEveryErrorOfACluster) {
  constexpr int kErrors = 7;
  ServiceProcess& service = start(inChunksOf(3, "api,outbox,consumer,ops"));
  post(service, kErrors);
  ASSERT_TRUE(allAnalysed());
  decide(service, database_.queryId<domain::ClusterId>("SELECT id FROM cluster"), "RETRY");
  ASSERT_TRUE(jobIs("DONE"));
  EXPECT_EQ(number("SELECT count(DISTINCT aggregate_id) FROM outbox_message WHERE idempotency_key "
                   "= 'auth_error:analysis_requested:' || aggregate_id || ':2'"),
            kErrors);
  EXPECT_TRUE(allAnalysed());
  EXPECT_EQ(number("SELECT count(*) FROM cluster_member"), kErrors);
  EXPECT_THAT(database_.queryText("SELECT DISTINCT state FROM cluster"), ElementsAre(Row("OPEN")));
}

}  // namespace
}  // namespace auth_errors::tests
