// LISTEN on one channel over its own connection, which is re-established automatically. Belongs to
// one event loop: constructed, destroyed and called back there. PostgreSQL does not deliver
// notifications sent while it was not listening, so the owner must poll in onListening.
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
    // Called after the first connect and after each reconnect.
    std::function<void()> onListening;
  };

  Listener(trantor::EventLoop& loop, const ClientOptions& options, std::string channel,
           Callbacks callbacks);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  Listener(Listener&&) = delete;
  Listener& operator=(Listener&&) = delete;

  // Callable from any thread.
  [[nodiscard]] bool listening() const;
  void close();

 private:
  trantor::EventLoop& loop_;
  std::shared_ptr<ListenerCore> core_;
};

}  // namespace auth_errors::database
