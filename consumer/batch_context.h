// Shared by the steps of a batch: the database client, deadlines and names, and how to wait for the
// database and acknowledge. Belongs to the consumer's loop and outlives its batches.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "consumer/event_batch.h"
#include "consumer/metrics.h"
#include "domain/identity/name.h"
#include "domain/retry/retry_policy.h"
#include "platform/database/client.h"
#include "platform/database/persist.h"
#include "platform/messaging/subscriber.h"
#include "platform/messaging/topology.h"
#include "platform/telemetry/fault_log.h"
#include "platform/workers/stop_signal.h"

namespace auth_errors::consumer {

struct BatchContext {
  database::Client& client;
  Metrics& metrics;
  workers::StopSignal& stop;
  domain::InstanceName instance;
  messaging::Topology topology;
  domain::RetryPolicy policy;
  std::chrono::milliseconds lease{};
  std::chrono::milliseconds databaseDeadline{};
  std::function<void(std::span<const messaging::DeliveryTag>)> acknowledge;
  telemetry::FaultLog outages{"consumer.database_away"};

  // The deadline of a statement that starts now.
  [[nodiscard]] database::Deadline soon() const {
    return std::chrono::steady_clock::now() + databaseDeadline;
  }
  // While the database is unavailable nothing is decided.
  [[nodiscard]] database::Persistence whileAway() {
    return {.stop = stop, .faults = outages, .maxUnanswered = 5};
  }
  // Acknowledges an event that needs no copy.
  void settle(const BatchItem& item, ConsumeOutcome outcome) const {
    metrics.messages[outcome].add();
    acknowledge(item.tags);
  }
};

}  // namespace auth_errors::consumer
