#include "app/metrics.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/project_paths.h"
#include "tests/support/server_process.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;

class MetricsTest : public ::testing::Test {
 protected:
  std::string render() {
    metrics_.process.update();
    return metrics_.registry.render();
  }

  Metrics metrics_{"1.2.3", "1.9.13"};
};

TEST_F(MetricsTest, AreRenderedWithTheirHelpAndType) {
  const controllers::RouteMetrics route(metrics_.controllers, "/health/live");
  route.answered(200, 3ms);
  metrics_.controllers.rejections[controllers::RejectReason::notFound, {}].add();
  metrics_.jobs.errorsChanged[jobs::JobKind::decide].add();
  metrics_.rules.decisions[domain::Decision::ignore].add();
  metrics_.outbox.stuckErrors[domain::AuthErrorStatus::fresh].set(1);
  metrics_.broker.ready[BrokerConnection::work].set(1);
  metrics_.loopLag[LoopName::io].observe(1ms);

  const std::string text = render();
  for (const telemetry::MetricSpec& spec : metrics_.registry.metrics()) {
    const std::string name(spec.name);
    EXPECT_NE(text.find("# HELP " + name + " " + std::string(spec.help) + "\n"), std::string::npos)
        << name;
    EXPECT_NE(text.find("# TYPE " + name + " " + std::string(toText(spec.type)) + "\n"),
              std::string::npos)
        << name;
  }
}

TEST_F(MetricsTest, AreAllDeclared) {
  std::set<std::string> declared;
  for (const telemetry::MetricSpec& spec : metrics_.registry.metrics()) {
    declared.emplace(spec.name);
  }
  std::istringstream lines(render());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(declared.contains(line.substr(7, line.find(' ', 7) - 7))) << line;
    }
  }
}

TEST_F(MetricsTest, AreValidPrometheusText) {
  const controllers::RouteMetrics route(metrics_.controllers, "/api/auth-errors/{id}");
  route.answered(503, 40ms);
  const auto comment = ::testing::MatchesRegex(R"(# (HELP|TYPE) [a-z_]+ .+)");
  const auto sample = ::testing::MatchesRegex(
      R"re([a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? ([0-9.e+-]+|\+Inf))re");
  std::istringstream lines(render());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) {
      EXPECT_THAT(line, comment);
    } else {
      EXPECT_THAT(line, sample);
    }
  }
}

TEST_F(MetricsTest, AreNamedInTheDocumentationAsTheyAreDeclared) {
  const std::regex metric("auth_errors_[a-z_]+");
  for (const char* page : {"docs/operations.md", "docs/delivery.md", "docs/rules.md"}) {
    const std::string text = tests::textOf(tests::projectPath(page));
    std::size_t named = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), metric), end; found != end; ++found) {
      ++named;
      EXPECT_TRUE(std::ranges::contains(metrics_.registry.metrics(), found->str(),
                                        &telemetry::MetricSpec::name))
          << page << ": " << found->str();
    }
    EXPECT_GT(named, 0U) << page;
  }
}

}  // namespace
}  // namespace auth_errors::app
