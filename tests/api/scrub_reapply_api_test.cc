// POST /api/scrub/reapply over HTTP, against the real service and a real PostgreSQL. With the role
// ops the job runs too, and survives the death of its instance.
#include <chrono>
#include <cstdint>
#include <format>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/scrub/scrubber.h"
#include "tests/support/api_fixture.h"
#include "tests/support/delivery_fixture.h"
#include "tests/support/delivery_rows.h"
#include "tests/support/error_body.h"
#include "tests/support/loop_runner.h"
#include "tests/support/row_matchers.h"

namespace auth_errors::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kReapply = "/api/scrub/reapply";
constexpr std::string_view kLeak = "password=Tr0ub4dor3x";

void plantLeaks(TestDatabase& database, int count) {
  database.execute(std::format(
      "INSERT INTO auth_error (dedup_key, status, occurred_at, received_at, status_changed_at, "
      "http_status, exception_class, exception_message, stacktrace, retry_count) SELECT 'leak-' || "
      "n, 'NEW', now(), now(), now(), 401, 'E', '{}', 'at a.B.c(B.java:1)', 0 FROM "
      "generate_series(1, {}) n",
      kLeak, count));
}

std::string behindSql() {
  return std::format("SELECT count(*) FROM auth_error WHERE scrub_version IS DISTINCT FROM '{}'",
                     domain::scrubberVersion());
}

class ScrubReapplyApi : public ApiTest {
 protected:
  HttpResponse reapply(std::string_view key = kOperatorKey) {
    return send("POST", std::string(kReapply), bearer(key));
  }
};

TEST_F(ScrubReapplyApi, AnswersWithTheJobAndItsBacklog) {
  plantLeaks(database_, 3);
  const HttpResponse response = reapply();
  EXPECT_EQ(response.status, 202);
  const Json::Value job = parseJson(response.body);
  EXPECT_EQ(response.header("location"), "/api/jobs/" + job["jobId"].asString());
  EXPECT_EQ(job["kind"].asString(), "scrub");
  EXPECT_EQ(job["status"].asString(), "QUEUED");
  EXPECT_EQ(job["total"].asInt(), 3);
  EXPECT_TRUE(job["clusterId"].isNull());
  EXPECT_EQ(job["scrubberVersion"].asString(), domain::scrubberVersion());
  EXPECT_EQ(job["requestedBy"].asString(), "test-operator");
  EXPECT_EQ(parseJson(send("GET", response.header("location"), bearer(kViewerKey)).body), job);
  EXPECT_EQ(parseJson(send("GET", "/api/jobs?kind=scrub", bearer(kViewerKey)).body)["items"].size(),
            1U);
}

TEST_F(ScrubReapplyApi, AnswersWithTheOpenJobIfThereIsOne) {
  const std::string first = parseJson(reapply().body)["jobId"].asString();
  const HttpResponse again = reapply();
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(parseJson(again.body)["jobId"].asString(), first);
  EXPECT_EQ(send("POST", std::format("/api/jobs/{}/cancel", first), bearer(kOperatorKey)).status,
            200);
  EXPECT_NE(parseJson(reapply().body)["jobId"].asString(), first);
}

TEST_F(ScrubReapplyApi, RequiresTheOperatorRole) {
  EXPECT_EQ(reapply(kViewerKey).status, 403);
  EXPECT_EQ(reapply(kIngestKey).status, 403);
  EXPECT_EQ(send("POST", std::string(kReapply), {}).status, 401);
  EXPECT_EQ(send("GET", std::string(kReapply), bearer(kOperatorKey)).status, 405);
  EXPECT_EQ(database_.queryValue("SELECT count(*) FROM job"), "0");
}

TEST_F(ScrubReapplyApi, SkipsErrorsOfTheCurrentVersion) {
  EXPECT_EQ(post("/api/auth-errors", ErrorBody{.requestId = "new"}.json(), kIngestKey).status, 201);
  EXPECT_EQ(database_.queryValue(behindSql()), "0");
  EXPECT_EQ(parseJson(reapply().body)["total"].asInt(), 0);
}

// Instances that run the jobs.
class ScrubReapplyJob : public DeliveryTest {
 protected:
  [[nodiscard]] ServiceOptions withShortLease() const {
    ServiceOptions options = DeliveryTest::options("api,ops");
    options.environment["AUTH_ERRORS_JOBS_LEASE_MS"] = "1000";
    return options;
  }
  static void reapply(ServiceProcess& service) {
    HttpClient client(service.port(), bearer(kOperatorKey));
    const auto answer = client.post(std::string(kReapply), "", kAnswerLimit);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_EQ(answer->status, 202) << answer->body;
  }
  bool jobIsDone() {
    return eventually([&] { return database_.queryValue("SELECT status FROM job") == "DONE"; });
  }
};

TEST_F(ScrubReapplyJob, IsFinishedByAnotherInstanceAfterACrash) {
  constexpr int kErrors = 350;
  plantLeaks(database_, kErrors);
  // Blocks the first instance at this error.
  PlainConnection holder(database_.url());
  holder.execute("BEGIN; SELECT FROM auth_error WHERE dedup_key = 'leak-150' FOR UPDATE");
  ServiceProcess& killed = start(withShortLease());
  reapply(killed);
  ASSERT_TRUE(eventually([&] {
    return database_.queryValue(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
               "datname = current_database()") == "1";
  }));
  killed.kill9();
  EXPECT_THAT(database_.queryRow("SELECT status, examined > 0 AND examined < total FROM job"),
              Row("RUNNING", "t"));
  holder.execute("ROLLBACK");

  ServiceProcess& successor = start(withShortLease());
  ASSERT_TRUE(jobIsDone());
  EXPECT_GT(metric(successor, R"(auth_errors_job_errors_changed_total{kind="scrub"})"), 0);
  EXPECT_THAT(database_.queryRow("SELECT examined, changed FROM job"), Row(kErrors, kErrors))
      << "nothing must be missed or done twice";
  EXPECT_EQ(database_.queryValue(behindSql()), "0");
  EXPECT_EQ(database_.queryValue(
                "SELECT count(*) FROM auth_error WHERE exception_message LIKE '%Tr0ub4dor3x%'"),
            "0");
  EXPECT_EQ(database_.queryValue(
                "SELECT count(*) FROM auth_error WHERE redactions = '{\"password\": 1}'"),
            std::to_string(kErrors));
}

TEST_F(ScrubReapplyJob, RunsBesideIngestion) {
  plantLeaks(database_, 2'000);
  ServiceProcess& service = start(withShortLease());
  reapply(service);
  HttpClient client(service.port(), bearer(kIngestKey));
  int posted = 0;
  do {
    const auto answer = client.post(
        "/api/auth-errors", ErrorBody{.requestId = std::format("beside-{}", ++posted)}.json(),
        kAnswerLimit);
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->status, 201) << answer->body;
  } while (database_.queryValue("SELECT status FROM job") != "DONE");
  EXPECT_EQ(database_.queryValue(behindSql()), "0");
  EXPECT_EQ(database_.queryValue("SELECT changed FROM job"), "2000");
}

}  // namespace
}  // namespace auth_errors::tests
