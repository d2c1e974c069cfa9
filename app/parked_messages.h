// Implements the commands for parked messages: messages of other installations stay in a queue
// without consumers until an operator lists them, returns them to a work queue or drops them.
// Belongs to one event loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "platform/messaging/message.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/topology.h"

namespace auth_errors::app {

class ParkedMessages {
 public:
  struct Options {
    messaging::BrokerOptions broker;
    messaging::Topology topology;
    std::chrono::milliseconds patience{10'000};  // for the broker
  };

  ParkedMessages(trantor::EventLoop& loop, Options options);

  enum class Fate : std::uint8_t { stays, returned, dropped };
  using Decide = std::function<Fate(const messaging::Message&)>;

  // Visits each message once, in order, and applies the decision; a returned message is
  // acknowledged when its copy in the given work queue is confirmed. Returns the number of returned
  // or dropped messages. Throws std::runtime_error if the broker is unreachable or does not
  // respond.
  drogon::Task<std::size_t> visit(Decide decide, messaging::QueueName workQueue);
  void close() { publisher_.close(); }

 private:
  drogon::Task<> waitUntilReady();

  trantor::EventLoop& loop_;
  Options options_;
  messaging::Publisher publisher_;
};

}  // namespace auth_errors::app
