// auth.error.analysis.requested.v1: computes the hash that equal faults share. Its effects, applied
// once: stack_hash, the status ANALYSIS_COMPLETED, a place in a cluster and the decision of a rule.
#pragma once

#include <chrono>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "consumer/handler.h"
#include "domain/identity/name.h"
#include "triage/clusters/fault.h"
#include "triage/rules/metrics.h"

namespace auth_errors::consumer {

class AnalysisHandler final : public Handler {
 public:
  AnalysisHandler(database::Client& client, domain::InstanceName instance,
                  std::chrono::milliseconds databaseDeadline, rules::Metrics& metrics);

  [[nodiscard]] const domain::EventDescriptor& event() const override {
    return domain::kAnalysisRequested;
  }
  // Upgrades the routes of older hashes before the first error is placed by a new one.
  drogon::Task<void> setUp() override;
  drogon::Task<Prepared> prepare(std::vector<EventInHand> events) override;

 private:
  using Faults = std::unordered_map<domain::ErrorId, clusters::Fault>;  // by error

  drogon::Task<database::AfterCommit> apply(database::Transaction& transaction, Faults faults,
                                            std::vector<EventInHand> events);

  database::Client& client_;
  domain::InstanceName instance_;
  std::chrono::milliseconds databaseDeadline_;
  rules::Metrics& metrics_;
  bool routesUpgraded_ = false;
};

}  // namespace auth_errors::consumer
