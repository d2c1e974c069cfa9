// auth.error.analysis.requested.v1: finds the hash that equal faults share. Its effects, once:
// stack_hash, the status ANALYSIS_COMPLETED and a place in a cluster.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "consumer/handler.h"

namespace auth_errors::consumer {

class AnalysisHandler final : public Handler {
 public:
  AnalysisHandler(database::Client& client, std::string instance,
                  std::chrono::milliseconds databaseDeadline);

  [[nodiscard]] const domain::EventDescriptor& event() const override {
    return domain::kAnalysisRequested;
  }
  drogon::Task<Prepared> prepare(std::vector<EventInHand> events) override;

 private:
  database::Client& client_;
  std::string instance_;
  std::chrono::milliseconds databaseDeadline_;
  bool routesUpgraded_ = false;
};

}  // namespace auth_errors::consumer
