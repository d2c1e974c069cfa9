// Declares metrics: a part of the service has a struct of metrics, with one complete declaration
// for each.
//
//   struct Metrics {
//     telemetry::Registry& registry;
//     telemetry::Counter swept{registry, "auth_errors_outbox_swept_total",
//                              "Messages republished because the broker lost them."};
//     telemetry::CounterBy<RelayOutcome> messages{registry, "auth_errors_outbox_messages_total",
//                                                 "outcome", "Claimed messages: …"};
//   };
//   metrics.messages[RelayOutcome::published].add(rows);
//
// Names, and the name tables of label enumerations, are checked at compile time; duplicate names
// when they are registered. Usable from any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include "platform/telemetry/labels.h"
#include "platform/telemetry/registry.h"

namespace auth_errors::telemetry {

template <MetricType Type>
class MetricName {
 public:
  // Implicit, so that literals can be passed directly.
  consteval MetricName(const char* name) : name_(name) {
    if (!isMetricName(Type, name_)) {
      throw "not a name for a metric of this type: see isMetricName()";
    }
  }

  constexpr operator std::string_view() const { return name_; }

 private:
  std::string_view name_;
};

inline constexpr std::array kSecondsBuckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                               0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <typename Series, typename... Labels>
class By;

// A single series, or one of a CounterBy: copied like a pointer.
class Counter {
 public:
  static constexpr auto kType = MetricType::counter;

  Counter(Registry& registry, MetricName<kType> name, CodeText help);

  void add() const { series_->Increment(); }
  void add(Number auto amount) const { series_->Increment(static_cast<double>(amount)); }
  [[nodiscard]] double value() const { return series_->Value(); }

 private:
  template <typename, typename...>
  friend class By;
  using Underlying = prometheus::Counter;

  explicit Counter(Underlying* series) : series_(series) {}

  Underlying* series_;
};

class Gauge {
 public:
  static constexpr auto kType = MetricType::gauge;

  Gauge(Registry& registry, MetricName<kType> name, CodeText help);

  void set(Number auto value) const { series_->Set(static_cast<double>(value)); }
  void add() const { series_->Increment(); }
  void add(Number auto amount) const { series_->Increment(static_cast<double>(amount)); }
  void subtract() const { series_->Decrement(); }
  void subtract(Number auto amount) const { series_->Decrement(static_cast<double>(amount)); }
  [[nodiscard]] double value() const { return series_->Value(); }

 private:
  template <typename, typename...>
  friend class By;
  using Underlying = prometheus::Gauge;

  explicit Gauge(Underlying* series) : series_(series) {}

  Underlying* series_;
};

class Histogram {
 public:
  static constexpr auto kType = MetricType::histogram;

  Histogram(Registry& registry, MetricName<kType> name, CodeText help,
            std::span<const double> buckets);

  void observe(Number auto value) const { series_->Observe(static_cast<double>(value)); }
  void observe(std::chrono::duration<double> seconds) const { observe(seconds.count()); }

 private:
  template <typename, typename...>
  friend class By;
  using Underlying = prometheus::Histogram;

  explicit Histogram(Underlying* series) : series_(series) {}

  Underlying* series_;
};

// Whether series are rendered before their first use: an unset gauge has no value, and 0 would be
// mistaken for one.
enum class Shown : std::uint8_t { always, onceUsed };

namespace internal {

template <typename Underlying>
prometheus::Family<Underlying>& makeFamily(Registry& registry, MetricSpec spec);
extern template prometheus::Family<prometheus::Counter>& makeFamily(Registry&, MetricSpec);
extern template prometheus::Family<prometheus::Gauge>& makeFamily(Registry&, MetricSpec);
extern template prometheus::Family<prometheus::Histogram>& makeFamily(Registry&, MetricSpec);

template <typename Label>
inline constexpr std::size_t kValues = 0;
template <typename Label>
  requires std::is_enum_v<Label>
inline constexpr std::size_t kValues<Label> = LabelValues<Label>::kCount;

// One for each label, whatever it is.
template <typename Label>
using LabelName = CodeText;

}  // namespace internal

// One series for each value of a label, or for each pair of values of two. Series of enumerations
// are found by index; others under a lock, so frequent users should keep the result of [].
template <typename Series, typename... Labels>
class By {
  using Underlying = Series::Underlying;

  static constexpr bool kIndexed = (std::is_enum_v<Labels> && ...);

 public:
  By(Registry& registry, MetricName<Series::kType> name, internal::LabelName<Labels>... labels,
     CodeText help, Shown shown = Shown::always)
    requires(Series::kType != MetricType::histogram)
      : By(registry, {labels...}, specOf(name, {labels...}, help), {}, shown) {}

  By(Registry& registry, MetricName<Series::kType> name, internal::LabelName<Labels>... labels,
     CodeText help, std::span<const double> buckets, Shown shown = Shown::always)
    requires(Series::kType == MetricType::histogram)
      : By(registry, {labels...}, specOf(name, {labels...}, help), buckets, shown) {}

  Series operator[](LabelValues<Labels>::Value... values) {
    if constexpr (kIndexed) {
      std::size_t index = 0;
      ((index = index * internal::kValues<Labels> + static_cast<std::size_t>(values)), ...);
      std::atomic<Underlying*>& known = series_.at(index);
      Underlying* series = known.load(std::memory_order_acquire);
      if (series == nullptr) {
        series = &find(values...);
        known.store(series, std::memory_order_release);
      }
      return Series(series);
    } else {
      return Series(&find(values...));
    }
  }

 private:
  using LabelNames = std::array<std::string_view, sizeof...(Labels)>;

  By(Registry& registry, LabelNames labels, MetricSpec spec, std::span<const double> buckets,
     Shown shown)
      : labels_(labels),
        buckets_(buckets.begin(), buckets.end()),
        family_(&internal::makeFamily<Underlying>(registry, std::move(spec))) {
    if constexpr (kIndexed) {
      if (shown == Shown::always) {
        makeAll();
      }
    }
  }

  static MetricSpec specOf(std::string_view name, LabelNames labels, std::string_view help) {
    MetricSpec spec{.name = name, .type = Series::kType, .labels = {}, .help = help};
    std::size_t index = 0;
    (spec.labels.push_back({.name = labels.at(index++), .values = LabelValues<Labels>::all()}),
     ...);
    return spec;
  }

  // All combinations: the last label changes fastest, as in operator[].
  template <typename... Values>
  void makeAll(Values... values) {
    if constexpr (sizeof...(Values) == sizeof...(Labels)) {
      (*this)[values...];
    } else {
      using Label = std::tuple_element_t<sizeof...(Values), std::tuple<Labels...>>;
      for (const auto& [value, name] : namesOf(Label{})) {
        makeAll(values..., value);
      }
    }
  }

  // The existing series, or a new one.
  Underlying& find(LabelValues<Labels>::Value... values) {
    const prometheus::Labels texts = textsOf(std::index_sequence_for<Labels...>(), values...);
    if constexpr (Series::kType == MetricType::histogram) {
      return family_->Add(texts, buckets_);
    } else {
      return family_->Add(texts);
    }
  }

  template <std::size_t... Indices>
  prometheus::Labels textsOf(std::index_sequence<Indices...> /*of the labels*/,
                             LabelValues<Labels>::Value... values) {
    return {{std::string(labels_[Indices]), std::get<Indices>(values_).text(values)}...};
  }

  LabelNames labels_;
  std::tuple<LabelValues<Labels>...> values_;
  prometheus::Histogram::BucketBoundaries buckets_;
  prometheus::Family<Underlying>* family_;
  std::array<std::atomic<Underlying*>, (internal::kValues<Labels> * ...)> series_{};
};

template <typename... Labels>
using CounterBy = By<Counter, Labels...>;
template <typename... Labels>
using GaugeBy = By<Gauge, Labels...>;
template <typename... Labels>
using HistogramBy = By<Histogram, Labels...>;

}  // namespace auth_errors::telemetry
