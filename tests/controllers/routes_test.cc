#include "controllers/routes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

Route route(drogon::HttpMethod method, telemetry::CodeText pattern) {
  return {.method = method, .pattern = pattern, .access = Access::open, .handler = {}};
}

class Routes : public testing::Test {
 protected:
  std::vector<Route> table_ = {
      route(drogon::Post, "/api/auth-errors"),
      route(drogon::Get, "/api/auth-errors"),
      route(drogon::Get, "/api/auth-errors/{id}"),
      route(drogon::Post, "/api/auth-errors/{id}/decisions"),
      route(drogon::Post, "/api/auth-errors/search"),
  };
};

TEST_F(Routes, MatchPathAndMethod) {
  EXPECT_EQ(matchRoute(table_, drogon::Post, "/api/auth-errors").route, table_.data());
  EXPECT_EQ(matchRoute(table_, drogon::Get, "/api/auth-errors").route, &table_[1]);
}

TEST_F(Routes, ReadParametersFromThePath) {
  const PathMatch match = matchRoute(table_, drogon::Post, "/api/auth-errors/42/decisions");
  ASSERT_EQ(match.route, &table_[3]);
  EXPECT_EQ(match.parameters, std::vector<std::string>{"42"});
}

TEST_F(Routes, MatchNothingElse) {
  for (const char* path : {"", "/", "/api", "/api/", "/api/auth-errors/", "/API/auth-errors",
                           "/api/auth-errors//decisions", "/api/auth-errors/42/decisions/",
                           "/api/auth-errors/42/other", "//api/auth-errors", "api/auth-errors"}) {
    const PathMatch match = matchRoute(table_, drogon::Post, path);
    EXPECT_EQ(match.route, nullptr) << path;
    EXPECT_TRUE(match.othersOfThisPath.empty()) << path;
  }
}

TEST_F(Routes, PreferANamedSegmentToAParameter) {
  EXPECT_EQ(matchRoute(table_, drogon::Post, "/api/auth-errors/search").route, &table_[4]);
  EXPECT_EQ(matchRoute(table_, drogon::Get, "/api/auth-errors/searches").route, &table_[2]);
  const PathMatch match = matchRoute(table_, drogon::Get, "/api/auth-errors/search");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(allowedMethods(match.othersOfThisPath), "POST, OPTIONS");
}

TEST_F(Routes, RecogniseJsonByItsMediaType) {
  for (const char* good :
       {"application/json", "application/json; charset=utf-8", "Application/JSON ;charset=utf-8"}) {
    EXPECT_TRUE(isJson(good)) << good;
  }
  for (const char* bad : {"", "text/plain", "application/jsonp", "application", ";"}) {
    EXPECT_FALSE(isJson(bad)) << bad;
  }
}

TEST_F(Routes, ListTheMethodsAllowedForAPath) {
  const PathMatch match = matchRoute(table_, drogon::Delete, "/api/auth-errors");
  EXPECT_EQ(match.route, nullptr);
  EXPECT_EQ(allowedMethods(match.othersOfThisPath), "POST, GET, HEAD, OPTIONS");
}

}  // namespace
}  // namespace auth_errors::controllers
