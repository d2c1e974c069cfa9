// Slow searches must not starve other requests. A single loop, so that all of them compete.
#include <format>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "domain/identity/ids.h"
#include "tests/support/api_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/loop_runner.h"

namespace auth_errors::tests {
namespace {

class StarvationApi : public ApiTest {
 protected:
  StarvationApi() : ApiTest({{"AUTH_ERRORS_THREADS", "1"}}) {}

  void startSearch(std::vector<RawConnection>& connections, std::string_view path) {
    auto connection = RawConnection::connect(service_.port(), kAnswerLimit);
    ASSERT_TRUE(connection) << connection.error().message;
    const std::string request =
        std::format("GET {} HTTP/1.1\r\nHost: x\r\nX-API-Key: {}\r\n\r\n", path, kViewerKey);
    ASSERT_TRUE(connection->send(request, kAnswerLimit));
    connections.push_back(*std::move(connection));
  }
};

// A lock stalls the lists, as a scan of a large table would.
TEST_F(StarvationApi, SearchesDelayNeitherDecisionsNorLookups) {
  const domain::ErrorId id = plantError(database_, "ANALYSIS_COMPLETED");
  const std::string rule =
      R"({"name":"r","position":1,"match":{"httpStatus":418},"action":"IGNORE"})";
  PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE dead_letter, job IN ACCESS EXCLUSIVE MODE");
  std::vector<RawConnection> searches;
  for (int search = 0; search < 8; ++search) {
    startSearch(searches,
                search % 2 == 0 ? "/api/dead-letters?reason=rejected" : "/api/jobs?kind=move");
  }
  ASSERT_TRUE(eventually([&] {
    return database_.queryValue(
               "SELECT count(*) FROM pg_stat_activity WHERE datname = "
               "current_database() AND wait_event_type = 'Lock'") == "2";
  })) << "one for each connection of the searches";

  EXPECT_EQ(
      post(std::format("/api/auth-errors/{}/decisions", id), R"({"type":"IGNORE"})", kOperatorKey)
          .status,
      201);
  EXPECT_EQ(get("/api/rules").status, 200);
  EXPECT_EQ(get("/api/auth-errors").status, 200);
  const HttpResponse made = post("/api/rules", rule, kOperatorKey);
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM pg_stat_activity WHERE datname = "
                                 "current_database() AND wait_event_type = 'Lock'"),
            "2")
      << "the searches must still wait";
  holder.execute("COMMIT");
}

TEST_F(StarvationApi, SearchesDoNotDelayTheListsOfOperators) {
  PlainConnection holder(database_.url());
  holder.execute("BEGIN; LOCK TABLE auth_error IN ACCESS EXCLUSIVE MODE");
  std::vector<RawConnection> searches;
  for (int search = 0; search < 4; ++search) {
    startSearch(searches, "/api/auth-errors?serviceName=none");
  }
  const auto waiting = [this] {
    return database_.queryValue(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = "
        "current_database() AND wait_event_type = 'Lock'");
  };
  ASSERT_TRUE(eventually([&] { return waiting() == "2"; }));
  for (const std::string path : {"/api/dead-letters", "/api/dead-letters?status=OPEN",
                                 "/api/dead-letters?authErrorId=1", "/api/jobs", "/api/clusters"}) {
    EXPECT_EQ(get(path).status, 200) << path;
  }
  EXPECT_TRUE(eventually([&] { return waiting() == "2"; })) << "the searches must still wait";
  holder.execute("COMMIT");
}

}  // namespace
}  // namespace auth_errors::tests
