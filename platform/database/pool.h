// The connections of a Client and the queue of calls waiting for one. Belongs to one event loop;
// only connected() may be called from other threads. Only for this folder's own sources.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/retry/backoff.h"
#include "platform/database/client.h"
#include "platform/database/connection.h"
#include "platform/database/request.h"

namespace auth_errors::database {

class Pool : public ConnectionOwner,
             public RequestHolder,
             public std::enable_shared_from_this<Pool> {
 public:
  Pool(trantor::EventLoop& loop, ClientOptions options);

  void start();
  void close();
  [[nodiscard]] bool connected() const { return ready_.load(std::memory_order_relaxed) != 0; }

  // Submits the request to a free connection, or queues it.
  void submit(const std::shared_ptr<Request>& request);
  // Submits the request to a transaction's own connection.
  void submitTo(Connection& connection, const std::shared_ptr<Request>& request);
  // The single copy of this statement, which lives as long as the pool. Throws std::logic_error if
  // the name is already used for a different SQL text.
  std::shared_ptr<const PreparedText> intern(const Statement& statement);

  void expire(const std::shared_ptr<Request>& request) override;
  void onReady(Connection& connection) override;
  void onFree(Connection& connection) override;
  void onLost(Connection& connection, const std::string& reason) override;
  void onNotification(std::string payload) override;

 private:
  struct KnownStatement {
    Statement given;
    std::shared_ptr<const PreparedText> prepared;
  };
  struct Slot {
    std::shared_ptr<Connection> connection;
    domain::Backoff backoff;
    std::size_t failures = 0;  // consecutive failed attempts to connect
  };

  void connect(std::size_t slot);
  Slot& slotOf(const Connection& connection);
  [[nodiscard]] bool refuseIfTooLate(const std::shared_ptr<Request>& request) const;
  [[nodiscard]] bool inOutage() const;
  void failWaiting(const std::string& reason);

  trantor::EventLoop& loop_;
  ClientOptions options_;
  std::shared_ptr<const ConnectionSettings> settings_;
  std::shared_ptr<workers::Deadlines> deadlines_;
  std::vector<Slot> slots_;
  std::list<std::shared_ptr<Request>> waiting_;
  std::unordered_map<std::string, KnownStatement> statements_;
  std::atomic<std::size_t> ready_{0};
  std::optional<Deadline> downSince_;
  bool connectFailed_ = false;
  bool closed_ = false;
};

}  // namespace auth_errors::database
