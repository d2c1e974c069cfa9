#include "controllers/http/metrics.h"

#include <chrono>
#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::controllers {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class MetricsTest : public ::testing::Test {
 protected:
  telemetry::Registry registry_;
  Metrics metrics_{registry_};
};

TEST_F(MetricsTest, CountAnswersByRouteAndStatusClass) {
  const RouteMetrics route(metrics_, "/metrics");
  route.answered(201, 1ms);
  route.answered(204, 1ms);
  route.answered(404, 1ms);
  const std::string text = registry_.render();
  EXPECT_THAT(text,
              HasSubstr(R"(auth_errors_http_requests_total{route="/metrics",status="2xx"} 2)"));
  EXPECT_THAT(text,
              HasSubstr(R"(auth_errors_http_requests_total{route="/metrics",status="4xx"} 1)"));
  EXPECT_THAT(text,
              HasSubstr(R"(auth_errors_http_requests_total{route="/metrics",status="5xx"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_http_request_seconds_count{route="/metrics"} 3)"));
}

TEST_F(MetricsTest, TellABoundedNumberOfKeysApart) {
  metrics_.rejections[RejectReason::forbidden, {}].add();
  for (std::size_t key = 0; key < telemetry::RuntimeName::kMost + 10; ++key) {
    metrics_.rejections[RejectReason::forbidden, "key-" + std::to_string(key)].add();
  }
  metrics_.rejections[RejectReason::forbidden, "key-0"].add();
  const std::string text = registry_.render();
  EXPECT_THAT(text, HasSubstr(R"(rejections_total{key="none",reason="forbidden"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(rejections_total{key="key-0",reason="forbidden"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(rejections_total{key="other",reason="forbidden"} 10)"));
}

}  // namespace
}  // namespace auth_errors::controllers
