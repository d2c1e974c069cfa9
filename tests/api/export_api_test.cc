// GET /api/auth-errors/export, over HTTP against the real service and PostgreSQL: slow, stalled and
// departing readers, and a database that fails midway.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <json/reader.h>
#include <json/value.h>

#include "tests/support/api_keys.h"
#include "tests/support/http_client.h"
#include "tests/support/loop_runner.h"
#include "tests/support/metric_text.h"
#include "tests/support/sanitizer_memory.h"
#include "tests/support/service_process.h"
#include "tests/support/stored_errors.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto kExportTimeout = 30s;
// `more` holds headers, each with its line end.
std::string exportRequest(std::string_view version = "HTTP/1.1", std::string_view more = "") {
  return std::format(
      "GET /api/auth-errors/export {}\r\nHost: x\r\nAuthorization: Bearer {}\r\n{}\r\n", version,
      kViewerKey, more);
}

constexpr std::string_view kClose = "Connection: close\r\n";
constexpr std::string_view kLastChunk = "\r\n0\r\n\r\n";
// About 4 KiB per error.
constexpr int kTraceLines = 120;
// More than the kernel buffers for a client that reads nothing.
constexpr int kTooManyForBuffers = 8'000;

std::filesystem::path makeTemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "export-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("cannot create a temporary folder");
  }
  return pattern;
}

std::string outputOf(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             &::pclose);
  std::string output;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    output.push_back(static_cast<char>(c));
  }
  return output;
}

std::vector<Json::Value> linesOf(const std::string& body) {
  std::vector<Json::Value> lines;
  std::istringstream stream(body);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream text(line);
    text >> lines.emplace_back();
  }
  return lines;
}

class ExportApi : public ::testing::Test {
 protected:
  void start(const Environment& more = {}) {
    service_.emplace(ServiceOptions{
        .databaseUrl = database_.url(), .environment = more, .headers = bearer(kViewerKey)});
  }

  HttpResponse get(const std::string& path, std::string_view method = "GET") {
    HttpClient client = service_->client();
    auto response = client.request(method, path, {}, "", kExportTimeout);
    if (!response) {
      ADD_FAILURE() << response.error().message;
      return {};
    }
    return *std::move(response);
  }

  double metric(const std::string& name) {
    const auto value = metricIn(get("/metrics").body, name);
    EXPECT_TRUE(value) << "no metric " << name;
    return value.value_or(0);
  }
  double ended(const std::string& how) {
    return metric("auth_errors_exports_total{end=\"" + how + "\"}");
  }

  RawConnection connect() {
    auto connection = RawConnection::connect(service_->port(), kExportTimeout);
    if (!connection) {
      throw std::runtime_error(connection.error().message);
    }
    return *std::move(connection);
  }

  // A client that has read the head of an export and stopped. Returns once the service has stopped
  // reading from the database.
  RawConnection stalledExport() {
    RawConnection connection = connect();
    EXPECT_TRUE(connection.send(exportRequest(), kExportTimeout));
    const auto head = connection.receive(kExportTimeout);
    EXPECT_TRUE(head && head->starts_with("HTTP/1.1 200"));
    double handedOver = -1;
    int unchanged = 0;
    EXPECT_TRUE(eventually([&] {
      const double now = metric("auth_errors_exported_errors_total");
      unchanged = now == handedOver ? unchanged + 1 : 0;
      handedOver = now;
      return unchanged == 50;
    }));
    return connection;
  }

  TestDatabase database_;
  std::optional<ServiceProcess> service_;
};

TEST_F(ExportApi, WritesOneErrorPerLineNewestFirst) {
  start();
  insertMany(database_.url(), 1'000, 1);
  const HttpResponse response = get("/api/auth-errors/export");
  ASSERT_EQ(response.status, 200);
  EXPECT_EQ(response.header("Content-Type"), "application/x-ndjson");
  const auto lines = linesOf(response.body);
  ASSERT_EQ(lines.size(), 1'000U);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    EXPECT_EQ(lines[at]["requestId"].asString(), "many-" + std::to_string(1'000 - at));
  }
  const std::string id = lines.back()["authErrorId"].asString();
  const std::string line =
      response.body.substr(response.body.rfind('\n', response.body.size() - 2) + 1);
  ASSERT_TRUE(line.ends_with("}\n"));
  // The same body, except for the journey.
  EXPECT_THAT(get("/api/auth-errors/" + id).body,
              ::testing::StartsWith(line.substr(0, line.size() - 2) + ",\"traceparent\":"));
}

TEST_F(ExportApi, AppliesTheFiltersOfTheListAndALimit) {
  start();
  insertMany(database_.url(), 1'000, 1);
  for (const int limit : {1, 200, 201, 400, 999}) {
    EXPECT_EQ(linesOf(get("/api/auth-errors/export?limit=" + std::to_string(limit)).body).size(),
              static_cast<std::size_t>(limit));
  }
  database_.execute("UPDATE auth_error SET service_name = 'shop' WHERE id % 2 = 0");
  EXPECT_EQ(linesOf(get("/api/auth-errors/export?serviceName=shop").body).size(), 500U);
  EXPECT_EQ(get("/api/auth-errors/export?serviceName=none").body, "");
  EXPECT_EQ(get("/api/auth-errors/export?limit=1000001").status, 400);
}

TEST_F(ExportApi, BoundsItsMemoryForASlowReader) {
  constexpr int kStored = 40'000;
  start();
  insertMany(database_.url(), kStored, kTraceLines);
  const double before = metric("process_resident_memory_bytes");
  RawConnection connection = stalledExport();
  EXPECT_LT(metric("auth_errors_exported_errors_total"), kStored / 2);

  constexpr double kAllowance = (48 + kKeptBySanitizerMebibytes) * 1024 * 1024;
  std::size_t received = 0;
  std::string tail;
  for (std::size_t portions = 0; !tail.ends_with(kLastChunk); ++portions) {
    const auto bytes = connection.receive(kExportTimeout);
    ASSERT_TRUE(bytes) << bytes.error().message;
    ASSERT_FALSE(bytes->empty()) << "aborted after " << received << " bytes";
    received += bytes->size();
    tail += *bytes;
    tail.erase(0, tail.size() - std::min(tail.size(), kLastChunk.size()));
    if (portions % 100 == 0) {
      ASSERT_LT(metric("process_resident_memory_bytes"), before + kAllowance);
    }
  }
  EXPECT_GT(received, std::size_t{kStored} * kTraceLines * 32);
  EXPECT_EQ(metric("auth_errors_exported_errors_total"), kStored);
  EXPECT_EQ(ended("completed"), 1);
}

TEST_F(ExportApi, EndsWhenTheClientDisconnects) {
  start({{"AUTH_ERRORS_MAX_EXPORTS", "1"}});
  insertMany(database_.url(), kTooManyForBuffers, kTraceLines);
  {
    const RawConnection leaving = stalledExport();
  }
  EXPECT_TRUE(eventually([&] { return ended("client_gone") == 1; }));
  EXPECT_EQ(get("/api/auth-errors/export?limit=10").status, 200);
}

TEST_F(ExportApi, TimesOutOnAStalledReader) {
  start({{"AUTH_ERRORS_IDLE_TIMEOUT_SECONDS", "2"}});
  insertMany(database_.url(), kTooManyForBuffers, kTraceLines);
  RawConnection connection = stalledExport();
  EXPECT_TRUE(eventually([&] { return ended("client_too_slow") == 1; }));
  EXPECT_FALSE(connection.receiveUntilClosed(kExportTimeout).bytes.ends_with(kLastChunk));
}

TEST_F(ExportApi, AbortsWhenTheDatabaseFails) {
  start({{"AUTH_ERRORS_REQUEST_DEADLINE_MS", "300"}});
  insertMany(database_.url(), kTooManyForBuffers, kTraceLines);
  RawConnection connection = stalledExport();
  PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  const auto received = connection.receiveUntilClosed(kExportTimeout);
  EXPECT_NE(received.end, RawConnection::End::timeout);
  EXPECT_FALSE(received.bytes.ends_with(kLastChunk));
  EXPECT_EQ(ended("failed"), 1);
  EXPECT_EQ(ended("completed"), 0);
}

TEST_F(ExportApi, LimitsConcurrentExports) {
  start({{"AUTH_ERRORS_MAX_EXPORTS", "1"}});
  insertMany(database_.url(), kTooManyForBuffers, kTraceLines);
  const RawConnection stalled = stalledExport();
  const HttpResponse refused = get("/api/auth-errors/export");
  EXPECT_EQ(refused.status, 429);
  EXPECT_THAT(refused.body, HasSubstr("rate_limited"));
  EXPECT_FALSE(refused.header("Retry-After").empty());
  EXPECT_EQ(get("/api/auth-errors?limit=1").status, 200);
}

TEST_F(ExportApi, RunsPipelinedExportsOneAfterAnother) {
  start();
  insertMany(database_.url(), 1'000, kTraceLines);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(exportRequest() + exportRequest("HTTP/1.1", kClose), kExportTimeout));
  const std::string both = connection.receiveUntilClosed(kExportTimeout).bytes;
  ASSERT_TRUE(both.starts_with("HTTP/1.1 200 OK"));
  const auto second = both.find("HTTP/1.1 200 OK", 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_TRUE(both.substr(0, second).ends_with(kLastChunk));
  EXPECT_TRUE(both.ends_with(kLastChunk));
}

TEST_F(ExportApi, KeepsTheConnectionAlive) {
  start();
  insertMany(database_.url(), 500, 1);
  RawConnection connection = connect();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(connection.send(exportRequest(), kExportTimeout));
    const auto response = connection.receiveResponse(kExportTimeout);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(linesOf(response->body).size(), 500U);
  }
}

TEST_F(ExportApi, ClosesTheConnectionOnRequest) {
  start();
  insertMany(database_.url(), 500, kTraceLines);
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(exportRequest("HTTP/1.1", kClose), kExportTimeout));
  const auto received = connection.receiveUntilClosed(kExportTimeout);
  EXPECT_EQ(received.end, RawConnection::End::closed);
  EXPECT_THAT(received.bytes, HasSubstr("close"));
  EXPECT_TRUE(received.bytes.ends_with(kLastChunk));
}

// The reader pauses repeatedly, so that the service finds its socket full.
TEST_F(ExportApi, ReachesASlowReaderOverTls) {
  constexpr int kStored = 20'000;
  const std::filesystem::path folder = makeTemporaryFolder();
  const std::string certificate = (folder / "certificate.pem").string();
  const std::string key = (folder / "key.pem").string();
  ASSERT_EQ(outputOf(std::format("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
                                 "-nodes -subj /CN=localhost -days 1 -keyout {} -out {} 2>&1 "
                                 "| grep -i error",
                                 key, certificate)),
            "");
  service_.emplace(ServiceOptions{
      .databaseUrl = database_.url(),
      .environment = {{"AUTH_ERRORS_TLS_CERTIFICATE", certificate}, {"AUTH_ERRORS_TLS_KEY", key}},
      .headers = {},
      .speaksTls = true});
  insertMany(database_.url(), kStored, kTraceLines);
  EXPECT_EQ(outputOf(std::format("curl --silent --show-error --insecure --limit-rate 40M "
                                 "--header 'Authorization: Bearer {}' "
                                 "https://127.0.0.1:{}/api/auth-errors/export 2>&1 | wc -l",
                                 kViewerKey, service_->port())),
            std::format("{}\n", kStored));
  std::filesystem::remove_all(folder);
}

TEST_F(ExportApi, AnswersHeadWithoutRunningTheQuery) {
  start();
  insertMany(database_.url(), 10, 1);
  const HttpResponse response = get("/api/auth-errors/export", "HEAD");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("Content-Type"), "application/x-ndjson");
  EXPECT_EQ(get("/api/auth-errors/export?limit=x", "HEAD").status, 400);
  EXPECT_EQ(metric("auth_errors_exported_errors_total"), 0);
  EXPECT_EQ(ended("completed"), 0);
}

TEST_F(ExportApi, RequiresHttp11) {
  start();
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(exportRequest("HTTP/1.0"), kExportTimeout));
  EXPECT_THAT(connection.receiveUntilClosed(kExportTimeout).bytes, HasSubstr("not_implemented"));
}

TEST_F(ExportApi, IsAbortedByShutdown) {
  start();
  insertMany(database_.url(), kTooManyForBuffers, kTraceLines);
  RawConnection connection = stalledExport();
  EXPECT_EQ(service_->terminate(), ExitStatus{});
  EXPECT_FALSE(connection.receiveUntilClosed(kExportTimeout).bytes.ends_with(kLastChunk));
}

}  // namespace
}  // namespace auth_errors::tests
