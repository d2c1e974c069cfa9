#include "platform/telemetry/metrics.h"

#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace auth_errors::telemetry {
namespace {

using namespace std::chrono_literals;

TEST(SharedMetrics, RendersEveryListedNameWithItsHelpAndType) {
  Metrics metrics("1.2.3", "1.9.13");
  metrics.route("/health/live").answered(200, 3ms);
  metrics.rejections("not_found").Increment();
  metrics.ingestRedactions("jwt");
  metrics.jobErrorsChanged("decide");
  metrics.ruleDecisions("IGNORE");
  metrics.stuckErrors("NEW").Set(1);
  metrics.brokerReady(BrokerConnection::work).Set(1);
  metrics.loopLag(LoopName::io).Observe(0.001);

  const std::string text = metrics.render();
  for (const SharedMetricSpec& spec : kMetrics) {
    const std::string name(spec.name);
    const char* type = spec.type == MetricType::counter ? "counter"
                       : spec.type == MetricType::gauge ? "gauge"
                                                        : "histogram";
    EXPECT_NE(text.find("# HELP " + name + " " + std::string(spec.help) + "\n"), std::string::npos)
        << name;
    EXPECT_NE(text.find("# TYPE " + name + " " + type + "\n"), std::string::npos) << name;
  }
}

TEST(SharedMetrics, RendersOnlyListedNames) {
  Metrics metrics("1.2.3", "1.9.13");
  metrics.route("/health/live").answered(200, 3ms);
  std::set<std::string> listed;
  for (const MetricSpec& spec : metrics.registry().metrics()) {
    listed.emplace(spec.name);
  }
  std::istringstream lines(metrics.render());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(listed.contains(line.substr(7, line.find(' ', 7) - 7))) << line;
    }
  }
}

TEST(SharedMetrics, RendersValidPrometheusText) {
  Metrics metrics("1.2.3", "1.9.13");
  metrics.route("/api/auth-errors/{id}").answered(503, 40ms);
  const auto comment = ::testing::MatchesRegex(R"(# (HELP|TYPE) [a-z_]+ .+)");
  const auto sample = ::testing::MatchesRegex(
      R"re([a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? ([0-9.e+-]+|\+Inf))re");
  std::istringstream lines(metrics.render());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) {
      EXPECT_THAT(line, comment);
    } else {
      EXPECT_THAT(line, sample);
    }
  }
}

TEST(SharedMetrics, CountsResponsesByRouteAndStatusClass) {
  Metrics metrics("1.2.3", "1.9.13");
  const RouteMetrics route = metrics.route("/metrics");
  route.answered(201, 1ms);
  route.answered(204, 1ms);
  route.answered(404, 1ms);
  const std::string text = metrics.render();
  EXPECT_NE(text.find(R"(auth_errors_http_requests_total{route="/metrics",status="2xx"} 2)"),
            std::string::npos);
  EXPECT_NE(text.find(R"(auth_errors_http_requests_total{route="/metrics",status="4xx"} 1)"),
            std::string::npos);
  EXPECT_NE(text.find(R"(auth_errors_http_request_seconds_count{route="/metrics"} 3)"),
            std::string::npos);
}

TEST(SharedMetrics, LimitsTheNumberOfKeys) {
  Metrics metrics("1.2.3", "1.9.13");
  metrics.rejections("forbidden").Increment();
  for (std::size_t key = 0; key < Metrics::kMaxKeyNames + 10; ++key) {
    metrics.rejections("forbidden", "key-" + std::to_string(key)).Increment();
  }
  metrics.rejections("forbidden", "key-0").Increment();
  const std::string text = metrics.render();
  EXPECT_THAT(text,
              ::testing::AllOf(
                  ::testing::HasSubstr(R"(rejections_total{key="none",reason="forbidden"} 1)"),
                  ::testing::HasSubstr(R"(rejections_total{key="key-0",reason="forbidden"} 2)"),
                  ::testing::HasSubstr(R"(rejections_total{key="other",reason="forbidden"} 10)")));
}

}  // namespace
}  // namespace auth_errors::telemetry
