// auth.error.recorded.v1: the error is stored, so its analysis is requested. Its effects, applied
// once: the status ANALYSIS_REQUESTED and the event for the analysis.
#pragma once

#include <functional>
#include <vector>

#include "consumer/handler.h"
#include "domain/identity/name.h"

namespace auth_errors::consumer {

class RecordedHandler final : public Handler {
 public:
  // `onEnqueued` is called when new events are in the outbox.
  RecordedHandler(domain::InstanceName instance, std::function<void()> onEnqueued);

  [[nodiscard]] const domain::EventDescriptor& event() const override { return domain::kRecorded; }
  drogon::Task<Prepared> prepare(std::vector<EventInHand> events) override;

 private:
  drogon::Task<database::AfterCommit> apply(database::Transaction& transaction,
                                            std::vector<EventInHand> events);

  domain::InstanceName instance_;
  std::function<void()> onEnqueued_;
};

}  // namespace auth_errors::consumer
