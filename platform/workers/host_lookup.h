// Addresses of host names, for connections on an event loop. getaddrinfo() blocks for as long as
// DNS does, so it runs on threads of its own, one for each name: a name that hangs delays neither a
// loop, nor another name, nor the end of the process. A HostLookup belongs to one loop.
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
  // Of one host: its addresses as text, in getaddrinfo()'s order, or why it has none.
  struct Found {
    std::vector<std::string> addresses;
    std::string problem;
  };
  // Gets one for each host, in the order of the hosts.
  using Callback = std::function<void(std::vector<Found>)>;

  // Calls back once, from the loop's queue, and not any more after its destruction, which may come
  // from the callback itself. It waits for all hosts; after `patience` one that has an address will
  // do. How long to wait for the first is the owner's business.
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
