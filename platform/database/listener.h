// LISTEN on one channel over a connection of its own, which comes back by itself. Belongs to one
// event loop: made, destroyed and called back there. Notifications sent while it is not listening
// are lost, as PostgreSQL has it, so onListening tells the owner when to look for itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "platform/database/client.h"

namespace auth_errors::database {

class ListenerCore;

class Listener {
 public:
  struct Callbacks {
    std::function<void(std::string_view payload)> onNotification;
    // Listening now: after the first connect and after each reconnect.
    std::function<void()> onListening;
  };

  Listener(trantor::EventLoop& loop, const ClientOptions& options, std::string channel,
           Callbacks callbacks);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  Listener(Listener&&) = delete;
  Listener& operator=(Listener&&) = delete;

  // Any thread may ask.
  [[nodiscard]] bool listening() const;
  void close();

 private:
  trantor::EventLoop& loop_;
  std::shared_ptr<ListenerCore> core_;
};

}  // namespace auth_errors::database
