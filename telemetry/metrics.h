// Every metric of the service: one table of names, one object that owns the registry. Any thread
// may use any accessor. Labels are bounded: routes, status classes and reasons come from tables in
// the code, never from a request.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace auth_errors::telemetry {

enum class MetricType : std::uint8_t { counter, gauge, histogram };

struct MetricSpec {
  std::string_view name;
  MetricType type;
  std::string_view labels;  // comma-separated, empty for none
  std::string_view help;
};

enum class Metric : std::uint8_t {
  httpRequests,
  httpRequestSeconds,
  httpInFlight,
  httpConnections,
  httpConnectionsClosed,
  rejections,
  ingestBatches,
  ingestBatchRows,
  ingestErrors,
  ingestQueueDepth,
  databaseConnections,
  databaseReconnects,
  logLinesSuppressed,
  buildInfo,
  processStartTime,
  processResidentMemory,
  processOpenFds,
};

inline constexpr std::array kMetrics = {
    MetricSpec{"auth_errors_http_requests_total", MetricType::counter, "route,status",
               "Answered requests by route pattern and status class."},
    MetricSpec{"auth_errors_http_request_seconds", MetricType::histogram, "route",
               "Time from a parsed request to its answer."},
    MetricSpec{"auth_errors_http_requests_in_flight", MetricType::gauge, "",
               "Requests taken on and not yet answered."},
    MetricSpec{"auth_errors_http_connections", MetricType::gauge, "", "Open client connections."},
    MetricSpec{"auth_errors_http_connections_closed_total", MetricType::counter, "reason",
               "Client connections that the service ended for a limit."},
    MetricSpec{"auth_errors_rejections_total", MetricType::counter, "reason",
               "Refused requests by reason."},
    MetricSpec{"auth_errors_ingest_batches_total", MetricType::counter, "outcome",
               "Group commits by outcome: stored, split after a fault of the data, failed."},
    MetricSpec{"auth_errors_ingest_batch_rows", MetricType::histogram, "",
               "Errors in one group commit."},
    MetricSpec{"auth_errors_ingest_errors_total", MetricType::counter, "result",
               "Accepted errors: stored, or duplicate of a stored one."},
    MetricSpec{"auth_errors_ingest_queue_depth", MetricType::gauge, "",
               "Errors waiting for a group commit, over all loops."},
    MetricSpec{"auth_errors_database_connections", MetricType::gauge, "",
               "Database connections that are ready for use."},
    MetricSpec{"auth_errors_database_reconnects_total", MetricType::counter, "",
               "Database connections made again after a loss."},
    MetricSpec{"auth_errors_log_lines_suppressed", MetricType::gauge, "",
               "Log lines left out since the start because their event was too frequent."},
    MetricSpec{"auth_errors_build_info", MetricType::gauge, "version,drogon",
               "Always 1; the labels say what is running."},
    MetricSpec{"process_start_time_seconds", MetricType::gauge, "",
               "Start of the process, in seconds since the epoch."},
    MetricSpec{"process_resident_memory_bytes", MetricType::gauge, "", "Resident memory."},
    MetricSpec{"process_open_fds", MetricType::gauge, "", "Open file descriptors."},
};
static_assert(kMetrics.size() == static_cast<std::size_t>(Metric::processOpenFds) + 1);

constexpr const MetricSpec& specOf(Metric metric) {
  return kMetrics.at(static_cast<std::size_t>(metric));
}

enum class BatchOutcome : std::uint8_t { stored, split, failed };
enum class ConnectionEnd : std::uint8_t { unfinishedRequest, unfinishedHandshake, tooMany };

// What one route counts, looked up once when the route is set up.
class RouteMetrics {
 public:
  RouteMetrics(std::array<prometheus::Counter*, 5> byStatusClass, prometheus::Histogram& seconds)
      : byStatusClass_(byStatusClass), seconds_(&seconds) {}

  void answered(int status, std::chrono::duration<double> time) const;

 private:
  std::array<prometheus::Counter*, 5> byStatusClass_;
  prometheus::Histogram* seconds_;
};

class Metrics {
 public:
  Metrics(std::string_view version, std::string_view drogon);

  RouteMetrics route(std::string_view pattern);
  prometheus::Gauge& httpInFlight() { return *httpInFlight_; }
  prometheus::Gauge& httpConnections() { return *httpConnections_; }
  prometheus::Counter& connectionsClosed(ConnectionEnd reason);
  // `reason` is a label of the table of refusals, never text of a request.
  prometheus::Counter& rejections(std::string_view reason);

  prometheus::Counter& ingestBatches(BatchOutcome outcome);
  prometheus::Histogram& ingestBatchRows() { return *ingestBatchRows_; }
  prometheus::Counter& ingestStored() { return *ingestStored_; }
  prometheus::Counter& ingestDuplicates() { return *ingestDuplicates_; }
  prometheus::Gauge& ingestQueueDepth() { return *ingestQueueDepth_; }

  prometheus::Gauge& databaseConnections() { return *databaseConnections_; }
  prometheus::Counter& databaseReconnects() { return *databaseReconnects_; }

  // Prometheus text format; reads what belongs to the process at that moment.
  std::string render();

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>* httpRequests_;
  prometheus::Family<prometheus::Histogram>* httpRequestSeconds_;
  prometheus::Family<prometheus::Counter>* rejections_;
  prometheus::Gauge* httpInFlight_;
  prometheus::Gauge* httpConnections_;
  std::array<prometheus::Counter*, 3> connectionsClosed_{};
  std::array<prometheus::Counter*, 3> ingestBatches_{};
  prometheus::Histogram* ingestBatchRows_;
  prometheus::Counter* ingestStored_;
  prometheus::Counter* ingestDuplicates_;
  prometheus::Gauge* ingestQueueDepth_;
  prometheus::Gauge* databaseConnections_;
  prometheus::Counter* databaseReconnects_;
  prometheus::Gauge* logLinesSuppressed_;
  prometheus::Gauge* residentMemory_;
  prometheus::Gauge* openFds_;
};

}  // namespace auth_errors::telemetry
