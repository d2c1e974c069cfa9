// Durability of every acknowledged write under process and network faults: the real service against
// a real PostgreSQL, under load. AUTH_ERRORS_KILLS and AUTH_ERRORS_SERVICE_KILLS set the number of
// faults; AUTH_ERRORS_SEED repeats the requests of an earlier run.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <format>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/environment.h"
#include "tests/support/error_body.h"
#include "tests/support/load_generator.h"
#include "tests/support/postgres_server.h"
#include "tests/support/service_process.h"
#include "tests/support/stored_errors.h"
#include "tests/support/tcp_proxy.h"
#include "tests/support/test_database.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The service's own deadline of 5 s, with a margin for a busy machine.
constexpr milliseconds kAnswerBound = 7s;
constexpr milliseconds kRecoveryBound = 15s;
// Bounds on the new errors between two faults, so that each fault hits a busy service at a
// different point of its work.
constexpr std::uint64_t kMinErrorsBetweenFaults = 200;
constexpr std::uint64_t kMaxErrorsBetweenFaults = 3000;

milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

class Durability : public ::testing::Test {
 protected:
  Durability() : postgres_({.tls = false, .settings = {"fsync=on", "synchronous_commit=on"}}) {
    prepareDatabase(postgres_.url());
  }

  void TearDown() override {
    if (HasFailure() && load_) {
      std::cout << "load so far: " << load_->finish(0ms).text() << '\n';
    }
  }

  void startLoad(std::uint16_t port) {
    load_ = std::make_unique<LoadGenerator>(
        LoadOptions{.port = port, .seed = testSeed(), .requestDeadline = kAnswerBound});
  }

  void waitForWork() {
    const std::uint64_t enough =
        load_->counts().created +
        std::uniform_int_distribution(kMinErrorsBetweenFaults, kMaxErrorsBetweenFaults)(random_);
    ASSERT_TRUE(load_->waitUntil([&](const LoadCounts& now) { return now.created >= enough; },
                                 2 * kRecoveryBound))
        << "the service stores nothing although there is no fault";
  }

  // A new error on a new connection gets its 201 within the bound. Each attempt sends a new error,
  // since a 200 might refer to a row from before the fault.
  void proveRecovery(std::uint16_t port) {
    const auto start = Clock::now();
    std::string last = "nothing";
    for (int attempt = 0; since(start) < kRecoveryBound; ++attempt) {
      ErrorBody body;
      body.requestId = std::format("recovery-{}-{}", recoveries_.size(), attempt);
      HttpClient http(port, bearer(kIngestKey));
      const auto answer = http.post("/api/auth-errors", body.json(), kAnswerBound);
      if (answer && answer->status == 201) {
        recoveries_.push_back(since(start));
        EXPECT_LE(recoveries_.back(), kRecoveryBound);
        return;
      }
      last = answer ? std::format("{} {}", answer->status, answer->body) : answer.error().message;
    }
    FAIL() << "no recovery within " << kRecoveryBound << "; last answer: " << last;
  }

  void expectNoClientErrors() const {
    const LoadCounts counts = load_->counts();
    ASSERT_EQ(counts.unanswered, 0U) << "requests were not answered by their deadline";
    ASSERT_EQ(counts.otherStatuses, 0U);
    ASSERT_EQ(counts.contradictions, 0U);
  }

  void expectPromisesKept(const LoadSummary& summary) const {
    EXPECT_THAT(findBrokenPromises(postgres_.url(), summary.acknowledged), IsEmpty());
    const StoredCounts stored = countStored(postgres_.url());
    EXPECT_EQ(stored.authErrors, stored.recordedEvents);
    EXPECT_GE(stored.authErrors, std::ssize(summary.acknowledged));
    std::cout << "stored " << stored.authErrors << ", acknowledged " << summary.acknowledged.size()
              << '\n';
  }

  void report(std::string_view faults, const LoadSummary& summary) const {
    std::cout << faults << ": " << recoveries_.size() << " recoveries, slowest "
              << (recoveries_.empty() ? 0ms : std::ranges::max(recoveries_)) << '\n'
              << summary.text() << '\n';
  }

  PostgresServer postgres_;
  std::unique_ptr<LoadGenerator> load_;
  std::vector<milliseconds> recoveries_;
  std::mt19937_64 random_{testSeed()};
};

class DurabilityBehindProxy : public Durability {
 public:
  void waitUntilRequestsFail(const LoadCounts& before) {
    ASSERT_TRUE(load_->waitUntil(
        [&](const LoadCounts& now) { return now.refused > before.refused; }, kAnswerBound + 3s))
        << "the fault did not affect a single request";
  }

  // The port refuses connections, as on a machine that is up while its server is down.
  void quitPostmaster() {
    const LoadCounts before = load_->counts();
    proxy_.setMode(TcpProxy::Mode::refuse);
    postgres_.kill(SIGQUIT);
    waitUntilRequestsFail(before);
    postgres_.start();
    proxy_.setMode(TcpProxy::Mode::pass);
  }

  // The port stays open: the service sees connections that end at once and a server that is
  // starting up.
  void killPostmaster() {
    const LoadCounts before = load_->counts();
    postgres_.kill(SIGKILL);
    waitUntilRequestsFail(before);
    postgres_.start();
  }

  void resetConnections() {
    const LoadCounts before = load_->counts();
    const TcpProxy::Counters proxyBefore = proxy_.counters();
    proxy_.setMode(TcpProxy::Mode::reset);
    EXPECT_GT(proxy_.counters().resets, proxyBefore.resets) << "no connection to reset";
    waitUntilRequestsFail(before);
    proxy_.setMode(TcpProxy::Mode::pass);
  }

  void silenceConnections() {
    const LoadCounts before = load_->counts();
    const TcpProxy::Counters proxyBefore = proxy_.counters();
    proxy_.setMode(TcpProxy::Mode::silence);
    EXPECT_GT(proxy_.counters().silenced, proxyBefore.silenced) << "no connection to silence";
    waitUntilRequestsFail(before);
    EXPECT_GT(proxy_.counters().swallowedBytes, proxyBefore.swallowedBytes);
    proxy_.setMode(TcpProxy::Mode::pass);
  }

 protected:
  [[nodiscard]] std::string proxiedUrl() const {
    return std::format("postgresql://postgres@127.0.0.1:{}/postgres", proxy_.port());
  }

  TcpProxy proxy_{postgres_.port()};
};

TEST_F(DurabilityBehindProxy, KeepsEveryAcknowledgedErrorDuringDatabaseAndNetworkFaults) {
  struct Fault {
    std::string_view name;
    void (DurabilityBehindProxy::*inject)();
  };
  constexpr std::array kFaults{
      Fault{.name = "SIGQUIT of the postmaster", .inject = &DurabilityBehindProxy::quitPostmaster},
      Fault{.name = "SIGKILL of the postmaster", .inject = &DurabilityBehindProxy::killPostmaster},
      Fault{.name = "RST of the connections", .inject = &DurabilityBehindProxy::resetConnections},
      Fault{.name = "silence on the connections",
            .inject = &DurabilityBehindProxy::silenceConnections},
  };
  const int kills = numberFromEnvironment("AUTH_ERRORS_KILLS", 6);
  ServiceProcess service({.databaseUrl = proxiedUrl()});
  const pid_t pid = service.pid();
  startLoad(service.port());

  for (int kill = 0; kill < kills; ++kill) {
    const Fault& fault = kFaults[static_cast<std::size_t>(kill) % kFaults.size()];
    SCOPED_TRACE(std::format("fault {} of {}: {}", kill + 1, kills, fault.name));
    ASSERT_NO_FATAL_FAILURE(waitForWork());
    ASSERT_NO_FATAL_FAILURE((this->*fault.inject)());
    ASSERT_NO_FATAL_FAILURE(proveRecovery(service.port()));
    ASSERT_TRUE(service.alive()) << "the service exited";
    ASSERT_EQ(service.pid(), pid);
    ASSERT_NO_FATAL_FAILURE(expectNoClientErrors());
    ASSERT_EQ(load_->counts().transportFaults, 0U) << "a client lost its connection";
    std::cout << std::format("{:3} {}: recovered in {} ms", kill + 1, fault.name,
                             recoveries_.back().count())
              << '\n'
              << std::flush;
  }

  const LoadSummary summary = load_->finish(kRecoveryBound);
  report(std::format("{} faults of PostgreSQL and its network", kills), summary);
  EXPECT_EQ(std::ssize(recoveries_), kills);
  EXPECT_THAT(summary.pending, IsEmpty()) << "requests are still pending";
  expectNoClientErrors();
  expectPromisesKept(summary);
  EXPECT_EQ(service.terminate(), ExitStatus{});
}

TEST_F(Durability, KeepsEveryAcknowledgedErrorWhenTheServiceIsKilled) {
  const int kills = numberFromEnvironment("AUTH_ERRORS_SERVICE_KILLS", 4);
  ServiceProcess service({.databaseUrl = postgres_.url()});
  startLoad(service.port());

  for (int kill = 0; kill < kills; ++kill) {
    SCOPED_TRACE(std::format("kill {} of {}", kill + 1, kills));
    ASSERT_NO_FATAL_FAILURE(waitForWork());
    const LoadCounts before = load_->counts();
    ASSERT_EQ(service.kill9(), (ExitStatus{.code = 0, .signal = SIGKILL}));
    ASSERT_TRUE(load_->waitUntil(
        [&](const LoadCounts& now) { return now.transportFaults > before.transportFaults; },
        kAnswerBound))
        << "no client was affected";
    service.start();
    ASSERT_NO_FATAL_FAILURE(proveRecovery(service.port()));
    ASSERT_NO_FATAL_FAILURE(expectNoClientErrors());
  }

  const LoadSummary summary = load_->finish(kRecoveryBound);
  report(std::format("{} kills of the service", kills), summary);
  EXPECT_EQ(std::ssize(recoveries_), kills);
  EXPECT_THAT(summary.pending, IsEmpty()) << "requests are still pending";
  expectPromisesKept(summary);
  EXPECT_EQ(service.terminate(), ExitStatus{});
}

TEST_F(Durability, AnswersReceivedRequestsBeforeExitingOnSigterm) {
  constexpr int kRounds = 3;
  ServiceProcess service({.databaseUrl = postgres_.url()});
  startLoad(service.port());
  std::vector<Clock::time_point> signals;

  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(waitForWork());
    signals.push_back(Clock::now());
    const ExitStatus status = service.terminate();
    ASSERT_EQ(status, ExitStatus{}) << status.text();
    std::cout << "exited " << since(signals.back()).count() << " ms after SIGTERM\n";
    service.start();
  }
  // The last round's service is stopped and not restarted.
  ASSERT_NO_FATAL_FAILURE(waitForWork());
  signals.push_back(Clock::now());
  ASSERT_EQ(service.terminate(), ExitStatus{});

  const LoadSummary summary = load_->finish(0ms);
  report("SIGTERM under load", summary);
  EXPECT_EQ(summary.counts.unanswered, 0U);
  EXPECT_EQ(summary.counts.otherStatuses, 0U);
  EXPECT_EQ(summary.counts.contradictions, 0U);
  for (const Incident& incident : summary.incidents) {
    const auto signal = std::ranges::find_if(signals, [&](Clock::time_point time) {
      return incident.startedAt < time && time < incident.endedAt;
    });
    const bool sentBefore =
        signal != signals.end() && incident.sentAt && *incident.sentAt < *signal;
    EXPECT_FALSE(sentBefore) << incident.requestId << " was sent before SIGTERM and got "
                             << incident.detail;
  }
  expectPromisesKept(summary);
}

// Checks the checker: each kind of violation is detected.
class DurabilityCheck : public ::testing::Test {
 protected:
  DurabilityCheck() {
    // Drops the constraints that would refuse the planted violations.
    database_.execute(
        "CREATE TABLE auth_error (id bigint, dedup_key text);"
        "CREATE TABLE outbox_message (id bigint GENERATED ALWAYS AS IDENTITY, aggregate_type text,"
        " aggregate_id bigint, event_type text, idempotency_key text);");
    for (const AcknowledgedError& error : acknowledged_) {
      database_.execute(std::format("INSERT INTO auth_error VALUES ({}, $${}$$)", error.authErrorId,
                                    error.requestId));
      addEvent(error.authErrorId);
    }
  }

  void addEvent(domain::ErrorId authErrorId) {
    database_.execute(std::format(
        "INSERT INTO outbox_message (aggregate_type, aggregate_id, event_type, idempotency_key) "
        "VALUES ('auth_error', {0}, 'auth.error.recorded.v1', 'auth_error:recorded:{0}')",
        authErrorId));
  }

  std::vector<std::string> broken() { return findBrokenPromises(database_.url(), acknowledged_); }

  std::vector<AcknowledgedError> acknowledged_{{"request-1", domain::ErrorId(1)},
                                               {"request-2", domain::ErrorId(2)},
                                               {"it's \\ 3", domain::ErrorId(3)}};
  TestDatabase database_{Contents::nothing};
};

TEST_F(DurabilityCheck, ReportsNothingForAnIntactDatabase) { EXPECT_THAT(broken(), IsEmpty()); }

TEST_F(DurabilityCheck, AllowsStoredErrorsWithoutAnAcknowledgement) {
  database_.execute("INSERT INTO auth_error VALUES (4, 'request-4')");
  addEvent(domain::ErrorId(4));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(DurabilityCheck, ReportsAMissingAcknowledgedError) {
  database_.execute("DELETE FROM auth_error WHERE id = 2");
  EXPECT_THAT(broken(),
              ElementsAre(HasSubstr("acknowledged but missing: 1 (for example request-2)"),
                          HasSubstr("an event without its auth_error: 1")));
}

TEST_F(DurabilityCheck, ReportsAnErrorStoredTwice) {
  database_.execute("INSERT INTO auth_error VALUES (9, 'request-2')");
  addEvent(domain::ErrorId(9));
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("request-2 told 2 stored 9"),
                                    HasSubstr("stored more than once: 1")));
}

TEST_F(DurabilityCheck, ReportsAnIdThatDiffersFromTheAcknowledgedOne) {
  acknowledged_[0].authErrorId = domain::ErrorId(7);
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("request-1 told 7 stored 1")));
}

TEST_F(DurabilityCheck, ReportsAMissingEvent) {
  database_.execute("DELETE FROM outbox_message WHERE aggregate_id = 2");
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("without its recorded event: 1")));
}

TEST_F(DurabilityCheck, ReportsADuplicateEvent) {
  addEvent(domain::ErrorId(2));
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("more than one recorded event: 1"),
                                    HasSubstr("idempotency_key used more than once: 1")));
}

TEST_F(DurabilityCheck, ReportsAnEventWithTheKeyOfAnotherError) {
  database_.execute(
      "UPDATE outbox_message SET idempotency_key = 'auth_error:recorded:8' WHERE aggregate_id = 1");
  EXPECT_THAT(broken(), ElementsAre(HasSubstr("wrong idempotency_key")));
}

}  // namespace
}  // namespace auth_errors::tests
