// Pages of stored errors on a real PostgreSQL, found by walking an index or by sorting.
#include "triage/errors/error_reader.h"

#include <algorithm>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/database_fixture.h"
#include "tests/support/stored_errors.h"

namespace auth_errors::triage {
namespace {

using namespace std::chrono_literals;

class ErrorReaderTest : public tests::DatabaseTest {
 protected:
  static constexpr int kErrors = 20'000;  // one per second

  void SetUp() override {
    tests::insertMany(database_.url(), kErrors, 4);
    newest_ = instant("SELECT max(occurred_at) FROM auth_error");
  }

  domain::Instant instant(const std::string& sql) {
    return clients_.query(connect(), sql).only<database::Timestamp>();
  }

  std::vector<domain::ErrorId> allIds(const ErrorFilter& filter, std::size_t rows,
                                      std::chrono::milliseconds walkBudget) {
    auto& client = connect(2);
    ErrorReader reader(client, ErrorReader::kStuckAfter, walkBudget);
    std::vector<domain::ErrorId> ids;
    std::optional<domain::ErrorId> before;
    while (true) {
      const auto page = clients_.run([&] {
        return reader.page({.filter = filter, .before = before, .rows = rows}, tests::in(10s));
      });
      if (!page) {
        ADD_FAILURE() << "the page could not be read";
        return ids;
      }
      if (page->empty()) {
        return ids;
      }
      for (const StoredAuthError& error : *page) {
        ids.push_back(error.id);
      }
      before = ids.back();
    }
  }

  domain::Instant newest_;
};

// A millisecond is too short for a walk through twenty thousand rows.
TEST_F(ErrorReaderTest, FindsTheSamePagesByWalkingAndBySorting) {
  ErrorFilter filter;
  filter.from = newest_ - 19'900s;
  filter.to = newest_ - 19'500s;
  const auto walked = allIds(filter, 150, ErrorReader::kWalkBudget);
  EXPECT_EQ(walked.size(), 400U);
  EXPECT_TRUE(std::ranges::is_sorted(walked, std::greater{}));
  EXPECT_EQ(allIds(filter, 150, 1ms), walked);
}

TEST_F(ErrorReaderTest, FindsTheSameMembersOfAClusterByWalkingAndBySorting) {
  database_.execute(
      "INSERT INTO cluster_member (cluster_id, auth_error_id, stack_hash, joined_at) "
      "SELECT 7 + id % 2, id, repeat('a', 64), now() FROM auth_error");
  ErrorFilter filter;
  filter.clusterId = domain::ClusterId(7);
  const auto all = allIds(filter, 3'000, ErrorReader::kWalkBudget);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kErrors / 2));
  filter.from = newest_ - 20'000s;
  filter.to = newest_ - 19'599s;
  const auto walked = allIds(filter, 150, ErrorReader::kWalkBudget);
  EXPECT_EQ(walked.size(), 200U);
  EXPECT_TRUE(std::ranges::is_sorted(walked, std::greater{}));
  EXPECT_TRUE(std::ranges::all_of(walked, [](domain::ErrorId id) { return id.value() % 2 == 0; }));
  EXPECT_EQ(allIds(filter, 150, 1ms), walked);
  filter.clusterId = domain::ClusterId(9);
  EXPECT_THAT(allIds(filter, 150, ErrorReader::kWalkBudget), ::testing::IsEmpty());
}

TEST_F(ErrorReaderTest, FindsErrorsReceivedADayBeforeTheyOccurred) {
  database_.execute(
      "UPDATE auth_error SET received_at = occurred_at - interval '24 hours 10 minutes' "
      "WHERE id <= 10");
  ErrorFilter filter;
  filter.from = instant("SELECT min(occurred_at) FROM auth_error");
  EXPECT_EQ(allIds(filter, 5'000, ErrorReader::kWalkBudget).size(),
            static_cast<std::size_t>(kErrors));
}

TEST_F(ErrorReaderTest, FindsNothingInAnEmptyTable) {
  database_.execute("TRUNCATE auth_error");
  ErrorFilter filter;
  filter.from = newest_ - 1h;
  EXPECT_THAT(allIds(filter, 10, ErrorReader::kWalkBudget), ::testing::IsEmpty());
}

// While the table is locked no page can be found, so its attempts can be observed.
TEST_F(ErrorReaderTest, GivesUpAWalkInTimeForEveryFilter) {
  const std::vector<ErrorFilter> filters = [] {
    std::vector<ErrorFilter> each(6);
    each[0].exceptionClass = "nope";
    each[1].status = domain::AuthErrorStatus::failed;
    each[2].httpStatus = 599;
    each[3].serviceName = "nope";
    each[4].environment = "nope";
    each[5].messagePart = "nope";
    return each;
  }();
  tests::PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  auto& client = connect();
  ErrorReader reader(client, ErrorReader::kStuckAfter, 20ms);
  for (const ErrorFilter& filter : filters) {
    auto page = clients_.start(
        [&] { return reader.page({.filter = filter, .before = {}, .rows = 1}, tests::in(20s)); });
    // The server shows only the first 1,024 bytes of a statement, not how it sorts.
    std::set<std::string> begun;
    EXPECT_TRUE(tests::eventually([&] {
      begun.insert(
          database_.queryValue("SELECT coalesce(max(query_start)::text, '') FROM pg_stat_activity "
                               "WHERE datname = current_database() AND "
                               "wait_event_type = 'Lock' AND query LIKE '%FROM auth_error%'"));
      begun.erase("");
      return begun.size() == 2;
    })) << "first the walk, then the sort";
    holder.execute("COMMIT");
    EXPECT_TRUE(tests::await(std::move(page), tests::kWaitLimit));
    holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  }
}

TEST_F(ErrorReaderTest, SearchesDelayNoLookups) {
  auto& lookups = connect();
  auto& searches = connect();
  auto& actions = connect();
  ErrorReader reader({lookups, searches, actions});
  tests::PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  ErrorFilter filter;
  filter.exceptionClass = "nope";
  auto search = clients_.start(
      [&] { return reader.page({.filter = filter, .before = {}, .rows = 1}, tests::in(20s)); });
  // On another connection than the holder's: within a transaction pg_stat_activity does not change.
  const auto waiting = [&] {
    return database_.queryValue(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
        "AND datname = current_database()");
  };
  EXPECT_TRUE(tests::eventually([&] { return waiting() == "1"; }));
  auto lookup = clients_.start([&] { return reader.find(domain::ErrorId(1), tests::in(20s)); });
  auto newest = clients_.start(
      [&] { return reader.page({.filter = {}, .before = {}, .rows = 1}, tests::in(20s)); });
  EXPECT_TRUE(tests::eventually([&] { return waiting() == "2"; }))
      << "the lookup has its own connection";
  holder.execute("COMMIT");
  EXPECT_TRUE(tests::await(std::move(lookup), tests::kWaitLimit));
  EXPECT_TRUE(tests::await(std::move(newest), tests::kWaitLimit));
  EXPECT_TRUE(tests::await(std::move(search), tests::kWaitLimit));
}

// The budget applies to the walk alone: a request that waits longer for a connection still gets a
// page.
TEST_F(ErrorReaderTest, WaitsForAConnectionLongerThanTheBudgetOfAWalk) {
  auto& client = connect();
  ErrorReader reader(client, ErrorReader::kStuckAfter, 20ms);
  tests::PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  ErrorFilter filter;
  filter.from = newest_ - 1h;
  filter.exceptionClass = "nope";
  const auto search = [&] {
    return reader.page({.filter = filter, .before = {}, .rows = 1}, tests::in(20s));
  };
  auto first = clients_.start(search);
  auto second = clients_.start(search);
  EXPECT_EQ(second.wait_for(200ms), std::future_status::timeout);
  holder.execute("COMMIT");
  EXPECT_TRUE(tests::await(std::move(first), tests::kWaitLimit));
  EXPECT_TRUE(tests::await(std::move(second), tests::kWaitLimit));
}

TEST_F(ErrorReaderTest, ReportsAReadThatWasTooSlow) {
  tests::PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  auto& client = connect();
  ErrorReader reader(client);
  const auto page = clients_.run(
      [&] { return reader.page({.filter = {}, .before = {}, .rows = 1}, tests::in(200ms)); });
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error(), domain::Outage::tooSlow);
  const auto found =
      clients_.run([&] { return reader.find(domain::ErrorId(1), tests::in(200ms)); });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), domain::Outage::tooSlow);
}

}  // namespace
}  // namespace auth_errors::triage
