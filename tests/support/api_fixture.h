// Fixture for tests of the HTTP API: a dedicated database, the real service on it, and one key per
// role. Responses are read to their end; a transport fault fails the test.
#pragma once

#include <chrono>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <json/reader.h>
#include <json/value.h>

#include "tests/support/api_keys.h"
#include "tests/support/http_client.h"
#include "tests/support/service_process.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

inline constexpr std::chrono::seconds kAnswerLimit{20};
inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kLinesType = "application/x-ndjson";

// Throws on invalid JSON, which fails the test.
inline Json::Value parseJson(const std::string& text) {
  Json::Value value;
  std::istringstream stream(text);
  stream >> value;
  return value;
}

// Status and code, such as "409 conflict".
inline std::string codeOf(const HttpResponse& response) {
  return std::to_string(response.status) + " " + parseJson(response.body)["code"].asString();
}

// "field:code" for each entry of a problem's errors.
inline std::set<std::string> errorsOf(const Json::Value& problem) {
  std::set<std::string> errors;
  for (const Json::Value& error : problem["errors"]) {
    errors.insert(error["field"].asString() + ":" + error["code"].asString());
  }
  return errors;
}

// The patterns of all routes, taken from the metrics, which have each route from startup.
inline std::set<std::string> routePatterns(const std::string& metrics) {
  static constexpr std::string_view kBegin = "auth_errors_http_requests_total{route=\"";
  std::set<std::string> patterns;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kBegin)) {
      patterns.insert(line.substr(kBegin.size(), line.find('"', kBegin.size()) - kBegin.size()));
    }
  }
  patterns.erase("unmatched");
  return patterns;
}

class ApiTest : public testing::Test {
 protected:
  explicit ApiTest(Environment environment = {})
      : service_({.databaseUrl = database_.url(),
                  .environment = withActorKey(std::move(environment)),
                  .headers = {}}) {}

  HttpResponse send(std::string_view method, std::string_view path, const Headers& headers,
                    std::string_view body = {}) {
    auto response = client_.request(method, path, headers, body, kAnswerLimit);
    if (!response) {
      ADD_FAILURE() << method << " " << path << ": " << response.error().message;
      return {};
    }
    return *std::move(response);
  }
  HttpResponse post(std::string_view path, std::string_view body, std::string_view key = kIngestKey,
                    std::string_view type = kJsonType) {
    return send("POST", path, withType(bearer(key), type), body);
  }
  HttpResponse get(std::string_view path, std::string_view key = kViewerKey) {
    return send("GET", path, bearer(key));
  }
  std::string metrics() { return send("GET", "/metrics", {}).body; }

  static Headers withType(Headers headers, std::string_view type) {
    headers.emplace_back("Content-Type", type);
    return headers;
  }

  TestDatabase database_;
  ServiceProcess service_;
  HttpClient client_ = service_.client();

  // Options for another instance on the same database.
  static std::string actorKey() { return "1:" + std::string(64, 'k'); }

 private:
  static Environment withActorKey(Environment environment) {
    environment.try_emplace("AUTH_ERRORS_ACTOR_KEYS", actorKey());
    return environment;
  }
};

}  // namespace auth_errors::tests
