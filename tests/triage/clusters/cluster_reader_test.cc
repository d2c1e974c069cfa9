// Clusters read from a real PostgreSQL: sort orders, filters, histograms, signals.
#include "triage/clusters/cluster_reader.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/cluster_rows.h"
#include "tests/support/database_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::clusters {
namespace {

using namespace std::chrono_literals;
using domain::Instant;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using tests::Row;

class ClusterReaderTest : public tests::DatabaseTest {
 protected:
  std::vector<ClusterItem> page(const ClusterPage& page) {
    ClusterReader reader(client_);
    const auto items = clients_.run([&] { return reader.page(page, tests::in(10s)); });
    EXPECT_TRUE(items);
    return items.value_or(std::vector<ClusterItem>{});
  }
  std::vector<ClusterItem> all(const ClusterFilter& filter = {}) {
    return page({.filter = filter, .after = {}, .rows = 1'000});
  }
  // The newest id first.
  std::vector<domain::ClusterId> idsOf(const ClusterFilter& filter) {
    std::vector<domain::ClusterId> ids;
    for (const ClusterItem& item : all(filter)) {
      ids.push_back(item.id);
    }
    std::ranges::sort(ids, std::greater{});
    return ids;
  }
  std::optional<WholeCluster> find(domain::ClusterId id) {
    ClusterReader reader(client_);
    const auto found = clients_.run([&] { return reader.find(id, tests::in(10s)); });
    EXPECT_TRUE(found);
    return found.value_or(std::nullopt);
  }

  database::Client& client_ = connect();
};

TEST_F(ClusterReaderTest, PagesThroughEverySortWithoutLosingOrRepeatingAny) {
  constexpr int kClusters = 23;
  for (int i = 0; i < kClusters; ++i) {
    plantCluster(database_,
                 {.errorCount = i * 7 % 4,
                  .firstSeenAt = std::format("timestamptz 'epoch' + interval '{} days'", i * 5 % 6),
                  .lastSeenAt = std::format("now() - interval '{} hours'", i * 3 % 5)});
  }
  // Ties need times equal to the microsecond, which several calls of now() do not give.
  database_.execute("UPDATE cluster SET last_seen_at = date_trunc('hour', last_seen_at)");
  for (const auto& [sort, name] : kClusterSortNames) {
    for (const std::size_t rows : {1U, 2U, 5U, 22U, 23U, 24U}) {
      std::vector<std::tuple<std::int64_t, domain::ClusterId>> seen;
      std::optional<ClusterPosition> after;
      while (true) {
        const auto items = page({.filter = {}, .sort = sort, .after = after, .rows = rows});
        for (const ClusterItem& item : items) {
          seen.emplace_back(sortValueOf(item, sort), item.id);
        }
        if (items.size() < rows) {
          break;
        }
        after = {.value = std::get<0>(seen.back()), .id = std::get<1>(seen.back())};
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(kClusters)) << name << " by " << rows;
      EXPECT_TRUE(std::ranges::is_sorted(seen, std::greater{})) << name << " by " << rows;
      EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << name << " by " << rows;
    }
  }
}

TEST_F(ClusterReaderTest, ReadsAPageByTheIndexOfItsOrder) {
  database_.execute(
      "INSERT INTO cluster (title, exception_class, state, state_changed_at, state_changed_by, "
      "sample_error_id, error_count, actor_count, first_seen_at, last_seen_at, created_at) "
      "SELECT 'x', 'x', 'OPEN', now(), 'x', 1, n % 97, 0, now() - n * interval '1 hour', "
      "now() - n % 89 * interval '1 second', now() FROM generate_series(1, 5000) n; "
      "ANALYZE cluster; SELECT pg_stat_reset()");
  {
    // The statistics of a connection are published when it ends.
    tests::ClientLoop loop;
    ClusterReader reader(loop.connect(options()));
    for (const auto& [sort, name] : kClusterSortNames) {
      const auto first = loop.run([&] {
        return reader.page({.filter = {}, .sort = sort, .after = {}, .rows = 10}, tests::in(10s));
      });
      ASSERT_TRUE(first);
      const ClusterItem& last = first->back();
      const auto second = loop.run([&] {
        return reader.page(
            {.filter = {},
             .sort = sort,
             .after = ClusterPosition{.value = sortValueOf(last, sort), .id = last.id},
             .rows = 10},
            tests::in(10s));
      });
      ASSERT_TRUE(second);
      EXPECT_EQ(second->size(), 10U);
    }
  }
  EXPECT_TRUE(tests::eventually([&] {
    return database_.queryValue(
               "SELECT count(*) FROM pg_stat_user_indexes WHERE relname = 'cluster' AND idx_scan = "
               "2") == "3";
  })) << "two pages for each index";
  EXPECT_THAT(database_.queryRow("SELECT seq_scan, idx_tup_fetch FROM pg_stat_user_tables "
                                 "WHERE relname = 'cluster'"),
              Row(0, 60));
}

TEST_F(ClusterReaderTest, FiltersByEachProperty) {
  const auto shop = plantCluster(database_, {.title = "Timeout in shop.Cart.pay",
                                             .exceptionClass = "java.net.Timeout",
                                             .state = "RESOLVED",
                                             .firstSeenAt = "now() - interval '9 days'",
                                             .lastSeenAt = "now() - interval '8 days'"});
  const auto bank = plantCluster(database_, {.firstSeenAt = "now() - interval '2 days'"});
  const auto merged = plantCluster(database_, {.mergedInto = bank});
  plantFacet(database_, shop, "service", "shop");
  plantFacet(database_, shop, "environment", "staging");
  plantFacet(database_, bank, "service", "bank");
  plantFacet(database_, bank, "environment", "shop");  // the same name as another kind
  plantFacet(database_, merged, "service", "bank");

  EXPECT_THAT(idsOf({}), ElementsAre(bank, shop));
  const auto only = [](auto member, auto value) {
    ClusterFilter filter;
    filter.*member = value;
    return filter;
  };
  using F = ClusterFilter;
  EXPECT_THAT(idsOf(only(&F::state, domain::ClusterState::resolved)), ElementsAre(shop));
  EXPECT_THAT(idsOf(only(&F::serviceName, "shop")), ElementsAre(shop));
  EXPECT_THAT(idsOf(only(&F::serviceName, "bank")), ElementsAre(bank));
  EXPECT_THAT(idsOf(only(&F::environment, "staging")), ElementsAre(shop));
  EXPECT_THAT(idsOf(only(&F::environment, "production")), IsEmpty());
  EXPECT_THAT(idsOf(only(&F::exceptionClass, "java.net.Timeout")), ElementsAre(shop));
  EXPECT_THAT(idsOf(only(&F::exceptionClass, "java.net")), IsEmpty());

  const auto lastOfShop = find(shop)->item.lastSeenAt;
  const auto firstOfBank = find(bank)->item.firstSeenAt;
  EXPECT_THAT(idsOf(only(&F::from, lastOfShop)), ElementsAre(bank, shop));
  EXPECT_THAT(idsOf(only(&F::from, lastOfShop + 1us)), ElementsAre(bank));
  EXPECT_THAT(idsOf(only(&F::to, firstOfBank)), ElementsAre(shop));
  EXPECT_THAT(idsOf(only(&F::to, firstOfBank + 1us)), ElementsAre(bank, shop));
  ClusterFilter span = only(&F::from, lastOfShop + 1us);
  span.to = firstOfBank;
  EXPECT_THAT(idsOf(span), IsEmpty());
}

TEST_F(ClusterReaderTest, MatchesPartsOfNamesInAnyCaseAndTreatsWildcardsLiterally) {
  const auto percent = plantCluster(database_, {.title = "100% full in Disk.write"});
  const auto underscore = plantCluster(database_, {.title = "no_such_user"});
  const auto backslash =
      plantCluster(database_, {.title = "plain", .exceptionClass = R"(App\Security\BadToken)"});
  const auto named = [this](const std::string& part) {
    ClusterFilter filter;
    filter.namePart = part;
    return idsOf(filter);
  };
  EXPECT_THAT(named("disk.WRITE"), ElementsAre(percent));
  EXPECT_THAT(named("%"), ElementsAre(percent));
  EXPECT_THAT(named("_"), ElementsAre(underscore));
  EXPECT_THAT(named("such_user"), ElementsAre(underscore));
  EXPECT_THAT(named("such%user"), IsEmpty());
  EXPECT_THAT(named(R"(\security\b)"), ElementsAre(backslash));
  EXPECT_THAT(named("badcredentials"), ElementsAre(underscore, percent));  // by class
}

TEST_F(ClusterReaderTest, AClusterIsMutedUntilItsTimeOrItsCount) {
  const auto loud = plantCluster(database_, {.errorCount = 5});
  const auto quiet = plantCluster(database_, {.errorCount = 5});
  const auto woken = plantCluster(database_, {.errorCount = 5});
  const auto below = plantCluster(database_, {.errorCount = 5});
  const auto reached = plantCluster(database_, {.errorCount = 5});
  const auto mute = [this](domain::ClusterId id, const std::string& how) {
    database_.execute(
        std::format("UPDATE cluster SET {}, muted_by = 'ann' WHERE id = {}", how, id));
  };
  mute(quiet, "muted_until = now() + interval '1 hour'");
  mute(woken, "muted_until = now()");
  mute(below, "muted_until_count = 6");
  mute(reached, "muted_until_count = 5");
  ClusterFilter muted;
  muted.muted = true;
  EXPECT_THAT(idsOf(muted), ElementsAre(below, quiet));
  muted.muted = false;
  EXPECT_THAT(idsOf(muted), ElementsAre(reached, woken, loud));
  EXPECT_TRUE(find(below)->item.muted);
  EXPECT_EQ(find(below)->item.mutedUntilCount, 6);
  EXPECT_EQ(find(quiet)->item.mutedBy, "ann");
  EXPECT_FALSE(find(reached)->item.muted);
}

TEST_F(ClusterReaderTest, ListsTheTenLargestServicesAndEnvironments) {
  const auto id = plantCluster(database_);
  const auto other = plantCluster(database_);
  for (int i = 0; i < 12; ++i) {
    plantFacet(database_, id, "service", std::format("service-{:02}", i), i < 2 ? 50 : i);
  }
  plantFacet(database_, id, "environment", "production", 9);
  plantFacet(database_, other, "service", "other", 99);
  const auto names = [](const std::vector<Share>& shares) {
    std::vector<std::string> list;
    for (const Share& share : shares) {
      list.push_back(std::format("{}:{}", share.name, share.errorCount));
    }
    return list;
  };
  for (const ClusterItem& item : all()) {
    if (item.id == id) {
      EXPECT_THAT(names(item.services),
                  ElementsAre("service-00:50", "service-01:50", "service-11:11", "service-10:10",
                              "service-09:9", "service-08:8", "service-07:7", "service-06:6",
                              "service-05:5", "service-04:4"));
      EXPECT_THAT(names(item.environments), ElementsAre("production:9"));
    } else {
      EXPECT_THAT(names(item.services), ElementsAre("other:99"));
      EXPECT_THAT(names(item.environments), IsEmpty());
    }
  }
}

// A count that depends on the bucket, so that the test holds at any time of day.
std::int64_t planted(Instant startsAt, std::chrono::seconds length) {
  return startsAt.time_since_epoch() / length % 97;
}

TEST_F(ClusterReaderTest, CountsTheErrorsOfTheLastDayByHourWithoutGaps) {
  const auto id = plantCluster(database_);
  const auto idle = plantCluster(database_);
  database_.execute(std::format(
      "INSERT INTO cluster_activity SELECT {}, 'hour', starts_at, "
      "extract(epoch FROM starts_at)::bigint / 3600 % 97 FROM generate_series("
      "date_trunc('hour', now(), 'UTC') - interval '50 hours', now() + interval '5 hours', "
      "interval '1 hour') starts_at WHERE extract(epoch FROM starts_at)::bigint / 3600 % 97 <> 0",
      id));
  plantActivity(database_, id, "5min", "date_trunc('hour', now(), 'UTC')", 1'000);
  const auto cluster = find(id);
  ASSERT_TRUE(cluster);
  ASSERT_EQ(cluster->hours.size(), 24U);
  for (std::size_t i = 0; i < 24; ++i) {
    const ActivityPoint& point = cluster->hours.at(i);
    EXPECT_EQ(point.startsAt, cluster->hours.front().startsAt + std::chrono::hours(i));
    EXPECT_EQ(point.errorCount, planted(point.startsAt, 1h));
  }
  const auto last = cluster->hours.back().startsAt;
  EXPECT_EQ(last, std::chrono::floor<std::chrono::hours>(last));
  EXPECT_LE(std::chrono::abs(cluster->item.signals.windowStartsAt + 10min - last), 1h);

  const auto nothing = find(idle);
  ASSERT_EQ(nothing->hours.size(), 24U);
  ASSERT_EQ(nothing->days.size(), 30U);
  for (const auto& points : {nothing->hours, nothing->days}) {
    EXPECT_TRUE(std::ranges::all_of(points, [](const auto& point) { return !point.errorCount; }));
  }
}

TEST_F(ClusterReaderTest, CountsTheErrorsOfTheLastMonthByUtcDay) {
  // Simulates a session whose days are those of another time zone.
  clients_.query(client_, "SET timezone = 'Asia/Kathmandu'");
  const auto id = plantCluster(database_);
  // The first and the last hour of each day except every third.
  database_.execute(std::format(
      R"(INSERT INTO cluster_activity
SELECT {}, 'hour', day + hour, CASE hour WHEN interval '0' THEN 1 ELSE 100 END
FROM generate_series(date_trunc('day', now(), 'UTC') - interval '960 hours',
                     date_trunc('day', now(), 'UTC') + interval '24 hours', interval '24 hours') day,
     unnest(ARRAY[interval '0', interval '23 hours']) hour
WHERE extract(epoch FROM day)::bigint / 86400 % 3 <> 0)",
      id));
  const auto cluster = find(id);
  ASSERT_TRUE(cluster);
  ASSERT_EQ(cluster->days.size(), 30U);
  for (std::size_t i = 0; i < 30; ++i) {
    const ActivityPoint& point = cluster->days.at(i);
    EXPECT_EQ(point.startsAt, cluster->days.front().startsAt + std::chrono::hours(24 * i));
    EXPECT_EQ(point.startsAt, std::chrono::floor<std::chrono::days>(point.startsAt));
    const bool silent = point.startsAt.time_since_epoch() / std::chrono::days(1) % 3 == 0;
    EXPECT_EQ(point.errorCount, silent ? 0 : 101) << i;
  }
  EXPECT_EQ(cluster->days.back().startsAt,
            std::chrono::floor<std::chrono::days>(cluster->hours.back().startsAt));
}

TEST_F(ClusterReaderTest, ComparesTheWindowWithTheDayBeforeIt) {
  const auto id = plantCluster(database_, {.firstSeenAt = "now() - interval '3 days'"});
  const auto fresh = plantCluster(database_);
  database_.execute(std::format(
      "INSERT INTO cluster_activity SELECT {}, '5min', starts_at, "
      "extract(epoch FROM starts_at)::bigint / 300 % 97 FROM generate_series("
      "date_bin('5 minutes', now(), 'epoch') - interval '26 hours', now() + interval '1 hour', "
      "interval '5 minutes') starts_at",
      id));
  plantActivity(database_, id, "hour", "date_trunc('hour', now(), 'UTC')", 5'000);
  const auto sum = [](Instant from, Instant to) {
    std::int64_t total = 0;
    for (; from < to; from += 5min) {
      total += planted(from, 5min);
    }
    return total;
  };
  const auto signals = find(id)->item.signals;
  const Instant start = signals.windowStartsAt;
  EXPECT_EQ(start, std::chrono::floor<domain::ActivityBucket>(start));
  EXPECT_EQ(signals.errors, sum(start, start + 15min));
  EXPECT_DOUBLE_EQ(signals.expected, static_cast<double>(sum(start - 24h, start)) / 96);
  EXPECT_FALSE(signals.burst);
  EXPECT_FALSE(signals.isNew);
  EXPECT_TRUE(find(fresh)->item.signals.isNew);
}

TEST_F(ClusterReaderTest, CountsTheActorsSeenInTheWindow) {
  const auto id = plantCluster(database_);
  const auto other = plantCluster(database_);
  // Times that are certainly inside or certainly outside the window.
  plantFacet(database_, id, "actor", "a", 3, "now()");
  plantFacet(database_, id, "actor", "b", 1, "now() - interval '9 minutes'");
  plantFacet(database_, id, "actor", "long ago", 1, "now() - interval '16 minutes'");
  plantFacet(database_, id, "actor", "ahead", 1, "now() + interval '20 minutes'");
  plantFacet(database_, id, "service", "no actor", 1);
  plantFacet(database_, other, "actor", "c");
  EXPECT_EQ(find(id)->item.actorsInWindow, 2);
}

TEST_F(ClusterReaderTest, DescribesTheErrorsOfEachHash) {
  const auto id = plantCluster(database_);
  const auto elsewhere = plantCluster(database_);
  const auto hash = [](char digit) { return std::string(64, digit); };
  plantRoute(database_, id, hash('a'),
             R"({"version":2,"classes":["A","B"],"frames":["x.Y.z","p.Q.r"],"message":null})");
  plantRoute(database_, elsewhere, hash('b'),
             R"({"version":2,"classes":["C"],"frames":[],"message":"no user <*>"})");
  plantFacet(database_, id, "hash", hash('a'), 5);
  plantFacet(database_, id, "hash", hash('b'), 7);
  plantFacet(database_, elsewhere, "hash", hash('d'), 50);
  const auto reasons = find(id)->whyGrouped;
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons.at(0).stackHash, hash('b'));
  EXPECT_EQ(reasons.at(0).errorCount, 7);
  EXPECT_EQ(reasons.at(0).version, domain::kStackHashVersion);
  EXPECT_THAT(reasons.at(0).classes, ElementsAre("C"));
  EXPECT_THAT(reasons.at(0).frames, IsEmpty());
  EXPECT_EQ(reasons.at(0).message, "no user <*>");
  EXPECT_THAT(reasons.at(1).classes, ElementsAre("A", "B"));
  EXPECT_THAT(reasons.at(1).frames, ElementsAre("x.Y.z", "p.Q.r"));
  EXPECT_EQ(reasons.at(1).message, std::nullopt);

  for (int i = 0; i < 25; ++i) {
    plantFacet(database_, id, "hash", std::format("{:064}", i), 2);
    plantRoute(database_, id, std::format("{:064}", i), "{}");
  }
  EXPECT_EQ(find(id)->whyGrouped.size(), 20U);
}

TEST_F(ClusterReaderTest, ShowsTheNewestMembersAndTransitions) {
  const auto id = plantCluster(database_);
  const auto other = plantCluster(database_);
  std::vector<domain::ErrorId> errors;
  for (int i = 0; i < 25; ++i) {
    errors.push_back(tests::plantError(database_, "ANALYSIS_COMPLETED"));
    plantMember(database_, i == 24 ? other : id, errors.back());
    database_.execute(std::format(
        "INSERT INTO cluster_transition (cluster_id, from_state, to_state, cause, changed_by, "
        "changed_at, note) VALUES ({}, 'OPEN', 'RESOLVED', 'resolve', 'ann', now(), 'note {}')",
        i == 24 ? other : id, i));
  }
  const auto cluster = find(id);
  ASSERT_EQ(cluster->members.size(), 20U);
  EXPECT_EQ(cluster->members.front().id, errors.at(23));
  EXPECT_EQ(cluster->members.back().id, errors.at(4));
  ASSERT_EQ(cluster->changes.size(), 20U);
  EXPECT_EQ(cluster->changes.front().note, "note 23");
  EXPECT_EQ(cluster->changes.front().to, "RESOLVED");
  EXPECT_EQ(cluster->changes.back().note, "note 4");
}

TEST_F(ClusterReaderTest, ListsMergedClustersAndSplits) {
  const auto id = plantCluster(database_);
  const auto first = plantCluster(database_, {.mergedInto = id});
  const auto second = plantCluster(database_, {.mergedInto = id});
  database_.execute(std::format(
      "INSERT INTO cluster_split (from_cluster_id, to_cluster_id, match_service_name, "
      "match_http_status, created_at, created_by) VALUES ({0}, 77, 'shop', 403, now(), 'ann'), "
      "({0}, 78, 'bank', NULL, now(), 'bob'), (77, {0}, 'x', NULL, now(), 'eve')",
      id));
  const auto cluster = find(id);
  EXPECT_THAT(cluster->mergedFrom, ElementsAre(first, second));
  EXPECT_EQ(cluster->item.mergedInto, std::nullopt);
  ASSERT_EQ(cluster->splits.size(), 2U);
  EXPECT_EQ(cluster->splits.at(0).toClusterId, domain::ClusterId(77));
  EXPECT_EQ(cluster->splits.at(0).match.serviceName, "shop");
  EXPECT_EQ(cluster->splits.at(0).match.httpStatus, 403);
  EXPECT_EQ(cluster->splits.at(0).match.exceptionClass, std::nullopt);
  EXPECT_EQ(cluster->splits.at(1).createdBy, "bob");
  ASSERT_TRUE(cluster->splitFrom);
  EXPECT_EQ(cluster->splitFrom->fromClusterId, domain::ClusterId(77));
  EXPECT_EQ(cluster->splitFrom->match.serviceName, "x");
  EXPECT_EQ(find(first)->item.mergedInto, id);
  EXPECT_EQ(find(first)->item.state, "MERGED");
  EXPECT_EQ(cluster->item.state, "OPEN");
  EXPECT_EQ(find(first)->splitFrom, std::nullopt);
}

TEST_F(ClusterReaderTest, ListsTheClustersOfAnError) {
  const auto error = tests::plantError(database_, "ANALYSIS_COMPLETED");
  const auto first = plantCluster(database_, {.title = "one"});
  const auto second = plantCluster(database_, {.title = "two", .state = "IGNORED"});
  plantMember(database_, first, error);
  plantMember(database_, second, error);
  ClusterReader reader(client_);
  const auto names = clients_.run([&] { return reader.ofError(error, tests::in(10s)); });
  ASSERT_TRUE(names);
  ASSERT_EQ(names->size(), 2U);
  EXPECT_EQ(names->at(0).id, first);
  EXPECT_EQ(names->at(0).title, "one");
  EXPECT_EQ(names->at(1).state, "IGNORED");
}

TEST_F(ClusterReaderTest, FindsNoClusterForAnUnknownId) {
  EXPECT_FALSE(find(domain::ClusterId(12'345)));
}

TEST_F(ClusterReaderTest, ReportsAReadThatWasTooSlow) {
  tests::PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE cluster IN ACCESS EXCLUSIVE MODE");
  ClusterReader reader(client_);
  const auto items = clients_.run(
      [&] { return reader.page({.filter = {}, .after = {}, .rows = 1}, tests::in(200ms)); });
  ASSERT_FALSE(items);
  EXPECT_EQ(items.error(), domain::Outage::tooSlow);
  const auto found =
      clients_.run([&] { return reader.find(domain::ClusterId(1), tests::in(200ms)); });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), domain::Outage::tooSlow);
}

}  // namespace
}  // namespace auth_errors::clusters
