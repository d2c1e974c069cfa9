// One libpq connection from its first packet to its last; a lost connection is replaced, not
// reconnected. Belongs to one event loop. Only for this folder's own sources. Every request
// submitted to it completes, at the latest when the connection ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <libpq-fe.h>

#include "platform/database/connection_settings.h"
#include "platform/database/request.h"
#include "platform/database/result_data.h"
#include "platform/database/socket_watch.h"

namespace auth_errors::database {

class Connection;
class Cancellation;

// Callbacks about a connection's life cycle, on the loop.
class ConnectionOwner {
 public:
  ConnectionOwner() = default;
  virtual ~ConnectionOwner() = default;
  ConnectionOwner(const ConnectionOwner&) = delete;
  ConnectionOwner& operator=(const ConnectionOwner&) = delete;
  ConnectionOwner(ConnectionOwner&&) = delete;
  ConnectionOwner& operator=(ConnectionOwner&&) = delete;

  virtual void onReady(Connection& connection) = 0;
  // The connection is free() again.
  virtual void onFree(Connection& connection) = 0;
  // The connection has ended. Called once, whether or not it was ever ready.
  virtual void onLost(Connection& connection, const std::string& reason) = 0;
  virtual void onNotification(std::string payload) = 0;
};

class Connection : public RequestHolder, public std::enable_shared_from_this<Connection> {
 public:
  Connection(trantor::EventLoop& loop, std::shared_ptr<const ConnectionSettings> settings,
             std::weak_ptr<ConnectionOwner> owner);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;

  // `attempt` is the number of failed attempts before this one; see
  // ConnectionSettings::reachable().
  void open(std::size_t attempt);
  // Runs the request now, or after those already submitted.
  void submit(const std::shared_ptr<Request>& request);
  void expire(const std::shared_ptr<Request>& request) override;
  // The transaction or the session that a request opened has ended, in whatever way.
  void endLease();
  void drop(const std::string& reason);

  // Ready and idle, with no transaction open.
  [[nodiscard]] bool free() const { return state_ == State::idle && !leased_; }
  [[nodiscard]] bool wasReady() const { return wasReady_; }
  // Leased without a transaction.
  [[nodiscard]] bool inSession() const { return inSession_; }

 private:
  enum class State : std::uint8_t {
    fresh,
    connecting,
    idle,
    working,   // current_ is waiting for the server's reply
    draining,  // current_ timed out; its reply is still outstanding
    closed,
  };
  enum class Step : std::uint8_t { closing, preparing, executing };
  struct Prepared {
    std::vector<std::uint32_t> types;
    bool stale = false;
  };

  void lookUpNames(std::size_t attempt);
  void connectTo(const std::vector<ServerAddress>& servers);
  void continueConnecting();
  void finishConnecting();
  void watch(bool read, bool write);

  void onEvent();
  void collectNotifications();
  void collectResults();
  void takeResult(ResultHandle result);
  void onReply();
  void onExecuted();
  void finish(std::optional<Error> error);

  void start(const std::shared_ptr<Request>& request);
  void send();
  void sendRun();
  bool sendExecution();
  void flush();
  void settle();
  void rollBack();
  void endSession();
  void tidyUp(std::string sql);

  void giveUpCurrent(const std::string& reason);
  void cancelFinished();
  void dropAfter(std::chrono::milliseconds grace, const std::string& reason);
  [[nodiscard]] Error lostError(const Request& request, const std::string& reason) const;

  trantor::EventLoop& loop_;
  std::shared_ptr<const ConnectionSettings> settings_;
  std::weak_ptr<ConnectionOwner> owner_;
  std::unique_ptr<workers::HostLookup> lookup_;
  PGconn* connection_ = nullptr;
  std::unique_ptr<SocketWatch> watch_;

  State state_ = State::fresh;
  bool wasReady_ = false;
  bool leased_ = false;
  // Leased without a transaction: the session may have left settings and locks.
  bool inSession_ = false;
  // Counts operations, so that a timer can tell whether its operation is still the current one.
  std::uint64_t epoch_ = 0;

  std::shared_ptr<Request> current_;
  std::deque<std::shared_ptr<Request>> queue_;
  std::unordered_map<std::string, Prepared> prepared_;

  // Progress of current_.
  Step step_ = Step::executing;
  ResultHandle result_;
  std::optional<Error> error_;
  bool planBroken_ = false;
  bool prepareAgainTried_ = false;
  bool tidyingUp_ = false;
  std::string sessionEnd_;  // SQLSTATE with which the server ended the session
  bool sessionLost_ = false;

  std::shared_ptr<Cancellation> cancellation_;
  bool replyComplete_ = false;
};

}  // namespace auth_errors::database
