// Moves messages from the broker's dead-letter queue to the table of dead letters, in batches of
// those that arrived while the last one was being stored. Belongs to one event loop, with the given
// client. A message is acknowledged only after it is stored; while the database is unavailable it
// stays with the broker. A message of another installation is not stored but parked in the queue
// for them.
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

#include "consumer/copy_sender.h"
#include "consumer/metrics.h"
#include "platform/database/client.h"
#include "platform/database/persist.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/subscriber.h"
#include "platform/workers/worker.h"

namespace auth_errors::consumer {

class DeadLetterIntake final : public workers::Worker {
 public:
  struct Options {
    messaging::BrokerOptions broker;
    messaging::Topology topology;
    std::size_t batchRows = 64;
    std::uint16_t prefetch = 128;
    std::chrono::milliseconds databaseDeadline{5'000};
    std::chrono::milliseconds publishDeadline{15'000};
    workers::Pauses pauses{.shortest = std::chrono::milliseconds(200),
                           .longest = std::chrono::milliseconds(10'000)};
    std::function<void(messaging::BrokerState)> onState;
  };

  DeadLetterIntake(database::Client& client, messaging::Publisher& copies, Options options,
                   Metrics& metrics);

  void start() override;
  // Stops receiving, finishes the current batch if possible before the deadline, and closes,
  // including the client.
  drogon::Task<bool> stop(Deadline deadline) override;

  // Stores a batch of the messages received so far. Returns their number.
  drogon::Task<std::size_t> runOnce();

  // Callable from any thread, between start() and the end of stop().
  [[nodiscard]] messaging::BrokerState state() const { return subscriber_->state(); }
  [[nodiscard]] std::string problem() const { return subscriber_->problem(); }

 private:
  using Deliveries = std::vector<messaging::Delivery>;
  enum class Detail : std::uint8_t { full, brief };

  drogon::Task<workers::Then> run();
  // Returns when they are stored. Throws workers::Stopped.
  drogon::Task<> store(Deliveries deliveries);
  // False if the content is at fault.
  drogon::Task<bool> tryToStore(Deliveries& deliveries, Detail detail);
  // Removes messages of other installations from the deliveries.
  drogon::Task<> record(Deliveries& deliveries, Detail detail);
  void park(Deliveries deliveries);

  database::Client& client_;
  Options options_;
  Metrics& metrics_;
  CopySender copies_;
  std::unique_ptr<messaging::Subscriber> subscriber_;
  std::deque<messaging::Delivery> received_;
};

}  // namespace auth_errors::consumer
