// One service for all tests of a process that send raw bytes; each test checks that it survives.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <format>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/json.h>

#include "tests/support/raw_client.h"
#include "tests/support/raw_requests.h"
#include "tests/support/service_process.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {

inline std::string_view codeFor(int status) {
  static constexpr auto kCodes =
      std::to_array<std::pair<int, std::string_view>>({{400, "malformed_request"},
                                                       {413, "body_too_large"},
                                                       {414, "uri_too_long"},
                                                       {417, "expectation_failed"},
                                                       {431, "headers_too_large"},
                                                       {501, "not_implemented"}});
  const auto* const found =
      std::ranges::find(kCodes, status, &std::pair<int, std::string_view>::first);
  return found == kCodes.end() ? "no refusal of the parser" : found->second;
}

// The refusal of a request that the parser rejected is the last response on its connection.
inline void expectLastRefusal(const HttpResponse& answer, int status) {
  ASSERT_EQ(answer.status, status);
  EXPECT_EQ(answer.header("content-type"), "application/problem+json");
  EXPECT_EQ(answer.header("connection"), "close");
  EXPECT_EQ(answer.header("content-length"), std::to_string(answer.body.size()));
  Json::Value problem;
  ASSERT_TRUE(Json::Reader().parse(answer.body, problem)) << answer.body;
  EXPECT_EQ(problem["status"].asInt(), status);
  EXPECT_EQ(problem["code"].asString(), codeFor(status));
  EXPECT_EQ(problem["httpRequestId"].asString(), answer.header("x-request-id"));
  EXPECT_NE(problem["httpRequestId"].asString(), "");
}

inline std::string shown(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes.substr(0, 200)) {
    text += byte >= ' ' && byte < 0x7f ? std::string(1, byte)
                                       : std::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

class HttpParser : public ::testing::Test {
 protected:
  // Not in SetUpTestSuite: a failure there would count as skipped.
  void SetUp() override {
    if (service_) {
      return;
    }
    database_ = std::make_unique<TestDatabase>();
    service_ = std::make_unique<ServiceProcess>(ServiceOptions{.databaseUrl = database_->url()});
  }

  static void TearDownTestSuite() {
    service_.reset();
    database_.reset();
  }

  void TearDown() override {
    if (service_) {
      expectAlive();
    }
  }

  static std::uint16_t servicePort() { return service_->port(); }

  static void expectAlive() {
    RawClient client(servicePort());
    client.send(kLive);
    EXPECT_EQ(client.readAnswer().status, 200);
  }

  // Expects one response with this status and then the end of the connection: the bytes after the
  // rejected request must not be parsed as another one.
  static void expectRefused(std::string_view request, int status) {
    SCOPED_TRACE(shown(request));
    RawClient client(servicePort());
    client.send(request);
    expectLastRefusal(client.readAnswer(), status);
    EXPECT_EQ(client.readToEnd(), "");
  }

  static std::string metrics() {
    RawClient client(servicePort());
    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client.readAnswer().body;
  }

  // The number of log lines that contain the text.
  static std::size_t logged(std::string_view text) {
    const auto log = service_->logText();
    std::size_t count = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
      ++count;
    }
    return count;
  }

  static void expectStored(RawClient& client, std::string_view request) {
    client.send(request);
    EXPECT_THAT(client.readAnswer().status, ::testing::AnyOf(200, 201)) << shown(request);
  }

  static void expectStored(std::string_view request) {
    RawClient client(servicePort());
    expectStored(client, request);
  }

 private:
  inline static std::unique_ptr<TestDatabase> database_;
  inline static std::unique_ptr<ServiceProcess> service_;
};

}  // namespace auth_errors::tests
