// Sends copies of messages to the retry queues and the dead-letter queue, and acknowledges the
// originals when the copies are confirmed; copies that the broker does not accept are sent again
// until it does. Belongs to the loop of its publisher.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "platform/messaging/publisher.h"
#include "platform/messaging/subscriber.h"
#include "platform/telemetry/fault_log.h"
#include "platform/workers/signal.h"
#include "platform/workers/stop_signal.h"

namespace auth_errors::consumer {

struct Copy {
  messaging::Publication publication;
  std::vector<messaging::DeliveryTag> tags;  // of its originals
};

class CopySender {
 public:
  using Originals = std::function<void(const std::vector<messaging::DeliveryTag>&)>;
  struct Options {
    Originals settle;  // their copy is confirmed
    Originals reject;  // no copy can be sent, but the broker itself can still move them
    std::chrono::milliseconds publishDeadline{};
  };

  CopySender(trantor::EventLoop& loop, messaging::Publisher& publisher, Options options);

  // Returns immediately, so an unavailable broker delays no caller. Must outlive what it sends.
  void send(std::vector<Copy> copies);
  // Returns when nothing is being sent; false if something still is at the deadline.
  drogon::Task<bool> finish(std::chrono::steady_clock::time_point deadline);
  // Stops repeating; the remaining originals stay with the broker.
  void stop();

 private:
  drogon::Task<> sendAll(std::vector<Copy> copies);
  drogon::Task<std::vector<Copy>> sendOnce(std::vector<Copy> copies);

  messaging::Publisher& publisher_;
  Options options_;
  std::size_t sending_ = 0;
  telemetry::FaultLog faults_{"consumer.copies_wait"};
  workers::StopSignal stop_;
  workers::Signal sent_;
};

}  // namespace auth_errors::consumer
