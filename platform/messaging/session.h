// One AMQP connection from its first packet to its last; a lost connection is replaced, not
// reconnected. Belongs to one event loop. Only for this folder's own sources. Whatever the broker
// sends can at worst end the session, which is reported to its owner once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <amqpcpp.h>
#include <trantor/net/EventLoop.h>
#include <trantor/net/InetAddress.h>
#include <trantor/net/TcpClient.h>

#include "platform/messaging/broker.h"
#include "platform/messaging/broker_url.h"
#include "platform/messaging/frame_guard.h"

namespace auth_errors::messaging {

class Session;

// Callbacks about a session's life cycle, on the loop. Those between its start and its end may come
// from inside AMQP-CPP: they must not destroy channels.
class SessionOwner {
 public:
  SessionOwner() = default;
  virtual ~SessionOwner() = default;
  SessionOwner(const SessionOwner&) = delete;
  SessionOwner& operator=(const SessionOwner&) = delete;
  SessionOwner(SessionOwner&&) = delete;
  SessionOwner& operator=(SessionOwner&&) = delete;

  // Logged in: channels can be opened.
  virtual void onOpen(Session& session) = 0;
  virtual void onBlocked(const std::string& reason) = 0;
  virtual void onUnblocked() = 0;
  // The session has ended. All its channels must be destroyed before this returns.
  virtual void onLost(const std::string& reason) = 0;
};

class Session : public AMQP::ConnectionHandler, public std::enable_shared_from_this<Session> {
 public:
  // `url` is reduced to a single host.
  Session(trantor::EventLoop& loop, std::shared_ptr<const BrokerOptions> options, BrokerUrl url,
          BrokerHost host, std::weak_ptr<SessionOwner> owner);
  ~Session() override = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;

  // Unique for each session of the process.
  [[nodiscard]] std::uint64_t number() const { return number_; }

  void open(const trantor::InetAddress& address);
  // Ends the session soon, never inside a running callback. Only the first reason counts.
  void drop(std::string reason);
  // Sends a close first: earlier data still reaches the broker, but it may not process all of it.
  void close();
  // Sends a close and ends when the broker has responded, which it does after processing all
  // earlier data. The owner waits for onLost(), or drops the session.
  void closeInOrder();
  [[nodiscard]] bool ended() const { return ended_; }

  // Stops the connect timeout; from now on only missed heartbeats end the session.
  void setEstablished();

  // REQUIRES: the session is open. The returned pointer is the only owner.
  [[nodiscard]] std::unique_ptr<AMQP::Channel> makeChannel();
  [[nodiscard]] std::uint32_t maxFrame() const { return connection_->maxFrame(); }
  // The headers of the message being delivered or returned.
  Headers takeHeaders() { return guard_.takeHeaders(); }

  // Runs a callback of AMQP-CPP: not after the end of the session, and without letting exceptions
  // escape.
  template <typename Function, typename... Arguments>
  void guarded(const Function& function, Arguments&&... arguments) {
    if (ended_) {
      return;
    }
    try {
      function(std::forward<Arguments>(arguments)...);
    } catch (const std::exception& failure) {
      drop(failure.what());
    } catch (...) {
      drop("an unknown exception");
    }
  }

  void onProperties(AMQP::Connection* connection, const AMQP::Table& server,
                    AMQP::Table& client) override;
  std::uint16_t onNegotiate(AMQP::Connection* connection, std::uint16_t interval) override;
  void onData(AMQP::Connection* connection, const char* bytes, std::size_t size) override;
  void onError(AMQP::Connection* connection, const char* message) override;
  void onReady(AMQP::Connection* connection) override;
  void onClosed(AMQP::Connection* connection) override;
  void onBlocked(AMQP::Connection* connection, const char* reason) override;
  void onUnblocked(AMQP::Connection* connection) override;

 private:
  using Clock = std::chrono::steady_clock;

  void connectTo(const trantor::InetAddress& address);
  void onTcp(const trantor::TcpConnectionPtr& tcp);
  void receive(trantor::MsgBuffer& buffer);
  void parse(trantor::MsgBuffer& buffer);
  void flush();
  void startHeartbeats();
  void beat();
  void tearDown();

  trantor::EventLoop& loop_;
  std::shared_ptr<const BrokerOptions> options_;
  BrokerUrl url_;
  BrokerHost host_;
  std::weak_ptr<SessionOwner> owner_;
  std::uint64_t number_;
  std::shared_ptr<trantor::TcpClient> client_;
  trantor::TcpConnectionPtr tcp_;
  std::unique_ptr<AMQP::Connection> connection_;
  FrameGuard guard_;
  std::string outgoing_;
  bool flushPlanned_ = false;
  std::chrono::seconds heartbeat_{0};
  Clock::time_point heardAt_;
  std::optional<trantor::TimerId> heartbeatTimer_;
  std::optional<trantor::TimerId> connectTimer_;
  bool ended_ = false;
  std::string reason_;
};

}  // namespace auth_errors::messaging
