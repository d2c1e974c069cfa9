// /api/clusters/{id}/merge and /split over HTTP, against the real service and a real PostgreSQL.
#include <format>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/stack/stack_hash.h"
#include "tests/support/api_fixture.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/environment.h"
#include "tests/support/loop_runner.h"
#include "tests/support/row_matchers.h"
#include "tests/support/typed_ids.h"

namespace auth_errors::tests {
namespace {

using testing::ElementsAre;

// The current version, so that the re-analysis leaves the planted errors alone.
const std::string kFingerprint =
    std::format(R"({{"version":{},"classes":["a.Fault"],"frames":["a.B.c"],"message":null}})",
                domain::kStackHashVersion);

struct Fault {
  domain::ClusterId id;
  std::string stackHash;
};

class ClusterMovesApi : public ApiTest {
 protected:
  using ApiTest::ApiTest;

  domain::ErrorId addMember(domain::ClusterId cluster, const std::string& stackHash,
                            const std::string& service) {
    const domain::ErrorId error = plantError(database_, "ANALYSIS_COMPLETED");
    database_.execute(
        std::format("UPDATE auth_error SET stack_hash = '{1}', service_name = '{2}', "
                    "environment = 'production' WHERE id = {3}; "
                    "INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at) "
                    "VALUES ({0}, {3}, '{1}', now())",
                    cluster, stackHash, service, error));
    return error;
  }
  // A cluster whose hash repeats a letter, with one error per service.
  Fault plantFault(char letter, const std::vector<std::string>& services) {
    const Fault fault{.id = plantCluster(database_, {.title = std::format("Fault {}", letter)}),
                      .stackHash = std::string(64, letter)};
    plantRoute(database_, fault.id, fault.stackHash, kFingerprint);
    plantFacet(database_, fault.id, "environment", "production");
    for (const std::string& service : services) {
      addMember(fault.id, fault.stackHash, service);
    }
    return fault;
  }
  HttpResponse act(domain::ClusterId cluster, std::string_view action, std::string_view body,
                   std::string_view key = kOperatorKey) {
    return post(std::format("/api/clusters/{}/{}", cluster, action), body, key);
  }
  HttpResponse merge(domain::ClusterId source, domain::ClusterId target) {
    return act(source, "merge", std::format(R"({{"into":{}}})", target));
  }
  static std::string hashesBody(const std::string& hash) {
    return std::format(R"({{"stackHashes":["{}"]}})", hash);
  }
  std::string errorOfPost(domain::ClusterId cluster, std::string_view action,
                          std::string_view body) {
    const HttpResponse response = act(cluster, action, body);
    EXPECT_EQ(codeOf(response), "400 invalid_fields") << body;
    std::string all;
    for (const std::string& error : errorsOf(parseJson(response.body))) {
      all += (all.empty() ? "" : " ") + error;
    }
    return all;
  }
};

TEST_F(ClusterMovesApi, MergesByQueueingAJob) {
  const Fault source = plantFault('a', {"login", "shop"});
  const Fault target = plantFault('b', {"login"});
  const HttpResponse response =
      act(source.id, "merge",
          std::format(R"({{"into":{},"note":" one fault, password=hunter2secret "}})", target.id));
  ASSERT_EQ(response.status, 202) << response.body;
  const Json::Value job = parseJson(response.body);
  EXPECT_EQ(response.header("Location"), std::format("/api/jobs/{}", job["jobId"].asInt64()));
  EXPECT_EQ(job["kind"].asString(), "move");
  EXPECT_EQ(job["status"].asString(), "QUEUED");
  EXPECT_EQ(idFrom<domain::ClusterId>(job["clusterId"]), source.id);
  EXPECT_EQ(idFrom<domain::ClusterId>(job["targetClusterId"]), target.id);
  EXPECT_EQ(job["note"].asString(), "one fault, password=[redacted:password]");
  EXPECT_EQ(job["requestedBy"].asString(), "test-operator");
  EXPECT_EQ(job["total"].asInt(), 2);
  const HttpResponse again = merge(source.id, target.id);
  EXPECT_EQ(codeOf(again), "409 conflict");
  EXPECT_EQ(parseJson(again.body)["currentStatus"].asString(), "MERGED");
  EXPECT_EQ(parseJson(again.body)["detail"].asString(),
            std::format("Cluster {} was merged into cluster {}.", source.id, target.id));
  const Fault third = plantFault('c', {"login"});
  EXPECT_EQ(codeOf(merge(third.id, source.id)), "409 conflict");
}

TEST_F(ClusterMovesApi, PreviewsAMerge) {
  const Fault source = plantFault('a', {"login", "shop"});
  const Fault target = plantFault('b', {"login"});
  plantFacet(database_, source.id, "service", "login");
  plantFacet(database_, source.id, "service", "shop");
  plantFacet(database_, target.id, "service", "login");
  const HttpResponse response =
      act(source.id, "merge/preview", std::format(R"({{"into":{}}})", target.id));
  ASSERT_EQ(response.status, 200) << response.body;
  const Json::Value preview = parseJson(response.body);
  EXPECT_EQ(idFrom<domain::ClusterId>(preview["source"]["clusterId"]), source.id);
  EXPECT_EQ(preview["source"]["state"].asString(), "OPEN");
  EXPECT_EQ(idFrom<domain::ClusterId>(preview["target"]["clusterId"]), target.id);
  EXPECT_EQ(preview["target"]["errorCount"].asInt(), 1);
  EXPECT_EQ(preview["movingErrors"].asInt(), 2);
  EXPECT_EQ(preview["errorsInBoth"].asInt(), 0);
  EXPECT_EQ(preview["resultingErrors"].asInt(), 3);
  EXPECT_EQ(preview["servicesGained"][0].asString(), "shop");
  EXPECT_EQ(preview["servicesGained"].size(), 1U);
  EXPECT_TRUE(preview["environmentsGained"].empty());
  EXPECT_EQ(preview["stackHashes"][0].asString(), source.stackHash);
  EXPECT_EQ(preview["stackHashCount"].asInt(), 1);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM cluster WHERE merged_into IS NOT NULL"),
            "0");
}

TEST_F(ClusterMovesApi, RefusesInvalidMerges) {
  const Fault one = plantFault('a', {"login"});
  const Fault other = plantFault('b', {"login"});
  for (const std::string_view action : {"merge", "merge/preview"}) {
    EXPECT_EQ(codeOf(act(one.id, action, "[]")), "400 malformed_json");
    EXPECT_EQ(errorOfPost(one.id, action, "{}"), "into:required");
    EXPECT_EQ(errorOfPost(one.id, action, R"({"into":0})"), "into:out_of_range");
    EXPECT_EQ(errorOfPost(one.id, action, R"({"into":"2","note":[],"x":1})"),
              "into:wrong_type note:wrong_type x:unknown_field");
    EXPECT_EQ(errorOfPost(one.id, action, std::format(R"({{"into":{}}})", one.id)), "into:invalid");
    EXPECT_EQ(codeOf(act(one.id, action, R"({"into":999})")), "404 not_found");
    const std::string body = std::format(R"({{"into":{}}})", other.id);
    EXPECT_EQ(codeOf(act(domain::ClusterId(999), action, body)), "404 not_found");
    EXPECT_EQ(codeOf(act(one.id, action, body, kViewerKey)), "403 forbidden");
    EXPECT_EQ(codeOf(act(domain::ClusterId(999), action, body, kIngestKey)), "403 forbidden");
  }
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM job"), "0");
}

TEST_F(ClusterMovesApi, RefusesToMoveWhileADecisionJobIsOpen) {
  const Fault source = plantFault('a', {"login", "shop"});
  const Fault target = plantFault('b', {"login"});
  database_.execute(std::format(
      "INSERT INTO job (kind, status, cluster_id, decision, requested_by, total, examined, "
      "changed, "
      "position, last_position, failures, created_at) VALUES ('decide', 'QUEUED', {}, 'IGNORE', "
      "'eve', 1, 0, 0, 0, 1, 0, now())",
      source.id));
  EXPECT_EQ(codeOf(merge(source.id, target.id)), "409 cluster_busy");
  EXPECT_EQ(codeOf(act(source.id, "split", R"({"match":{"serviceName":"shop"}})")),
            "409 cluster_busy");
}

TEST_F(ClusterMovesApi, SplitsByAMatch) {
  const Fault source = plantFault('a', {"login", "shop", "shop"});
  const std::string body = R"({"match":{"serviceName":"shop","httpStatus":401}})";
  const HttpResponse previewed = act(source.id, "split/preview", body);
  ASSERT_EQ(previewed.status, 200) << previewed.body;
  const Json::Value preview = parseJson(previewed.body);
  EXPECT_EQ(preview["movingErrors"].asInt(), 2);
  EXPECT_EQ(preview["stayingErrors"].asInt(), 1);
  EXPECT_EQ(preview["services"][0].asString(), "shop");
  EXPECT_EQ(preview["environments"][0].asString(), "production");
  EXPECT_EQ(preview["title"].asString(), "Fault a (status 401, service shop)");
  ASSERT_EQ(preview["samples"].size(), 2U);
  EXPECT_EQ(preview["samples"][0]["serviceName"].asString(), "shop");
  EXPECT_EQ(preview["samples"][0]["exceptionClass"].asString(), "BadCredentials");
  EXPECT_GT(preview["samples"][0]["authErrorId"].asInt64(),
            preview["samples"][1]["authErrorId"].asInt64());

  const HttpResponse response = act(source.id, "split", body);
  ASSERT_EQ(response.status, 202) << response.body;
  const Json::Value made = parseJson(response.body);
  EXPECT_EQ(made["title"], preview["title"]);
  EXPECT_NE(idFrom<domain::ClusterId>(made["clusterId"]), source.id);
  EXPECT_EQ(made["job"]["targetClusterId"], made["clusterId"]);
  EXPECT_EQ(idFrom<domain::ClusterId>(made["job"]["clusterId"]), source.id);
  EXPECT_EQ(response.header("Location"),
            std::format("/api/jobs/{}", made["job"]["jobId"].asInt64()));
  EXPECT_THAT(database_.queryRow("SELECT from_cluster_id, to_cluster_id, match_service_name, "
                                 "match_http_status, created_by FROM cluster_split"),
              Row(source.id, made["clusterId"].asInt64(), "shop", 401, "test-operator"));
}

TEST_F(ClusterMovesApi, SplitsByHashesUnderAGivenTitle) {
  const Fault source = plantFault('a', {"login"});
  const std::string otherHash(64, 'd');
  plantRoute(database_, source.id, otherHash, kFingerprint);
  addMember(source.id, otherHash, "login");
  const HttpResponse response =
      act(source.id, "split",
          std::format(R"({{"stackHashes":["{0}","{0}"],"title":" Other logins ","note":"two"}})",
                      source.stackHash));
  ASSERT_EQ(response.status, 202) << response.body;
  const Json::Value made = parseJson(response.body);
  EXPECT_EQ(made["title"].asString(), "Other logins");
  EXPECT_EQ(made["job"]["note"].asString(), "two");
  EXPECT_EQ(database_.queryValue(std::format(
                "SELECT cluster_id FROM cluster_route WHERE stack_hash = '{}'", source.stackHash)),
            std::to_string(made["clusterId"].asInt64()));
}

TEST_F(ClusterMovesApi, RefusesInvalidSplits) {
  const Fault source = plantFault('a', {"login"});
  const Fault other = plantFault('b', {"login"});
  for (const std::string_view action : {"split", "split/preview"}) {
    EXPECT_EQ(codeOf(act(source.id, action, "[]")), "400 malformed_json");
    EXPECT_EQ(errorOfPost(source.id, action, "{}"), "stackHashes:required");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"stackHashes":null,"match":null})"),
              "stackHashes:required");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"stackHashes":[],"match":{}})"),
              "match:not_allowed");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"stackHashes":[]})"), "stackHashes:out_of_range");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"stackHashes":["x"]})"), "stackHashes:invalid");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"stackHashes":"x"})"), "stackHashes:wrong_type");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"stackHashes":[1]})"), "stackHashes:wrong_type");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"match":[]})"), "match:wrong_type");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"match":{}})"), "match:required");
    EXPECT_EQ(errorOfPost(source.id, action, R"({"match":{"clusterId":1}})"),
              "match.clusterId:not_allowed");
    EXPECT_EQ(errorOfPost(source.id, action,
                          R"({"match":{"httpStatus":1},"titel":"x","title":")" +
                              std::string(256, 'x') + R"("})"),
              "match.httpStatus:out_of_range titel:unknown_field title:too_long");
    EXPECT_EQ(errorOfPost(source.id, action, hashesBody(other.stackHash)), "stackHashes:unknown");
    EXPECT_EQ(errorOfPost(source.id, action, hashesBody(source.stackHash)),
              "stackHashes:not_allowed");
    EXPECT_EQ(codeOf(act(source.id, action, R"({"match":{"serviceName":"x"}})")),
              "409 split_moves_nothing");
    EXPECT_EQ(codeOf(act(source.id, action, R"({"match":{"serviceName":"login"}})")),
              "409 split_moves_everything");
    EXPECT_EQ(codeOf(act(domain::ClusterId(999), action, R"({"match":{"serviceName":"x"}})")),
              "404 not_found");
    EXPECT_EQ(codeOf(act(domain::ClusterId(999), action, "{}", kViewerKey)), "403 forbidden");
  }
  const std::string problem = act(source.id, "split", hashesBody(other.stackHash)).body;
  EXPECT_NE(problem.find(other.stackHash), std::string::npos) << problem;
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM cluster"), "2");
}

TEST_F(ClusterMovesApi, AnswersWith503WhenTheDatabaseIsUnavailable) {
  const Fault source = plantFault('a', {"login", "shop"});
  const Fault target = plantFault('b', {"login"});
  const std::string into = std::format(R"({{"into":{}}})", target.id);
  const std::string match = R"({"match":{"serviceName":"shop"}})";
  database_.execute("ALTER TABLE cluster RENAME TO hidden");
  for (const HttpResponse& response :
       {act(source.id, "merge", into), act(source.id, "merge/preview", into),
        act(source.id, "split", match), act(source.id, "split/preview", match)}) {
    EXPECT_EQ(codeOf(response), "503 database_unavailable");
    EXPECT_FALSE(response.header("Retry-After").empty());
  }
  database_.execute("ALTER TABLE hidden RENAME TO cluster");
  EXPECT_EQ(merge(source.id, target.id).status, 202);
}

class ClusterMovesApiWithShortDeadline : public ClusterMovesApi {
 protected:
  ClusterMovesApiWithShortDeadline()
      : ClusterMovesApi({{"AUTH_ERRORS_REQUEST_DEADLINE_MS", "500"}}) {}
};

TEST_F(ClusterMovesApiWithShortDeadline, AnswersWith503WhenAPreviewTakesTooLong) {
  const Fault source = plantFault('a', {"login", "shop"});
  PlainConnection reader(database_.url());
  reader.execute("BEGIN; LOCK TABLE cluster_member");
  const HttpResponse response =
      act(source.id, "split/preview", R"({"match":{"serviceName":"shop"}})");
  EXPECT_EQ(codeOf(response), "503 query_too_slow");
  EXPECT_FALSE(response.header("Retry-After").empty());
}

class ClusterMoveJobs : public ClusterMovesApi {
 protected:
  ClusterMoveJobs()
      : ClusterMovesApi(
            {{"AMQP_URL", environmentVariable("AMQP_URL").value_or("")},
             {"AUTH_ERRORS_ROLES", "api,ops"},
             {"AUTH_ERRORS_BROKER_PREFIX", std::format("moves-{:08x}", std::random_device{}())},
             {"AUTH_ERRORS_JOBS_CHUNK_ROWS", "10"}}) {}

  bool becomesDone(const std::string& job) {
    return eventually([&] { return parseJson(get(job).body)["status"].asString() == "DONE"; });
  }
};

TEST_F(ClusterMoveJobs, MovesErrorsAndCountersInTheBackground) {
  const Fault source = plantFault('a', std::vector<std::string>(25, "login"));
  addMember(source.id, source.stackHash, "shop");
  const Fault target = plantFault('b', {"login"});
  // The counter deltas that analysis would have left to be flushed.
  database_.execute(
      "UPDATE cluster SET error_count = 0; DELETE FROM cluster_facet; "
      "INSERT INTO cluster_delta (cluster_id, change, occurred_at, stack_hash, service_name) "
      "SELECT m.cluster_id, 1, e.occurred_at, m.stack_hash, e.service_name "
      "FROM cluster_member m JOIN auth_error e ON e.id = m.auth_error_id");
  const HttpResponse split = act(source.id, "split", R"({"match":{"serviceName":"shop"}})");
  ASSERT_EQ(split.status, 202) << split.body;
  const HttpResponse merged = merge(source.id, target.id);
  ASSERT_EQ(merged.status, 202) << merged.body;
  EXPECT_TRUE(becomesDone(std::string(split.header("Location"))));
  EXPECT_TRUE(becomesDone(std::string(merged.header("Location"))));
  const Json::Value job = parseJson(get(merged.header("Location")).body);
  EXPECT_EQ(job["changed"].asInt(), 25);
  const auto errorsOfClusters = [this] {
    return database_.queryText("SELECT id, error_count FROM cluster ORDER BY id");
  };
  const auto expected = ElementsAre(Row(source.id, 0), Row(target.id, 26),
                                    Row(parseJson(split.body)["clusterId"].asInt64(), 1));
  EXPECT_TRUE(eventually([&] { return testing::Matches(expected)(errorsOfClusters()); }));
  EXPECT_THAT(errorsOfClusters(), expected);
}

}  // namespace
}  // namespace auth_errors::tests
