// Confirmed publishing over a connection of its own, which comes back by itself. Belongs to one
// event loop: used, called back and destroyed there; state() may be asked anywhere. Every message
// is persistent and mandatory, and every call is answered by its deadline, whatever the broker
// does.
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
  confirmed,    // the broker has it, in a queue
  nacked,       // the broker refused it
  unsendable,   // no broker would take it: its headers are too large, a name of it too long
  returned,     // no queue is bound for it
  unavailable,  // the broker is away or blocked, or no answer came: it has it or not
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
    std::size_t window = 500;  // sent and not confirmed; the rest waits its turn
    // A confirm that is missing for longer never comes: only a new connection frees its place.
    std::chrono::milliseconds confirmPatience{60'000};
    // Called on the loop whenever state() or problem() has changed.
    std::function<void(BrokerState)> onState;
  };

  // Starts to connect at once. Throws std::invalid_argument on a bad URL.
  Publisher(trantor::EventLoop& loop, Options options);
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  Publisher(Publisher&&) = delete;
  Publisher& operator=(Publisher&&) = delete;

  // Results in the publications' order, when the last of them is known. While the broker is away
  // they are unavailable at once: whoever can wait, waits for state().
  [[nodiscard]] drogon::Task<std::vector<PublishResult>> publish(
      std::vector<Publication> publications, std::chrono::steady_clock::time_point deadline);

  // How many messages wait in a queue, ready to be delivered; nothing if the broker can't be asked.
  [[nodiscard]] drogon::Task<std::optional<std::uint32_t>> depth(
      QueueName queue, std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] BrokerState state() const;
  // Why it is not ready, in words fit for a log; empty if it is.
  [[nodiscard]] std::string problem() const;

  // The topology is not what it should be: connects anew, and so declares it again.
  void declareAgain(std::string why);

  // Whatever is in flight becomes unavailable.
  void close();

 private:
  std::shared_ptr<PublisherCore> core_;
};

}  // namespace auth_errors::messaging
