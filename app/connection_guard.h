// Limits on client connections that Drogon does not have: how many in all and of one address, how
// long a request may take to arrive, how long a TLS handshake may take, how much memory requests
// and answers may take. Drogon's idle timeout does not do it, since any byte prolongs it. Also
// closes idle connections when the service drains.
//
// A connection always gets one request served, whatever its size. The next one is begun when what
// its requests and unread answers hold is within the bound of a connection; until then the
// connection is paused, which means that nothing is read from it. When all connections together
// hold more than the budget, those whose end frees most are ended.
//
// One object for all IO loops; what belongs to a loop is touched on its thread only.
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
  std::size_t maxPerAddress = 0;                        // 0: no limit
  std::vector<domain::IpNetwork> exemptFromPerAddress;  // beside loopback
  std::chrono::milliseconds receiveDeadline{};
  std::size_t maxUnfinishedBytes = 0;    // of one request that has not been parsed to its end
  std::size_t maxHeldPerConnection = 0;  // beyond it the connection is paused
  std::size_t maxHeldBytes = 0;          // beyond it the connections that hold most are ended
  bool tls = false;
};

class ConnectionGuard : public std::enable_shared_from_this<ConnectionGuard> {
 public:
  ConnectionGuard(ConnectionLimits limits, std::size_t loops,
                  std::shared_ptr<ConnectionMetrics> metrics);

  // Before app.run(). The app keeps the guard alive.
  void install(drogon::HttpAppFramework& app);
  // When the loops run: begins the sweeps.
  void start(const std::vector<trantor::EventLoop*>& loops);

  // Says that the request's headers have been parsed and a body follows.
  void expectBody(const drogon::HttpRequest& request);
  // Says that a request of this connection is being served, until the result is destroyed.
  std::shared_ptr<controllers::RequestLoad> takeOn(const drogon::HttpRequest& request);

  // From soon on connections are closed as soon as they are idle. Any thread.
  void drain() { closeIdleFrom_ = Clock::now() + kDrainGrace; }
  [[nodiscard]] std::size_t open() const { return open_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  // A request that reached the kernel before the drain is not seen here yet: its connection looks
  // idle, and must not be closed under it.
  static constexpr std::chrono::milliseconds kDrainGrace{250};
  // What arrives between two looks may exceed the budget: 25 MB at 10 Gbit/s.
  static constexpr std::chrono::milliseconds kWeighInterval{20};
  // Requests of one connection that are served at the same time.
  static constexpr std::size_t kMaxPipelined = 128;

  struct Tracked {
    std::weak_ptr<trantor::TcpConnection> connection;
    std::shared_ptr<controllers::ConnectionLoad> load;
    std::size_t receivedWithLastRequest = 0;
    std::optional<Clock::time_point> unfinishedSince;
    const drogon::HttpRequest* expectsBody = nullptr;  // compared, never followed
    std::optional<domain::IpAddress> limitedAddress;   // counted per address; none if exempt
    // As of the last measurement.
    std::size_t received = 0;
    std::size_t unsent = 0;
    bool paused = false;
    std::size_t sentWhenStuck = 0;
    std::optional<Clock::time_point> stuckSince;  // since when answers wait and none is read
  };
  struct Holder {
    std::size_t bytes = 0;  // that are free when the connection ends
    trantor::TcpConnectionPtr connection;
  };
  struct Handshake {
    int descriptor = -1;
    std::uint64_t cookie = 0;  // tells a reused descriptor from the one that was accepted
    Clock::time_point since;
    std::optional<domain::IpAddress> limitedAddress;  // as of Tracked
  };
  struct PerLoop {
    std::unordered_map<const trantor::TcpConnection*, Tracked> connections;
    std::unordered_map<std::string, Handshake> handshakes;  // by the peer's address and port
    // Those that may hold much or are paused; weighed in short intervals while there are any.
    std::unordered_set<const trantor::TcpConnection*> watched;
    bool weighing = false;
    // As of the last weighing, for the other loops.
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
  // Nothing if its connections have no limit.
  [[nodiscard]] std::optional<domain::IpAddress> limitedAddressOf(
      const trantor::InetAddress& peer) const;
  void leave(const std::optional<domain::IpAddress>& limited);
  bool admit(Tracked& tracked, const trantor::TcpConnection& connection);
  // Whether the connection's next request may be begun; if not, the connection is paused.
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
  // Whether it was ended because its client reads nothing.
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
