#include "platform/telemetry/registry.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <prometheus/text_serializer.h>

namespace auth_errors::telemetry {

std::string_view toText(MetricType type) {
  switch (type) {
    case MetricType::counter:
      return "counter";
    case MetricType::gauge:
      return "gauge";
    case MetricType::histogram:
      return "histogram";
  }
  std::unreachable();
}

std::string Registry::render() const {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families_.Collect());
  return std::move(text).str();
}

prometheus::Registry& Registry::declare(MetricSpec spec) {
  if (std::ranges::contains(metrics_, spec.name, &MetricSpec::name)) {
    throw std::logic_error("duplicate metric: " + std::string(spec.name));
  }
  metrics_.push_back(std::move(spec));
  return families_;
}

}  // namespace auth_errors::telemetry
