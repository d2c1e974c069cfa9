// The re-scrub on a real PostgreSQL: every stored text passes through the current scrubber even if
// the job is interrupted, and nothing except texts changes.
#include "operations/rescrub/scrub_work.h"

#include <chrono>
#include <cstdint>
#include <format>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/scrub/scrubber.h"
#include "operations/rescrub/scrub_jobs.h"
#include "operations/rescrub/scrub_position.h"
#include "operations/rescrub/stored_texts.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/database_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/row_matchers.h"
#include "triage/clusters/delta_flusher.h"
#include "triage/clusters/fault.h"
#include "triage/jobs/job_store.h"
#include "triage/jobs/job_worker.h"
#include "triage/jobs/metrics.h"

namespace auth_errors::rescrub {
namespace {

using namespace std::chrono_literals;
using tests::eventually;
using tests::in;
using tests::plantCluster;
using tests::plantError;
using tests::plantMember;
using tests::plantRoute;
using tests::Row;
using Outcome = jobs::JobWorker::Outcome;

constexpr std::string_view kSecret = "Tr0ub4dor3x";
constexpr std::string_view kLeak = "password=Tr0ub4dor3x";
constexpr std::string_view kRedacted = "password=[redacted:password]";

class ScrubWorkTest : public tests::DatabaseTest {
 protected:
  struct Instance {
    Instance(database::Client& client, ScrubWork::Options options, std::string name)
        : worker(client, works(options), {.instance = domain::InstanceName(std::move(name))},
                 metrics) {}

    static std::vector<std::unique_ptr<jobs::JobWork>> works(ScrubWork::Options options) {
      std::vector<std::unique_ptr<jobs::JobWork>> made;
      made.push_back(std::make_unique<ScrubWork>(options));
      return made;
    }

    telemetry::Registry registry;
    jobs::Metrics metrics{registry};
    jobs::JobWorker worker;
  };

  ~ScrubWorkTest() override { clients_.closeAll(); }

  Instance& instance(ScrubWork::Options options = {}, std::string name = "one") {
    return *instances_.emplace_back(std::make_unique<Instance>(client_, options, std::move(name)));
  }
  Outcome runOnce(Instance& instance) {
    return clients_.run([&] { return instance.worker.runOnce(); });
  }
  void runUntilIdle(Instance& instance) {
    Outcome outcome{};
    do {
      outcome = runOnce(instance);
      ASSERT_THAT(outcome, ::testing::AnyOf(Outcome::advanced, Outcome::done, Outcome::idle));
    } while (outcome != Outcome::idle);
  }
  jobs::Job reapply(const std::string& by = "someone") {
    return clients_.run([this, by] { return scrubJobs_.reapply(by, std::nullopt, in(10s)); })
        .value();
  }
  void scrubAll() {
    reapply();
    runUntilIdle(instance());
  }
  jobs::Job job(domain::JobId id) {
    return clients_.run([this, id] { return store_.find(id, in(10s)); }).value();
  }

  std::string value(const std::string& sql) { return database_.queryValue(sql); }
  std::int64_t count(const std::string& sql) { return std::stoll(value(sql)); }

  // An error as stored by an older version, with a secret in its message.
  domain::ErrorId plantLeak(const std::string& status = "NEW") {
    const domain::ErrorId id = plantError(database_, status);
    database_.execute(
        std::format("UPDATE auth_error SET exception_message = '{}' WHERE id = {}", kLeak, id));
    return id;
  }
  std::vector<domain::ErrorId> plantLeaks(int count) {
    std::vector<domain::ErrorId> ids;
    for (int i = 0; i < count; ++i) {
      ids.push_back(plantLeak());
    }
    return ids;
  }
  // The columns that contain the secret, among all columns of all tables.
  std::vector<std::string> placesOfSecret() {
    std::vector<std::string> places;
    const auto tables = database_.queryText(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'");
    for (const auto& row : tables) {
      const std::string table = row.front().value();
      if (count(std::format("SELECT count(*) FROM {0} WHERE {0}::text LIKE '%{1}%'", table,
                            kSecret)) > 0) {
        places.push_back(table);
      }
    }
    return places;
  }
  std::int64_t behind() {
    return count(
        std::format("SELECT count(*) FROM auth_error WHERE scrub_version IS DISTINCT FROM '{}'",
                    domain::scrubberVersion()));
  }

  database::Client& client_ = connect(4);
  jobs::JobStore store_{client_};
  ScrubJobs scrubJobs_{client_};
  std::vector<std::unique_ptr<Instance>> instances_;
};

TEST_F(ScrubWorkTest, ScrubsEveryTextOfAnError) {
  const domain::ErrorId id = plantError(database_);
  database_.execute(std::format(
      "UPDATE auth_error SET exception_class = 'E {0}', exception_message = 'm {0}', "
      "root_cause_class = 'C {0}', root_cause_message = 'r {0}', stacktrace = E's {0}\\n\\tat "
      "a.B', "
      "request_uri = '/a?{0}', user_agent = 'agent {0}', service_name = 'service {0}', "
      "environment = 'environment {0}', trace_id = 'trace {0}', http_method = '{0}' WHERE id = {1}",
      kLeak, id));
  scrubAll();
  EXPECT_THAT(placesOfSecret(), ::testing::IsEmpty());
  EXPECT_EQ(value("SELECT exception_message FROM auth_error"), std::format("m {}", kRedacted));
  EXPECT_EQ(value("SELECT (redactions ->> 'password')::int FROM auth_error"), "11");
  EXPECT_EQ(behind(), 0);
}

TEST_F(ScrubWorkTest, AddsItsRedactionsToEarlierOnes) {
  const domain::ErrorId id = plantLeak();
  database_.execute(std::format(
      R"(UPDATE auth_error SET redactions = '{{"email": 3, "password": 2}}' WHERE id = {})", id));
  scrubAll();
  EXPECT_EQ(value("SELECT redactions FROM auth_error"), R"({"email": 3, "password": 3})");
}

TEST_F(ScrubWorkTest, KeepsDigestHashStatusAndRequestId) {
  const domain::ErrorId id = plantLeak("ANALYSIS_COMPLETED");
  database_.execute(
      std::format("UPDATE auth_error SET content_digest = decode(repeat('ab', 16), 'hex'), "
                  "content_digest_version = '1.1.abc' WHERE id = {}",
                  id));
  const std::string kept =
      "SELECT (dedup_key, status, status_changed_at, content_digest, content_digest_version, "
      "stack_hash, retry_count, occurred_at, received_at)::text FROM auth_error";
  const std::string before = value(kept);
  scrubAll();
  EXPECT_EQ(value(kept), before);
  EXPECT_EQ(value("SELECT exception_message FROM auth_error"), kRedacted);
}

TEST_F(ScrubWorkTest, RedactsStoredIdentifiersInTextsButKeepsTheirColumns) {
  const domain::ErrorId id = plantError(database_);
  database_.execute(std::format(
      "UPDATE auth_error SET user_id = 'alice.w-77', session_id = 'session-4711-x', "
      "client_ip = '203.0.113.9', exception_message = 'alice.w-77 by session-4711-x from "
      "203.0.113.9' WHERE id = {}",
      id));
  scrubAll();
  EXPECT_EQ(value("SELECT exception_message FROM auth_error"),
            "[redacted:user-id] by [redacted:session-id] from [redacted:client-ip]");
  EXPECT_THAT(database_.queryRow("SELECT user_id, session_id, client_ip FROM auth_error"),
              Row("alice.w-77", "session-4711-x", "203.0.113.9"));
}

TEST_F(ScrubWorkTest, ExaminesOnlyOutdatedErrors) {
  const domain::ErrorId current = plantLeak();
  database_.execute(std::format("UPDATE auth_error SET scrub_version = '{}' WHERE id = {}",
                                domain::scrubberVersion(), current));
  plantLeak();
  const domain::ErrorId other = plantError(database_);
  database_.execute(
      std::format("UPDATE auth_error SET scrub_version = '1.abc' WHERE id = {}", other));
  const jobs::Job asked = reapply();
  EXPECT_EQ(asked.total, 2);
  runUntilIdle(instance());
  const jobs::Job done = job(asked.id);
  EXPECT_EQ(done.status, jobs::JobStatus::done);
  EXPECT_EQ(done.examined, 2);
  EXPECT_EQ(done.changed, 1);
  EXPECT_EQ(value(std::format("SELECT exception_message FROM auth_error WHERE id = {}", current)),
            kLeak);
  EXPECT_EQ(instances_.front()->metrics.errorsChanged[jobs::JobKind::scrub].value(), 1);
}

TEST_F(ScrubWorkTest, ScrubsDeadLetters) {
  database_.execute(std::format(
      R"(INSERT INTO dead_letter (status, source, reason, error, digest, event_type, body,
  body_encoding, headers, attempts, created_at, closed_at, closed_by, note) VALUES
('RESOLVED', 'queue', 'foreign', 'failed {0}', sha256('1'), 'type {0}', 'body {0}', 'text',
 '{{"x-password": "{1}", "count": 3, "plain": "kept", "{0}": true}}',
 '[{{"stage": "consume", "attempt": 1, "error": "tried {0}"}}]', now(), now(), 'someone',
 'noted {0}'),
('OPEN', 'queue', 'foreign', NULL, sha256('2'), NULL,
 encode(convert_to('binary {0}', 'UTF8') || '\x0080'::bytea, 'base64'), 'base64', NULL, '[]', now(),
 NULL, NULL, NULL),
('OPEN', 'queue', 'foreign', NULL, sha256('3'), NULL, encode('\x008081'::bytea, 'base64'), 'base64',
 NULL, '[]', now(), NULL, NULL, NULL))",
      kLeak, kSecret));
  scrubAll();
  EXPECT_THAT(placesOfSecret(), ::testing::IsEmpty());
  EXPECT_THAT(
      database_.queryRow("SELECT error, event_type, body, note, headers ->> 'count', headers "
                         "->> 'plain', attempts -> 0 ->> 'error' FROM dead_letter WHERE id "
                         "= 1"),
      Row(std::format("failed {}", kRedacted), std::format("type {}", kRedacted),
          std::format("body {}", kRedacted), std::format("noted {}", kRedacted), 3, "kept",
          std::format("tried {}", kRedacted)));
  EXPECT_THAT(database_.queryRow("SELECT body, body_encoding FROM dead_letter WHERE id = 2"),
              Row("[redacted:text]", "text"));
  EXPECT_THAT(database_.queryRow("SELECT body, body_encoding FROM dead_letter WHERE id = 3"),
              Row("AICB", "base64"));
}

TEST_F(ScrubWorkTest, ScrubsAttemptsNotesRulesJobsAndClusters) {
  const domain::ClusterId cluster = plantCluster(
      database_,
      {.title = std::format("Title {}", kLeak), .exceptionClass = std::format("Class {}", kLeak)});
  plantRoute(database_, cluster, std::string(64, 'b'),
             std::format(R"({{"version": 2, "classes": ["C {0}"], "frames": ["f", "g {0}"],
                         "message": "m {0}"}})",
                         kLeak));
  database_.execute(std::format(R"(
INSERT INTO delivery_attempt (outbox_id, retry_round, stage, attempt, error, instance, failed_at)
  SELECT 7, 0, 'consume', n, 'tried {0}', 'here', now() FROM generate_series(1, 5) n;
INSERT INTO decision (auth_error_id, type, note, decided_by, decided_at)
  VALUES (1, 'RESOLVE', 'noted {0}', 'someone', now());
UPDATE cluster SET state_note = 'noted {0}';
INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, changed_at, note)
  SELECT {1}, 'OPEN', 'RESOLVED', 'resolve', 'someone', now(), 'noted {0}';
INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_message, match_service_name,
  created_at, created_by) VALUES ({1}, 99, 'm {0}', 's {0}', now(), 'someone');
INSERT INTO rule (name, position, enabled, match_exception_class, match_environment, action, note,
  hit_count, failure_count, last_failure, last_failure_at, scanned_until, scanned_id, created_at,
  created_by, changed_at, changed_by)
  VALUES ('r', 1, true, 'C {0}', 'e {0}', 'IGNORE', 'noted {0}', 0, 1, 'failed {0}', now(), now(),
          0, now(), 'someone', now(), 'someone');
INSERT INTO rule_delta (rule_id, hits, failures, failure, happened_at)
  VALUES (1, 0, 1, 'failed {0}', now());
INSERT INTO job (kind, status, cluster_id, decision, note, requested_by, total, examined, changed,
  position, last_position, failures, error, created_at, finished_at, match_message)
  VALUES ('decide', 'FAILED', {1}, 'RESOLVE', 'noted {0}', 'someone', 0, 0, 0, 0, 0, 1,
          'failed {0}', now(), now(), 'm {0}'))",
                                kLeak, cluster));
  const std::size_t before = placesOfSecret().size();
  EXPECT_EQ(before, textTables().size() - 1) << "all tables except dead_letter";
  const domain::JobId id = reapply().id;
  // Chunks smaller than the rows of one key.
  runUntilIdle(instance({.errors = 2, .rows = 2}));
  EXPECT_THAT(placesOfSecret(), ::testing::IsEmpty());
  EXPECT_EQ(value("SELECT title FROM cluster"), std::format("Title {}", kRedacted));
  EXPECT_EQ(value("SELECT fingerprint ->> 'message' FROM cluster_route"),
            std::format("m {}", kRedacted));
  EXPECT_EQ(job(id).examined, job(id).total);
  EXPECT_EQ(job(id).changed, 13);
}

TEST_F(ScrubWorkTest, KeepsEveryErrorInItsCluster) {
  const domain::ClusterId cluster = plantCluster(database_);
  const domain::ErrorId id = plantLeak("ANALYSIS_COMPLETED");
  // Without frames, the message distinguishes faults.
  database_.execute(
      std::format("UPDATE auth_error SET stacktrace = 'no frames {}' WHERE id = {}", kLeak, id));
  plantMember(database_, cluster, id);
  plantRoute(database_, cluster, std::string(64, 'a'), R"({"version": 3})");
  scrubAll();
  EXPECT_THAT(database_.queryRow("SELECT cluster_id, stack_hash FROM cluster_member"),
              Row(cluster, std::string(64, 'a')));
  EXPECT_EQ(count("SELECT count(*) FROM cluster"), 1);
  // The next error of this fault has another hash, and is placed in the same cluster.
  const std::string hash = clusters::faultOf({.exceptionClass = "BadCredentials",
                                              .rootCauseClass = {},
                                              .exceptionMessage = kRedacted,
                                              .stacktrace = std::format("no frames {}", kRedacted)})
                               .stackHash;
  EXPECT_EQ(
      value(std::format("SELECT cluster_id FROM cluster_route WHERE stack_hash = '{}'", hash)),
      std::format("{}", cluster));
}

TEST_F(ScrubWorkTest, CountsMembersUnderTheScrubbedServiceName) {
  const domain::ClusterId cluster = plantCluster(database_, {.errorCount = 1});
  const domain::ErrorId id = plantError(database_, "ANALYSIS_COMPLETED");
  database_.execute(std::format(
      "UPDATE auth_error SET service_name = 'login {}', environment = 'prod' WHERE id = {}", kLeak,
      id));
  plantMember(database_, cluster, id);
  plantFacet(database_, cluster, "service", std::format("login {}", kLeak));
  plantFacet(database_, cluster, "environment", "prod");
  scrubAll();
  telemetry::Registry registry;
  clusters::Metrics metrics{registry};
  clusters::DeltaFlusher flusher(client_, {}, metrics);
  clients_.run([&] { return flusher.runOnce(); });
  EXPECT_EQ(value("SELECT string_agg(value, ', ' ORDER BY kind) FROM cluster_facet WHERE kind IN "
                  "('service', 'environment')"),
            std::format("prod, login {}", kRedacted));
  EXPECT_EQ(value("SELECT error_count FROM cluster"), "1");
}

TEST_F(ScrubWorkTest, ResumesAfterAnInterruptionWithoutRepeating) {
  const auto leaks = plantLeaks(10);
  const domain::JobId id = reapply().id;
  Instance& killed = instance({.errors = 3});
  ASSERT_EQ(runOnce(killed), Outcome::advanced);
  ASSERT_EQ(runOnce(killed), Outcome::advanced);
  EXPECT_EQ(job(id).examined, 6);
  database_.execute("UPDATE job SET lease_until = now() - interval '1 second'");
  runUntilIdle(instance({.errors = 3}, "successor"));
  EXPECT_EQ(job(id).status, jobs::JobStatus::done);
  EXPECT_EQ(job(id).examined, 10);
  EXPECT_EQ(job(id).changed, 10);
  EXPECT_EQ(behind(), 0);
  EXPECT_EQ(runOnce(killed), Outcome::lost) << "its chunk now belongs to another instance";
}

TEST_F(ScrubWorkTest, WaitsForALockedRowAndKeepsTheOtherWrite) {
  const domain::ErrorId id = plantLeak();
  tests::PlainConnection holder(database_.url());
  holder.execute(std::format(
      "BEGIN; UPDATE auth_error SET status = 'FAILED', status_changed_at = now() WHERE id = {}",
      id));
  reapply();
  Instance& one = instance();
  auto running = clients_.start([&] { return one.worker.runOnce(); });
  ASSERT_TRUE(eventually([&] {
    return value(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname "
               "= current_database()") == "1";
  }));
  holder.execute("COMMIT");
  EXPECT_EQ(running.get(), Outcome::advanced);
  EXPECT_THAT(database_.queryRow("SELECT status, exception_message FROM auth_error"),
              Row("FAILED", kRedacted));
}

TEST_F(ScrubWorkTest, SkipsGapsBetweenIdsAndCurrentErrors) {
  plantLeak();
  database_.execute("ALTER SEQUENCE auth_error_id_seq RESTART WITH 1000000");
  plantLeaks(3);
  reapply();
  Instance& one = instance({.errors = 100, .rows = 100, .window = 10});
  runUntilIdle(one);
  EXPECT_EQ(behind(), 0);
  EXPECT_EQ(value("SELECT examined FROM job"), "4");
}

TEST_F(ScrubWorkTest, EndsWhenItIsCancelled) {
  plantLeaks(5);
  const domain::JobId id = reapply().id;
  Instance& one = instance({.errors = 2});
  ASSERT_EQ(runOnce(one), Outcome::advanced);
  const auto cancelled = clients_.run([this, id] { return store_.cancel(id, "someone", in(10s)); });
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(runOnce(one), Outcome::lost);
  EXPECT_EQ(behind(), 3);
  EXPECT_NE(reapply().id, id);
  runUntilIdle(one);
  EXPECT_EQ(behind(), 0);
}

TEST_F(ScrubWorkTest, ReturnsTheOpenJobIfThereIsOne) {
  const jobs::Job first = reapply("first");
  const jobs::Job second = reapply("second");
  EXPECT_EQ(second.id, first.id);
  EXPECT_EQ(second.request.requestedBy, "first");
  runUntilIdle(instance());
  EXPECT_NE(reapply().id, first.id);
}

TEST_F(ScrubWorkTest, IsLeftToInstancesWithTheRequestedScrubber) {
  plantLeak();
  const jobs::Job asked = reapply();
  EXPECT_EQ(asked.request.scrubVersion, domain::scrubberVersion());
  database_.execute("UPDATE job SET scrub_version = '999'");
  EXPECT_EQ(runOnce(instance()), Outcome::idle);
  const auto cancelled = clients_.run([&] { return store_.cancel(asked.id, "someone", in(10s)); });
  EXPECT_TRUE(cancelled) << "no instance can run it";
}

TEST(ScrubPosition, IsTheTableAndTheKey) {
  for (const std::int64_t table : {std::int64_t{0}, std::int64_t{10}}) {
    for (const std::int64_t key : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << 56) - 1}) {
      const ScrubPosition again =
          ScrubPosition::of(ScrubPosition{.table = table, .key = key}.encoded());
      EXPECT_EQ(again.table, table);
      EXPECT_EQ(again.key, key);
    }
  }
}

// A forgotten table would keep its secrets for ever.
TEST_F(ScrubWorkTest, CoversEveryTextColumn) {
  // Names, states, hashes, pseudonyms and texts of the service itself.
  const std::string known = R"('api_key', 'actor_key', 'auth_error_transition', 'cluster_activity',
    'cluster_delta', 'cluster_facet', 'cluster_member', 'delta_flush', 'installation',
    'outbox_message', 'processed_message', 'reanalysis_mark', 'schema_migration', 'sweeper_mark',
    'auth_error')";
  std::string scrubbed;
  for (const TextTable& table : textTables()) {
    scrubbed += std::format(", '{}'", table.name);
  }
  EXPECT_EQ(value(std::format("SELECT coalesce(string_agg(table_name, ', '), 'none') FROM "
                              "information_schema.tables WHERE table_schema = 'public' AND "
                              "table_name NOT IN ({}{})",
                              known, scrubbed)),
            "none");
}

}  // namespace
}  // namespace auth_errors::rescrub
