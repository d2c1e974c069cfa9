// /openapi.json matches the service: it lists every route with its methods, and every response of
// the real service, success or failure, is valid by it.
#include <algorithm>
#include <format>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json-schema.hpp>

#include "controllers/http/content_encoding.h"
#include "controllers/http/problem.h"
#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/error_body.h"
#include "tests/support/planted_events.h"

namespace auth_errors::tests {
namespace {

using nlohmann::json;
using ::testing::ElementsAreArray;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

// One request and its operation in the document.
struct Sample {
  std::string method;
  std::string pattern;
  std::string path;
  std::string_view key;
  std::string body = {};
  int status = 200;
  std::string_view type = kJsonType;
};

class OpenApi : public ApiTest {
 protected:
  OpenApi() : document_(json::parse(send("GET", "/openapi.json", {}).body)) {}

  // Follows $ref to its target, repeatedly.
  const json& resolved(const json& value) const {
    return value.contains("$ref") ? resolved(document_.at(json::json_pointer(
                                        value.at("$ref").get<std::string>().substr(1))))
                                  : value;
  }

  // The first violation of the schema by the value, or an empty string.
  std::string violationOf(const json& value, const json& schema) const {
    nlohmann::json_schema::json_validator validator(
        nullptr, nlohmann::json_schema::default_string_format_check);
    json root = schema;
    root["components"] = document_.at("components");
    try {
      validator.set_root_schema(root);
      validator.validate(value);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }

  void check(const Sample& sample) {
    const std::string name = std::format("{} {}", sample.method, sample.path);
    Headers headers = sample.key.empty() ? Headers{} : bearer(sample.key);
    if (!sample.body.empty()) {
      headers = withType(headers, sample.type);
    }
    const HttpResponse response = send(sample.method, sample.path, headers, sample.body);
    EXPECT_EQ(response.status, sample.status) << name << ": " << response.body;
    const json& operation = document_.at("paths").at(sample.pattern).at(lower(sample.method));
    const std::string status = std::to_string(response.status);
    ASSERT_TRUE(operation.at("responses").contains(status))
        << name << ": " << status << " is not documented";
    const json& documented = resolved(operation.at("responses").at(status));
    for (const auto& [header, unused] : documented.value("headers", json::object()).items()) {
      EXPECT_FALSE(response.header(header).empty()) << name << ": no " << header;
    }
    EXPECT_FALSE(response.header("X-Request-Id").empty()) << name;
    answered_[sample.method + " " + sample.pattern].insert(response.status);
    if (!documented.contains("content")) {
      EXPECT_EQ(response.body, "") << name;
      return;
    }
    const std::string type(
        response.header("Content-Type").substr(0, response.header("Content-Type").find(';')));
    ASSERT_TRUE(documented.at("content").contains(type)) << name << ": undocumented type " << type;
    if (!type.ends_with("json") || type.ends_with("ndjson")) {
      return;
    }
    const json body = json::parse(response.body);
    EXPECT_EQ(violationOf(body, documented.at("content").at(type).at("schema")), "")
        << name << ": " << response.body;
    if (type == "application/problem+json") {
      const auto description = documented.at("description").get<std::string>();
      EXPECT_NE(description.find(body.at("code").get<std::string>()), std::string::npos)
          << name << ": the code " << body.at("code") << " is not documented";
    }
    // A request that the service accepts must be valid by the document.
    if (response.status < 300 && operation.contains("requestBody") && sample.type == kJsonType) {
      const json& content = operation.at("requestBody").at("content").at(std::string(kJsonType));
      EXPECT_EQ(violationOf(json::parse(sample.body), content.at("schema")), "") << name;
    }
  }

  // A cluster with two errors, one of them of the service "shop".
  domain::ClusterId plantSplittableCluster() {
    const domain::ClusterId cluster = plantCluster(database_);
    for (const std::string_view service : {"login", "shop"}) {
      const auto error = plantEvent(database_, {.errorStatus = "ANALYSIS_COMPLETED"}).authErrorId;
      database_.execute(std::format(
          "UPDATE auth_error SET service_name = '{2}' WHERE id = {1}; "
          "INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at) "
          "VALUES ({0}, {1}, repeat('a', 64), now())",
          cluster, error, service));
    }
    return cluster;
  }

  // The id of a cluster with data in every field; its member is error 2.
  std::string plantedCluster() {
    const auto id = plantCluster(database_);
    const std::string hash(64, 'a');
    plantFacet(database_, id, "service", "shop");
    plantFacet(database_, id, "environment", "production");
    plantFacet(database_, id, "hash", hash);
    plantRoute(database_, id, hash,
               R"({"version":2,"classes":["E"],"frames":["a.B.c"],"message":null})");
    plantMember(database_, id, domain::ErrorId(2));
    database_.execute(std::format(
        "INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, "
        "changed_at) VALUES ({0}, 'OPEN', 'RESOLVED', 'resolve', 'ann', now());"
        "INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_http_status, created_at, "
        "created_by) VALUES ({0}, 99, 403, now(), 'ann')",
        id));
    return std::format("{}", id);
  }

  json document_;
  std::map<std::string, std::set<int>> answered_;
};

TEST_F(OpenApi, ListsExactlyTheRoutesOfTheService) {
  std::set<std::string> documented;
  for (const auto& [path, operations] : document_.at("paths").items()) {
    documented.insert(path);
    std::set<std::string> methods{"OPTIONS"};
    for (const auto& [method, operation] : operations.items()) {
      methods.insert(upper(method));
      if (method == "get") {
        methods.insert("HEAD");
      }
    }
    std::string concrete = path;
    if (const auto id = concrete.find("{id}"); id != std::string::npos) {
      concrete.replace(id, 4, "1");
    }
    const HttpResponse options = send("OPTIONS", concrete, {});
    EXPECT_EQ(options.status, 204) << path;
    std::set<std::string> allowed;
    std::istringstream list{std::string(options.header("Allow"))};
    for (std::string method; std::getline(list >> std::ws, method, ',');) {
      allowed.insert(method);
    }
    EXPECT_THAT(allowed, ElementsAreArray(methods)) << path;
  }
  EXPECT_EQ(documented, routePatterns(metrics()));
}

TEST_F(OpenApi, DescribesTheResponsesOfTheService) {
  const std::string good = ErrorBody{.requestId = "good"}.json();
  const std::string other = ErrorBody{.requestId = "good", .httpStatus = 403}.json();
  const std::string list = "/api/auth-errors";
  const std::string batch = list + "/batch";
  const std::string search = list + "/search";
  const std::string exported = list + "/export";
  const std::string preview = "/api/scrub/preview";
  const std::string reapply = "/api/scrub/reapply";
  const std::string letters = "/api/dead-letters";
  const std::string letter = letters + "/{id}";
  const auto plantedLetter = [this] {
    return std::format("{}", plantLetter(database_, plantEvent(database_).outboxId));
  };
  const std::string open = plantedLetter();
  const std::string waiting = plantedLetter();
  const std::string decisions = list + "/{id}/decisions";
  const std::string analysed = std::format(
      "{}/{}", list, plantEvent(database_, {.errorStatus = "ANALYSIS_COMPLETED"}).authErrorId);
  const std::string redelivery = list + "/{id}/redeliver";
  const std::string stuck = std::format("{}/{}/redeliver", list, plantEvent(database_).authErrorId);
  const std::string foreign = std::format("{}", plantForeignLetter(database_, "x"));
  const std::string cluster = "/api/clusters/{id}";
  const std::string clusterPath = std::format("/api/clusters/{}", plantCluster(database_));
  const std::string splitPath = std::format("/api/clusters/{}", plantSplittableCluster());
  const std::string split = R"({"match":{"serviceName":"shop"},"title":"of the shop"})";
  const std::string jobs = "/api/jobs";
  const std::string rules = "/api/rules";
  const std::string rule = rules + "/{id}";
  const std::string newRule =
      R"({"name":"bots","position":7,"enabled":true,"match":{"httpStatus":401,"message":"x"},"action":"RETRY","note":"n","afterSeconds":60})";
  const std::string anyRule = R"({"name":"any","match":{"httpStatus":401},"action":"IGNORE"})";
  const std::string clusters = "/api/clusters";
  const std::string wholePath = clusters + "/" + plantedCluster();
  const std::string keys = "/api/keys";
  const std::string large(std::size_t{1100} * 1024, ' ');
  const std::string newKey =
      R"({"name":"new","role":"ingest","serviceName":"login","rateLimit":5})";
  for (const Sample& sample : std::vector<Sample>{
           {"POST", list, list, kIngestKey, good, 201},
           {"POST", list, list, kIngestKey, good, 200},
           {"POST", list, list, kIngestKey, other, 409},
           {"POST", list, list, kIngestKey, "{}", 400},
           {"POST", list, list, kIngestKey, "{", 400},
           {"POST", list, list, "", good, 401},
           {"POST", list, list, kViewerKey, good, 403},
           {"POST", list, list, kIngestKey, large, 413},
           {"POST", list, list, kIngestKey, good, 415, "text/plain"},
           {"GET", list, list, kViewerKey},
           {"GET", list, list + "?limit=1&status=NEW&httpStatus=401&serviceName=x", kOperatorKey},
           {"GET", list, list + "?from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z&q=a",
            kViewerKey},
           {"GET", list, list + "?cursor=x&limit=x", kViewerKey, "", 400},
           {"GET", list, list, "", "", 401},
           {"GET", list, list, kIngestKey, "", 403},
           {"POST", batch, batch, kIngestKey, "[" + good + "]", 200},
           {"POST", batch, batch, kIngestKey, good + "\n" + other + "\n{}\n{\n", 200, kLinesType},
           {"POST", batch, batch, kIngestKey, "{}", 400},
           {"POST", batch, batch, "", "[]", 401},
           {"POST", batch, batch, kOperatorKey, "[]", 403},
           {"POST", batch, batch, kIngestKey, "[]", 415, "text/csv"},
           {"POST", search, search, kViewerKey, R"({"userId":"alice42","limit":3})"},
           {"POST", search, search, kViewerKey, "{}", 400},
           {"POST", search, search, kIngestKey, "{}", 403},
           {"GET", exported, exported + "?status=NEW", kViewerKey},
           {"GET", exported, exported + "?limit=0", kViewerKey, "", 400},
           {"GET", exported, exported, kIngestKey, "", 403},
           {"GET", list + "/{id}", list + "/1", kViewerKey},
           {"GET", list + "/{id}", list + "/999", kViewerKey, "", 404},
           {"GET", list + "/{id}", list + "/x", kViewerKey, "", 404},
           {"GET", list + "/{id}", list + "/999", kIngestKey, "", 403},
           {"POST", decisions, analysed + "/decisions", kOperatorKey, R"({"type":"x"})", 400},
           {"POST", decisions, analysed + "/decisions", kOperatorKey,
            R"({"type":"RETRY","note":"again"})", 201},
           {"POST", decisions, analysed + "/decisions", kOperatorKey, R"({"type":"FAIL"})", 409},
           {"POST", decisions, list + "/999/decisions", kOperatorKey, R"({"type":"FAIL"})", 404},
           {"POST", decisions, list + "/999/decisions", kViewerKey, "{}", 403},
           {"GET", list + "/{id}", analysed, kViewerKey},
           {"GET", list, list + "?stuck=true", kViewerKey},
           {"POST", redelivery, stuck, kOperatorKey},
           {"POST", redelivery, analysed + "/redeliver", kOperatorKey},
           {"POST", redelivery, list + "/2/redeliver", kViewerKey, "", 403},
           {"POST", redelivery, list + "/999/redeliver", kOperatorKey, "", 404},
           {"POST", preview, preview, kOperatorKey, R"({"exceptionMessage":"password=x1y2z3"})"},
           {"POST", preview, preview, kOperatorKey, R"({"exceptionMessage":1})", 400},
           {"POST", preview, preview, kViewerKey, "{}", 403},
           {"POST", reapply, reapply, kOperatorKey, "", 202},
           {"POST", reapply, reapply, kOperatorKey, "{}", 202},
           {"POST", reapply, reapply, kViewerKey, "", 403},
           {"POST", reapply, reapply, "", "", 401},
           {"GET", list, list + "?clusterId=1", kViewerKey},
           {"GET", clusters, clusters + "?sort=count&state=OPEN&muted=false&q=x&limit=1",
            kViewerKey},
           {"GET", clusters, clusters, kOperatorKey},
           {"GET", clusters, clusters + "?muted=x", kViewerKey, "", 400},
           {"GET", clusters, clusters, kIngestKey, "", 403},
           {"GET", cluster, wholePath, kViewerKey},
           {"GET", cluster, clusters + "/999", kViewerKey, "", 404},
           {"GET", cluster, clusters + "/1", kIngestKey, "", 403},
           {"GET", letters, letters + "?status=OPEN", kViewerKey},
           {"GET", letters, letters + "?status=x", kViewerKey, "", 400},
           {"GET", letters, letters, kIngestKey, "", 403},
           {"GET", letter, letters + "/" + open, kViewerKey},
           {"GET", letter, letters + "/" + foreign, kViewerKey},
           {"GET", letter, letters + "/999", kViewerKey, "", 404},
           {"POST", letter + "/retry", letters + "/" + foreign + "/retry", kOperatorKey, "", 409},
           {"POST", letter + "/retry", letters + "/" + open + "/retry", kOperatorKey},
           {"POST", letter + "/retry", letters + "/" + open + "/retry", kOperatorKey, "", 409},
           {"POST", letter + "/retry", letters + "/999/retry", kOperatorKey, "", 404},
           {"POST", letter + "/retry", letters + "/999/retry", kViewerKey, "", 403},
           {"POST", letter + "/resolve", letters + "/" + waiting + "/resolve", kOperatorKey, "{}",
            400},
           {"POST", letter + "/resolve", letters + "/" + waiting + "/resolve", kOperatorKey,
            R"({"decision":"FAIL","note":"seen"})"},
           {"GET", list + "/{id}", list + "/2", kViewerKey},  // the error of that dead letter
           {"POST", letter + "/resolve", letters + "/" + waiting + "/resolve", kOperatorKey, "{}",
            409},
           {"POST", letter + "/resolve", letters + "/999/resolve", kViewerKey, "{}", 403},
           {"POST", cluster + "/decisions", clusterPath + "/decisions", kOperatorKey,
            R"({"type":"FAIL","note":"seen"})", 202},
           {"POST", cluster + "/decisions", clusterPath + "/decisions", kOperatorKey, "{}", 400},
           {"POST", cluster + "/decisions", "/api/clusters/999/decisions", kOperatorKey,
            R"({"type":"FAIL"})", 404},
           {"POST", cluster + "/state", clusterPath + "/state", kOperatorKey,
            R"({"state":"RESOLVED","note":"fixed"})"},
           {"POST", cluster + "/state", clusterPath + "/state", kOperatorKey,
            R"({"state":"RESOLVED"})", 409},
           {"POST", cluster + "/state", clusterPath + "/state", kOperatorKey, "{}", 400},
           {"POST", cluster + "/mute", clusterPath + "/mute", kOperatorKey, R"({"count":5})"},
           {"POST", cluster + "/mute", clusterPath + "/mute", kOperatorKey, "{}", 400},
           {"DELETE", cluster + "/mute", clusterPath + "/mute", kOperatorKey},
           {"DELETE", cluster + "/mute", clusterPath + "/mute", kViewerKey, "", 403},
           {"POST", cluster + "/split/preview", splitPath + "/split/preview", kOperatorKey, split},
           {"POST", cluster + "/split/preview", splitPath + "/split/preview", kOperatorKey,
            R"({"match":{"serviceName":"x"}})", 409},
           {"POST", cluster + "/split/preview", splitPath + "/split/preview", kOperatorKey, "{}",
            400},
           {"POST", cluster + "/split", splitPath + "/split", kOperatorKey, split, 202},
           {"POST", cluster + "/split", splitPath + "/split", kViewerKey, split, 403},
           {"POST", cluster + "/merge/preview", splitPath + "/merge/preview", kOperatorKey,
            R"({"into":1})"},
           {"POST", cluster + "/merge/preview", splitPath + "/merge/preview", kOperatorKey, "{}",
            400},
           {"POST", cluster + "/merge", splitPath + "/merge", kOperatorKey,
            R"({"into":1,"note":"one fault"})", 202},
           {"POST", cluster + "/merge", splitPath + "/merge", kOperatorKey, R"({"into":1})", 409},
           {"POST", cluster + "/merge", splitPath + "/merge", kOperatorKey, R"({"into":999})", 404},
           {"GET", jobs, jobs + "?status=QUEUED&kind=decide&clusterId=1", kViewerKey},
           {"GET", jobs, jobs + "?status=x", kViewerKey, "", 400},
           {"GET", jobs + "/{id}", jobs + "/1", kViewerKey},
           {"GET", jobs + "/{id}", jobs + "/999", kViewerKey, "", 404},
           {"POST", jobs + "/{id}/cancel", jobs + "/1/cancel", kOperatorKey},
           {"POST", jobs + "/{id}/cancel", jobs + "/1/cancel", kOperatorKey, "", 409},
           {"POST", jobs + "/{id}/cancel", jobs + "/1/cancel", kViewerKey, "", 403},
           {"POST", rules + "/preview", rules + "/preview", kOperatorKey, anyRule},
           {"POST", rules + "/preview", rules + "/preview", kOperatorKey, "{}", 400},
           {"POST", rules + "/preview", rules + "/preview", kViewerKey, anyRule, 403},
           {"POST", rules, rules, kOperatorKey, newRule, 201},
           {"POST", rules, rules, kOperatorKey, newRule, 409},
           {"POST", rules, rules, kOperatorKey, R"({"match":{}})", 400},
           {"POST", rules, rules, kViewerKey, newRule, 403},
           {"GET", rules, rules + "?limit=1", kViewerKey},
           {"GET", rules, rules + "?limit=x", kViewerKey, "", 400},
           {"GET", rules, rules, kIngestKey, "", 403},
           {"GET", rule, rules + "/1", kViewerKey},
           {"GET", rule, rules + "/999", kViewerKey, "", 404},
           {"PUT", rule, rules + "/1", kOperatorKey, anyRule},
           {"PUT", rule, rules + "/1", kOperatorKey, "{}", 400},
           {"PUT", rule, rules + "/999", kOperatorKey, anyRule, 404},
           {"PUT", rule, rules + "/1", kViewerKey, anyRule, 403},
           {"DELETE", rule, rules + "/1", kViewerKey, "", 403},
           {"DELETE", rule, rules + "/1", kOperatorKey, "", 204},
           {"DELETE", rule, rules + "/1", kOperatorKey, "", 404},
           {"GET", keys, keys, kOperatorKey},
           {"GET", keys, keys, kViewerKey, "", 403},
           {"GET", keys, keys + "?limit=x", kOperatorKey, "", 400},
           {"POST", keys, keys, kOperatorKey, newKey, 201},
           {"POST", keys, keys, kOperatorKey, newKey, 409},
           {"POST", keys, keys, kOperatorKey, R"({"role":"king"})", 400},
           {"POST", keys, keys, kViewerKey, newKey, 403},
           {"GET", keys + "/{id}", keys + "/1", kOperatorKey},
           {"GET", keys + "/{id}", keys + "/x", kOperatorKey, "", 404},
           {"DELETE", keys + "/{id}", keys + "/1", kOperatorKey, "", 204},
           {"DELETE", keys + "/{id}", keys + "/999", kOperatorKey, "", 404},
           {"DELETE", keys + "/{id}", keys + "/1", kViewerKey, "", 403},
           {"GET", "/openapi.json", "/openapi.json", ""},
           {"GET", "/health/live", "/health/live", ""},
           {"GET", "/health/ready", "/health/ready", ""},
           {"GET", "/metrics", "/metrics", ""},
       }) {
    check(sample);
  }
  for (const auto& [path, operations] : document_.at("paths").items()) {
    for (const auto& [method, operation] : operations.items()) {
      const auto& statuses = answered_[upper(method) + " " + path];
      for (const auto& [status, unused] : operation.at("responses").items()) {
        if (status.starts_with('2')) {
          EXPECT_TRUE(statuses.contains(std::stoi(status))) << method << path << status;
        }
      }
    }
  }
}

TEST_F(OpenApi, IsCompressedIfTheClientAcceptsIt) {
  const HttpResponse plain = send("GET", "/openapi.json", {});
  EXPECT_EQ(plain.header("Content-Encoding"), "");
  EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
  const HttpResponse compressed =
      send("GET", "/openapi.json", {{"Accept-Encoding", "br;q=1.0, gzip;q=0.8"}});
  EXPECT_EQ(compressed.header("Content-Encoding"), "gzip");
  EXPECT_EQ(compressed.header("Content-Type"), plain.header("Content-Type"));
  EXPECT_LT(compressed.body.size(), plain.body.size() / 4);
  controllers::GzipInflater inflater(compressed.body, plain.body.size());
  EXPECT_EQ(inflater.inflate(plain.body.size() + 1), true);
  EXPECT_EQ(inflater.take(), plain.body);
  EXPECT_EQ(send("GET", "/openapi.json", {{"Accept-Encoding", "gzip;q=0, *"}}).body, plain.body);
}

TEST_F(OpenApi, IsNotSentAgainForAMatchingEntityTag) {
  for (const char* encoding : {"identity", "gzip"}) {
    const HttpResponse first = send("GET", "/openapi.json", {{"Accept-Encoding", encoding}});
    const std::string tag(first.header("ETag"));
    ASSERT_TRUE(tag.starts_with('"') && tag.size() > 2) << tag;
    const Headers known = {{"Accept-Encoding", encoding}, {"If-None-Match", "W/\"x\", " + tag}};
    const HttpResponse again = send("GET", "/openapi.json", known);
    EXPECT_EQ(again.status, 304) << encoding;
    EXPECT_EQ(again.header("ETag"), tag);
    EXPECT_EQ(again.body, "");
    const HttpResponse other =
        send("GET", "/openapi.json", {{"Accept-Encoding", encoding}, {"If-None-Match", "\"x\""}});
    EXPECT_EQ(other.status, 200);
    EXPECT_EQ(other.body, first.body);
  }
}

TEST_F(OpenApi, ListsEveryProblemCode) {
  const std::string text = document_.dump();
  for (const controllers::RejectSpec& rejection : controllers::kRejections) {
    EXPECT_NE(text.find(rejection.code), std::string::npos) << rejection.code;
  }
}

TEST_F(OpenApi, StatesWhichBodiesMayHaveUnknownFields) {
  int refusing = 0;
  for (const auto& [pattern, operations] : document_.at("paths").items()) {
    for (const auto& [method, operation] : operations.items()) {
      if (!operation.contains("requestBody") || pattern == "/api/auth-errors/batch") {
        continue;
      }
      const json& schema = resolved(
          operation.at("requestBody").at("content").at(std::string(kJsonType)).at("schema"));
      std::string path = pattern;
      if (const auto id = path.find("{id}"); id != std::string::npos) {
        path.replace(id, 4, "999");
      }
      const bool ingest = operation.at("x-roles").front() == "ingest";
      const HttpResponse response =
          send(upper(method), path, withType(bearer(ingest ? kIngestKey : kOperatorKey), kJsonType),
               R"({"stranger":1})");
      const bool refused = response.body.find(R"("field":"stranger")") != std::string::npos;
      EXPECT_EQ(refused, !schema.value("additionalProperties", true)) << method << " " << path;
      refusing += refused ? 1 : 0;
    }
  }
  EXPECT_GE(refusing, 12);
}

TEST_F(OpenApi, HasExamplesThatTheServiceAccepts) {
  const json& body = document_.at("paths").at("/api/auth-errors").at("post").at("requestBody");
  const json& content = body.at("content").at(std::string(kJsonType));
  EXPECT_EQ(violationOf(content.at("example"), content.at("schema")), "");
  EXPECT_EQ(post("/api/auth-errors", content.at("example").dump()).status, 201);
}

}  // namespace
}  // namespace auth_errors::tests
