#include "triage/rules/rule_work.h"

namespace auth_errors::rules {

void count(Metrics& metrics, const RuleWork& work) {
  for (const domain::DecisionRow& row : domain::kDecisions) {
    if (const std::size_t errors = work.decidedBy(row.decision); errors > 0) {
      metrics.decisions[row.decision].add(errors);
    }
  }
  if (work.failed > 0) {
    metrics.failures.add(work.failed);
  }
}

}  // namespace auth_errors::rules
