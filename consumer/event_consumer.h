// Processes events from the work queue and applies the effects of each once. Messages that arrive
// while a batch is processed form the next one: decode, take leases, run the handler, then write
// effects and DONE in one transaction, then ack. An event whose lease has expired before is
// processed in a separate batch, because it may have crashed its consumer. Belongs to one event
// loop, with the given client and publisher.
//
// Every delivery ends in one of five ways: acknowledged as done (now or earlier), copied to a retry
// queue, to the dead-letter queue, or to the queue for messages of other installations, or left to
// the broker, which redelivers it. A copy is confirmed before its original is acknowledged. While
// the database is unavailable nothing is decided.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "consumer/batch_context.h"
#include "consumer/copy_sender.h"
#include "consumer/event_batch.h"
#include "consumer/event_handling.h"
#include "consumer/failure_conclusion.h"
#include "consumer/handler.h"
#include "consumer/ledger_placement.h"
#include "consumer/metrics.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "domain/retry/retry_policy.h"
#include "platform/database/client.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/subscriber.h"
#include "platform/workers/worker.h"

namespace auth_errors::consumer {

class EventConsumer final : public workers::Worker {
 public:
  struct Options {
    domain::InstanceName instance;  // unique among all processes, including earlier ones
    messaging::BrokerOptions broker;
    messaging::Topology topology;
    domain::RetryPolicy policy;
    std::chrono::milliseconds lease{60'000};
    std::size_t batchRows = 128;
    std::uint16_t prefetch = 256;
    std::chrono::milliseconds databaseDeadline{5'000};
    std::chrono::milliseconds publishDeadline{15'000};
    std::function<void(messaging::BrokerState)> onState;  // of the connection to the work queue
  };

  // One handler for each event type. REQUIRES: the client has at least two connections, because one
  // renews leases while a handler uses the other.
  EventConsumer(database::Client& client, messaging::Publisher& copies,
                std::vector<std::unique_ptr<Handler>> handlers, Options options, Metrics& metrics);

  void start() override;
  // Stops receiving, finishes the current batch or releases its leases, and closes. False if a
  // handler takes longer: its late writes are fenced off.
  drogon::Task<bool> stop(Deadline deadline) override;

  // Processes a batch of the messages received so far. Returns their number.
  drogon::Task<std::size_t> runOnce();

  // Callable from any thread, between start() and the end of stop().
  [[nodiscard]] messaging::BrokerState state() const { return subscriber_->state(); }
  [[nodiscard]] std::string problem() const { return subscriber_->problem(); }

 private:
  void receive(messaging::Delivery delivery);
  drogon::Task<workers::Then> run();
  drogon::Task<> process(std::vector<messaging::Delivery> deliveries);
  [[nodiscard]] LeaseOwner nextOwner();
  drogon::Task<> work(EventBatch& batch);
  // Back to PENDING, without costing an attempt.
  drogon::Task<> release(const EventBatch& batch);

  Options options_;
  BatchContext context_;
  LedgerPlacement placement_;
  EventHandling handling_;
  FailureConclusion conclusion_;
  CopySender copies_;
  std::unique_ptr<messaging::Subscriber> subscriber_;
  std::deque<messaging::Delivery> received_;
  std::vector<messaging::DeliveryTag> inHand_;  // of the current batch, or of one that failed
  EventBatch* current_ = nullptr;
  std::uint64_t batches_ = 0;
};

}  // namespace auth_errors::consumer
