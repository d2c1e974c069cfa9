#include "controllers/errors/error_query.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/http/page_cursor.h"
#include "controllers/http/page_query.h"
#include "domain/identity/ids.h"
#include "platform/encoding/json_reader.h"

namespace auth_errors::controllers {
namespace {

using domain::ActorKind;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// "field:code" of each problem.
std::vector<std::string> problemsOf(const ErrorQueryResult& result) {
  std::vector<std::string> problems;
  if (!result) {
    for (const FieldError& problem : result.error()) {
      problems.push_back(problem.field + ":" + problem.code);
    }
  }
  return problems;
}

ErrorQueryResult fromUrl(std::string_view query) {
  return errorQueryFromAddress(query, kMaxPageRows);
}

ErrorQueryResult body(std::string_view json) {
  return errorQueryFromBody(encoding::readJson(json).value(), kMaxPageRows);
}

TEST(ErrorQuery, MatchesEverythingWithoutParameters) {
  const auto query = fromUrl("");
  ASSERT_TRUE(query);
  EXPECT_FALSE(query->limit);
  EXPECT_FALSE(query->before);
  EXPECT_FALSE(query->filter.status);
  EXPECT_FALSE(query->filter.from);
}

TEST(ErrorQuery, ReadsEveryParameter) {
  const std::string hash(64, 'a');
  const auto query = fromUrl(
      "status=NEW&exceptionClass=a.B&httpStatus=401&serviceName=web+shop&environment=prod&from="
      "2026-01-01T00:00:00Z&to=2026-01-02T00:00:00%2B00:00&q=100%25&limit=200&stackHash=" +
      hash + "&cursor=" + encodeCursor(PagedList::authErrors, 7));
  ASSERT_TRUE(query) << ::testing::PrintToString(problemsOf(query));
  EXPECT_EQ(query->filter.status, domain::AuthErrorStatus::fresh);
  EXPECT_EQ(query->filter.exceptionClass, "a.B");
  EXPECT_EQ(query->filter.httpStatus, 401);
  EXPECT_EQ(query->filter.serviceName, "web shop");
  EXPECT_EQ(query->filter.environment, "prod");
  EXPECT_EQ(query->filter.stackHash, hash);
  EXPECT_EQ(query->filter.from, domain::parseInstant("2026-01-01T00:00:00Z"));
  EXPECT_EQ(query->filter.to, domain::parseInstant("2026-01-02T00:00:00Z"));
  EXPECT_EQ(query->filter.messagePart, "100%");
  EXPECT_EQ(query->limit, 200U);
  EXPECT_EQ(query->before, domain::ErrorId(7));
}

TEST(ErrorQuery, ReportsAllProblemsAtOnce) {
  EXPECT_THAT(problemsOf(fromUrl("status=new&httpStatus=99&exceptionClass=&stackHash=AB&from=today"
                                 "&limit=0&cursor=x&nonsense=1&serviceName=a%00b&environment=%ff"
                                 "&limit=5&q=x")),
              UnorderedElementsAre("environment:malformed", "limit:repeated", "status:invalid",
                                   "httpStatus:out_of_range", "exceptionClass:invalid",
                                   "stackHash:invalid", "from:invalid", "limit:out_of_range",
                                   "cursor:invalid", "nonsense:unknown", "serviceName:invalid"));
}

TEST(ErrorQuery, AcceptsIntegersWithinTheirRange) {
  for (const char* bad : {"0", "201", "99999999999999999999", "-1"}) {
    EXPECT_THAT(problemsOf(fromUrl(std::string("limit=") + bad)), ElementsAre("limit:out_of_range"))
        << bad;
  }
  for (const char* bad : {"", "x", "1.0", "+1", "1%20", "0x10"}) {
    EXPECT_THAT(problemsOf(fromUrl(std::string("limit=") + bad)), ElementsAre("limit:invalid"))
        << bad;
  }
  EXPECT_EQ(errorQueryFromAddress("limit=1000000", kMaxExportRows)->limit, 1'000'000U);
}

TEST(ErrorQuery, RefusesActorsInTheUrl) {
  EXPECT_THAT(problemsOf(fromUrl("userId=u&sessionId=s&clientIp=10.0.0.1")),
              ElementsAre("userId:unknown", "sessionId:unknown", "clientIp:unknown"));
}

TEST(ErrorQuery, RequiresANonEmptyRange) {
  EXPECT_THAT(problemsOf(fromUrl("from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z")),
              ElementsAre("to:out_of_range"));
}

TEST(ErrorQuery, RequiresARangeOfAtMostAMonthForText) {
  EXPECT_THAT(problemsOf(fromUrl("q=x")), ElementsAre("q:range_required"));
  EXPECT_THAT(problemsOf(fromUrl("q=x&from=2026-01-01T00:00:00Z")),
              ElementsAre("q:range_required"));
  EXPECT_THAT(problemsOf(fromUrl("q=x&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:01Z")),
              ElementsAre("q:range_required"));
  EXPECT_TRUE(fromUrl("q=x&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z"));
}

TEST(ErrorQuery, LimitsTheLengthOfTexts) {
  EXPECT_TRUE(fromUrl("serviceName=" + std::string(255, 'x')));
  EXPECT_THAT(problemsOf(fromUrl("serviceName=" + std::string(256, 'x'))),
              ElementsAre("serviceName:too_long"));
}

TEST(SearchBody, NormalisesIdentifiersAsIngestionDoes) {
  const auto query =
      body(R"({"userId":" alice\u0001 ","clientIp":"::ffff:10.0.0.1","httpStatus":401,"limit":3})");
  ASSERT_TRUE(query) << ::testing::PrintToString(problemsOf(query));
  EXPECT_EQ(query->identifiers.at(static_cast<std::size_t>(ActorKind::user)), "alice");
  EXPECT_EQ(query->identifiers.at(static_cast<std::size_t>(ActorKind::clientIp)), "10.0.0.1");
  EXPECT_EQ(query->identifiers.at(static_cast<std::size_t>(ActorKind::session)), std::nullopt);
  EXPECT_EQ(query->filter.httpStatus, 401);
  EXPECT_EQ(query->limit, 3U);
}

TEST(SearchBody, RequiresAnIdentifier) {
  EXPECT_THAT(problemsOf(body("{}")), ElementsAre("userId:required"));
  EXPECT_THAT(problemsOf(body(R"({"userId":null,"status":"NEW"})")),
              ElementsAre("userId:required"));
  EXPECT_THAT(problemsOf(body(R"({"sessionId":" "})")), ElementsAre("sessionId:invalid"));
}

TEST(SearchBody, ReportsAllProblemsAtOnce) {
  EXPECT_THAT(
      problemsOf(body(R"({"userId":1,"clientIp":"here","httpStatus":"401","status":5,"limit":1.0,
                          "other":{},"cursor":"x","sessionId":" "})")),
      UnorderedElementsAre("userId:wrong_type", "clientIp:invalid", "httpStatus:wrong_type",
                           "status:wrong_type", "limit:wrong_type", "other:unknown",
                           "cursor:invalid", "sessionId:invalid"));
}

TEST(SearchBody, LimitsTheNumberOfMembers) {
  std::string json = R"({"userId":"u")";
  for (int count = 0; count < 40; ++count) {
    json += ",\"m" + std::to_string(count) + "\":1";
  }
  EXPECT_THAT(problemsOf(body(json + "}")), ElementsAre("body:too_many"));
  EXPECT_THAT(problemsOf(body(R"({"userId":"u",")" + std::string(1'000, 'x') + R"(":1})")),
              ElementsAre("body:malformed"));
}

}  // namespace
}  // namespace auth_errors::controllers
