// A flood of invalid requests of every kind beside valid traffic: memory stays flat, and valid
// clients are served. AUTH_ERRORS_INVALID_REQUESTS sets the length.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <format>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_fixture.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/gzip.h"
#include "tests/support/load_generator.h"
#include "tests/support/sanitizer_memory.h"

namespace auth_errors::tests {
namespace {

constexpr double kAllowedGrowthMebibytes = 24 + kKeptBySanitizerMebibytes;

struct InvalidKind {
  std::string name;
  int status;
  std::string request;  // the complete bytes
};

std::string requestText(std::string_view method, std::string_view path, const Headers& headers,
                        std::string_view body) {
  std::string text = std::format("{} {} HTTP/1.1\r\nHost: x\r\n", method, path);
  for (const auto& [name, value] : headers) {
    text += std::format("{}: {}\r\n", name, value);
  }
  return text + std::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

std::string valid() { return ErrorBody{.requestId = "never-stored"}.json(); }

// The valid body with the value of one member replaced.
std::string with(std::string_view field, const std::string& json) {
  Json::Value body = parseJson(valid());
  body.removeMember(std::string(field));
  std::string text = body.toStyledString();
  return text.insert(1, std::format("\"{}\":{},", field, json));
}

std::vector<InvalidKind> invalidKinds() {
  constexpr std::string_view kPath = "/api/auth-errors";
  std::vector<InvalidKind> kinds;
  const Headers ingest = bearer(kIngestKey);
  const auto headers = [&](Headers more, std::string_view type = kJsonType) {
    more.emplace_back("Content-Type", type);
    return more;
  };
  const auto body = [&](std::string name, const std::string& text, int status = 400) {
    kinds.push_back({std::move(name), status, requestText("POST", kPath, headers(ingest), text)});
  };
  body("empty", "");
  body("cut", valid().substr(0, 40));
  body("array", "[]");
  body("text behind it", valid() + "x");
  body("repeated key", R"({"a":1,"a":2})");
  body("comment", "/* x */" + valid());
  body("33 levels", std::string(33, '[') + std::string(33, ']'));
  body("100,000 levels", std::string(100'000, '['));
  body("invalid UTF-8", with("exceptionClass", "\"\xc3\x28\""));
  body("lone surrogate", with("exceptionClass", R"("\ud800")"));
  body("missing fields", "{}");
  body("wrong types", with("requestId", "[17]"));
  body("status out of range", with("httpStatus", "600"));
  body("status with a fraction", with("httpStatus", "401.5"));
  body("number beyond all", with("httpStatus", "1e999"));
  body("integer beyond all", with("httpStatus", "99999999999999999999"));
  body("no time", with("occurredAt", R"("yesterday")"));
  body("far ahead", with("occurredAt", R"("2999-01-01T00:00:00Z")"));
  body("long request id", with("requestId", "\"" + std::string(129, 'x') + "\""));
  body("request id with a newline", with("requestId", R"("a\nb")"));
  body("request id with a secret", with("requestId", R"("password=hunter2secret")"));
  body("empty after cleaning", with("stacktrace", R"(" \u0000 \n ")"));
  body("no address", with("clientIp", R"("localhost")"));
  body("too large", std::string(std::size_t{1200} * 1024, ' '), 413);
  const auto encoded = [&](std::string name, const std::string& text, std::string_view encoding,
                           int status) {
    Headers more = headers(ingest);
    more.emplace_back("Content-Encoding", encoding);
    kinds.push_back({std::move(name), status, requestText("POST", kPath, more, text)});
  };
  encoded("no gzip", valid(), "gzip", 400);
  encoded("bomb", gzip(std::string(std::size_t{4} << 20U, ' ')), "gzip", 413);
  encoded("unknown encoding", valid(), "zstd", 415);
  const auto request = [&](std::string name, int status, std::string_view method,
                           std::string_view path, const Headers& more, const std::string& text) {
    kinds.push_back({std::move(name), status, requestText(method, path, more, text)});
  };
  request("wrong type", 415, "POST", kPath, headers(ingest, "text/plain"), valid());
  request("no key", 401, "POST", kPath, headers({}), valid());
  request("unknown key", 401, "POST", kPath, headers(bearer("aek_nobody")), valid());
  request("viewer's key", 403, "POST", kPath, headers(bearer(kViewerKey)), valid());
  request("unknown path", 404, "POST", "/api/nothing", headers(ingest), valid());
  request("wrong method", 405, "PUT", kPath, headers(ingest), valid());
  request("batch that is none", 400, "POST", "/api/auth-errors/batch", headers(ingest), "{}");
  request("bad cursor", 400, "GET", "/api/auth-errors?cursor=%00%ff", bearer(kViewerKey), "");
  request("bad filters", 400, "GET", "/api/auth-errors?limit=0&nonsense=1", bearer(kViewerKey), "");
  kinds.push_back({"unknown method", 501, "\x16\x03\x01 hello\r\n\r\n"});
  kinds.push_back({"two framings", 400,
                   "POST /api/auth-errors HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"});
  kinds.push_back({"negative chunk", 400,
                   "POST /api/auth-errors HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "1\r\nx\r\n-2\r\n"});
  kinds.push_back({"endless header", 431,
                   "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n"});
  return kinds;
}

class Flood : public ApiTest {
 protected:
  // Drogon keeps the memory of a closed connection until its idle timeout. With a timeout of a
  // minute, thousands of closed connections would hide a leak per request.
  Flood() : ApiTest({{"AUTH_ERRORS_IDLE_TIMEOUT_SECONDS", "5"}}) {}

  double residentMebibytes() {
    client_.close();  // the idle timeout has passed
    const std::string text = metrics();
    static constexpr std::string_view kName = "\nprocess_resident_memory_bytes ";
    const auto at = text.find(kName);
    EXPECT_NE(at, std::string::npos);
    return std::stod(text.substr(at + kName.size())) / (1024 * 1024);
  }

  // Sends `count` requests, cycling through the kinds from `first`, over one connection while it
  // lasts.
  void sendInvalid(const std::vector<InvalidKind>& kinds, std::size_t first, std::size_t count) {
    std::optional<RawConnection> connection;
    for (std::size_t i = first; i < first + count; ++i) {
      const InvalidKind& kind = kinds.at(i % kinds.size());
      for (int attempt = 0;; ++attempt) {
        if (!connection) {
          auto connected = RawConnection::connect(service_.port(), kAnswerLimit);
          ASSERT_TRUE(connected) << connected.error().message;
          connection = *std::move(connected);
        }
        // The refusal may arrive before the sentCompletely request was sent, or the connection may
        // be closed after it.
        const bool sentCompletely = connection->send(kind.request, kAnswerLimit).has_value();
        const auto response = connection->receiveResponse(kAnswerLimit);
        if (response) {
          ASSERT_EQ(response->status, kind.status) << kind.name << ": " << response->body;
          if (!sentCompletely || response->header("Connection") == "close") {
            connection.reset();
          }
          break;
        }
        connection.reset();
        ASSERT_LT(attempt, 3) << kind.name << ": " << response.error().message;
      }
      answered_.fetch_add(1);
    }
  }

  // Sends the requests over several connections.
  void flood(const std::vector<InvalidKind>& kinds, std::size_t count) {
    std::vector<std::jthread> senders;
    for (std::size_t sender = 0; sender < kSenders; ++sender) {
      senders.emplace_back([&, sender, count] {
        sendInvalid(kinds, sender * (kinds.size() / kSenders), count / kSenders);
      });
    }
  }

  static constexpr std::size_t kSenders = 4;
  std::atomic<std::size_t> answered_{0};
};

TEST_F(Flood, InvalidRequestsNeitherGrowMemoryNorHarmValidTraffic) {
  const auto count = numberFromEnvironment<std::size_t>("AUTH_ERRORS_INVALID_REQUESTS", 4'000);
  const std::vector<InvalidKind> kinds = invalidKinds();
  ASSERT_GE(kinds.size(), 30U);
  LoadGenerator load({.port = service_.port(), .connections = 4, .seed = testSeed()});
  // Warm up with a tenth, so that buffers and caches reach their steady size.
  flood(kinds, count / 10);
  const double before = residentMebibytes();
  flood(kinds, count - count / 10);
  const LoadSummary summary = load.finish(std::chrono::seconds(20));
  const double after = residentMebibytes();
  std::cout << std::format(
      "{} invalid requests of {} kinds; memory {:.1f} MiB before, {:.1f} MiB after; beside them {} "
      "valid ones, p99 {} ms, slowest {} ms\n",
      answered_.load(), kinds.size(), before, after, summary.counts.created,
      summary.percentile99.count() / 1000, summary.slowest.count() / 1000);

  EXPECT_GT(answered_, count - 2 * kSenders);
  EXPECT_EQ(summary.counts.created + summary.counts.duplicates, summary.counts.attempts)
      << summary.text();
  EXPECT_EQ(summary.counts.contradictions, 0U);
  EXPECT_LT(after - before, kAllowedGrowthMebibytes);
  EXPECT_EQ(
      database_.queryValue("SELECT count(*) FROM auth_error WHERE dedup_key = 'never-stored'"),
      "0");
}

}  // namespace
}  // namespace auth_errors::tests
