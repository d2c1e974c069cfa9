#include "platform/telemetry/metrics.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include <prometheus/text_serializer.h>
#include <unistd.h>

#include "platform/telemetry/log.h"

namespace auth_errors::telemetry {
namespace {

constexpr std::array<std::string_view, 5> kStatusClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr std::array<std::string_view, 3> kBatchOutcomes = {"stored", "split", "failed"};
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
prometheus::Family<T>& family(prometheus::Registry& registry, Metric metric, auto build) {
  const MetricSpec& spec = specOf(metric);
  return build().Name(std::string(spec.name)).Help(std::string(spec.help)).Register(registry);
}

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry, Metric metric) {
  return family<prometheus::Counter>(registry, metric, prometheus::BuildCounter);
}

prometheus::Family<prometheus::Gauge>& gauges(prometheus::Registry& registry, Metric metric) {
  return family<prometheus::Gauge>(registry, metric, prometheus::BuildGauge);
}

prometheus::Family<prometheus::Histogram>& histograms(prometheus::Registry& registry,
                                                      Metric metric) {
  return family<prometheus::Histogram>(registry, metric, prometheus::BuildHistogram);
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

double residentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident * ::sysconf(_SC_PAGESIZE));
}

double openDescriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  // The iterator's own descriptor is among them.
  return error ? 0 : static_cast<double>(std::distance(begin(entries), end(entries)) - 1);
}

}  // namespace

void RouteMetrics::answered(int status, std::chrono::duration<double> time) const {
  const auto statusClass = static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1);
  byStatusClass_.at(statusClass)->Increment();
  seconds_->Observe(time.count());
}

Metrics::Metrics(std::string_view version, std::string_view drogon)
    : httpRequests_(&counters(registry_, Metric::httpRequests)),
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
      ingestStored_(&counters(registry_, Metric::ingestErrors).Add({{"result", "stored"}})),
      ingestDuplicates_(&counters(registry_, Metric::ingestErrors).Add({{"result", "duplicate"}})),
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
      loopLag_(&histograms(registry_, Metric::loopLag)),
      logLinesSuppressed_(&gauges(registry_, Metric::logLinesSuppressed).Add({})),
      residentMemory_(&gauges(registry_, Metric::processResidentMemory).Add({})),
      openFds_(&gauges(registry_, Metric::processOpenFds).Add({})) {
  gauges(registry_, Metric::buildInfo)
      .Add({{"version", std::string(version)}, {"drogon", std::string(drogon)}})
      .Set(1);
  gauges(registry_, Metric::processStartTime).Add({}).SetToCurrentTime();
}

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
  logLinesSuppressed_->Set(static_cast<double>(suppressedLogLines()));
  residentMemory_->Set(residentBytes());
  openFds_->Set(openDescriptors());
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, registry_.Collect());
  return std::move(text).str();
}

}  // namespace auth_errors::telemetry
