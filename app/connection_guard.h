// Limits on client connections that Drogon does not have: how many in all and of one address, how
// long a request may take to arrive, how long a TLS handshake may take, how much memory all
// requests may take that are still arriving. Drogon's idle timeout does not do it, since any byte
// prolongs it. Also closes idle connections when the service drains.
//
// One object for all IO loops; what belongs to a loop is touched on its thread only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <drogon/HttpAppFramework.h>
#include <trantor/net/EventLoop.h>
#include <trantor/net/TcpConnection.h>

#include "controllers/client_address.h"
#include "telemetry/metrics.h"

namespace auth_errors::app {

struct ConnectionLimits {
  std::size_t maxConnections = 0;
  std::size_t maxPerAddress = 0;                             // 0: no limit
  std::vector<controllers::IpNetwork> exemptFromPerAddress;  // beside loopback
  std::chrono::milliseconds receiveDeadline{};
  std::size_t maxUnfinishedBytes = 0;  // of one request that has not been parsed to its end
  std::size_t maxUnfinishedInAll = 0;  // beyond it the connections with the largest are ended
  bool tls = false;
};

class ConnectionGuard : public std::enable_shared_from_this<ConnectionGuard> {
 public:
  ConnectionGuard(ConnectionLimits limits, std::size_t loops,
                  std::shared_ptr<telemetry::Metrics> metrics);

  // Before app.run(). The app keeps the guard alive.
  void install(drogon::HttpAppFramework& app);
  // When the loops run: begins the sweeps.
  void start(const std::vector<trantor::EventLoop*>& loops);

  // Says that the request's headers have been parsed and a body follows.
  void expectBody(const drogon::HttpRequest& request);
  // Says that a request of this connection is being served, until the result is destroyed.
  std::shared_ptr<void> use(const drogon::HttpRequest& request);

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

  struct Tracked {
    std::weak_ptr<trantor::TcpConnection> connection;
    std::shared_ptr<std::atomic<int>> uses = std::make_shared<std::atomic<int>>(0);
    std::size_t receivedWithLastRequest = 0;
    std::optional<Clock::time_point> unfinishedSince;
    const drogon::HttpRequest* expectsBody = nullptr;  // compared, never followed
    std::string limitedAddress;                        // counted per address; empty if exempt
  };
  struct Unfinished {
    std::size_t bytes = 0;
    trantor::TcpConnectionPtr connection;
  };
  struct Handshake {
    int descriptor = -1;
    std::uint64_t cookie = 0;  // tells a reused descriptor from the one that was accepted
    Clock::time_point since;
  };
  struct PerLoop {
    std::unordered_map<const trantor::TcpConnection*, Tracked> connections;
    std::unordered_map<std::string, Handshake> handshakes;  // by the peer's address and port
    // Those that may have an unfinished request; weighed in short intervals while there are any.
    std::unordered_set<const trantor::TcpConnection*> unfinished;
    bool weighing = false;
    // As of the last weighing, for the other loops.
    std::atomic<std::size_t> weighedBytes = 0;
    std::atomic<std::size_t> largestWeighed = 0;
  };

  static std::size_t unfinishedBytes(const Tracked& tracked,
                                     const trantor::TcpConnection& connection);
  PerLoop& ofThisLoop();
  void accepted(int descriptor);
  void changed(const trantor::TcpConnectionPtr& connection);
  void opened(const trantor::TcpConnectionPtr& connection);
  bool admit(Tracked& tracked, const trantor::TcpConnection& connection);
  void sweep();
  void weighSoon(PerLoop& loop);
  void weigh();
  void endLargest(PerLoop& loop, const std::vector<Unfinished>& unfinished);
  void sweepHandshakes(PerLoop& loop, Clock::time_point now);
  void handshakeEnded(PerLoop& loop, const std::string& peer);
  void judge(Tracked& tracked, trantor::TcpConnection& connection, Clock::time_point now);
  void end(trantor::TcpConnection& connection, telemetry::ConnectionEnd reason);

  ConnectionLimits limits_;
  std::shared_ptr<telemetry::Metrics> metrics_;
  std::vector<PerLoop> loops_;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::size_t> handshaking_ = 0;
  std::atomic<Clock::time_point> closeIdleFrom_ = Clock::time_point::max();
  std::mutex addressesMutex_;
  std::map<std::string, std::size_t> perAddress_;
};

}  // namespace auth_errors::app
