// The effects of rules in a transaction, to be counted after its commit. A plain value; usable from
// any thread.
#pragma once

#include <array>
#include <cstddef>

#include "domain/errors/decision.h"
#include "triage/rules/metrics.h"

namespace auth_errors::rules {

struct RuleWork {
  std::array<std::size_t, domain::kDecisions.size()> decided{};
  std::size_t failed = 0;

  void add(domain::Decision decision, std::size_t errors) {
    decided.at(static_cast<std::size_t>(decision)) += errors;
  }
  [[nodiscard]] std::size_t decidedBy(domain::Decision decision) const {
    return decided.at(static_cast<std::size_t>(decision));
  }
};

void count(Metrics& metrics, const RuleWork& work);

}  // namespace auth_errors::rules
