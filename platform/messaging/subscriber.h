// One queue's messages over a connection of its own, which comes back by itself. Belongs to one
// event loop: used, called back and destroyed there; state() may be asked anywhere. A message stays
// the broker's until it is settled; at most `prefetch` are unsettled at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <drogon/utils/coroutine.h>

#include "platform/messaging/broker.h"
#include "platform/messaging/message.h"
#include "platform/messaging/topology.h"

namespace trantor {
class EventLoop;
}

namespace auth_errors::messaging {

class SubscriberCore;

class Subscriber {
 public:
  struct Options {
    BrokerOptions broker;
    Topology topology;  // declared before subscribing, after each connect
    QueueName queue;
    std::uint16_t prefetch = 256;
    std::function<void(Delivery)> onDelivery;
    // Called on the loop whenever state() or problem() has changed.
    std::function<void(BrokerState)> onState;
  };

  // Starts to connect at once. Throws std::invalid_argument on a bad URL.
  Subscriber(trantor::EventLoop& loop, Options options);
  ~Subscriber();
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  Subscriber(Subscriber&&) = delete;
  Subscriber& operator=(Subscriber&&) = delete;

  // Done with: acknowledged at the end of this turn of the loop, together with its neighbours, as
  // far as every earlier one is settled too; one by one when half of the prefetch waits behind an
  // earlier one, and at the end.
  void settle(std::span<const DeliveryTag> tags);
  // Beyond anybody's use: the broker puts them into the queue's dead-letter queue.
  void reject(std::span<const DeliveryTag> tags);
  // Not done with: the broker delivers them again, to anyone.
  void giveBack(std::span<const DeliveryTag> tags);

  // No more deliveries; settling still works. For shutting down.
  void pause();
  // The broker takes back what is not settled; of what was settled just now it may not see all.
  void close();
  // As close(), but returns when the broker has seen all that was settled, or at the deadline.
  [[nodiscard]] drogon::Task<> finish(std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] BrokerState state() const;
  // Why it is not ready, in words fit for a log; empty if it is.
  [[nodiscard]] std::string problem() const;

 private:
  std::shared_ptr<SubscriberCore> core_;
};

}  // namespace auth_errors::messaging
