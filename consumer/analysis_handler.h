// auth.error.analysis.requested.v1: finds the hash that equal faults share. Its effects, once:
// stack_hash, the status ANALYSIS_COMPLETED, a place in a cluster and what a rule decides.
#pragma once

#include <chrono>
#include <vector>

#include "consumer/handler.h"
#include "domain/identity/name.h"
#include "platform/telemetry/metrics.h"
#include "triage/rules/rule_work.h"

namespace auth_errors::consumer {

class AnalysisHandler final : public Handler {
 public:
  AnalysisHandler(database::Client& client, domain::InstanceName instance,
                  std::chrono::milliseconds databaseDeadline, telemetry::Metrics& metrics);

  [[nodiscard]] const domain::EventDescriptor& event() const override {
    return domain::kAnalysisRequested;
  }
  drogon::Task<Prepared> prepare(std::vector<EventInHand> events) override;
  void applied() override { rules::count(metrics_, ruleWork_); }

 private:
  database::Client& client_;
  domain::InstanceName instance_;
  std::chrono::milliseconds databaseDeadline_;
  telemetry::Metrics& metrics_;
  rules::RuleWork ruleWork_;  // of the transaction at hand
  bool routesUpgraded_ = false;
};

}  // namespace auth_errors::consumer
