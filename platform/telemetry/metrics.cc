#include "platform/telemetry/metrics.h"

#include <algorithm>
#include <utility>

namespace auth_errors::telemetry {
namespace {

constexpr std::array<std::string_view, 5> kStatusClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr std::array<std::string_view, 3> kBatchOutcomes = {"stored", "split", "failed"};
constexpr std::array<std::string_view, 2> kIngestResults = {"stored", "duplicate"};
constexpr std::array<std::string_view, 5> kConnectionEnds = {
    "unfinished_request", "unfinished_handshake", "unread", "memory_budget", "too_many"};
constexpr std::array<std::string_view, kHeldKinds> kHeld = {"received", "requests", "answers",
                                                            "unsent"};
constexpr std::array<std::string_view, 5> kExportEnds = {"completed", "client_gone",
                                                         "client_too_slow", "failed", "draining"};
constexpr std::array<std::string_view, 5> kRelayOutcomes = {"published", "retried", "dead",
                                                            "handed_back", "lost"};
constexpr std::array<std::string_view, 11> kConsumeOutcomes = {
    "done",    "skipped",  "retried",    "dead",    "rejected", "held",
    "waiting", "repeated", "fenced_off", "foreign", "parked"};
constexpr std::array<std::string_view, 4> kIntakeOutcomes = {"recorded", "stale", "foreign",
                                                             "parked"};
constexpr std::array<std::string_view, 3> kJobOutcomes = {"done", "failed", "lost"};
constexpr std::array<std::string_view, 5> kBrokerConnections = {"relay", "work", "copies",
                                                                "dead_letters", "parking"};
constexpr std::array<std::string_view, 5> kLoopNames = {"main", "io", "relay", "consumer", "ops"};

prometheus::Histogram::BucketBoundaries secondsBuckets() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

prometheus::Histogram::BucketBoundaries rowsBuckets() { return {1, 2, 4, 8, 16, 32, 64, 128, 256}; }

template <typename T>
prometheus::Family<T>& family(Registry& registry, Metric metric, MetricType type, auto build) {
  const SharedMetricSpec& spec = specOf(metric);
  return build()
      .Name(std::string(spec.name))
      .Help(std::string(spec.help))
      .Register(
          registry.declare({.name = spec.name, .type = type, .labels = {}, .help = spec.help}));
}

prometheus::Family<prometheus::Counter>& counters(Registry& registry, Metric metric) {
  return family<prometheus::Counter>(registry, metric, MetricType::counter,
                                     prometheus::BuildCounter);
}

prometheus::Family<prometheus::Gauge>& gauges(Registry& registry, Metric metric) {
  return family<prometheus::Gauge>(registry, metric, MetricType::gauge, prometheus::BuildGauge);
}

prometheus::Family<prometheus::Histogram>& histograms(Registry& registry, Metric metric) {
  return family<prometheus::Histogram>(registry, metric, MetricType::histogram,
                                       prometheus::BuildHistogram);
}

template <typename T, std::size_t N>
std::array<T*, N> oneEach(prometheus::Family<T>& family, const std::string& label,
                          const std::array<std::string_view, N>& values) {
  std::array<T*, N> result{};
  std::ranges::transform(values, result.begin(), [&](std::string_view value) {
    return &family.Add({{label, std::string(value)}});
  });
  return result;
}

}  // namespace

void RouteMetrics::answered(int status, std::chrono::duration<double> time) const {
  const auto statusClass = static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1);
  byStatusClass_.at(statusClass)->Increment();
  seconds_->Observe(time.count());
}

Metrics::Metrics(CodeText version, CodeText drogon)
    : process_(registry_, version, drogon),
      httpRequests_(&counters(registry_, Metric::httpRequests)),
      httpRequestSeconds_(&histograms(registry_, Metric::httpRequestSeconds)),
      rejections_(&counters(registry_, Metric::rejections)),
      httpInFlight_(&gauges(registry_, Metric::httpInFlight).Add({})),
      httpConnections_(&gauges(registry_, Metric::httpConnections).Add({})),
      connectionsClosed_(
          oneEach(counters(registry_, Metric::httpConnectionsClosed), "reason", kConnectionEnds)),
      httpConnectionsPaused_(&gauges(registry_, Metric::httpConnectionsPaused).Add({})),
      httpHeldBytes_(oneEach(gauges(registry_, Metric::httpHeldBytes), "kind", kHeld)),
      ingestBatches_(
          oneEach(counters(registry_, Metric::ingestBatches), "outcome", kBatchOutcomes)),
      ingestBatchRows_(&histograms(registry_, Metric::ingestBatchRows).Add({}, rowsBuckets())),
      ingestErrors_(oneEach(counters(registry_, Metric::ingestErrors), "result", kIngestResults)),
      ingestConflicts_(&counters(registry_, Metric::ingestConflicts).Add({})),
      ingestUnknownFields_(&counters(registry_, Metric::ingestUnknownFields).Add({})),
      ingestRedactions_(&counters(registry_, Metric::ingestRedactions)),
      ingestQueueDepth_(&gauges(registry_, Metric::ingestQueueDepth).Add({})),
      exports_(oneEach(counters(registry_, Metric::exports), "end", kExportEnds)),
      exportedErrors_(&counters(registry_, Metric::exportedErrors).Add({})),
      relayed_(oneEach(counters(registry_, Metric::outboxMessages), "outcome", kRelayOutcomes)),
      outboxReaped_(&counters(registry_, Metric::outboxReaped).Add({})),
      outboxSwept_(&counters(registry_, Metric::outboxSwept).Add({})),
      stuckErrors_(&gauges(registry_, Metric::stuckErrors)),
      consumed_(
          oneEach(counters(registry_, Metric::consumerMessages), "outcome", kConsumeOutcomes)),
      deadLettersTaken_(
          oneEach(counters(registry_, Metric::deadLetterIntake), "outcome", kIntakeOutcomes)),
      parkedMessages_(&gauges(registry_, Metric::parkedMessages).Add({})),
      clusterDeltas_(&counters(registry_, Metric::clusterDeltas).Add({})),
      reanalysedErrors_(&counters(registry_, Metric::reanalysedErrors).Add({})),
      jobsEnded_(oneEach(counters(registry_, Metric::jobsEnded), "outcome", kJobOutcomes)),
      jobErrorsChanged_(&counters(registry_, Metric::jobErrorsChanged)),
      ruleDecisions_(&counters(registry_, Metric::ruleDecisions)),
      ruleFailures_(&counters(registry_, Metric::ruleFailures).Add({})),
      brokerReady_(&gauges(registry_, Metric::brokerReady)),
      databaseConnections_(&gauges(registry_, Metric::databaseConnections).Add({})),
      databaseReconnects_(&counters(registry_, Metric::databaseReconnects).Add({})),
      loopLag_(&histograms(registry_, Metric::loopLag)) {}

RouteMetrics Metrics::route(std::string_view pattern) {
  const std::string route(pattern);
  std::array<prometheus::Counter*, kStatusClasses.size()> byClass{};
  std::ranges::transform(kStatusClasses, byClass.begin(), [&](std::string_view statusClass) {
    return &httpRequests_->Add({{"route", route}, {"status", std::string(statusClass)}});
  });
  return {byClass, httpRequestSeconds_->Add({{"route", route}}, secondsBuckets())};
}

prometheus::Counter& Metrics::exports(ExportEnd end) {
  return *exports_.at(std::to_underlying(end));
}

prometheus::Counter& Metrics::relayed(RelayOutcome outcome) {
  return *relayed_.at(std::to_underlying(outcome));
}

prometheus::Gauge& Metrics::stuckErrors(std::string_view status) {
  return stuckErrors_->Add({{"status", std::string(status)}});
}

prometheus::Counter& Metrics::consumed(ConsumeOutcome outcome) {
  return *consumed_.at(std::to_underlying(outcome));
}

prometheus::Counter& Metrics::deadLettersTaken(IntakeOutcome outcome) {
  return *deadLettersTaken_.at(std::to_underlying(outcome));
}

prometheus::Counter& Metrics::jobsEnded(JobOutcome outcome) {
  return *jobsEnded_.at(std::to_underlying(outcome));
}

prometheus::Counter& Metrics::jobErrorsChanged(std::string_view kind) {
  return jobErrorsChanged_->Add({{"kind", std::string(kind)}});
}

prometheus::Counter& Metrics::ruleDecisions(std::string_view decision) {
  return ruleDecisions_->Add({{"decision", std::string(decision)}});
}

prometheus::Gauge& Metrics::brokerReady(BrokerConnection connection) {
  return brokerReady_->Add(
      {{"connection", std::string(kBrokerConnections.at(std::to_underlying(connection)))}});
}

prometheus::Histogram& Metrics::loopLag(LoopName loop) {
  return loopLag_->Add({{"loop", std::string(kLoopNames.at(std::to_underlying(loop)))}},
                       secondsBuckets());
}

prometheus::Counter& Metrics::connectionsClosed(ConnectionEnd reason) {
  return *connectionsClosed_.at(std::to_underlying(reason));
}

prometheus::Gauge& Metrics::httpHeldBytes(Held kind) {
  return *httpHeldBytes_.at(std::to_underlying(kind));
}

std::string Metrics::keyLabel(std::string_view name) {
  if (name.empty()) {
    return "none";
  }
  const std::scoped_lock lock(keyNamesMutex_);
  if (!keyNames_.contains(name) && keyNames_.size() == kMaxKeyNames) {
    return "other";
  }
  return *keyNames_.emplace(name).first;
}

prometheus::Counter& Metrics::rejections(std::string_view reason, std::string_view key) {
  return rejections_->Add({{"reason", std::string(reason)}, {"key", keyLabel(key)}});
}

prometheus::Counter& Metrics::ingestBatches(BatchOutcome outcome) {
  return *ingestBatches_.at(std::to_underlying(outcome));
}

prometheus::Counter& Metrics::ingestRedactions(std::string_view kind) {
  return ingestRedactions_->Add({{"kind", std::string(kind)}});
}

std::string Metrics::render() {
  process_.update();
  return registry_.render();
}

}  // namespace auth_errors::telemetry
