// What the commands for parked messages do at the broker: messages of other installations wait in a
// queue that no instance consumes, until a person lists them, returns them to a work queue or drops
// them. Belongs to one event loop.
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

  // Shows each message once, in their order, and does with it as told; one that is returned is
  // acknowledged when its copy in the work queue of that name is confirmed. Returns how many were
  // returned or dropped. Throws std::runtime_error if the broker can't be reached or does not
  // answer.
  drogon::Task<std::size_t> visit(Decide decide, messaging::QueueName workQueue);
  void close() { publisher_.close(); }

 private:
  drogon::Task<> waitUntilReady();

  trantor::EventLoop& loop_;
  Options options_;
  messaging::Publisher publisher_;
};

}  // namespace auth_errors::app
