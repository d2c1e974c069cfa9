// Access control over HTTP against the real service: keys, roles, rate limits and /api/keys.
#include "tests/support/api_keys.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <format>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/value.h>

#include "tests/support/api_fixture.h"
#include "tests/support/error_body.h"
#include "tests/support/http_client.h"
#include "tests/support/loop_runner.h"
#include "tests/support/project_paths.h"
#include "tests/support/row_matchers.h"
#include "tests/support/service_process.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr auto kKeysTimeout = 10s;
constexpr std::string_view kUnknownKey = "aek_unknown-unknown-unknown-unknown-unknown-unk";
constexpr std::string_view kSecretForm = "aek_[A-Za-z0-9_-]{43}";
// Time for a change made at one instance to reach another.
constexpr auto kPropagationLimit = 1500ms;

HttpResponse send(HttpClient& client, std::string_view method, std::string_view path,
                  Headers headers = {}, std::string_view body = {}) {
  if (!body.empty()) {
    headers.emplace_back("Content-Type", "application/json");
  }
  auto response = client.request(method, path, headers, body, kKeysTimeout);
  if (!response) {
    ADD_FAILURE() << method << ' ' << path << ": " << response.error().message;
    return {};
  }
  return *std::move(response);
}

std::string problemCode(const HttpResponse& response) {
  return parseJson(response.body)["code"].asString();
}

void expectUnauthenticated(const HttpResponse& response) {
  EXPECT_EQ(response.status, 401) << response.body;
  EXPECT_EQ(response.header("WWW-Authenticate"), R"(Bearer realm="auth-errors")");
  EXPECT_EQ(problemCode(response), "unauthenticated");
}

struct RouteOfService {
  std::string method;
  std::string pattern;
};

// Every route of the service, from its own OpenAPI document.
std::vector<RouteOfService> routesOf(HttpClient& client) {
  std::vector<RouteOfService> routes;
  for (const std::string& pattern : routePatterns(send(client, "GET", "/metrics").body)) {
    std::istringstream methods(std::string(send(client, "OPTIONS", pattern).header("Allow")));
    for (std::string method; methods >> method;) {
      std::erase(method, ',');
      if (method != "OPTIONS" && method != "HEAD") {
        routes.push_back({.method = method, .pattern = pattern});
      }
    }
  }
  return routes;
}

// The roles that the policy allows; nullopt if the route needs no key.
std::optional<std::set<std::string>> rolesFor(const RouteOfService& route) {
  if (!route.pattern.starts_with("/api/")) {
    return std::nullopt;
  }
  if (route.method == "POST" &&
      (route.pattern == "/api/auth-errors" || route.pattern == "/api/auth-errors/batch")) {
    return std::set<std::string>{"ingest"};
  }
  const bool operatorsOnly =
      route.pattern.starts_with("/api/keys") || route.pattern.starts_with("/api/audit");
  // A search is a POST only to keep its terms out of the URL.
  const bool reads = route.method == "GET" || route.pattern.ends_with("/search");
  if (reads && !operatorsOnly) {
    return std::set<std::string>{"viewer", "operator"};
  }
  return std::set<std::string>{"operator"};
}

class ApiKeys : public ::testing::Test {
 protected:
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kRoles = {
      {{"ingest", kIngestKey}, {"viewer", kViewerKey}, {"operator", kOperatorKey}}};

  HttpResponse asOperator(std::string_view method, std::string_view path,
                          std::string_view body = {}) {
    return send(client_, method, path, bearer(kOperatorKey), body);
  }
  HttpResponse postError(std::string_view key, std::string_view requestId) {
    return send(client_, "POST", "/api/auth-errors", bearer(key),
                ErrorBody{.requestId = std::string(requestId)}.json());
  }
  std::string metrics() { return send(client_, "GET", "/metrics").body; }

  TestDatabase database_;
  ServiceProcess service_{{.databaseUrl = database_.url(), .headers = {}}};
  HttpClient client_ = service_.client();
};

using Roles = ApiKeys;

TEST_F(Roles, AllowWhatThePolicyGrantsOnEveryRoute) {
  const auto routes = routesOf(client_);
  ASSERT_GE(routes.size(), 8U);
  for (const RouteOfService& route : routes) {
    SCOPED_TRACE(route.method + " " + route.pattern);
    std::string path = route.pattern;
    if (const auto parameter = path.find('{'); parameter != std::string::npos) {
      path.replace(parameter, path.find('}') - parameter + 1, "999999999");
    }
    const std::string body = route.method == "GET" || route.method == "DELETE" ? "" : "[]";
    const auto allowed = rolesFor(route);
    const int keyless = send(client_, route.method, path, {}, body).status;
    EXPECT_EQ(keyless == 401, allowed.has_value()) << keyless;
    for (const auto& [role, key] : kRoles) {
      const int status = send(client_, route.method, path, bearer(key), body).status;
      if (!allowed || allowed->contains(std::string(role))) {
        EXPECT_THAT(status, Not(AnyOf(401, 403, 500))) << role;
      } else {
        EXPECT_EQ(status, 403) << role;
      }
    }
  }
}

TEST_F(Roles, AreCheckedBeforeExistenceAndBeforeTheBody) {
  const std::string tooLarge((1U << 20U) + 1, 'x');
  const auto post = [&](Headers headers, std::string_view type, std::string_view body) {
    headers.emplace_back("Content-Type", type);
    return client_.request("POST", "/api/auth-errors", headers, body, kKeysTimeout)->status;
  };
  EXPECT_EQ(post({}, "application/json", "no JSON"), 401);
  EXPECT_EQ(post({}, "text/plain", "{}"), 401);
  EXPECT_EQ(post({}, "application/json", tooLarge), 401);
  for (const auto key : {kViewerKey, kOperatorKey}) {
    EXPECT_EQ(post(bearer(key), "application/json", "no JSON"), 403);
    EXPECT_EQ(post(bearer(key), "text/plain", "{}"), 403);
    EXPECT_EQ(post(bearer(key), "application/json", tooLarge), 403);
  }
  EXPECT_EQ(post(bearer(kIngestKey), "application/json", "no JSON"), 400);
  EXPECT_EQ(post(bearer(kIngestKey), "text/plain", "{}"), 415);
  EXPECT_EQ(post(bearer(kIngestKey), "application/json", tooLarge), 413);

  EXPECT_EQ(send(client_, "DELETE", "/api/keys/999999999").status, 401);
  EXPECT_EQ(send(client_, "DELETE", "/api/keys/999999999", bearer(kViewerKey)).status, 403);
  EXPECT_EQ(asOperator("DELETE", "/api/keys/999999999").status, 404);
  EXPECT_EQ(asOperator("DELETE", "/api/keys/x").status, 404);
}

TEST_F(ApiKeys, AreAcceptedInEitherHeader) {
  const std::string key(kViewerKey);
  const auto status = [&](const Headers& headers) {
    return send(client_, "DELETE", "/api/keys/1", headers).status;
  };
  EXPECT_EQ(status({{"Authorization", "Bearer " + key}}), 403);
  EXPECT_EQ(status({{"authorization", "bearer   " + key + " "}}), 403);
  EXPECT_EQ(status({{"X-API-Key", key}}), 403);
  EXPECT_EQ(status({{"X-API-Key", key}, {"Authorization", "Bearer " + key}}), 403);
  EXPECT_EQ(status({{"X-API-Key", key}, {"Authorization", "Basic dTpw"}}), 403);
}

TEST_F(ApiKeys, AreRefusedWith401WhenMissingUnknownOrAmbiguous) {
  const std::string key(kOperatorKey);
  for (const Headers& headers : std::vector<Headers>{
           {},
           bearer(kUnknownKey),
           bearer("aek_"),
           bearer(key + "x"),
           bearer(std::string(8000, 'a')),
           {{"Authorization", key}},
           {{"Authorization", "Basic " + key}},
           {{"Authorization", "Bearer"}},
           {{"X-API-Key", ""}},
       }) {
    expectUnauthenticated(send(client_, "GET", "/api/keys", headers));
  }
  const HttpResponse two =
      send(client_, "GET", "/api/keys",
           {{"Authorization", "Bearer " + key}, {"X-API-Key", std::string(kViewerKey)}});
  expectUnauthenticated(two);
  EXPECT_THAT(two.body, HasSubstr("two different keys"));
}

TEST_F(ApiKeys, BoundToAServiceWorkForThatServiceOnly) {
  const std::string_view bound = "aek_bound-bound-bound-bound-bound-bound-bound-b";
  plantKey(database_.url(), {.secret = bound, .name = "shop", .serviceName = "shop"});
  ASSERT_TRUE(
      eventually([&] { return postError(bound, "unnamed").status != 401; }, kPropagationLimit));
  const auto post = [&](const std::string& requestId, const std::string& serviceName) {
    std::string body = ErrorBody{.requestId = requestId}.json();
    body.insert(1, R"("serviceName":")" + serviceName + "\",");
    return send(client_, "POST", "/api/auth-errors", bearer(bound), body);
  };
  EXPECT_EQ(post("own", "shop").status, 201);
  const HttpResponse foreign = post("foreign", "bank");
  EXPECT_EQ(foreign.status, 403);
  EXPECT_EQ(problemCode(foreign), "forbidden");
  EXPECT_THAT(database_.queryText("SELECT dedup_key, service_name FROM auth_error ORDER BY id"),
              ElementsAre(Row("unnamed", "shop"), Row("own", "shop")));
}

TEST_F(ApiKeys, AreShownOnceAndListedWithoutTheirSecret) {
  const HttpResponse created =
      asOperator("POST", "/api/keys",
                 R"({"name":"shop-ingest","role":"ingest","serviceName":"shop","rateLimit":7})");
  ASSERT_EQ(created.status, 201) << created.body;
  const Json::Value key = parseJson(created.body);
  const std::string secret = key["key"].asString();
  EXPECT_THAT(secret, MatchesRegex(std::string(kSecretForm)));
  EXPECT_EQ(created.header("Cache-Control"), "no-store");
  const std::string location(created.header("Location"));
  EXPECT_EQ(location, "/api/keys/" + key["id"].asString());
  // The instance that made the key accepts it without waiting for a notification.
  EXPECT_EQ(postError(secret, "made").status, 201);

  const HttpResponse shown = asOperator("GET", location);
  ASSERT_EQ(shown.status, 200);
  Json::Value expected = key;
  expected.removeMember("key");
  EXPECT_EQ(parseJson(shown.body), expected);
  EXPECT_EQ(expected["createdBy"].asString(), "test-operator");
  EXPECT_EQ(expected["serviceName"].asString(), "shop");
  EXPECT_EQ(expected["rateLimit"].asInt(), 7);
  EXPECT_TRUE(expected["revokedAt"].isNull());

  EXPECT_EQ(
      problemCode(asOperator("POST", "/api/keys", R"({"name":"shop-ingest","role":"viewer"})")),
      "conflict");

  EXPECT_EQ(asOperator("DELETE", location).status, 204);
  EXPECT_EQ(asOperator("DELETE", location).status, 204);
  expectUnauthenticated(postError(secret, "revoked"));
  EXPECT_EQ(parseJson(asOperator("GET", location).body)["revokedBy"].asString(), "test-operator");
  EXPECT_EQ(asOperator("POST", "/api/keys", R"({"name":"shop-ingest","role":"viewer"})").status,
            409);

  // The secret appeared in one response only; its digest in none.
  const std::string random = secret.substr(4);
  const std::string digest = database_.queryValue(
      "SELECT encode(secret_digest, 'hex') FROM api_key WHERE name = "
      "'shop-ingest'");
  const std::string list = asOperator("GET", "/api/keys").body;
  ASSERT_TRUE(eventually([&] { return service_.logText().contains("key.revoked"); }));
  for (const std::string& text :
       {list, shown.body, metrics(), service_.logText(),
        database_.queryValue("SELECT string_agg(k::text, ' ') FROM api_key k")}) {
    EXPECT_THAT(text, Not(HasSubstr(random)));
  }
  EXPECT_THAT(list, AllOf(HasSubstr("shop-ingest"), Not(HasSubstr(digest))));
  EXPECT_THAT(service_.logText(),
              AllOf(HasSubstr(R"("event":"key.created","name":"shop-ingest","role":"ingest",)"
                              R"("by":"test-operator")"),
                    HasSubstr(R"("event":"key.revoked","name":"shop-ingest")")));
}

TEST_F(ApiKeys, AreListedInPagesNewestFirst) {
  const auto names = [](const Json::Value& page) {
    std::vector<std::string> all;
    for (const Json::Value& item : page["items"]) {
      all.push_back(item["name"].asString());
    }
    return all;
  };
  const Json::Value first = parseJson(asOperator("GET", "/api/keys?limit=2").body);
  EXPECT_THAT(names(first), ElementsAre("test-operator", "test-viewer"));
  const Json::Value second = parseJson(
      asOperator("GET", "/api/keys?limit=2&cursor=" + first["nextCursor"].asString()).body);
  EXPECT_THAT(names(second), ElementsAre("test-ingest"));
  EXPECT_TRUE(second["nextCursor"].isNull());
  EXPECT_EQ(names(parseJson(asOperator("GET", "/api/keys").body)).size(), 3U);
  for (const char* query : {"limit=0", "limit=201", "limit=x", "cursor=x", "cursor=-1"}) {
    EXPECT_EQ(asOperator("GET", std::string("/api/keys?") + query).status, 400) << query;
  }
}

TEST_F(ApiKeys, ReportAllInvalidFieldsAtOnce) {
  const auto problemsOf = [&](std::string_view body) {
    const HttpResponse response = asOperator("POST", "/api/keys", body);
    EXPECT_EQ(response.status, 400) << body;
    std::vector<std::string> problems;
    for (const Json::Value& error : parseJson(response.body)["errors"]) {
      problems.push_back(error["field"].asString() + ":" + error["code"].asString());
    }
    return problems;
  };
  EXPECT_THAT(problemsOf("{}"), UnorderedElementsAre("name:required", "role:required"));
  EXPECT_THAT(problemsOf(R"({"name":7,"role":"king","rateLimit":-1,"service_name":"shop"})"),
              UnorderedElementsAre("name:wrong_type", "role:invalid", "rateLimit:invalid",
                                   "service_name:unknown_field"));
  EXPECT_THAT(problemsOf(R"({"name":"none","role":"viewer","serviceName":"shop"})"),
              UnorderedElementsAre("name:invalid", "serviceName:invalid"));
  EXPECT_THAT(problemsOf(std::format(R"({{"name":"{}","role":"viewer"}})", kIngestKey)),
              UnorderedElementsAre("name:secret"));
  EXPECT_THAT(problemsOf("[]"), IsEmpty());
  EXPECT_THAT(problemsOf(R"({"name":"a","name":"b"})"), IsEmpty());
}

TEST_F(ApiKeys, CannotLoseTheLastOperator) {
  const std::string id =
      database_.queryValue("SELECT id FROM api_key WHERE name = 'test-operator'");
  const HttpResponse refused = asOperator("DELETE", "/api/keys/" + id);
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(problemCode(refused), "conflict");
  ASSERT_EQ(asOperator("POST", "/api/keys", R"({"name":"second","role":"operator"})").status, 201);
  EXPECT_EQ(asOperator("DELETE", "/api/keys/" + id).status, 204);
  expectUnauthenticated(asOperator("GET", "/api/keys"));
}

TEST_F(ApiKeys, ReachOtherInstancesWithinSeconds) {
  const ServiceProcess second({.databaseUrl = database_.url(), .headers = {}});
  HttpClient other = second.client();
  const Json::Value key =
      parseJson(asOperator("POST", "/api/keys", R"({"name":"traveller","role":"viewer"})").body);
  const Headers headers = bearer(key["key"].asString());
  const auto statusAtOther = [&] { return send(other, "GET", "/api/keys", headers).status; };
  EXPECT_TRUE(eventually([&] { return statusAtOther() == 403; }, kPropagationLimit));
  EXPECT_EQ(asOperator("DELETE", "/api/keys/" + key["id"].asString()).status, 204);
  EXPECT_EQ(send(client_, "GET", "/api/keys", headers).status, 401);
  EXPECT_TRUE(eventually([&] { return statusAtOther() == 401; }, kPropagationLimit));
}

TEST_F(ApiKeys, AreNamedInRefusalsAndInTheAccessLog) {
  EXPECT_EQ(postError(kViewerKey, "x").status, 403);
  EXPECT_EQ(postError(kUnknownKey, "x").status, 401);
  const auto counted = [&](const std::string& line) {
    return eventually([&] { return metrics().contains(line); });
  };
  EXPECT_TRUE(counted(R"(rejections_total{key="test-viewer",reason="forbidden"} 1)"));
  EXPECT_TRUE(counted(R"(rejections_total{key="none",reason="unauthenticated"} 1)"));
  EXPECT_TRUE(eventually([&] { return service_.logText().contains(R"("key":"test-viewer")"); }));
  EXPECT_THAT(service_.logText(), Not(HasSubstr("aek_")));
}

TEST_F(ApiKeys, LeakedIntoATraceAreRedacted) {
  const std::string key =
      parseJson(asOperator("POST", "/api/keys", R"({"name":"a","role":"ingest"})").body)["key"]
          .asString();
  ErrorBody body{.requestId = "leak"};
  body.stacktrace = "at a.B.c(B.java:1) sent " + key;
  ASSERT_EQ(send(client_, "POST", "/api/auth-errors", bearer(key), body.json()).status, 201);
  EXPECT_EQ(database_.queryValue("SELECT stacktrace FROM auth_error"),
            "at a.B.c(B.java:1) sent [redacted:vendor-key]");
}

using RateLimits = ApiKeys;

TEST_F(RateLimits, ApplyPerKeyAndSetRetryAfter) {
  const Json::Value key = parseJson(
      asOperator("POST", "/api/keys", R"({"name":"slow","role":"viewer","rateLimit":1})").body);
  const Headers slow = bearer(key["key"].asString());
  // A burst is two seconds' worth.
  EXPECT_EQ(send(client_, "GET", "/api/keys", slow).status, 403);
  EXPECT_EQ(send(client_, "GET", "/api/keys", slow).status, 403);
  const HttpResponse refused = send(client_, "GET", "/api/keys", slow);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(problemCode(refused), "rate_limited");
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_TRUE(eventually([&] {
    return metrics().contains(R"(rejections_total{key="slow",reason="rate_limited"} 1)");
  }));
  // A key with a limit of 0 has none, and other keys have buckets of their own.
  for (int request = 0; request < 50; ++request) {
    ASSERT_EQ(asOperator("GET", "/api/keys/999999999").status, 404);
  }
}

TEST(AddressRateLimits, ApplyToOpenRoutesAndToForwardedLoopbackAddresses) {
  const TestDatabase database;
  const ServiceProcess service({.databaseUrl = database.url(),
                                .environment = {{"AUTH_ERRORS_TRUSTED_PROXIES", "127.0.0.0/8"},
                                                {"AUTH_ERRORS_RATE_LIMIT_PER_ADDRESS", "1"}},
                                .headers = {}});
  HttpClient client = service.client();
  int network = 0;
  for (const char* path : {"/openapi.json", "/metrics"}) {
    for (const std::string& text :
         {std::format("203.0.113.{}", ++network), std::format("127.0.0.{}", ++network),
          std::format("2001:db8:0:{}::1", ++network)}) {
      const Headers forwarded = {{"X-Forwarded-For", text}};
      EXPECT_EQ(send(client, "GET", path, forwarded).status, 200) << text;
      EXPECT_EQ(send(client, "GET", path, forwarded).status, 200) << text;
      const HttpResponse refused = send(client, "GET", path, forwarded);
      EXPECT_EQ(problemCode(refused), "rate_limited") << path << text;
      for (const char* probe : {"/health/live", "/health/ready"}) {
        EXPECT_EQ(send(client, "GET", probe, forwarded).status, 200) << text;
      }
    }
  }
}

TEST(AddressRateLimits, ApplyToProxiedRequestsWithoutAClientAddress) {
  const TestDatabase database;
  const ServiceProcess service({.databaseUrl = database.url(),
                                .environment = {{"AUTH_ERRORS_TRUSTED_PROXIES", "127.0.0.0/8"},
                                                {"AUTH_ERRORS_RATE_LIMIT_PER_ADDRESS", "1"}},
                                .headers = {}});
  HttpClient client = service.client();
  EXPECT_TRUE(eventually([&] {
    return send(client, "GET", "/openapi.json", {{"X-Forwarded-For", ""}}).status == 429;
  }));
  EXPECT_TRUE(eventually([&] { return send(client, "GET", "/openapi.json").status == 429; }));
}

TEST(AddressRateLimits, UseTheLastForwardedForLine) {
  const TestDatabase database;
  const ServiceProcess service({.databaseUrl = database.url(),
                                .environment = {{"AUTH_ERRORS_TRUSTED_PROXIES", "127.0.0.0/8"},
                                                {"AUTH_ERRORS_RATE_LIMIT_PER_ADDRESS", "1"}},
                                .headers = {}});
  HttpClient client = service.client();
  const auto status = [&](const std::string& ofTheClient) {
    return send(client, "GET", "/metrics",
                {{"X-Forwarded-For", ofTheClient}, {"X-Forwarded-For", "203.0.113.1"}})
        .status;
  };
  EXPECT_EQ(status("198.51.100.1"), 200);
  EXPECT_EQ(status("198.51.100.2"), 200);
  EXPECT_EQ(status("198.51.100.3"), 429);
  EXPECT_EQ(status("127.0.0.1"), 429);
}

TEST(AddressRateLimits, LimitKeyGuessingButNotProbes) {
  const TestDatabase database;
  const ServiceProcess service({.databaseUrl = database.url(),
                                .environment = {{"AUTH_ERRORS_TRUSTED_PROXIES", "127.0.0.0/8"},
                                                {"AUTH_ERRORS_RATE_LIMIT_PER_ADDRESS", "1"}},
                                .headers = {}});
  HttpClient client = service.client();
  const auto guess = [&](const std::string& address) {
    Headers headers = bearer(kUnknownKey);
    headers.emplace_back("X-Forwarded-For", address);
    return send(client, "GET", "/api/keys", headers);
  };
  EXPECT_EQ(guess("203.0.113.1").status, 401);
  EXPECT_EQ(guess("203.0.113.1").status, 401);
  const HttpResponse refused = guess("203.0.113.1");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "1");
  EXPECT_EQ(guess("203.0.113.2").status, 401);
  const Headers forwarded = {{"X-Forwarded-For", "203.0.113.1"}};
  EXPECT_EQ(send(client, "GET", "/nothing", forwarded).status, 429);
  EXPECT_EQ(send(client, "GET", "/health/ready", forwarded).status, 200);
}

TEST(AddressRateLimits, ExemptLoopback) {
  const TestDatabase database;
  const ServiceProcess service({.databaseUrl = database.url(),
                                .environment = {{"AUTH_ERRORS_RATE_LIMIT_PER_ADDRESS", "1"}},
                                .headers = {}});
  HttpClient client = service.client();
  for (int request = 0; request < 20; ++request) {
    ASSERT_EQ(send(client, "GET", "/api/keys").status, 401);
    ASSERT_EQ(send(client, "GET", "/metrics").status, 200);
  }
}

// The command's stdout, without stderr.
std::string outputOf(const std::string& command, int expectedExit = 0) {
  FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output.push_back(static_cast<char>(c));
  }
  EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), expectedExit) << command;
  return output;
}

TEST(KeysCommand, CreatesListsAndRevokesAKeyForANewService) {
  const TestDatabase database(Contents::nothing);
  const ServiceProcess service({.databaseUrl = database.url(),
                                .environment = {{"AUTH_ERRORS_MIGRATE_ON_SERVE", "true"}},
                                .headers = {}});
  const std::string keys = std::format("DATABASE_URL={} AUTH_ERRORS_MIGRATIONS={} {} keys ",
                                       database.url(), migrationsFolder(), serviceBinary());
  std::string secret = outputOf(keys + "create --name shop --role ingest --service shop");
  ASSERT_THAT(secret, MatchesRegex(std::string(kSecretForm) + "\n"));
  secret.pop_back();
  outputOf(keys + "create --name shop --role viewer", 1);
  outputOf(keys + "create --name boss --role king", 2);
  outputOf(keys + "create --name boss", 2);

  HttpClient client = service.client();
  const auto status = [&] {
    return send(client, "POST", "/api/auth-errors", bearer(secret), "[]").status;
  };
  EXPECT_TRUE(eventually([&] { return status() == 400; }, kPropagationLimit));
  EXPECT_THAT(outputOf(keys + "list"),
              AllOf(MatchesRegex("id +name(.|\n)*shop +ingest +shop +default(.|\n)*"),
                    Not(HasSubstr(secret))));
  outputOf(keys + "revoke --name shop");
  outputOf(keys + "revoke --name nobody", 1);
  EXPECT_TRUE(eventually([&] { return status() == 401; }, kPropagationLimit));
}

}  // namespace
}  // namespace auth_errors::tests
