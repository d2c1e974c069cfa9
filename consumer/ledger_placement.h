// Handles the messages of a batch that do not reach a handler: depending on their installation and
// the ledger, they are acknowledged, or copied to a retry queue, the dead-letter queue or the queue
// for other installations. Belongs to the consumer's loop.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "consumer/batch_context.h"
#include "consumer/event_batch.h"
#include "consumer/ledger_store.h"

namespace auth_errors::consumer {

class LedgerPlacement {
 public:
  explicit LedgerPlacement(BatchContext& context) : context_(context) {}

  // Parks messages of other installations and dead-letters the others.
  drogon::Task<> placeUnread(EventBatch& batch);
  // Leased events are left to the handlers.
  drogon::Task<> takeLeasesOf(EventBatch& batch);
  // Leaves events of errors in an unknown state to a consumer of the newer version, without costing
  // an attempt.
  drogon::Task<> postpone(EventBatch& batch);
  // Settles lost events by their current ledger state.
  drogon::Task<> giveUp(EventBatch& batch);

 private:
  using Clock = std::chrono::steady_clock;
  using AskLedger = std::function<drogon::Task<std::vector<LedgerEntry>>(
      std::vector<outbox::EventIdentity> events)>;

  // Places each item according to the ledger's answer. If the database cannot answer, each half is
  // tried separately, recursively until `end`: items without an answer are retried later without
  // costing an attempt.
  drogon::Task<> placeAll(EventBatch& batch, std::span<BatchItem* const> items,
                          const AskLedger& ask, Clock::time_point end);
  void place(EventBatch& batch, BatchItem& item, const LedgerEntry& entry);
  // Only sends a copy to the dead-letter queue: the message belongs to no event of ours.
  void turnAway(EventBatch& batch, messaging::Message message,
                std::vector<messaging::DeliveryTag> tags, const messaging::PermanentFault& fault);
  // Sends a copy to the queue for messages of other installations.
  void park(EventBatch& batch, messaging::Message message,
            std::vector<messaging::DeliveryTag> tags);

  BatchContext& context_;
};

}  // namespace auth_errors::consumer
