#include "platform/telemetry/metric.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/telemetry/process_metrics.h"

namespace auth_errors::telemetry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

enum class Colour : std::uint8_t { red, darkBlue };
constexpr auto namesOf(Colour /*any*/) {
  return domain::nameTable<Colour>({{Colour::red, "red"}, {Colour::darkBlue, "dark_blue"}});
}

enum class Size : std::uint8_t { small, large };
constexpr auto namesOf(Size /*any*/) {
  return domain::nameTable<Size>({{Size::small, "small"}, {Size::large, "large"}});
}

// Tables with one fault each.
enum class Short : std::uint8_t { first, second };
constexpr auto namesOf(Short /*any*/) {
  return domain::nameTable<Short>({{Short::first, "first"}});
}
enum class Swapped : std::uint8_t { first, second };
constexpr auto namesOf(Swapped /*any*/) {
  return domain::nameTable<Swapped>({{Swapped::second, "second"}, {Swapped::first, "first"}});
}
enum class Alike : std::uint8_t { first, second };
constexpr auto namesOf(Alike /*any*/) {
  return domain::nameTable<Alike>({{Alike::first, "same"}, {Alike::second, "same"}});
}
enum class Nameless : std::uint8_t { only };
constexpr auto namesOf(Nameless /*any*/) {
  return domain::nameTable<Nameless>({{Nameless::only, ""}});
}

TEST(Labels, RequireATableThatNamesEachValueOnce) {
  static_assert(domain::namesEachValueOnce<Colour>());
  static_assert(!domain::namesEachValueOnce<Short>());
  static_assert(!domain::namesEachValueOnce<Swapped>());
  static_assert(!domain::namesEachValueOnce<Alike>());
  static_assert(!domain::namesEachValueOnce<Nameless>());
}

TEST(MetricNames, RequireAPrefixAndATotalSuffixForCounters) {
  static_assert(isMetricName(MetricType::counter, "auth_errors_paints_total"));
  static_assert(!isMetricName(MetricType::counter, "auth_errors_paints"));
  static_assert(!isMetricName(MetricType::gauge, "auth_errors_paints_total"));
  static_assert(!isMetricName(MetricType::histogram, "auth_errors_paint_count"));
  static_assert(isMetricName(MetricType::gauge, "process_open_fds"));
  static_assert(!isMetricName(MetricType::gauge, "paints"));
  static_assert(!isMetricName(MetricType::gauge, "auth_errors_Paints"));
}

struct PaintMetrics {
  Registry& registry;
  Counter buckets{registry, "auth_errors_paint_buckets_total", "Emptied buckets."};
  CounterBy<Colour> strokes{registry, "auth_errors_strokes_total", "colour", "Strokes by colour."};
  CounterBy<Colour, Size> dots{registry, "auth_errors_dots_total", "colour", "size", "Dots."};
  Gauge wet{registry, "auth_errors_wet_paintings", "Paintings that dry."};
  GaugeBy<Colour> shade{registry, "auth_errors_shade", "colour",
                        "Shades, as the painter sees them.", Shown::onceUsed};
  Histogram drying{registry, "auth_errors_drying_seconds", "Time until dry.", kSecondsBuckets};
  HistogramBy<Size> width{registry, "auth_errors_width_rows", "size", "Widths.",
                          std::span<const double>(kSecondsBuckets).first(1)};
  CounterBy<CodeText, RuntimeName> sales{registry, "auth_errors_sales_total", "place", "buyer",
                                         "Sold paintings."};
};

class MetricsTest : public ::testing::Test {
 protected:
  Registry registry_;
  PaintMetrics metrics_{registry_};
};

TEST_F(MetricsTest, AreRenderedFromStartupWithHelpAndType) {
  EXPECT_THAT(registry_.render(), HasSubstr("# HELP auth_errors_paint_buckets_total Emptied "
                                            "buckets.\n# TYPE auth_errors_paint_buckets_total "
                                            "counter\nauth_errors_paint_buckets_total 0\n"));
  EXPECT_THAT(registry_.render(), HasSubstr("auth_errors_strokes_total{colour=\"dark_blue\"} 0\n"));
  EXPECT_THAT(registry_.render(),
              HasSubstr("auth_errors_dots_total{colour=\"red\",size=\"large\"} 0\n"));
  EXPECT_THAT(registry_.render(), HasSubstr("auth_errors_width_rows_count{size=\"small\"} 0\n"));
}

TEST_F(MetricsTest, AreCountedByTheirLabels) {
  metrics_.buckets.add();
  metrics_.strokes[Colour::darkBlue].add(3);
  metrics_.dots[Colour::red, Size::large].add(2);
  metrics_.dots[Colour::darkBlue, Size::small].add(5);
  metrics_.wet.add(4);
  metrics_.wet.subtract();
  metrics_.drying.observe(std::chrono::milliseconds(20));
  EXPECT_EQ(metrics_.buckets.value(), 1);
  EXPECT_EQ(metrics_.strokes[Colour::red].value(), 0);
  EXPECT_EQ(metrics_.strokes[Colour::darkBlue].value(), 3);
  EXPECT_EQ(metrics_.wet.value(), 3);
  const std::string text = registry_.render();
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_dots_total{colour="red",size="large"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_dots_total{colour="dark_blue",size="small"} 5)"));
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_drying_seconds_bucket{le="0.01"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_drying_seconds_bucket{le="0.025"} 1)"));
}

TEST_F(MetricsTest, AreOmittedBeforeTheirFirstUseIfDeclaredSo) {
  EXPECT_THAT(registry_.render(), Not(HasSubstr("auth_errors_shade")));
  metrics_.shade[Colour::red].set(0.5);
  EXPECT_THAT(registry_.render(), HasSubstr(R"(auth_errors_shade{colour="red"} 0.5)"));
  EXPECT_THAT(registry_.render(), Not(HasSubstr(R"(auth_errors_shade{colour="dark_blue"})")));
}

TEST_F(MetricsTest, LimitTheNumberOfRuntimeLabels) {
  metrics_.sales["fair", {}].add();
  for (std::size_t buyer = 0; buyer < RuntimeName::kMost + 10; ++buyer) {
    metrics_.sales["fair", "buyer-" + std::to_string(buyer)].add();
  }
  metrics_.sales["shop", "buyer-0"].add(2);
  const std::string text = registry_.render();
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_sales_total{buyer="none",place="fair"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_sales_total{buyer="buyer-0",place="shop"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_sales_total{buyer="other",place="fair"} 10)"));
}

TEST_F(MetricsTest, AreListedInOrderOfDeclaration) {
  ASSERT_EQ(registry_.metrics().size(), 8U);
  const MetricSpec& dots = registry_.metrics().at(2);
  EXPECT_EQ(dots.name, "auth_errors_dots_total");
  EXPECT_EQ(dots.type, MetricType::counter);
  EXPECT_EQ(dots.help, "Dots.");
  ASSERT_EQ(dots.labels.size(), 2U);
  EXPECT_EQ(dots.labels.at(0).name, "colour");
  EXPECT_THAT(dots.labels.at(0).values, ElementsAre("red", "dark_blue"));
  EXPECT_EQ(dots.labels.at(1).name, "size");
}

TEST_F(MetricsTest, RefuseADuplicateName) {
  EXPECT_THROW(static_cast<void>(PaintMetrics{registry_}), std::logic_error);
}

TEST(ProcessMetrics, DescribeTheProcess) {
  Registry registry;
  ProcessMetrics process(registry, "1.2.3", "1.9.13");
  process.update();
  const std::string text = registry.render();
  const auto valueOf = [&](const std::string& name) {
    return std::stod(text.substr(text.find("\n" + name + " ") + name.size() + 2));
  };
  EXPECT_GT(valueOf("process_resident_memory_bytes"), 100'000);
  EXPECT_GT(valueOf("process_open_fds"), 2);
  EXPECT_GT(valueOf("process_start_time_seconds"), 1.7e9);
  EXPECT_THAT(text, HasSubstr(R"(auth_errors_build_info{drogon="1.9.13",version="1.2.3"} 1)"));
}

}  // namespace
}  // namespace auth_errors::telemetry
