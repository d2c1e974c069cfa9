// The metrics of the outbox, from accepted errors to published messages. Usable from any thread.
#pragma once

#include <array>
#include <cstdint>

#include "domain/errors/auth_error_status.h"
#include "domain/values/names.h"
#include "platform/telemetry/metric.h"

namespace auth_errors::outbox {

enum class BatchOutcome : std::uint8_t { stored, split, failed };
constexpr auto namesOf(BatchOutcome /*any*/) {
  return domain::nameTable<BatchOutcome>({{BatchOutcome::stored, "stored"},
                                          {BatchOutcome::split, "split"},
                                          {BatchOutcome::failed, "failed"}});
}

enum class IngestResult : std::uint8_t { stored, duplicate };
constexpr auto namesOf(IngestResult /*any*/) {
  return domain::nameTable<IngestResult>(
      {{IngestResult::stored, "stored"}, {IngestResult::duplicate, "duplicate"}});
}

enum class RelayOutcome : std::uint8_t { published, retried, dead, handedBack, lost };
constexpr auto namesOf(RelayOutcome /*any*/) {
  return domain::nameTable<RelayOutcome>({{RelayOutcome::published, "published"},
                                          {RelayOutcome::retried, "retried"},
                                          {RelayOutcome::dead, "dead"},
                                          {RelayOutcome::handedBack, "handed_back"},
                                          {RelayOutcome::lost, "lost"}});
}

inline constexpr std::array kRowsBuckets = {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0};

struct Metrics {
  telemetry::Registry& registry;

  telemetry::CounterBy<BatchOutcome> ingestBatches{
      registry, "auth_errors_ingest_batches_total", "outcome",
      "Group commits by outcome: stored, split after a data fault, failed."};
  telemetry::Histogram ingestBatchRows{registry, "auth_errors_ingest_batch_rows",
                                       "Errors per group commit.", kRowsBuckets};
  telemetry::CounterBy<IngestResult> ingestErrors{
      registry, "auth_errors_ingest_errors_total", "result",
      "Accepted errors: stored, or duplicate of a stored one."};
  telemetry::Counter ingestConflicts{registry, "auth_errors_ingest_conflicting_repeats_total",
                                     "Errors refused because another error has their request id."};
  telemetry::Gauge ingestQueueDepth{registry, "auth_errors_ingest_queue_depth",
                                    "Errors waiting for a group commit, over all loops."};
  telemetry::CounterBy<RelayOutcome> messages{
      registry, "auth_errors_outbox_messages_total", "outcome",
      "Claimed messages: published, retried or dead after a refusal, handed back because the "
      "broker was unavailable, lost to another claim."};
  telemetry::Counter reaped{registry, "auth_errors_outbox_reaped_total",
                            "Abandoned claims released by the reaper."};
  telemetry::Counter swept{registry, "auth_errors_outbox_swept_total",
                           "Messages republished because the broker lost them."};
  telemetry::GaugeBy<domain::AuthErrorStatus> stuckErrors{
      registry, "auth_errors_stuck_errors", "status",
      "Errors waiting for their analysis for too long, reported by the role ops.",
      telemetry::Shown::onceUsed};
};

}  // namespace auth_errors::outbox
