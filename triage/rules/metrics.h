// The metrics of rules. Usable from any thread.
#pragma once

#include "domain/errors/decision.h"
#include "platform/telemetry/metric.h"

namespace auth_errors::rules {

struct Metrics {
  telemetry::Registry& registry;

  telemetry::CounterBy<domain::Decision> decisions{registry, "auth_errors_rule_decisions_total",
                                                   "decision", "Errors decided by rules.",
                                                   telemetry::Shown::onceUsed};
  telemetry::Counter failures{registry, "auth_errors_rule_failures_total",
                              "Errors that a rule failed to decide on."};
};

}  // namespace auth_errors::rules
