// Publishing with confirms over its own connection, which is re-established automatically. Belongs
// to one event loop: used, called back and destroyed there; state() may be called from any thread.
// Every message is persistent and mandatory, and every call completes by its deadline, whatever the
// broker does.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "platform/messaging/broker.h"
#include "platform/messaging/message.h"
#include "platform/messaging/topology.h"

namespace trantor {
class EventLoop;
}

namespace auth_errors::messaging {

enum class PublishResult : std::uint8_t {
  confirmed,   // the broker has it, in a queue
  nacked,      // the broker refused it
  unsendable,  // invalid for any broker: its headers are too large, or one of its names is too long
  returned,    // no queue is bound for it
  unavailable,  // the broker is unreachable, blocked or did not answer; it may have the message
};

struct Publication {
  Address to;
  Message message;
};

class PublisherCore;

class Publisher {
 public:
  struct Options {
    BrokerOptions broker;
    Topology topology;         // declared before the first message, after each connect
    std::size_t window = 500;  // maximum number of unconfirmed messages; others wait
    // A confirm that is overdue for this long will never come: only a new connection frees its
    // slot.
    std::chrono::milliseconds confirmPatience{60'000};
    // Called on the loop whenever state() or problem() has changed.
    std::function<void(BrokerState)> onState;
  };

  // Starts connecting immediately. Throws std::invalid_argument on an invalid URL.
  Publisher(trantor::EventLoop& loop, Options options);
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  Publisher(Publisher&&) = delete;
  Publisher& operator=(Publisher&&) = delete;

  // Returns results in the order of the publications, once all are known. While the broker is away,
  // messages are unavailable immediately: callers that can wait should wait for state().
  [[nodiscard]] drogon::Task<std::vector<PublishResult>> publish(
      std::vector<Publication> publications, std::chrono::steady_clock::time_point deadline);

  // The number of ready messages in a queue; nothing if the broker cannot be asked.
  [[nodiscard]] drogon::Task<std::optional<std::uint32_t>> depth(
      QueueName queue, std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] BrokerState state() const;
  // Why it is not ready, as text for the log; empty if it is ready.
  [[nodiscard]] std::string problem() const;

  // The topology has changed on the broker: reconnects, which declares it again.
  void declareAgain(std::string why);

  // Messages in flight become unavailable.
  void close();

 private:
  std::shared_ptr<PublisherCore> core_;
};

}  // namespace auth_errors::messaging
