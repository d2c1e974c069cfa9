// Answers to pipelined requests on one connection, and to requests that the parser refuses.
#include <format>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/json.h>

#include "tests/support/http_parser_fixture.h"
#include "tests/support/metric_text.h"

namespace auth_errors::tests {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;
using namespace std::string_literals;
using namespace std::string_view_literals;

// 0 if the series was not counted yet.
double valueIn(std::string_view metrics, std::string_view series) {
  return metricIn(metrics, series).value_or(0);
}

using HttpParserOrder = HttpParser;
using HttpParserRefusals = HttpParser;

TEST_F(HttpParserOrder, AnswersEarlierRequestsBeforeAMalformedOne) {
  RawClient client(servicePort());
  client.send(std::string(kLive) + withLength(validBody()) + std::string(kLive) +
              getWith("no colon\r\n") + std::string(kLive));
  EXPECT_EQ(client.readAnswer().status, 200);
  EXPECT_EQ(client.readAnswer().status, 201);
  EXPECT_EQ(client.readAnswer().status, 200);
  expectLastRefusal(client.readAnswer(), 400);
  EXPECT_EQ(client.readToEnd(), "");
}

TEST_F(HttpParserOrder, AnswersEarlierRequestsBeforeABodyPastTheLimit) {
  const auto length = std::format("Content-Length: {}\r\n", kParserLimit + 1);
  const std::string sent(kMebi, 'x');
  for (const auto& tooLong : {post(length, ""), post(length, sent),
                              chunkedPost(std::format("{:x}\r\n{}", kMebi, sent)) +
                                  std::format("\r\n{:x}\r\n", kMebi + 1)}) {
    RawClient client(servicePort());
    client.send(std::string(kLive) + withLength(validBody()) + tooLong + std::string(kLive));
    EXPECT_EQ(client.readAnswer().status, 200);
    EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
    expectLastRefusal(client.readAnswer(), 413);
    EXPECT_EQ(client.readToEnd(), "");
  }
}

TEST_F(HttpParserOrder, AnswersAMalformedRequestAfterTheOneInProgress) {
  RawClient client(servicePort());
  client.send(withLength(validBody()));
  client.waitUntilRead();
  client.send("no request at all\r\n\r\n");
  EXPECT_EQ(client.readAnswer().status, 201);
  expectLastRefusal(client.readAnswer(), 501);
  EXPECT_EQ(client.readToEnd(), "");
}

TEST_F(HttpParserOrder, AnswersPipelinedRequestsInOrder) {
  const auto body = validBody();
  const auto chunks = std::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body);
  std::string requests;
  for (int round = 0; round < 3; ++round) {
    requests += std::string(kLive) + withLength(body) + withLength("no JSON") + chunkedPost(chunks);
  }
  RawClient client(servicePort());
  client.send(requests);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(client.readAnswer().status, 200);
    EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
    EXPECT_EQ(client.readAnswer().status, 400);
    EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
  }
}

// More than are ever served concurrently: the rest waits, and none is lost.
TEST_F(HttpParserOrder, AnswersAnyNumberOfPipelinedRequests) {
  constexpr int kRequests = 600;
  std::string requests;
  for (int number = 0; number < kRequests; ++number) {
    requests += number % 3 == 0 ? std::string(kLive)
                                : withLength(number % 3 == 1 ? validBody() : std::string("[]"));
  }
  RawClient client(servicePort(), 60s);
  client.send(requests);
  for (int number = 0; number < kRequests; ++number) {
    const int status = client.readAnswer().status;
    ASSERT_TRUE(number % 3 == 2 ? status == 400 : status == 200 || status == 201)
        << number << ": " << status;
  }
}

TEST_F(HttpParserOrder, IgnoresRequestsAfterConnectionClose) {
  auto closing = withLength(validBody());
  closing.insert(closing.find("Content-Length"), "Connection: close\r\n");
  const auto counted = [] {
    return metricIn(metrics(),
                    R"(auth_errors_http_requests_total{route="unmatched",status="4xx"})");
  };
  const auto before = counted();
  RawClient client(servicePort());
  client.send(closing + "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.readAnswer().status, 201);
  EXPECT_EQ(client.readToEnd(), "");
  EXPECT_EQ(counted(), before);
}

TEST_F(HttpParserOrder, KeepsAConnectionAliveForManyRequests) {
  RawClient client(servicePort());
  for (int round = 0; round < 50; ++round) {
    client.send(kLive);
    ASSERT_EQ(client.readAnswer().status, 200);
    expectStored(client, withLength(validBody()));
  }
}

TEST_F(HttpParserOrder, ClosesTheConnectionOnRequest) {
  for (const auto* method : {"GET", "OPTIONS", "HEAD"}) {
    SCOPED_TRACE(method);
    const auto request = std::format("{} /health/live HTTP/1.1\r\nHost: localhost\r\n", method);
    RawClient alone(servicePort());
    alone.send(request + "Connection: close\r\n\r\n");
    EXPECT_THAT(alone.readToEnd(), StartsWith("HTTP/1.1 20"));
    RawClient second(servicePort());
    second.send(std::string(kLive) + request + "Connection: close\r\n\r\n" + std::string(kLive));
    EXPECT_EQ(second.readAnswer().status, 200);
    EXPECT_THAT(second.readToEnd(), StartsWith("HTTP/1.1 20"));
  }
}

TEST_F(HttpParserRefusals, RejectUnknownMethodsAsNotImplemented) {
  expectRefused("FROB /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", 501);
  expectRefused("get /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", 501);
}

// Known methods that no route allows; the connection stays open.
TEST_F(HttpParserOrder, RefusesTraceAndQuery) {
  RawClient client(servicePort());
  for (const std::string method : {"TRACE", "QUERY"}) {
    client.send(method + " /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(kLive));
    const HttpResponse refused = client.readAnswer();
    EXPECT_EQ(refused.status, 405);
    EXPECT_EQ(refused.header("Allow"), "GET, HEAD, OPTIONS");
    EXPECT_EQ(client.readAnswer().status, 200);
  }
}

TEST_F(HttpParserRefusals, RejectUnknownExpectations) {
  expectRefused(post("Expect: a-miracle\r\nContent-Length: 2\r\n", "{}"), 417);
}

TEST_F(HttpParserRefusals, StateTheLimitOfTheRoute) {
  RawClient client(servicePort());
  client.send(post(std::format("Content-Length: {}\r\n", kParserLimit + 1), ""));
  EXPECT_THAT(client.readAnswer().body,
              HasSubstr(std::format("The limit for this path is {} bytes", kMebi)));
}

TEST_F(HttpParserRefusals, EchoTheRequestIdOfTheClient) {
  RawClient client(servicePort());
  client.send(getWith("X-Request-Id: mine-1\r\nno colon\r\n"));
  const auto answer = client.readAnswer();
  expectLastRefusal(answer, 400);
  EXPECT_EQ(answer.header("x-request-id"), "mine-1");
}

TEST_F(HttpParserRefusals, AnswerHeadWithoutTheBody) {
  for (const auto& [rest, status] :
       {std::pair{"/health/live HTTP/1.1\r\nno colon\r\n\r\n"s, 400},
        std::pair{"/health/live HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"s, 413},
        std::pair{"/" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n", 414}}) {
    SCOPED_TRACE(status);
    RawClient alone(servicePort());
    alone.send("HEAD " + rest);
    RawClient second(servicePort());
    second.send(withLength(validBody()) + "HEAD " + rest);
    EXPECT_THAT(second.readAnswer().status, AnyOf(200, 201));
    for (RawClient* client : {&alone, &second}) {
      const auto answer = client->readAnswer(true);
      EXPECT_EQ(answer.status, status);
      EXPECT_EQ(answer.header("content-type"), "application/problem+json");
      EXPECT_NE(answer.header("content-length"), "0");
      EXPECT_EQ(client->readToEnd(), "");
    }
  }
}

TEST_F(HttpParserRefusals, UseTheHttpVersionOfTheClient) {
  const auto length = std::format("Content-Length: {}\r\n", kParserLimit + 1);
  for (const auto& [request, status] :
       {std::pair{getWith("no colon\r\n"), 400}, std::pair{post(length, ""), 413}}) {
    auto old = request;
    old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
    expectRefused(old, status);
    RawClient client(servicePort());
    client.send(old);
    EXPECT_THAT(client.readToEnd(), StartsWith(std::format("HTTP/1.0 {} ", status)));
  }
  RawClient unknown(servicePort());
  unknown.send("GET / HTTP/9.9\r\n\r\n");
  EXPECT_THAT(unknown.readToEnd(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpParserRefusals, ReachAClientThatIsStillSending) {
  constexpr std::size_t kLength = 64 * kMebi;
  const std::string part(kMebi, 'x');
  for (const auto& head : {post(std::format("Content-Length: {}\r\n", kLength), ""),
                           chunkedPost(std::format("{:x}\r\n", kLength))}) {
    RawClient client(servicePort());
    client.send(head);
    for (std::size_t sent = 0; sent < kLength; sent += part.size()) {
      client.send(part);
    }
    expectLastRefusal(client.readAnswer(), 413);
    EXPECT_EQ(client.readToEnd(), "");
  }
}

TEST_F(HttpParserRefusals, AreCountedAndLoggedOnce) {
  constexpr auto kRejections =
      R"(auth_errors_rejections_total{key="none",reason="headers_too_large"})"sv;
  constexpr auto kAnswers = R"(auth_errors_http_requests_total{route="unmatched",status="4xx"})"sv;
  const auto before = metrics();
  const auto line = R"("code":"headers_too_large")"sv;
  const auto lines = logged(line);
  RawClient client(servicePort());
  client.send(withLength(validBody()) + getWith("X-Long: " + std::string(70'000, 'a') + "\r\n"));
  EXPECT_THAT(client.readAnswer().status, AnyOf(200, 201));
  expectLastRefusal(client.readAnswer(), 431);
  EXPECT_EQ(client.readToEnd(), "");
  // A request ends once its answer was sent, without waiting for the client to close. The remaining
  // one is the scrape itself.
  const auto deadline = Clock::now() + 10s;
  while (logged(line) == lines || valueIn(metrics(), "auth_errors_http_requests_in_flight") > 1) {
    ASSERT_LT(Clock::now(), deadline);
  }
  const auto after = metrics();
  EXPECT_EQ(valueIn(after, kRejections) - valueIn(before, kRejections), 1);
  EXPECT_EQ(valueIn(after, kAnswers) - valueIn(before, kAnswers), 1);
  EXPECT_EQ(logged(line) - lines, 1U);
}

TEST_F(HttpParserRefusals, EnforceTheSmallerLimitsOfOtherRoutes) {
  for (const auto* line : {"POST /api/auth-errors", "POST /nothing", "GET /health/live",
                           "DELETE /health/live", "HEAD /health/live"}) {
    SCOPED_TRACE(line);
    RawClient client(servicePort());
    client.send(std::format("{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", line,
                            kParserLimit + 1));
    EXPECT_EQ(client.readAnswer(std::string_view(line).starts_with("HEAD")).status, 413);
    EXPECT_EQ(client.readToEnd(), "");
  }
}

TEST_F(HttpParserRefusals, AllowTheLargestRouteItsOwnLimit) {
  const auto batchOf = [](std::size_t length) {
    return std::format(
        "POST /api/auth-errors/batch HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        length);
  };
  RawClient client(servicePort());
  client.send(batchOf(17 * kMebi));
  EXPECT_TRUE(client.readContinue());
  expectRefused(batchOf(17 * kMebi + 1), 413);
}

TEST_F(HttpParser, SurvivesAnUpgradeToWebSocket) {
  RawClient client(servicePort());
  client.send(
      getWith("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  EXPECT_NE(client.readAnswer().status, 101);
}

TEST_F(HttpParser, AnswersExpectContinue) {
  const auto body = validBody();
  const auto chunks = std::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body);
  RawClient client(servicePort());
  client.send(post(std::format("Expect: 100-continue\r\nContent-Length: {}\r\n", body.size()), ""));
  EXPECT_TRUE(client.readContinue());
  expectStored(client, body);
  client.send(post("Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n", ""));
  EXPECT_TRUE(client.readContinue());
  expectStored(client, chunks);
}

TEST_F(HttpParser, RefusesAnExpectedBodyPastTheLimitBeforeItIsSent) {
  expectRefused(
      post(std::format("Expect: 100-continue\r\nContent-Length: {}\r\n", kParserLimit + 1), ""),
      413);
}

TEST_F(HttpParser, SurvivesAnyRequestTarget) {
  for (const auto* line : {"OPTIONS *",
                           "OPTIONS /health/live",
                           "CONNECT localhost:443",
                           "TRACE /",
                           "GET *",
                           "GET ",
                           "GET http://localhost/health/live",
                           "GET http://localhost",
                           "GET http://",
                           "GET //",
                           "GET ?",
                           "GET /../../etc/passwd",
                           "GET /%2e%2e/%2e%2e/etc/passwd",
                           "GET /%00",
                           "GET /%",
                           "GET /%f",
                           "GET /%zz",
                           "GET /health/live/%2f..",
                           "GET /?????",
                           "GET /?&=&=&",
                           "GET /?%=%&a",
                           "GET /.",
                           "GET /#",
                           "HEAD /health/live",
                           "PROPFIND /",
                           "POST /api/auth-errors/x",
                           "DELETE /api/auth-errors"}) {
    SCOPED_TRACE(line);
    RawClient client(servicePort());
    client.send(std::format("{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", line));
    EXPECT_THAT(client.readToEnd(), StartsWith("HTTP/1.1 "));
  }
}

TEST_F(HttpParser, SurvivesClientsThatDisconnectEarly) {
  const auto request = chunkedPost("2\r\n{}\r\n0\r\n\r\n");
  for (std::size_t length = 1; length < request.size(); length += 7) {
    RawClient client(servicePort());
    client.send(std::string_view(request).substr(0, length));
  }
}

}  // namespace
}  // namespace auth_errors::tests
