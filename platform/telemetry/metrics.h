// The metrics that have not moved to the part of the service that counts them (metric.h), in one
// table and one object, and the registry of all. Any thread
// may use any accessor. Labels are bounded: routes, status classes and reasons come from tables in
// the code, never from a request; of the names of keys only so many are told apart.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include "platform/telemetry/process_metrics.h"
#include "platform/telemetry/registry.h"

namespace auth_errors::telemetry {

struct SharedMetricSpec {
  std::string_view name;
  MetricType type;
  std::string_view labels;  // comma-separated, empty for none
  std::string_view help;
};

constexpr SharedMetricSpec counter(std::string_view name, std::string_view labels,
                                   std::string_view help) {
  return {.name = name, .type = MetricType::counter, .labels = labels, .help = help};
}
constexpr SharedMetricSpec gauge(std::string_view name, std::string_view labels,
                                 std::string_view help) {
  return {.name = name, .type = MetricType::gauge, .labels = labels, .help = help};
}
constexpr SharedMetricSpec histogram(std::string_view name, std::string_view labels,
                                     std::string_view help) {
  return {.name = name, .type = MetricType::histogram, .labels = labels, .help = help};
}

enum class Metric : std::uint8_t {
  httpRequests,
  httpRequestSeconds,
  httpInFlight,
  httpConnections,
  httpConnectionsClosed,
  httpConnectionsPaused,
  httpHeldBytes,
  rejections,
  ingestBatches,
  ingestBatchRows,
  ingestErrors,
  ingestConflicts,
  ingestUnknownFields,
  ingestRedactions,
  ingestQueueDepth,
  exports,
  exportedErrors,
  outboxMessages,
  outboxReaped,
  outboxSwept,
  stuckErrors,
  consumerMessages,
  deadLetterIntake,
  parkedMessages,
  clusterDeltas,
  reanalysedErrors,
  jobsEnded,
  jobErrorsChanged,
  ruleDecisions,
  ruleFailures,
  brokerReady,
  databaseConnections,
  databaseReconnects,
  loopLag,
};

inline constexpr std::array kMetrics = {
    counter("auth_errors_http_requests_total", "route,status",
            "Answered requests by route pattern and status class."),
    histogram("auth_errors_http_request_seconds", "route",
              "Time from a parsed request to its answer."),
    gauge("auth_errors_http_requests_in_flight", "", "Requests taken on and not yet answered."),
    gauge("auth_errors_http_connections", "", "Open client connections."),
    counter("auth_errors_http_connections_closed_total", "reason",
            "Client connections that the service ended for a limit."),
    gauge("auth_errors_http_connections_paused", "",
          "Client connections that are not read from because answers or requests of theirs wait."),
    gauge("auth_errors_http_held_bytes", "kind",
          "Memory held for clients: received of unfinished requests, requests being served, "
          "answers waiting behind others, answers unsent."),
    counter("auth_errors_rejections_total", "reason,key",
            "Refused requests by reason and by the name of the key; none: without a valid key."),
    counter("auth_errors_ingest_batches_total", "outcome",
            "Group commits by outcome: stored, split after a fault of the data, failed."),
    histogram("auth_errors_ingest_batch_rows", "", "Errors in one group commit."),
    counter("auth_errors_ingest_errors_total", "result",
            "Accepted errors: stored, or duplicate of a stored one."),
    counter("auth_errors_ingest_conflicting_repeats_total", "",
            "Errors refused because another one is stored under their request id."),
    counter("auth_errors_ingest_unknown_fields_total", "",
            "Fields of submitted errors that the service does not know."),
    counter("auth_errors_ingest_redactions_total", "kind",
            "Secrets and personal data redacted from accepted errors."),
    gauge("auth_errors_ingest_queue_depth", "",
          "Errors waiting for a group commit, over all loops."),
    counter("auth_errors_exports_total", "end",
            "Exports by how they ended: completed, or broken off for one of several reasons."),
    counter("auth_errors_exported_errors_total", "", "Errors handed over to clients by exports."),
    counter("auth_errors_outbox_messages_total", "outcome",
            "Claimed messages: published, retried or dead after a refusal, handed back because the "
            "broker was away, lost to another claim."),
    counter("auth_errors_outbox_reaped_total", "", "Claims taken back because nobody ended them."),
    counter("auth_errors_outbox_swept_total", "",
            "Messages published again because the broker lost them."),
    gauge(
        "auth_errors_stuck_errors", "status",
        "Errors that have waited for their analysis longer than they should, as the role ops sees "
        "them."),
    counter("auth_errors_consumer_messages_total", "outcome",
            "Received messages by what became of them."),
    counter(
        "auth_errors_dead_letter_intake_total", "outcome",
        "Messages taken from the dead-letter queue: recorded as an event's letter, stale because "
        "the event has gone on without it, foreign, parked because it is another installation's."),
    gauge("auth_errors_parked_messages", "",
          "Messages of other installations that wait in the queue for them, as the role consumer "
          "sees it."),
    counter("auth_errors_cluster_deltas_total", "",
            "Memberships made or ended that were added to their clusters' numbers."),
    counter("auth_errors_reanalysed_errors_total", "",
            "Errors of an older version of the stack hash brought up to date."),
    counter(
        "auth_errors_jobs_total", "outcome",
        "Jobs that this instance has left: done, failed, or lost because they were cancelled or "
        "another instance took them over."),
    counter("auth_errors_job_errors_changed_total", "kind",
            "Errors that jobs decided on or moved, by the kind of job."),
    counter("auth_errors_rule_decisions_total", "decision", "Errors that rules decided on."),
    counter("auth_errors_rule_failures_total", "",
            "Errors that a rule could not decide on because it failed."),
    gauge("auth_errors_broker_connection_ready", "connection",
          "1 while the connection to the broker is ready for use."),
    gauge("auth_errors_database_connections", "", "Database connections that are ready for use."),
    counter("auth_errors_database_reconnects_total", "",
            "Database connections made again after a loss."),
    histogram("auth_errors_loop_lag_seconds", "loop",
              "How late event loops ran what was due; a call that blocks a loop shows here."),
};
static_assert(kMetrics.size() == static_cast<std::size_t>(Metric::loopLag) + 1);

constexpr const SharedMetricSpec& specOf(Metric metric) {
  return kMetrics.at(static_cast<std::size_t>(metric));
}

enum class BatchOutcome : std::uint8_t { stored, split, failed };
enum class ConnectionEnd : std::uint8_t {
  unfinishedRequest,
  unfinishedHandshake,
  unread,
  memoryBudget,
  tooMany
};
enum class Held : std::uint8_t { received, requests, answers, unsent };
inline constexpr std::size_t kHeldKinds = 4;

enum class RelayOutcome : std::uint8_t { published, retried, dead, handedBack, lost };
enum class ConsumeOutcome : std::uint8_t {
  done,
  skipped,  // the error is in a terminal state
  retried,
  dead,
  rejected,   // no retry would mend it
  held,       // another consumer has its lease
  waiting,    // it came back before it was due
  repeated,   // it was done, or given up, before
  fencedOff,  // another consumer took it over meanwhile
  foreign,    // not the event that the database has under its outbox id
  parked,     // another installation's
};
enum class IntakeOutcome : std::uint8_t { recorded, stale, foreign, parked };
enum class JobOutcome : std::uint8_t { done, failed, lost };
enum class BrokerConnection : std::uint8_t { relay, work, copies, deadLetters, parking };
// The IO loops share one name.
enum class LoopName : std::uint8_t { main, io, relay, consumer, ops };

enum class ExportEnd : std::uint8_t { completed, clientGone, clientTooSlow, failed, draining };

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
  Metrics(CodeText version, CodeText drogon);

  // For the metrics of parts that declare their own.
  Registry& registry() { return registry_; }

  RouteMetrics route(std::string_view pattern);
  prometheus::Gauge& httpInFlight() { return *httpInFlight_; }
  prometheus::Gauge& httpConnections() { return *httpConnections_; }
  prometheus::Counter& connectionsClosed(ConnectionEnd reason);
  prometheus::Gauge& httpConnectionsPaused() { return *httpConnectionsPaused_; }
  prometheus::Gauge& httpHeldBytes(Held kind);
  // `reason` is a label of the table of refusals, never text of a request; `key` the name of a
  // known key, or empty.
  prometheus::Counter& rejections(std::string_view reason, std::string_view key = {});

  prometheus::Counter& ingestBatches(BatchOutcome outcome);
  prometheus::Histogram& ingestBatchRows() { return *ingestBatchRows_; }
  prometheus::Counter& ingestStored() { return *ingestErrors_[0]; }
  prometheus::Counter& ingestDuplicates() { return *ingestErrors_[1]; }
  prometheus::Counter& ingestConflicts() { return *ingestConflicts_; }
  prometheus::Counter& ingestUnknownFields() { return *ingestUnknownFields_; }
  // `kind` is a label of the table of redactions.
  prometheus::Counter& ingestRedactions(std::string_view kind);
  prometheus::Gauge& ingestQueueDepth() { return *ingestQueueDepth_; }

  prometheus::Counter& exports(ExportEnd end);
  prometheus::Counter& exportedErrors() { return *exportedErrors_; }

  prometheus::Counter& relayed(RelayOutcome outcome);
  prometheus::Counter& outboxReaped() { return *outboxReaped_; }
  prometheus::Counter& outboxSwept() { return *outboxSwept_; }
  // `status` is a name of the table of statuses.
  prometheus::Gauge& stuckErrors(std::string_view status);
  prometheus::Counter& consumed(ConsumeOutcome outcome);
  prometheus::Counter& deadLettersTaken(IntakeOutcome outcome);
  prometheus::Gauge& parkedMessages() { return *parkedMessages_; }
  prometheus::Counter& clusterDeltas() { return *clusterDeltas_; }
  prometheus::Counter& reanalysedErrors() { return *reanalysedErrors_; }
  prometheus::Counter& jobsEnded(JobOutcome outcome);
  // `kind` is a name of the table of jobs' kinds.
  prometheus::Counter& jobErrorsChanged(std::string_view kind);
  // `decision` is a name of the table of decisions.
  prometheus::Counter& ruleDecisions(std::string_view decision);
  prometheus::Counter& ruleFailures() { return *ruleFailures_; }
  prometheus::Gauge& brokerReady(BrokerConnection connection);

  prometheus::Gauge& databaseConnections() { return *databaseConnections_; }
  prometheus::Counter& databaseReconnects() { return *databaseReconnects_; }
  prometheus::Histogram& loopLag(LoopName loop);

  // Names of keys that get a label of their own; all further ones share "other".
  static constexpr std::size_t kMaxKeyNames = 200;

  // Prometheus text format; reads what belongs to the process at that moment.
  std::string render();

 private:
  std::string keyLabel(std::string_view name);

  Registry registry_;
  ProcessMetrics process_;
  prometheus::Family<prometheus::Counter>* httpRequests_;
  prometheus::Family<prometheus::Histogram>* httpRequestSeconds_;
  prometheus::Family<prometheus::Counter>* rejections_;
  std::mutex keyNamesMutex_;
  std::set<std::string, std::less<>> keyNames_;
  prometheus::Gauge* httpInFlight_;
  prometheus::Gauge* httpConnections_;
  std::array<prometheus::Counter*, 5> connectionsClosed_{};
  prometheus::Gauge* httpConnectionsPaused_;
  std::array<prometheus::Gauge*, kHeldKinds> httpHeldBytes_{};
  std::array<prometheus::Counter*, 3> ingestBatches_{};
  prometheus::Histogram* ingestBatchRows_;
  std::array<prometheus::Counter*, 2> ingestErrors_{};
  prometheus::Counter* ingestConflicts_;
  prometheus::Counter* ingestUnknownFields_;
  prometheus::Family<prometheus::Counter>* ingestRedactions_;
  prometheus::Gauge* ingestQueueDepth_;
  std::array<prometheus::Counter*, 5> exports_{};
  prometheus::Counter* exportedErrors_;
  std::array<prometheus::Counter*, 5> relayed_{};
  prometheus::Counter* outboxReaped_;
  prometheus::Counter* outboxSwept_;
  prometheus::Family<prometheus::Gauge>* stuckErrors_;
  std::array<prometheus::Counter*, 11> consumed_{};
  std::array<prometheus::Counter*, 4> deadLettersTaken_{};
  prometheus::Gauge* parkedMessages_;
  prometheus::Counter* clusterDeltas_;
  prometheus::Counter* reanalysedErrors_;
  std::array<prometheus::Counter*, 3> jobsEnded_{};
  prometheus::Family<prometheus::Counter>* jobErrorsChanged_;
  prometheus::Family<prometheus::Counter>* ruleDecisions_;
  prometheus::Counter* ruleFailures_;
  prometheus::Family<prometheus::Gauge>* brokerReady_;
  prometheus::Gauge* databaseConnections_;
  prometheus::Counter* databaseReconnects_;
  prometheus::Family<prometheus::Histogram>* loopLag_;
};

}  // namespace auth_errors::telemetry
