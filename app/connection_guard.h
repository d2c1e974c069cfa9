// Limits on client connections that Drogon does not have: their number, in total and per address,
// the time for receiving a request, the time for a TLS handshake, and the memory of requests and
// responses. Drogon's idle timeout is not sufficient, because any byte prolongs it. Also closes
// idle connections while the service drains.
//
// A connection always gets one request served, whatever its size. The next one is started when the
// memory held by its requests and unread responses is within the limit per connection; until then
// the connection is paused, i.e. nothing is read from it. When all connections together exceed the
// budget, those that free most memory are closed.
//
// One object for all I/O loops; the data of each loop is only accessed on its thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <drogon/HttpAppFramework.h>
#include <trantor/net/EventLoop.h>
#include <trantor/net/TcpConnection.h>

#include "app/metrics.h"
#include "controllers/http/memory_budget.h"
#include "domain/values/ip_network.h"
#include "platform/security/address_connections.h"

namespace auth_errors::app {

struct ConnectionLimits {
  std::size_t maxConnections = 0;
  std::size_t maxPerAddress = 0;                        // 0: unlimited
  std::vector<domain::IpNetwork> exemptFromPerAddress;  // in addition to loopback
  std::chrono::milliseconds receiveDeadline{};
  std::size_t maxUnfinishedBytes = 0;    // of one request that is not completely parsed
  std::size_t maxHeldPerConnection = 0;  // above it the connection is paused
  std::size_t maxHeldBytes = 0;          // above it the connections that hold most are closed
  bool tls = false;
};

class ConnectionGuard : public std::enable_shared_from_this<ConnectionGuard> {
 public:
  ConnectionGuard(ConnectionLimits limits, std::size_t loops,
                  std::shared_ptr<ConnectionMetrics> metrics);

  // Called before app.run(). The app keeps the guard alive.
  void install(drogon::HttpAppFramework& app);
  // Starts the sweeps. REQUIRES: the loops are running.
  void start(const std::vector<trantor::EventLoop*>& loops);

  // Reports that the headers of the request have been parsed and a body follows.
  void expectBody(const drogon::HttpRequest& request);
  // Reports that a request of this connection is being served, until the result is destroyed.
  std::shared_ptr<controllers::RequestLoad> takeOn(const drogon::HttpRequest& request);

  // After a short grace period, closes connections as soon as they are idle. Callable from any
  // thread.
  void drain() { closeIdleFrom_ = Clock::now() + kDrainGrace; }
  [[nodiscard]] std::size_t open() const { return open_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  // A request that reached the kernel before the drain may not be visible here yet: its connection
  // looks idle, but must not be closed.
  static constexpr std::chrono::milliseconds kDrainGrace{250};
  // Data received between two checks may exceed the budget: 25 MB at 10 Gbit/s.
  static constexpr std::chrono::milliseconds kWeighInterval{20};
  // Maximum number of concurrently served requests per connection.
  static constexpr std::size_t kMaxPipelined = 128;

  struct Tracked {
    std::weak_ptr<trantor::TcpConnection> connection;
    std::shared_ptr<controllers::ConnectionLoad> load;
    std::size_t receivedWithLastRequest = 0;
    std::optional<Clock::time_point> unfinishedSince;
    const drogon::HttpRequest* expectsBody = nullptr;  // only compared, never dereferenced
    std::optional<domain::IpAddress>
        limitedAddress;  // counted for the limit per address; none if exempt
    // Values of the last measurement.
    std::size_t received = 0;
    std::size_t unsent = 0;
    bool paused = false;
    std::size_t sentWhenStuck = 0;
    std::optional<Clock::time_point>
        stuckSince;  // since when responses have been waiting without being read
  };
  struct Holder {
    std::size_t bytes = 0;  // bytes freed by closing the connection
    trantor::TcpConnectionPtr connection;
  };
  struct Handshake {
    int descriptor = -1;
    std::uint64_t cookie =
        0;  // distinguishes the accepted connection from a later one with the same descriptor
    Clock::time_point since;
    std::optional<domain::IpAddress> limitedAddress;  // see Tracked
  };
  struct PerLoop {
    std::unordered_map<const trantor::TcpConnection*, Tracked> connections;
    std::unordered_map<std::string, Handshake> handshakes;  // by the peer's address and port
    // Connections that may hold much memory or are paused; while there are any, they are weighed at
    // short intervals.
    std::unordered_set<const trantor::TcpConnection*> watched;
    bool weighing = false;
    // Result of the last weighing, for the other loops.
    std::atomic<std::size_t> largestWeighed = 0;
  };

  static std::size_t unfinishedBytes(const Tracked& tracked,
                                     const trantor::TcpConnection& connection);
  static std::size_t heldBy(const Tracked& tracked) {
    return tracked.received + tracked.unsent + tracked.load->answers();
  }
  PerLoop& ofThisLoop();
  void accepted(int descriptor);
  void changed(const trantor::TcpConnectionPtr& connection);
  // `entered` is the address that was counted when the handshake began.
  void opened(const trantor::TcpConnectionPtr& connection,
              const std::optional<domain::IpAddress>& entered);
  // Nothing if the address is exempt.
  [[nodiscard]] std::optional<domain::IpAddress> limitedAddressOf(
      const trantor::InetAddress& peer) const;
  void leave(const std::optional<domain::IpAddress>& limited);
  bool admit(Tracked& tracked, const trantor::TcpConnection& connection);
  // Whether the connection's next request may be started; if not, the connection is paused.
  bool mayBegin(const trantor::TcpConnectionPtr& connection);
  bool fits(Tracked& tracked, const trantor::TcpConnectionPtr& connection);
  void look(const trantor::TcpConnectionPtr& connection);
  void resumeIfItFits(const trantor::TcpConnectionPtr& connection);
  void measure(Tracked& tracked, const trantor::TcpConnectionPtr& connection);
  void forget(const Tracked& tracked);
  void sweep();
  void watch(PerLoop& loop, const trantor::TcpConnection& connection);
  void weigh();
  void endLargest(PerLoop& loop, std::vector<Holder>& holders);
  void sweepHandshakes(PerLoop& loop, Clock::time_point now);
  // Returns the address that it was counted for.
  std::optional<domain::IpAddress> handshakeEnded(PerLoop& loop, const std::string& peer);
  void judge(Tracked& tracked, trantor::TcpConnection& connection, Clock::time_point now);
  // Returns whether the connection was closed because its client does not read.
  bool judgeReading(Tracked& tracked, trantor::TcpConnection& connection, Clock::time_point now);
  void end(trantor::TcpConnection& connection, ConnectionEnd reason);

  ConnectionLimits limits_;
  std::shared_ptr<ConnectionMetrics> metrics_;
  std::vector<PerLoop> loops_;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::size_t> handshaking_ = 0;
  std::atomic<Clock::time_point> closeIdleFrom_ = Clock::time_point::max();
  security::AddressConnections perAddress_;
  std::shared_ptr<controllers::MemoryBudget> budget_;
};

}  // namespace auth_errors::app
