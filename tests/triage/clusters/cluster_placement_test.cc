// Placement of analysed errors and the counters of their clusters, on a real PostgreSQL.
#include <algorithm>
#include <chrono>
#include <format>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/clusters/cluster.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "tests/support/cluster_fixture.h"
#include "tests/support/row_matchers.h"
#include "triage/clusters/cluster_store.h"
#include "triage/clusters/placement.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class ClusterPlacement : public ClusterTest {
 protected:
  // Places a batch of these faults in a transaction that stays open until the test ends it.
  void placeMany(const std::vector<ErrorToPlant>& errors) {
    std::vector<clusters::AnalysedError> batch;
    batch.reserve(errors.size());
    for (const ErrorToPlant& error : errors) {
      batch.push_back({.authErrorId = plant(error), .fault = faultOf(error)});
    }
    place(std::move(batch));
  }
};

TEST_F(ClusterPlacement, GivesEachFaultOneCluster) {
  placeMany({{.method = "check"}, {.method = "check"}, {.method = "find"}});
  placeMany({{.method = "find"}, {.method = "load"}});
  flush();
  EXPECT_THAT(database_.queryText("SELECT title, error_count, state FROM cluster ORDER BY title"),
              ElementsAre(Row("BadCredentials in com.acme.Login.check", 2, "OPEN"),
                          Row("BadCredentials in com.acme.Login.find", 2, "OPEN"),
                          Row("BadCredentials in com.acme.Login.load", 1, "OPEN")));
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ClusterPlacement, KeepsTheHashedContentForInspection) {
  plantAndPlace();
  EXPECT_EQ(value("SELECT fingerprint FROM cluster_route"),
            std::format(R"({{"frames": ["com.acme.Login.check"], )"
                        R"("classes": ["com.acme.BadCredentials"], "message": null, )"
                        R"("version": {}}})",
                        domain::kStackHashVersion));
  EXPECT_EQ(value("SELECT version FROM cluster_route"), std::to_string(domain::kStackHashVersion));
}

// A name is truncated to a number of bytes, possibly within a character.
TEST_F(ClusterPlacement, AcceptsNamesOfAnyLengthAndScript) {
  std::string name;
  for (int i = 0; i < 255; ++i) {
    name += "\u7570";
  }
  for (const std::string prefix : {"", "a", "ab"}) {
    const clusters::Fault fault =
        clusters::faultOf({.exceptionClass = prefix + name,
                           .rootCauseClass = name + prefix,
                           .exceptionMessage = {},
                           .stacktrace = "at " + prefix + name + "." + name + "(X.java:1)"});
    place({{.authErrorId = plant(), .fault = fault}});
  }
  EXPECT_EQ(value("SELECT count(*) FROM cluster WHERE char_length(title) > 100"), "3");
}

TEST_F(ClusterPlacement, CountsAnErrorOnceHoweverOftenItIsAnalysed) {
  const domain::ErrorId id = plantAndPlace();
  place({{.authErrorId = id, .fault = faultOf({})}});
  EXPECT_EQ(value("SELECT count(*) FROM cluster_delta"), "1");
  flush();
  place({{.authErrorId = id, .fault = faultOf({})}});
  EXPECT_EQ(flush(), 0U);
  EXPECT_EQ(value("SELECT error_count FROM cluster"), "1");
}

TEST_F(ClusterPlacement, CountsPlacesTimesAndActors) {
  placeMany({{.service = "login", .user = "a", .occurredAt = "'2026-01-01'"},
             {.service = "login", .environment = "staging", .user = "a"},
             {.service = "shop", .user = "b", .occurredAt = "now() - interval '2 hours'"},
             {.service = "shop"}});
  flush();
  EXPECT_EQ(counterMismatches(), "");
  EXPECT_EQ(value("SELECT actor_count FROM cluster"), "2");
  EXPECT_EQ(value("SELECT first_seen_at = '2026-01-01' AND last_seen_at > now() - interval '1 "
                  "minute' FROM cluster"),
            "t");
  EXPECT_THAT(
      database_.queryText("SELECT value, error_count FROM cluster_facet WHERE kind IN "
                          "('service', 'environment') ORDER BY value"),
      ElementsAre(Row("login", 2), Row("production", 3), Row("shop", 2), Row("staging", 1)));
}

TEST_F(ClusterPlacement, FlushesInChunksAndOncePerInterval) {
  for (int i = 0; i < 25; ++i) {
    plantAndPlace({.method = std::string(1, static_cast<char>('a' + (i % 5)))});
  }
  EXPECT_EQ(flush(10), 25U);
  EXPECT_EQ(counterMismatches(), "");
  plantAndPlace();
  const auto flushed = clients_.run([this]() -> drogon::Task<std::size_t> {
    clusters::DeltaFlusher flusher(client_, {.interval = 1h}, metrics_);
    co_return co_await flusher.runOnce();
  });
  EXPECT_EQ(flushed, 0U) << "the last flush was less than an hour ago";
  EXPECT_EQ(flush(), 1U);
}

TEST_F(ClusterPlacement, LosesNothingWhenTheFlusherDies) {
  for (int i = 0; i < 10; ++i) {
    plantAndPlace();
  }
  database_.execute(
      "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; "
      "END $$; CREATE TRIGGER fail BEFORE UPDATE ON cluster FOR EACH ROW EXECUTE FUNCTION fail()");
  EXPECT_THROW(flush(), database::Error);
  EXPECT_EQ(value("SELECT count(*) FROM cluster_delta"), "10");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_facet"), "0");
  database_.execute("DROP TRIGGER fail ON cluster");
  EXPECT_EQ(flush(), 10U);
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ClusterPlacement, TwoInstancesPlaceANewFaultInOneCluster) {
  std::vector<std::vector<clusters::AnalysedError>> batches(2);
  for (auto& batch : batches) {
    for (char method = 'a'; method <= 'z'; ++method) {
      const ErrorToPlant error{.method = std::string(1, method)};
      batch.push_back({.authErrorId = plant(error), .fault = faultOf(error)});
    }
  }
  std::ranges::reverse(batches.back());
  std::vector<std::future<void>> placed;
  for (const auto& batch : batches) {
    placed.push_back(clients_.start([this, &batch]() -> drogon::Task<void> {
      database::Transaction transaction = co_await client_.begin(in(20s));
      co_await clusters::placeErrors(transaction, batch, domain::InstanceName("instance"));
      co_await transaction.commit();
    }));
  }
  for (auto& future : placed) {
    await(std::move(future), 20s);
  }
  flush();
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "26");
  EXPECT_EQ(value("SELECT count(*) FROM cluster WHERE error_count = 2"), "26");
  EXPECT_EQ(counterMismatches(), "");
}

TEST_F(ClusterPlacement, CreatesNoClusterWhenItsTransactionFails) {
  clients_.run([this]() -> drogon::Task<void> {
    database::Transaction transaction = co_await client_.begin(in(10s));
    const ErrorToPlant error;
    co_await clusters::placeErrors(transaction,
                                   {{.authErrorId = plant(error), .fault = faultOf(error)}},
                                   domain::InstanceName("instance"));
    co_await transaction.rollback();
  });
  EXPECT_EQ(value("SELECT count(*) FROM cluster"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_route"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM cluster_delta"), "0");
}

TEST_F(ClusterPlacement, OnlyANewErrorMarksAResolvedClusterRegressed) {
  const domain::ClusterId cluster = clusterOf(plantAndPlace());
  for (const auto& [state, name] : domain::kClusterStateNames) {
    database_.execute(
        std::format("UPDATE cluster SET state = '{}', state_changed_at = now()", name));
    plantAndPlace({.receivedAt = "now() - interval '1 second'"});
    EXPECT_EQ(stateOf(cluster), name) << "the error had arrived before the resolution";
    plantAndPlace({.receivedAt = "now() + interval '1 second'"});
    const auto expected = domain::transition(state, domain::ClusterEvent::errorArrived);
    EXPECT_EQ(stateOf(cluster), domain::toText(expected.value_or(state)));
  }
  EXPECT_THAT(
      database_.queryText("SELECT from_state, to_state, cause, changed_by FROM cluster_transition"),
      ElementsAre(Row("RESOLVED", "REGRESSED", "regression", "instance")));
}

// An error that arrives while its cluster is being resolved either predates the resolution or
// reopens the cluster.
TEST_F(ClusterPlacement, MissesNoRegressionWhileAClusterIsBeingResolved) {
  const domain::ClusterId cluster = clusterOf(plantAndPlace());
  PlainConnection holder(database_.url());
  holder.execute(std::format("BEGIN; SELECT FROM cluster WHERE id = {} FOR UPDATE", cluster));
  clusters::ClusterStore store(client_);
  auto resolving = clients_.start([&] {
    return store.changeState({.clusterId = cluster,
                              .event = domain::ClusterEvent::resolved,
                              .note = std::nullopt,
                              .changedBy = "anna"},
                             in(20s));
  });
  const auto waiting = [this] {
    return std::stoi(
        value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
              "AND wait_event_type = 'Lock'"));
  };
  ASSERT_TRUE(eventually([&] { return waiting() == 1; }));
  const domain::ErrorId late = plant({.receivedAt = "clock_timestamp()"});
  auto placing = clients_.start([&]() -> drogon::Task<void> {
    database::Transaction transaction = co_await client_.begin(in(20s));
    co_await clusters::placeErrors(transaction, {{.authErrorId = late, .fault = faultOf({})}},
                                   domain::InstanceName("instance"));
    co_await transaction.commit();
  });
  ASSERT_TRUE(eventually(
      [&] { return waiting() == 2 || placing.wait_for(0s) == std::future_status::ready; }));
  holder.execute("ROLLBACK");
  ASSERT_TRUE(await(std::move(resolving), kWaitLimit));
  await(std::move(placing), kWaitLimit);
  EXPECT_EQ(value(std::format("SELECT (received_at > state_changed_at) = (state = 'REGRESSED') "
                              "FROM auth_error, cluster WHERE auth_error.id = {}",
                              late)),
            "t");
  plantAndPlace({.receivedAt = "clock_timestamp()"});
  EXPECT_EQ(stateOf(cluster), "REGRESSED");
}

TEST_F(ClusterPlacement, KeepsAnErrorWhereAnOperatorPlacedIt) {
  const domain::ErrorId id = plantAndPlace();
  const domain::ClusterId other = clusterOf(plantAndPlace({.method = "find"}));
  database_.execute(std::format(
      "UPDATE cluster_member SET cluster_id = {}, placed_by = 'ann' WHERE auth_error_id = {}",
      other, id));
  place({{.authErrorId = id, .fault = faultOf({})}});
  EXPECT_EQ(clusterOf(id), other);
}

// The same bound as for rules.
TEST_F(ClusterPlacement, ComparesABatchWithHundredsOfSplitsQuickly) {
  const domain::ClusterId cluster = clusterOf(plantAndPlace());
  const domain::ClusterId other = clusterOf(plantAndPlace({.method = "find"}));
  database_.execute(std::format(
      "INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_message, created_at, "
      "created_by) SELECT {}, {}, 'The request of client ' || n || ' was refused', now(), 'anna' "
      "FROM generate_series(1, 1000) n",
      cluster, other));
  std::vector<clusters::AnalysedError> batch;
  for (int i = 0; i < 128; ++i) {
    batch.push_back({.authErrorId = plant(), .fault = faultOf({})});
  }
  database_.execute(
      "UPDATE auth_error SET exception_message = left(repeat('The request of client ' || id || ' "
      "timed out. ', 40), 1000), root_cause_message = left(repeat('Refused by ' || id || ' of "
      "many. ', 60), 1000)");
  const domain::ErrorId last = batch.back().authErrorId;
  database_.execute(
      std::format("UPDATE auth_error SET root_cause_message = repeat('x', 900) || "
                  "'THE REQUEST of client 1000 was refused' WHERE id = {}",
                  last));
  const auto began = std::chrono::steady_clock::now();
  place(std::move(batch));
  const auto took = std::chrono::steady_clock::now() - began;
  RecordProperty(
      "milliseconds",
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count()));
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(took, 1s);
#endif
  EXPECT_THAT(database_.queryText(std::format("SELECT auth_error_id FROM cluster_member WHERE "
                                              "cluster_id = {} AND auth_error_id > 2",
                                              other)),
              ElementsAre(Row(last)));
}

TEST_F(ClusterPlacement, PrunesDataTooOldToBeShown) {
  const domain::ClusterId cluster = clusterOf(plantAndPlace());
  database_.execute(std::format(
      "INSERT INTO cluster_activity SELECT {}, grain, now() - age, 1 FROM (VALUES "
      "('5min', interval '25 hours'), ('5min', interval '27 hours'), ('hour', interval '31 days'), "
      "('hour', interval '33 days')) AS old (grain, age)",
      cluster));
  flush();
  EXPECT_THAT(database_.queryText("SELECT grain FROM cluster_activity WHERE starts_at < now() - "
                                  "interval '24 hours' ORDER BY grain"),
              ElementsAre(Row("5min"), Row("hour")));
}

}  // namespace
}  // namespace auth_errors::tests
