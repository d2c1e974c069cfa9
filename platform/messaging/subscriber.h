// Consumes one queue over its own connection, which is re-established automatically. Belongs to one
// event loop: used, called back and destroyed there; state() may be called from any thread. The
// broker keeps a message until it is settled; at most `prefetch` are unsettled at a time.
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

  // Starts connecting immediately. Throws std::invalid_argument on an invalid URL.
  Subscriber(trantor::EventLoop& loop, Options options);
  ~Subscriber();
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  Subscriber(Subscriber&&) = delete;
  Subscriber& operator=(Subscriber&&) = delete;

  // Processed: acknowledged at the end of this turn of the loop together with others, as far as all
  // earlier messages are settled too; individually when half of the prefetch waits behind an
  // unsettled message, and at the end.
  void settle(std::span<const DeliveryTag> tags);
  // Cannot be processed: the broker moves them to the queue's dead-letter queue.
  void reject(std::span<const DeliveryTag> tags);
  // Not processed: the broker redelivers them to any consumer.
  void giveBack(std::span<const DeliveryTag> tags);

  // Stops deliveries; settling still works. For shutting down.
  void pause();
  // The broker requeues unsettled messages; it may miss messages that were settled just before.
  void close();
  // Like close(), but returns when the broker has processed all settled messages, or at the
  // deadline.
  [[nodiscard]] drogon::Task<> finish(std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] BrokerState state() const;
  // Why it is not ready, as text for the log; empty if it is ready.
  [[nodiscard]] std::string problem() const;

 private:
  std::shared_ptr<SubscriberCore> core_;
};

}  // namespace auth_errors::messaging
