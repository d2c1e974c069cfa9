#include "triage/rules/rule_work.h"

namespace auth_errors::rules {

void count(telemetry::Metrics& metrics, const RuleWork& work) {
  for (const domain::DecisionRow& row : domain::kDecisions) {
    if (const std::size_t errors = work.decidedBy(row.decision); errors > 0) {
      metrics.ruleDecisions(row.name).Increment(static_cast<double>(errors));
    }
  }
  if (work.failed > 0) {
    metrics.ruleFailures().Increment(static_cast<double>(work.failed));
  }
}

}  // namespace auth_errors::rules
