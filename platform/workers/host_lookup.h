// Resolves host names for connections on an event loop. getaddrinfo() blocks as long as DNS does,
// so it runs on separate threads, one for each name: a hanging name delays neither a loop, nor
// another name, nor the end of the process. A HostLookup belongs to one loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trantor {
class EventLoop;
}

namespace auth_errors::workers {

class HostLookup {
 public:
  // The result for one host: its addresses as text, in getaddrinfo()'s order, or the reason why
  // there are none.
  struct Found {
    std::vector<std::string> addresses;
    std::string problem;
  };
  // Receives one result for each host, in the order of the hosts.
  using Callback = std::function<void(std::vector<Found>)>;

  // Calls back once, from the loop's queue, and never after its destruction, which may happen in
  // the callback itself. It waits for all hosts; after `patience` a single resolved host suffices.
  // Limiting the wait for the first result is up to the owner.
  HostLookup(trantor::EventLoop& loop, const std::vector<std::string>& hosts,
             std::chrono::milliseconds patience, Callback onFound);
  ~HostLookup();
  HostLookup(const HostLookup&) = delete;
  HostLookup& operator=(const HostLookup&) = delete;
  HostLookup(HostLookup&&) = delete;
  HostLookup& operator=(HostLookup&&) = delete;

 private:
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace auth_errors::workers
