// Empties the broker's dead-letter queue into the table of dead letters, in batches of what arrived
// while the last one was being stored. Belongs to one event loop, with the client it is given. A
// message is acknowledged only after it is stored; while the database is away it stays the
// broker's. A message of another installation is not stored but parked in the queue for them.
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
#include <trantor/net/EventLoop.h>

#include "consumer/copy_sender.h"
#include "consumer/metrics.h"
#include "domain/retry/backoff.h"
#include "platform/database/client.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/subscriber.h"
#include "platform/workers/signal.h"

namespace auth_errors::consumer {

class DeadLetterIntake {
 public:
  struct Options {
    messaging::BrokerOptions broker;
    messaging::Topology topology;
    std::size_t batchRows = 64;
    std::uint16_t prefetch = 128;
    std::chrono::milliseconds databaseDeadline{5'000};
    std::chrono::milliseconds publishDeadline{15'000};
    std::chrono::milliseconds retryDelayMin{200};
    std::chrono::milliseconds retryDelayMax{10'000};
    std::function<void(messaging::BrokerState)> onState;
  };

  DeadLetterIntake(database::Client& client, messaging::Publisher& copies, Options options,
                   Metrics& metrics);
  ~DeadLetterIntake();
  DeadLetterIntake(const DeadLetterIntake&) = delete;
  DeadLetterIntake& operator=(const DeadLetterIntake&) = delete;
  DeadLetterIntake(DeadLetterIntake&&) = delete;
  DeadLetterIntake& operator=(DeadLetterIntake&&) = delete;

  void start();
  // Takes no more, finishes the batch at hand if it can by the deadline, and closes, the client
  // too.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  // Any thread, between start() and the end of stop().
  [[nodiscard]] messaging::BrokerState state() const { return subscriber_->state(); }
  [[nodiscard]] std::string problem() const { return subscriber_->problem(); }

 private:
  using Deliveries = std::vector<messaging::Delivery>;
  enum class Stored : std::uint8_t { yes, later, never };
  enum class Detail : std::uint8_t { full, brief };

  void receive(messaging::Delivery delivery);
  drogon::Task<> storeUntilEmpty();
  // Returns when they are stored, or stopping.
  drogon::Task<> store(Deliveries deliveries);
  // `never`: the content is at fault. Takes what is another installation's out of them.
  drogon::Task<Stored> tryToStore(Deliveries& deliveries, Detail detail);
  drogon::Task<> record(Deliveries& deliveries, Detail detail);
  void park(Deliveries deliveries);

  database::Client& client_;
  Options options_;
  Metrics& metrics_;
  trantor::EventLoop& loop_;
  CopySender copies_;
  std::unique_ptr<messaging::Subscriber> subscriber_;
  std::deque<messaging::Delivery> received_;
  domain::Backoff backoff_;
  workers::Signal stopping_;
  workers::Signal idle_;
  bool storing_ = false;
  bool stop_ = false;
};

}  // namespace auth_errors::consumer
