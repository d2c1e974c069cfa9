// Watches a socket that libpq owns. Belongs to one event loop. It watches a duplicate of the
// descriptor, because libpq may close its own at any time and trantor aborts if a watched
// descriptor is closed.
#pragma once

#include <functional>
#include <memory>

namespace trantor {
class EventLoop;
}

namespace auth_errors::database {

class SocketWatch {
 public:
  SocketWatch(trantor::EventLoop& loop, int descriptor, std::function<void()> onEvent);
  // No event is delivered after destruction, not even one that the loop has already fetched.
  ~SocketWatch();
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;
  SocketWatch(SocketWatch&&) = delete;
  SocketWatch& operator=(SocketWatch&&) = delete;

  void want(bool read, bool write);

 private:
  struct State;

  trantor::EventLoop& loop_;
  std::shared_ptr<State> state_;
};

}  // namespace auth_errors::database
