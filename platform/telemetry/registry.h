// All metrics of a process: declared with the types of metric.h, rendered in the Prometheus text
// format. Usable from any thread once they are declared. Owns the families of series, so it must
// outlive all metrics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <prometheus/registry.h>

namespace auth_errors::telemetry {

enum class MetricType : std::uint8_t { counter, gauge, histogram };
std::string_view toText(MetricType type);

struct LabelSpec {
  std::string_view name;
  std::vector<std::string_view> values;  // empty unless they are those of an enumeration
};

// The texts are constants.
struct MetricSpec {
  std::string_view name;
  MetricType type{};
  std::vector<LabelSpec> labels;
  std::string_view help;
};

// "auth_errors_…_total" for a counter; other types must not end in a suffix reserved by Prometheus;
// "process_…" are Prometheus's standard names for process metrics.
constexpr bool isMetricName(MetricType type, std::string_view name) {
  if (!name.starts_with("auth_errors_") && !name.starts_with("process_")) {
    return false;
  }
  for (const char c : name) {
    if (c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9')) {
      return false;
    }
  }
  if (type == MetricType::counter) {
    return name.ends_with("_total");
  }
  for (const std::string_view ending : {"_total", "_count", "_sum", "_bucket", "_created"}) {
    if (name.ends_with(ending)) {
      return false;
    }
  }
  return true;
}

class Registry {
 public:
  Registry() = default;
  ~Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  Registry(Registry&&) = delete;
  Registry& operator=(Registry&&) = delete;

  // In the order of declaration.
  [[nodiscard]] const std::vector<MetricSpec>& metrics() const { return metrics_; }
  [[nodiscard]] std::string render() const;

  // For metric.h. Throws std::logic_error if the name is already in use.
  prometheus::Registry& declare(MetricSpec spec);

 private:
  std::vector<MetricSpec> metrics_;
  prometheus::Registry families_;
};

}  // namespace auth_errors::telemetry
