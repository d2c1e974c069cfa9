// Asks the server to cancel what a connection runs, over a separate socket, without blocking.
// Belongs to one event loop. Only for this folder's own sources.
#pragma once

#include <functional>
#include <memory>

#include <libpq-fe.h>

#include "platform/database/socket_watch.h"

namespace auth_errors::database {

class Cancellation : public std::enable_shared_from_this<Cancellation> {
 public:
  Cancellation(trantor::EventLoop& loop, PGconn* connection, std::function<void()> onFinished);
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  Cancellation(Cancellation&&) = delete;
  Cancellation& operator=(Cancellation&&) = delete;

  // onFinished is called once from the loop's queue, whether sending succeeded or failed; never
  // after destruction.
  void start();

 private:
  void proceed();
  void watch(bool read, bool write);
  void finish();

  trantor::EventLoop& loop_;
  PGcancelConn* cancel_;
  std::function<void()> onFinished_;
  std::unique_ptr<SocketWatch> watch_;
};

}  // namespace auth_errors::database
