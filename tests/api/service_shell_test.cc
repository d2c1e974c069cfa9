// The service without its business logic: startup, health, refusals, limits on clients, TLS,
// shutdown. Most cases run without a database, which the service must tolerate.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <format>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <json/json.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "tests/support/api_keys.h"
#include "tests/support/http_client.h"
#include "tests/support/loop_runner.h"
#include "tests/support/project_paths.h"
#include "tests/support/service_process.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr auto kShellTimeout = 10s;
constexpr std::string_view kSubmission =
    R"({"requestId":"r1","occurredAt":"2026-03-01T00:00:00Z","httpStatus":401,)"
    R"("exceptionClass":"a.B","stacktrace":"x"})";

// Nothing listens on port 1 of the loopback interface.
ServiceOptions withoutDatabase(Environment environment = {}) {
  return {.databaseUrl = "postgresql://someone:hunter2@127.0.0.1:1/nothing",
          .environment = std::move(environment),
          .arguments = {"serve"},
          .headers = {},
          .waitUntilReady = false,
          .speaksTls = false};
}

Json::Value parsed(const std::string& text) {
  Json::Value value;
  EXPECT_TRUE(Json::Reader().parse(text, value)) << text;
  return value;
}

HttpResponse must(HttpClient::Result result) {
  if (!result) {
    throw std::runtime_error("no answer: " + result.error().message);
  }
  return *std::move(result);
}

RawConnection connectTo(const ServiceProcess& service) {
  auto connection = RawConnection::connect(service.port(), kShellTimeout);
  if (!connection) {
    throw std::runtime_error("cannot connect: " + connection.error().message);
  }
  return *std::move(connection);
}

// The access log is written at the end of a request, after its answer was sent.
void expectLogged(const ServiceProcess& service, const std::string& text) {
  const auto deadline = Clock::now() + kShellTimeout;
  while (service.logText().find(text) == std::string::npos) {
    ASSERT_LT(Clock::now(), deadline) << text;
  }
}

void expectProblem(const HttpResponse& response, int status, std::string_view code) {
  EXPECT_EQ(response.status, status);
  EXPECT_EQ(response.header("content-type"), "application/problem+json");
  const Json::Value body = parsed(response.body);
  EXPECT_EQ(body["status"].asInt(), status);
  EXPECT_EQ(body["code"].asString(), code);
  EXPECT_EQ(body["httpRequestId"].asString(), response.header("x-request-id"));
}

TEST(ServiceShell, IsLiveButNotReadyDuringADatabaseOutage) {
  const ServiceProcess service(withoutDatabase());
  HttpClient client = service.client();
  EXPECT_EQ(must(client.get("/health/live", kShellTimeout)).status, 200);
  const HttpResponse ready = must(client.get("/health/ready", kShellTimeout));
  EXPECT_EQ(ready.status, 503);
  const Json::Value body = parsed(ready.body);
  EXPECT_EQ(body["status"].asString(), "unready");
  EXPECT_EQ(body["database"].asString(), "disconnected");
  EXPECT_EQ(body["migrations"].asString(), "pending");
  EXPECT_EQ(body["keys"].asString(), "pending");
  EXPECT_EQ(body["broker"].asString(), "disabled");
  EXPECT_FALSE(body["draining"].asBool());
}

TEST(Health, ReportsAPendingBrokerWithoutItsHost) {
  const ServiceProcess service(withoutDatabase(
      {{"AUTH_ERRORS_ROLES", "outbox"}, {"AMQP_URL", "amqp://guest:hunter2@broker.example/"}}));
  HttpClient client = service.client();
  const HttpResponse ready = must(client.get("/health/ready", kShellTimeout));
  EXPECT_EQ(parsed(ready.body)["broker"].asString(), "pending");
  EXPECT_NE(parsed(ready.body)["brokerProblem"].asString(), "");
  EXPECT_THAT(ready.body, Not(HasSubstr("broker.example")));
  const HttpResponse elsewhere = must(client.get("/api/auth-errors", kShellTimeout));
  expectProblem(elsewhere, 503, "role_missing");
  EXPECT_NE(elsewhere.header("retry-after"), "");
  expectProblem(must(client.get("/api/nothing", kShellTimeout)), 404, "not_found");
}

// Until the keys are loaded it cannot tell a valid key from an invalid one, so it must refuse
// neither.
TEST(ServiceShell, AnswersAKeyWith503UntilKeysAreLoaded) {
  const ServiceProcess service(withoutDatabase());
  HttpClient client = service.client();
  const HttpResponse keyless = must(client.post("/api/auth-errors", kSubmission, kShellTimeout));
  expectProblem(keyless, 401, "unauthenticated");
  const HttpResponse keyed = must(
      client.request("POST", "/api/auth-errors", bearer(kIngestKey), kSubmission, kShellTimeout));
  expectProblem(keyed, 503, "database_unavailable");
  EXPECT_NE(keyed.header("retry-after"), "");
}

TEST(ServiceShell, RefusesUnknownPathsAndMethodsWithProblems) {
  const ServiceProcess service(withoutDatabase({{"AUTH_ERRORS_MAX_BODY", "2K"}}));
  HttpClient client = service.client();
  expectProblem(must(client.get("/nothing", kShellTimeout)), 404, "not_found");
  expectProblem(must(client.get("/Health/live", kShellTimeout)), 404, "not_found");

  const HttpResponse method = must(client.request("DELETE", "/health/live", {}, "", kShellTimeout));
  expectProblem(method, 405, "method_not_allowed");
  EXPECT_EQ(method.header("allow"), "GET, HEAD, OPTIONS");

  EXPECT_EQ(must(client.post("/api/auth-errors", std::string(100'000, 'x'), kShellTimeout)).status,
            413);
}

TEST(ServiceShell, AnswersHeadAndOptions) {
  const ServiceProcess service(withoutDatabase());
  HttpClient client = service.client();
  const HttpResponse head = must(client.request("HEAD", "/health/live", {}, "", kShellTimeout));
  EXPECT_EQ(head.status, 200);
  EXPECT_THAT(head.body, IsEmpty());
  EXPECT_NE(head.header("content-length"), "0");
  const HttpResponse options =
      must(client.request("OPTIONS", "/api/auth-errors", {}, "", kShellTimeout));
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("allow"), "POST, GET, HEAD, OPTIONS");
  EXPECT_EQ(options.header("access-control-allow-origin"), "");
}

TEST(ServiceShell, EchoesAValidRequestIdAndReplacesAnInvalidOne) {
  const ServiceProcess service(withoutDatabase());
  HttpClient client = service.client();
  const auto idFor = [&](const std::string& sent) {
    const HttpResponse response =
        must(client.request("GET", "/nothing", {{"X-Request-Id", sent}}, "", kShellTimeout));
    expectProblem(response, 404, "not_found");
    return std::string(response.header("x-request-id"));
  };
  EXPECT_EQ(idFor("trace-1.a_B"), "trace-1.a_B");
  EXPECT_THAT(idFor("with space"), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_THAT(idFor(std::string(65, 'x')), MatchesRegex("[0-9a-f]{32}"));
  expectLogged(service, R"("requestId":"trace-1.a_B")");
}

TEST(ServiceShell, HidesTheServerNameAndNeitherServesNorWritesFiles) {
  const ServiceProcess service(withoutDatabase());
  std::ofstream(service.directory() / "index.html") << "private";
  HttpClient client = service.client();
  for (const char* path : {"/index.html", "/", "/../index.html", "/%2e%2e/index.html"}) {
    const HttpResponse response = must(client.get(path, kShellTimeout));
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_EQ(response.header("server"), "");
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(service.directory())) {
    files.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(files, UnorderedElementsAre("index.html", "service.log"));
}

TEST(ServiceShell, CountsByRouteAndReasonWithoutLoggingQueries) {
  const ServiceProcess service(withoutDatabase({{"AUTH_ERRORS_LOG_LEVEL", "debug"}}));
  HttpClient client = service.client();
  must(client.get("/health/live?token=hunter3", kShellTimeout));
  must(client.get("/secret-path/hunter4", kShellTimeout));
  const HttpResponse metrics = must(client.get("/metrics", kShellTimeout));
  EXPECT_EQ(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(
      metrics.body,
      AllOf(HasSubstr(R"(auth_errors_http_requests_total{route="unmatched",status="4xx"} 1)"),
            HasSubstr(R"(auth_errors_rejections_total{key="none",reason="not_found"} 1)"),
            Not(HasSubstr("hunter"))));
  // The connection that awaited the start may still be closing.
  EXPECT_TRUE(eventually([&] {
    return must(client.get("/metrics", kShellTimeout))
        .body.contains("auth_errors_http_connections 1\n");
  }));
  expectLogged(service, R"("route":"/metrics","status":200)");
  EXPECT_THAT(service.logText(),
              AllOf(HasSubstr(R"("route":"/health/live","status":200)"), Not(HasSubstr("hunter"))));
}

TEST(ServiceShell, TrustsForwardedAddressesOfTrustedProxiesOnly) {
  const Headers headers = {{"X-Forwarded-For", "6.6.6.6, 203.0.113.9"},
                           {"Forwarded", "for=7.7.7.7"}};
  const auto expectClient = [&](Environment environment, const std::string& address) {
    const ServiceProcess service(withoutDatabase(std::move(environment)));
    HttpClient client = service.client();
    must(client.request("GET", "/nothing", headers, "", kShellTimeout));
    expectLogged(service, R"("client":")" + address + '"');
  };
  expectClient({}, "127.0.0.1");
  expectClient({{"AUTH_ERRORS_TRUSTED_PROXIES", "127.0.0.0/8"}}, "203.0.113.9");
  expectClient({{"AUTH_ERRORS_TRUSTED_PROXIES", "127.0.0.0/8"},
                {"AUTH_ERRORS_FORWARDED_HEADER", "forwarded"}},
               "7.7.7.7");
}

TEST(ServiceShell, DisconnectsASlowRequestButKeepsAnIdleConnection) {
  const ServiceProcess service(withoutDatabase({{"AUTH_ERRORS_RECEIVE_DEADLINE_MS", "300"}}));
  HttpClient idle = service.client();
  ASSERT_EQ(must(idle.get("/health/live", kShellTimeout)).status, 200);

  RawConnection slow = connectTo(service);
  ASSERT_TRUE(slow.send("GET /health/live HTTP/1.1\r\nX-Slow: ", kShellTimeout));
  const auto start = Clock::now();
  bool ended = false;
  // One byte at a time would defeat Drogon's own idle timeout.
  while (!ended && Clock::now() - start < kShellTimeout) {
    const auto received = slow.receive(20ms);
    ended = received ? received->empty() : received.error().fault != TransportFault::timeout;
    ended = ended || !slow.send("x", kShellTimeout);
  }
  EXPECT_TRUE(ended);
  EXPECT_GE(Clock::now() - start, 250ms);
  EXPECT_LT(Clock::now() - start, 3s);

  // This connection has been idle for longer than that by now, which is allowed.
  EXPECT_EQ(must(idle.get("/health/live", kShellTimeout)).status, 200);
  EXPECT_THAT(must(idle.get("/metrics", kShellTimeout)).body,
              HasSubstr(R"(connections_closed_total{reason="unfinished_request"} 1)"));
}

TEST(ServiceShell, LimitsConcurrentConnections) {
  const ServiceProcess service(withoutDatabase({{"AUTH_ERRORS_MAX_CONNECTIONS", "2"}}));
  HttpClient first = service.client();
  HttpClient second = service.client();
  // The connection that awaited the start may still be closing.
  const auto give = Clock::now() + kShellTimeout;
  while (!first.get("/health/live", kShellTimeout) || !second.get("/health/live", kShellTimeout)) {
    ASSERT_LT(Clock::now(), give);
  }
  RawConnection third = connectTo(service);
  const auto received = third.receiveUntilClosed(kShellTimeout);
  EXPECT_NE(received.end, RawConnection::End::timeout);
  EXPECT_THAT(received.bytes, IsEmpty());
  EXPECT_EQ(must(first.get("/health/live", kShellTimeout)).status, 200);
}

TEST(ServiceShell, WarnsWhenPlainTextIsReachableByOtherHosts) {
  constexpr std::string_view kWarning = "without TLS and without trusted proxies";
  const auto warned = [&](Environment environment) {
    const ServiceProcess service(withoutDatabase(std::move(environment)));
    expectLogged(service, R"("event":"server.listening")");
    return service.logText().contains(kWarning);
  };
  EXPECT_TRUE(warned({{"AUTH_ERRORS_LISTEN", "0.0.0.0"}}));
  EXPECT_FALSE(warned({{"AUTH_ERRORS_LISTEN", "127.0.0.1"}}));
  EXPECT_FALSE(
      warned({{"AUTH_ERRORS_LISTEN", "0.0.0.0"}, {"AUTH_ERRORS_TRUSTED_PROXIES", "10.0.0.0/8"}}));
}

// Both lines of the header count as one list.
TEST(ServiceShell, JoinsRepeatedForwardingHeaders) {
  const ServiceProcess service(
      withoutDatabase({{"AUTH_ERRORS_TRUSTED_PROXIES", "127.0.0.0/8, 10.0.0.0/8"}}));
  HttpClient client = service.client();
  const Headers headers = {{"X-Forwarded-For", "6.6.6.6"},
                           {"x-forwarded-for", "203.0.113.9, 10.0.0.1"},
                           {"X-FORWARDED-FOR", "10.0.0.2"}};
  must(client.request("GET", "/nothing", headers, "", kShellTimeout));
  expectLogged(service, R"("client":"203.0.113.9")");
}

TEST(ServiceShell, ReportsAPortThatIsInUse) {
  const ServiceProcess service(withoutDatabase());
  const CommandResult second =
      runService({"serve"}, {{"DATABASE_URL", "postgresql://127.0.0.1:1/nothing"},
                             {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()},
                             {"AUTH_ERRORS_ROLES", "api"},
                             {"AUTH_ERRORS_PORT", std::to_string(service.port())}});
  EXPECT_EQ(second.status.code, 1);
  EXPECT_THAT(second.output, HasSubstr("Address already in use"));
}

// A database that falls silent on demand, so that requests wait for it.
class SilentDatabase {
 public:
  [[nodiscard]] ServiceOptions options(Environment environment) const {
    ServiceOptions options;
    options.databaseUrl = urlWithPort(database_.url(), proxy_.port());
    options.environment = std::move(environment);
    return options;
  }
  void fallSilent() { proxy_.setMode(TcpProxy::Mode::silence); }

 private:
  TestDatabase database_;
  TcpProxy proxy_{portOf(database_.url())};
};

std::string submission() {
  return std::format(
      "POST /api/auth-errors HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      "X-API-Key: {}\r\nContent-Length: {}\r\n\r\n{}",
      kIngestKey, kSubmission.size(), kSubmission);
}

void waitForInFlight(const ServiceProcess& service, int count) {
  HttpClient client = service.client();
  // The scrape itself is one of them.
  const std::string expected = "requests_in_flight " + std::to_string(count + 1) + "\n";
  const auto deadline = Clock::now() + kShellTimeout;
  while (must(client.get("/metrics", kShellTimeout)).body.find(expected) == std::string::npos) {
    ASSERT_LT(Clock::now(), deadline);
  }
}

TEST(Shutdown, ExitsCleanlyAndClosesIdleConnections) {
  ServiceProcess service(withoutDatabase());
  RawConnection idle = connectTo(service);
  EXPECT_EQ(service.terminate(5s), ExitStatus{});
  EXPECT_EQ(idle.receiveUntilClosed(kShellTimeout).end, RawConnection::End::closed);
}

TEST(Shutdown, FinishesRequestsInProgressAndRefusesNewOnes) {
  SilentDatabase database;
  ServiceProcess service(database.options({{"AUTH_ERRORS_REQUEST_DEADLINE_MS", "1500"}}));
  database.fallSilent();
  RawConnection atHand = connectTo(service);
  ASSERT_TRUE(atHand.send(submission(), kShellTimeout));
  waitForInFlight(service, 1);
  service.signal(SIGTERM);

  HttpClient late = service.client();
  const auto deadline = Clock::now() + kShellTimeout;
  HttpResponse ready = must(late.get("/health/ready", kShellTimeout));
  while (!parsed(ready.body)["draining"].asBool()) {
    ASSERT_LT(Clock::now(), deadline);
    ready = must(late.get("/health/ready", kShellTimeout));
  }
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.header("connection"), "close");
  late.close();
  const HttpResponse refused = must(late.post("/api/auth-errors", kSubmission, kShellTimeout));
  expectProblem(refused, 503, "draining");
  EXPECT_NE(refused.header("retry-after"), "");
  EXPECT_EQ(refused.header("connection"), "close");

  const auto answer = atHand.receiveResponse(kShellTimeout);
  ASSERT_TRUE(answer);
  expectProblem(*answer, 503, "database_unavailable");
  EXPECT_EQ(answer->header("connection"), "close");
  EXPECT_EQ(service.wait(kShellTimeout), ExitStatus{});
}

TEST(Shutdown, GivesUpAtItsDeadline) {
  SilentDatabase database;
  ServiceProcess service(database.options(
      {{"AUTH_ERRORS_REQUEST_DEADLINE_MS", "30000"}, {"AUTH_ERRORS_SHUTDOWN_DEADLINE_MS", "200"}}));
  database.fallSilent();
  RawConnection atHand = connectTo(service);
  ASSERT_TRUE(atHand.send(submission(), kShellTimeout));
  waitForInFlight(service, 1);
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kShellTimeout), (ExitStatus{.code = 1, .signal = 0}));
  EXPECT_THAT(service.logText(), HasSubstr("shutdown.given_up"));
  service.kill9();  // otherwise the fixture would check the exit code
}

TEST(Shutdown, ExitsAtOnceOnASecondSignal) {
  SilentDatabase database;
  ServiceProcess service(database.options({{"AUTH_ERRORS_REQUEST_DEADLINE_MS", "30000"}}));
  database.fallSilent();
  RawConnection atHand = connectTo(service);
  ASSERT_TRUE(atHand.send(submission(), kShellTimeout));
  waitForInFlight(service, 1);
  service.signal(SIGINT);
  expectLogged(service, "shutdown.begun");
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(kShellTimeout), (ExitStatus{.code = 1, .signal = 0}));
  EXPECT_THAT(service.logText(), HasSubstr("second signal"));
  service.kill9();
}

TEST(CommandLine, ShowsItsOwnAndDrogonsVersion) {
  const CommandResult result = runService({"--version"}, {});
  EXPECT_EQ(result.status, ExitStatus{});
  EXPECT_THAT(result.output,
              MatchesRegex("auth-errors [0-9.]+ \\(.+\\)\nDrogon [0-9.]+ \\(.+\\)\n"));
}

TEST(CommandLine, ReportsAllConfigurationErrorsAtOnce) {
  const CommandResult result =
      runService({"check-config", "--roles", "king"}, {{"AUTH_ERRORS_PORT", "0"},
                                                       {"AUTH_ERRORS_THREADS", "-1"},
                                                       {"AMQP_URL", "http://guest:hunter2@x"}});
  EXPECT_EQ(result.status.code, 2);
  EXPECT_THAT(result.output, AllOf(HasSubstr("AUTH_ERRORS_PORT"), HasSubstr("AUTH_ERRORS_THREADS"),
                                   HasSubstr("AMQP_URL"), HasSubstr("king"),
                                   HasSubstr("DATABASE_URL"), Not(HasSubstr("hunter2"))));
}

TEST(CommandLine, ShowsAValidConfiguration) {
  const CommandResult result =
      runService({"check-config"}, {{"DATABASE_URL", "postgresql://u:hunter2@localhost/d"},
                                    {"AMQP_URL", "amqp://u:hunter2@localhost/"},
                                    {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()}});
  EXPECT_EQ(result.status, ExitStatus{}) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("listeners.0.port"), Not(HasSubstr("hunter2"))));
}

TEST(CommandLine, WarnsOfMisspelledVariablesAndMissingActorKeys) {
  const CommandResult result =
      runService({"check-config"}, {{"DATABASE_URL", "postgresql://u:hunter2@localhost/d"},
                                    {"AMQP_URL", "amqp://u:hunter2@localhost/"},
                                    {"AUTH_ERRORS_THREDS", "2"},
                                    {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()}});
  EXPECT_EQ(result.status, ExitStatus{}) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("warning: AUTH_ERRORS_THREDS is not a known setting"),
                                   HasSubstr("did you mean AUTH_ERRORS_THREADS?"),
                                   HasSubstr("warning: AUTH_ERRORS_ACTOR_KEYS is not set")));
  const ServiceProcess service(withoutDatabase({{"AUTH_ERRORS_THREDS", "2"}}));
  EXPECT_THAT(service.logText(), AllOf(HasSubstr("AUTH_ERRORS_THREDS is not a known setting"),
                                       HasSubstr("AUTH_ERRORS_ACTOR_KEYS is not set")));
}

TEST(CommandLine, RefusesUnknownArguments) {
  EXPECT_EQ(runService({}, {}).status.code, 2);
  const CommandResult misspelt = runService({"dance"}, {});
  EXPECT_EQ(misspelt.status.code, 2);
  EXPECT_THAT(misspelt.output, HasSubstr("dance"));
  EXPECT_EQ(runService({"serve", "--loud"}, {}).status.code, 2);
  EXPECT_EQ(runService({"--help"}, {}).status, ExitStatus{});
  EXPECT_THAT(runService({"serve", "--help"}, {}).output,
              HasSubstr("\n  AUTH_ERRORS_PORT\n      listeners.0.port\n      listen port; "));
  const CommandResult badUrl =
      runService({"serve"}, {{"DATABASE_URL", "postgresql://u:hunter2@[bad/d"},
                             {"AUTH_ERRORS_ROLES", "api"},
                             {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()}});
  EXPECT_EQ(badUrl.status.code, 2);
  EXPECT_THAT(badUrl.output, Not(HasSubstr("hunter2")));
}

TEST(CommandLine, FailsToMigrateAnUnreachableDatabase) {
  const CommandResult result =
      runService({"migrate"}, {{"DATABASE_URL", "postgresql://127.0.0.1:1/nothing"},
                               {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()}});
  EXPECT_EQ(result.status.code, 1);
  EXPECT_THAT(result.output, HasSubstr("cannot migrate"));
}

class Tls : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tls-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    key_.reset(EVP_EC_gen("P-256"));
    certificate_.reset(X509_new());
    X509_set_version(certificate_.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate_.get()), 3600);
    X509_set_pubkey(certificate_.get(), key_.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate_.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
    ASSERT_GT(X509_sign(certificate_.get(), key_.get(), EVP_sha256()), 0);
    write("cert.pem", [&](std::FILE* file) { return PEM_write_X509(file, certificate_.get()); });
    writeKey("key.pem", key_.get());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const auto& writer) const {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        std::fopen((folder_ / name).c_str(), "w"), &std::fclose);
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(writer(file.get()), 1);
  }
  void writeKey(const std::string& name, EVP_PKEY* key) const {
    write(name, [&](std::FILE* file) {
      return PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    });
  }

  [[nodiscard]] ServiceOptions options() const {
    ServiceOptions options =
        withoutDatabase({{"AUTH_ERRORS_TLS_CERTIFICATE", (folder_ / "cert.pem").string()},
                         {"AUTH_ERRORS_TLS_KEY", (folder_ / "key.pem").string()},
                         {"AUTH_ERRORS_RECEIVE_DEADLINE_MS", "300"}});
    options.speaksTls = true;
    return options;
  }

  std::filesystem::path folder_;
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_{nullptr, &EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> certificate_{nullptr, &X509_free};
};

// One verified connection; any failure throws.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, X509* trusted) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), trusted);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    connection_.reset(BIO_new_ssl_connect(context_.get()));
    BIO_set_conn_hostname(connection_.get(), ("127.0.0.1:" + std::to_string(port)).c_str());
    if (BIO_do_connect(connection_.get()) != 1) {
      throw std::runtime_error("no TLS connection");
    }
  }

  std::string get(const std::string& path) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    BIO_write(connection_.get(), request.data(), static_cast<int>(request.size()));
    std::string text(4096, '\0');
    const int got = BIO_read(connection_.get(), text.data(), static_cast<int>(text.size()));
    text.resize(static_cast<std::size_t>(std::max(got, 0)));
    return text;
  }

 private:
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{SSL_CTX_new(TLS_client_method()),
                                                             &SSL_CTX_free};
  std::unique_ptr<BIO, decltype(&BIO_free_all)> connection_{nullptr, &BIO_free_all};
};

TEST_F(Tls, ServesWithTheConfiguredCertificate) {
  const ServiceProcess service(options());
  TlsClient client(service.port(), certificate_.get());
  EXPECT_THAT(client.get("/health/live"), HasSubstr("HTTP/1.1 200"));
}

TEST_F(Tls, DisconnectsAnUnfinishedHandshake) {
  const ServiceProcess service(options());
  TlsClient idle(service.port(), certificate_.get());
  EXPECT_THAT(idle.get("/health/live"), HasSubstr("HTTP/1.1 200"));
  RawConnection silent = connectTo(service);
  RawConnection stuck = connectTo(service);
  ASSERT_TRUE(stuck.send("\x16\x03\x01", kShellTimeout));
  EXPECT_NE(silent.receiveUntilClosed(kShellTimeout).end, RawConnection::End::timeout);
  EXPECT_NE(stuck.receiveUntilClosed(kShellTimeout).end, RawConnection::End::timeout);
  EXPECT_THAT(idle.get("/health/live"), HasSubstr("HTTP/1.1 200"));
}

TEST_F(Tls, RefusesAKeyThatDoesNotMatchTheCertificate) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> other(EVP_EC_gen("P-256"),
                                                                  &EVP_PKEY_free);
  writeKey("other.pem", other.get());
  const CommandResult result = runService(
      {"check-config"}, {{"DATABASE_URL", "postgresql://127.0.0.1:1/nothing"},
                         {"AUTH_ERRORS_MIGRATIONS", migrationsFolder()},
                         {"AUTH_ERRORS_TLS_CERTIFICATE", (folder_ / "cert.pem").string()},
                         {"AUTH_ERRORS_TLS_KEY", (folder_ / "other.pem").string()}});
  EXPECT_EQ(result.status.code, 2);
  EXPECT_THAT(result.output, HasSubstr("the key of the certificate"));
}

}  // namespace
}  // namespace auth_errors::tests
