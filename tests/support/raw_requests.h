// Requests as bytes, for tests that send what no well-behaved client sends. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <format>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/api_keys.h"
#include "tests/support/error_body.h"

namespace auth_errors::tests {

inline constexpr std::size_t kMebi = std::size_t{1} << 20U;
// The parser accepts somewhat longer bodies than the route, so that most bodies past the limit are
// refused without closing the connection.
inline constexpr std::size_t kParserLimit = 2 * kMebi;
inline constexpr std::string_view kLive = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

inline std::string post(std::string_view headers, std::string_view body) {
  return std::format(
      "POST /api/auth-errors HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "X-API-Key: {}\r\n{}\r\n{}",
      kIngestKey, headers, body);
}

inline std::string chunkedPost(std::string_view chunks) {
  return post("Transfer-Encoding: chunked\r\n", chunks);
}

inline std::string getWith(std::string_view headers) {
  return std::format("GET /health/live HTTP/1.1\r\nHost: localhost\r\n{}\r\n", headers);
}

// A different error for each test; the same one within a test.
inline std::string validBody() {
  static const auto kRun = std::chrono::system_clock::now().time_since_epoch().count();
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  ErrorBody body;
  body.requestId = std::format("{}-{}", test->name(), kRun);
  return body.json();
}

inline std::string withLength(std::string_view body) {
  return post(std::format("Content-Length: {}\r\n", body.size()), body);
}

}  // namespace auth_errors::tests
