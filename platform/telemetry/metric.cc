#include "platform/telemetry/metric.h"

#include <utility>

namespace auth_errors::telemetry {
namespace internal {

template <typename Underlying>
prometheus::Family<Underlying>& makeFamily(Registry& registry, MetricSpec spec) {
  auto builder = [] {
    if constexpr (std::same_as<Underlying, prometheus::Counter>) {
      return prometheus::BuildCounter();
    } else if constexpr (std::same_as<Underlying, prometheus::Gauge>) {
      return prometheus::BuildGauge();
    } else {
      return prometheus::BuildHistogram();
    }
  }();
  builder.Name(std::string(spec.name)).Help(std::string(spec.help));
  return builder.Register(registry.declare(std::move(spec)));
}
template prometheus::Family<prometheus::Counter>& makeFamily(Registry&, MetricSpec);
template prometheus::Family<prometheus::Gauge>& makeFamily(Registry&, MetricSpec);
template prometheus::Family<prometheus::Histogram>& makeFamily(Registry&, MetricSpec);

}  // namespace internal

namespace {

MetricSpec unlabelled(std::string_view name, MetricType type, std::string_view help) {
  return {.name = name, .type = type, .labels = {}, .help = help};
}

}  // namespace

Counter::Counter(Registry& registry, MetricName<kType> name, CodeText help)
    : series_(&internal::makeFamily<Underlying>(registry, unlabelled(name, kType, help)).Add({})) {}

Gauge::Gauge(Registry& registry, MetricName<kType> name, CodeText help)
    : series_(&internal::makeFamily<Underlying>(registry, unlabelled(name, kType, help)).Add({})) {}

Histogram::Histogram(Registry& registry, MetricName<kType> name, CodeText help,
                     std::span<const double> buckets)
    : series_(
          &internal::makeFamily<Underlying>(registry, unlabelled(name, kType, help))
               .Add({}, prometheus::Histogram::BucketBoundaries(buckets.begin(), buckets.end()))) {}

}  // namespace auth_errors::telemetry
