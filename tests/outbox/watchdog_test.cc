// Errors overdue for analysis, on a real PostgreSQL.
#include "outbox/watchdog.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/database_fixture.h"
#include "tests/support/delivery_rows.h"

namespace auth_errors::outbox {
namespace {

using namespace std::chrono_literals;
using tests::plantError;

class WatchdogTest : public tests::DatabaseTest {
 protected:
  std::size_t run(std::int64_t countAtMost = 1'000) {
    return clients_.run([&]() -> drogon::Task<std::size_t> {
      Watchdog watchdog(client_, {.stuckAfter = 1h, .countAtMost = countAtMost}, metrics_);
      co_return co_await watchdog.runOnce();
    });
  }
  double gauge(const char* status) {
    return metrics_.stuckErrors[domain::fromText<domain::AuthErrorStatus>(status).value()].value();
  }

  database::Client& client_ = connect();
  telemetry::Registry registry_;
  Metrics metrics_{registry_};
};

TEST_F(WatchdogTest, CountsOverdueErrorsByStatus) {
  for (const char* status : {"NEW", "NEW", "RETRY", "ANALYSIS_REQUESTED", "ANALYSIS_COMPLETED",
                             "PROCESSED", "FAILED", "RESOLVED", "IGNORED"}) {
    plantError(database_, status);
  }
  EXPECT_EQ(run(), 0U) << "they have just arrived";
  database_.execute("UPDATE auth_error SET status_changed_at = now() - interval '61 minutes'");
  EXPECT_EQ(run(), 4U);
  EXPECT_EQ(gauge("NEW"), 2);
  EXPECT_EQ(gauge("RETRY"), 1);
  EXPECT_EQ(gauge("ANALYSIS_REQUESTED"), 1);
  database_.execute("UPDATE auth_error SET status = 'IGNORED' WHERE status = 'NEW'");
  EXPECT_EQ(run(), 2U);
  EXPECT_EQ(gauge("NEW"), 0);
}

TEST_F(WatchdogTest, CountsUpToItsLimit) {
  for (int i = 0; i < 5; ++i) {
    plantError(database_);
  }
  database_.execute("UPDATE auth_error SET status_changed_at = now() - interval '2 hours'");
  EXPECT_EQ(run(3), 3U);
}

// Its cost depends on the number of waiting errors, not on the size of the table.
TEST_F(WatchdogTest, ReadsOnlyTheIndexOfWaitingErrors) {
  database_.execute(
      "INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, status_changed_at, "
      "http_status, exception_class, stacktrace, retry_count, stack_hash) SELECT 'r-' || n, CASE "
      "WHEN n % 1000 = 0 THEN 'NEW' ELSE 'PROCESSED' END, now(), now(), now() - n * interval '1 "
      "second', 401, 'E', 'at a.B.c(B.java:1)', 0, repeat('a', 64) FROM generate_series(1, 20000) "
      "n");
  database_.execute("ANALYZE auth_error");
  std::string plan;
  for (const auto& row : database_.queryText(
           "EXPLAIN SELECT status, count(*) FROM (SELECT id, status, status_changed_at FROM "
           "auth_error WHERE status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED') AND "
           "status_changed_at < now() - interval '1 hour' ORDER BY status_changed_at LIMIT 1000) s "
           "GROUP BY status")) {
    plan += row.cells.front().value_or("") + "\n";
  }
  EXPECT_NE(plan.find("auth_error_waiting"), std::string::npos) << plan;
}

}  // namespace
}  // namespace auth_errors::outbox
