#include "controllers/http/problem.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <json/json.h>

#include "controllers/http/request_context.h"

namespace auth_errors::controllers {
namespace {

using namespace std::chrono_literals;

Json::Value parsed(const std::string& text) {
  Json::Value value;
  EXPECT_TRUE(Json::Reader().parse(text, value)) << text;
  return value;
}

TEST(Problem, HasAStableCodePerReason) {
  std::set<std::string_view> codes;
  for (const RejectSpec& spec : kRejections) {
    EXPECT_TRUE(codes.insert(spec.code).second) << spec.code;
    EXPECT_EQ(&specOf(spec.reason), &spec);
    EXPECT_GE(spec.status, 400);
    EXPECT_LE(spec.status, 599);
    EXPECT_FALSE(spec.title.empty());
  }
}

TEST(Problem, SetsRetryAfterExactlyWhereARetryCanHelp) {
  for (const RejectSpec& spec : kRejections) {
    EXPECT_EQ(spec.retryAfter > 0s, spec.status == 429 || spec.status == 503) << spec.code;
  }
}

TEST(Problem, HasAnRfc9457Body) {
  const Json::Value body =
      parsed(problemBody(RejectReason::invalidFields, "id-1",
                         {.detail = "Two fields are wrong.",
                          .errors = {{"httpStatus", "out_of_range", "must be 100 to 599"},
                                     {"requestId", "required", "is missing"}},
                          .retryAfter = {}}));
  EXPECT_EQ(body["type"].asString(), "urn:auth-errors:problem:invalid_fields");
  EXPECT_EQ(body["title"].asString(), "Fields are missing or invalid");
  EXPECT_EQ(body["status"].asInt(), 400);
  EXPECT_EQ(body["code"].asString(), "invalid_fields");
  EXPECT_EQ(body["detail"].asString(), "Two fields are wrong.");
  EXPECT_EQ(body["httpRequestId"].asString(), "id-1");
  EXPECT_FALSE(body.isMember("requestId"));
  ASSERT_EQ(body["errors"].size(), 2U);
  EXPECT_EQ(body["errors"][0]["field"].asString(), "httpStatus");
  EXPECT_EQ(body["errors"][0]["code"].asString(), "out_of_range");
  EXPECT_EQ(body["errors"][1]["message"].asString(), "is missing");
}

TEST(Problem, SortsItsMembersByName) {
  const std::string body = problemBody(RejectReason::conflict, "id-1",
                                       {.detail = "Ünd \r\n\x01.",
                                        .errors = {{"a", "b", "c\f"}},
                                        .retryAfter = {},
                                        .currentStatus = "DONE",
                                        .authErrorId = domain::ErrorId(7)});
  EXPECT_EQ(body, encoding::toJson(parsed(body)));
}

TEST(Problem, OmitsEmptyMembers) {
  const Json::Value body = parsed(problemBody(RejectReason::notFound, "id-1"));
  EXPECT_FALSE(body.isMember("detail"));
  EXPECT_FALSE(body.isMember("errors"));
}

TEST(Problem, SetsStatusTypeAndRetryAfter) {
  const auto busy = problemResponse(RejectReason::overloaded, "id-1");
  EXPECT_EQ(busy->statusCode(), drogon::k503ServiceUnavailable);
  EXPECT_EQ(busy->contentTypeString(), kProblemContentType);
  EXPECT_EQ(busy->getHeader("retry-after"), "1");
  const auto later = problemResponse(RejectReason::rateLimited, "id-1",
                                     {.detail = {}, .errors = {}, .retryAfter = 7s});
  EXPECT_EQ(later->getHeader("retry-after"), "7");
  EXPECT_EQ(problemResponse(RejectReason::notFound, "id-1")->getHeader("retry-after"), "");
}

TEST(Problem, CoversEveryStatusTheFrameworkRefusesWith) {
  EXPECT_EQ(reasonForStatus(400), RejectReason::malformedRequest);
  EXPECT_EQ(reasonForStatus(404), RejectReason::notFound);
  EXPECT_EQ(reasonForStatus(413), RejectReason::bodyTooLarge);
  EXPECT_EQ(reasonForStatus(414), RejectReason::uriTooLong);
  EXPECT_EQ(reasonForStatus(417), RejectReason::expectationFailed);
  EXPECT_EQ(reasonForStatus(501), RejectReason::notImplemented);
  EXPECT_EQ(reasonForStatus(418), RejectReason::malformedRequest);
  EXPECT_EQ(reasonForStatus(502), RejectReason::internalError);
}

TEST(RequestId, AcceptsOnlyHarmlessClientIds) {
  for (const char* good : {"a", "0", "A.b_c-9"}) {
    EXPECT_TRUE(isRequestId(good)) << good;
  }
  EXPECT_TRUE(isRequestId(std::string(64, 'x')));
  EXPECT_FALSE(isRequestId(std::string(65, 'x')));
  for (const char* bad : {"", "a b", "a\nb", "a\"b", "é", "a/b", "<x>"}) {
    EXPECT_FALSE(isRequestId(bad)) << bad;
  }
}

TEST(RequestId, Has128RandomBits) {
  const std::string one = makeRequestId();
  EXPECT_THAT(one, testing::MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(one.size(), 32U);
  EXPECT_NE(one, makeRequestId());
}

TEST(RequestContext, RecordsWhyItWasRefused) {
  RequestContext context;
  context.requestId = "id-1";
  const auto response = reject(context, RejectReason::draining);
  EXPECT_EQ(response->statusCode(), drogon::k503ServiceUnavailable);
  EXPECT_EQ(context.rejectReason, RejectReason::draining);
}

TEST(Problem, NeverEchoesASecretOfTheRequest) {
  const std::string key = std::string("ghp_") + "16C7e42F292c6912E7710c838347Ae178B4a";
  const Json::Value body = parsed(
      problemBody(RejectReason::invalidFields, "id-1",
                  {.detail = "no password=hunter22 here",
                   .errors = {{"password=hunter22", "unknown_field", "is not hunter@example.com"},
                              {std::string(50, 'x') + " " + key, "unknown_field", "is unknown"}},
                   .retryAfter = {}}));
  EXPECT_EQ(body["detail"].asString(), "no password=[redacted:password] here");
  EXPECT_EQ(body["errors"][0]["field"].asString(), "password=[redacted:password]");
  EXPECT_EQ(body["errors"][0]["message"].asString(), "is not [redacted:email]");
  EXPECT_EQ(body["errors"][1]["field"].asString(), std::string(50, 'x') + " [redacted:github]");
}

}  // namespace
}  // namespace auth_errors::controllers
