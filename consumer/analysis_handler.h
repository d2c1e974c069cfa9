// auth.error.analysis.requested.v1: finds the hash that equal faults share. Its effects, once:
// stack_hash, the status ANALYSIS_COMPLETED, a place in a cluster and what a rule decides.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "consumer/handler.h"
#include "triage/rules/metrics.h"
#include "triage/rules/rule_work.h"

namespace auth_errors::consumer {

class AnalysisHandler final : public Handler {
 public:
  AnalysisHandler(database::Client& client, std::string instance,
                  std::chrono::milliseconds databaseDeadline, rules::Metrics& metrics);

  [[nodiscard]] const domain::EventDescriptor& event() const override {
    return domain::kAnalysisRequested;
  }
  drogon::Task<Prepared> prepare(std::vector<EventInHand> events) override;
  void applied() override { rules::count(metrics_, ruleWork_); }

 private:
  database::Client& client_;
  std::string instance_;
  std::chrono::milliseconds databaseDeadline_;
  rules::Metrics& metrics_;
  rules::RuleWork ruleWork_;  // of the transaction at hand
  bool routesUpgraded_ = false;
};

}  // namespace auth_errors::consumer
