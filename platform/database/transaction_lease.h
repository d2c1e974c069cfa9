// A connection leased to one transaction; its destructor rolls back unless committed and returns
// the connection. Belongs to one event loop. Only for this folder's own sources.
#pragma once

#include <memory>

namespace trantor {
class EventLoop;
}

namespace auth_errors::database {

class Connection;
class Pool;

// SQLSTATE of a statement in a transaction that can only be rolled back.
inline constexpr auto kFailedTransaction = "25P02";

class TransactionLease {
 public:
  TransactionLease(trantor::EventLoop& loop, std::weak_ptr<Pool> pool);
  ~TransactionLease();
  TransactionLease(const TransactionLease&) = delete;
  TransactionLease& operator=(const TransactionLease&) = delete;
  TransactionLease(TransactionLease&&) = delete;
  TransactionLease& operator=(TransactionLease&&) = delete;

  void attach(std::shared_ptr<Connection> connection) { connection_ = std::move(connection); }
  [[nodiscard]] const std::shared_ptr<Connection>& connection() const { return connection_; }
  [[nodiscard]] std::shared_ptr<Pool> pool() const { return pool_.lock(); }
  [[nodiscard]] trantor::EventLoop& loop() const { return loop_; }

  // A statement's outcome is unknown, so the transaction must not commit.
  void spoil() { spoilt_ = true; }
  [[nodiscard]] bool spoilt() const { return spoilt_; }

 private:
  trantor::EventLoop& loop_;
  std::weak_ptr<Pool> pool_;
  std::shared_ptr<Connection> connection_;
  bool spoilt_ = false;
};

}  // namespace auth_errors::database
