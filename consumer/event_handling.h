// Passes the leased events of a batch to the handlers of their types: effects and DONE in one
// transaction, then the acknowledgement. Belongs to the consumer's loop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "consumer/batch_context.h"
#include "consumer/event_batch.h"
#include "consumer/handler.h"

namespace auth_errors::consumer {

class EventHandling {
 public:
  // One handler for each event type.
  EventHandling(BatchContext& context, std::vector<std::unique_ptr<Handler>> handlers);

  // Failed events become failures of the batch.
  drogon::Task<> handleLeased(EventBatch& batch);

 private:
  // Sorted by the state of their AuthErrors.
  struct Sorted {
    std::vector<BatchItem*> unknown;  // there is none
    std::vector<BatchItem*> ended;    // it is terminal
    std::vector<BatchItem*> newer;    // its status is unknown to this version
    std::vector<BatchItem*> open;     // the handler's
    std::vector<EventInHand> events;  // those of `open`
  };

  // A failing batch is split into single events, to isolate a poison one.
  drogon::Task<> handle(Handler& handler, EventBatch& batch, std::vector<BatchItem*> items);
  drogon::Task<> handleTogether(Handler& handler, EventBatch& batch, std::vector<BatchItem*> items);
  drogon::Task<Sorted> sortByStatus(std::vector<BatchItem*> items);
  // Writes effects and DONE in one transaction. Returns the outbox ids that were still ours,
  // sorted.
  drogon::Task<std::vector<domain::OutboxId>> complete(const EventBatch& batch,
                                                       const Sorted& sorted,
                                                       const Prepared& prepared);
  void fail(EventBatch& batch, BatchItem& item, std::string error);
  void reject(EventBatch& batch, BatchItem& item, domain::DeadLetterReason reason,
              std::string error);

  BatchContext& context_;
  std::vector<std::unique_ptr<Handler>> handlers_;
};

}  // namespace auth_errors::consumer
