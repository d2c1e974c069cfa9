#include "app/connection_guard.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "platform/telemetry/log.h"

// Added by our patches, which do not change the libraries' headers; null in unpatched libraries,
// with which connections are never paused.
namespace drogon {

[[gnu::weak]] void setNextRequestCallback(
    std::function<bool(const trantor::TcpConnectionPtr&)> callback);
[[gnu::weak]] void resumeRequests(const trantor::TcpConnectionPtr& connection);

}  // namespace drogon

namespace trantor {

[[gnu::weak]] void pauseReading(const TcpConnectionPtr& connection);
[[gnu::weak]] void resumeReading(const TcpConnectionPtr& connection);
[[gnu::weak]] std::size_t unsentBytes(const TcpConnectionPtr& connection);

}  // namespace trantor

namespace auth_errors::app {
namespace {

using controllers::Held;

// The parser's limit on the request line and the headers. Further data, apart from the body, is
// chunk or TLS framing, which is not kept.
constexpr std::size_t kMaxHead = std::size_t{72} * 1024;
// A request line or headers of this size are checked before the next sweep.
constexpr std::size_t kWatchedHead = 4096;

constexpr int kMaxUnsentInKernel = 64 * 1024;

std::string_view toText(ConnectionEnd reason) {
  switch (reason) {
    case ConnectionEnd::unfinishedRequest:
      return "unfinished_request";
    case ConnectionEnd::unfinishedHandshake:
      return "unfinished_handshake";
    case ConnectionEnd::unread:
      return "unread";
    case ConnectionEnd::memoryBudget:
      return "memory_budget";
    case ConnectionEnd::tooMany:
      return "too_many";
  }
  std::unreachable();
}

std::optional<std::uint64_t> cookieOf(int descriptor) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_COOKIE, &cookie, &size) != 0) {
    return std::nullopt;
  }
  return cookie;
}

// Otherwise the kernel buffers up to 4 MB for a client that reads nothing, outside of all budgets,
// and the service spends its time filling it: 200 such clients tripled the latency of all others
// for 5 s. This does not limit data in flight, so long round trips keep their throughput.
void boundUnsent(int descriptor) {
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kMaxUnsentInKernel,
               sizeof kMaxUnsentInKernel);
}

std::size_t lessOrNone(std::size_t from, std::size_t bytes) {
  return from > bytes ? from - bytes : 0;
}

// The same address as TcpConnection::peerAddr().
std::optional<trantor::InetAddress> peerOf(int descriptor) {
  sockaddr_in6 address{};
  socklen_t size = sizeof address;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return std::nullopt;
  }
  if (address.sin6_family == AF_INET6) {
    return trantor::InetAddress(address);
  }
  sockaddr_in v4{};
  std::memcpy(&v4, &address, sizeof v4);
  return trantor::InetAddress(v4);
}

}  // namespace

ConnectionGuard::ConnectionGuard(ConnectionLimits limits, std::size_t loops,
                                 std::shared_ptr<ConnectionMetrics> metrics)
    : limits_(std::move(limits)),
      metrics_(std::move(metrics)),
      loops_(loops),
      perAddress_(limits_.maxPerAddress),
      budget_(std::make_shared<controllers::MemoryBudget>(limits_.maxHeldBytes)) {}

void ConnectionGuard::install(drogon::HttpAppFramework& app) {
  const auto self = shared_from_this();
  app.setConnectionCallback(
      [self](const trantor::TcpConnectionPtr& connection) { self->changed(connection); });
  app.setAfterAcceptSockOptCallback([self](int descriptor) {
    boundUnsent(descriptor);
    if (self->limits_.tls) {
      self->accepted(descriptor);
    }
  });
  if (drogon::setNextRequestCallback != nullptr && trantor::pauseReading != nullptr) {
    drogon::setNextRequestCallback(
        [self](const trantor::TcpConnectionPtr& connection) { return self->mayBegin(connection); });
  }
}

void ConnectionGuard::start(const std::vector<trantor::EventLoop*>& loops) {
  using std::chrono::milliseconds;
  const auto interval =
      std::clamp(limits_.receiveDeadline / 4, milliseconds(25), milliseconds(500));
  for (trantor::EventLoop* loop : loops) {
    loop->runEvery(std::chrono::duration<double>(interval).count(),
                   [self = shared_from_this()] { self->sweep(); });
  }
}

void ConnectionGuard::expectBody(const drogon::HttpRequest& request) {
  const auto connection = request.getConnectionPtr().lock();
  PerLoop& loop = ofThisLoop();
  const auto found = loop.connections.find(connection.get());
  if (found == loop.connections.end()) {
    return;
  }
  found->second.expectsBody = &request;
  watch(loop, *connection);
}

std::shared_ptr<controllers::RequestLoad> ConnectionGuard::takeOn(
    const drogon::HttpRequest& request) {
  const auto connection = request.getConnectionPtr().lock();
  PerLoop& loop = ofThisLoop();
  const auto found = loop.connections.find(connection.get());
  if (found == loop.connections.end()) {
    return nullptr;
  }
  Tracked& tracked = found->second;
  // The connection may already have received requests that are parsed later.
  const std::size_t parsed =
      lessOrNone(connection->bytesReceived(), connection->getRecvBuffer()->readableBytes());
  const std::size_t arrived = lessOrNone(parsed, tracked.receivedWithLastRequest);
  tracked.receivedWithLastRequest = parsed;
  tracked.unfinishedSince.reset();
  // The headers of the next request may have been parsed before this one is served.
  if (tracked.expectsBody == &request) {
    tracked.expectsBody = nullptr;
  }
  const std::size_t body = request.body().size();
  const std::size_t head = std::min(lessOrNone(arrived, body), kMaxHead);
  if (head + body >= controllers::RequestLoad::kLarge) {
    watch(loop, *connection);
  }
  if (tracked.received > 0) {
    measure(tracked, connection);
  }
  return std::make_shared<controllers::RequestLoad>(tracked.load, body, head);
}

bool ConnectionGuard::mayBegin(const trantor::TcpConnectionPtr& connection) {
  PerLoop& loop = ofThisLoop();
  const auto found = loop.connections.find(connection.get());
  if (found == loop.connections.end()) {
    return true;
  }
  Tracked& tracked = found->second;
  if (fits(tracked, connection)) {
    if (connection->getRecvBuffer()->readableBytes() >= kWatchedHead) {
      watch(loop, *connection);
    }
    return true;
  }
  // Set before the second check, so that a request that ends meanwhile is not missed.
  tracked.load->setWaiting(true);
  if (fits(tracked, connection)) {
    tracked.load->setWaiting(false);
    return true;
  }
  if (!tracked.paused) {
    tracked.paused = true;
    metrics_->paused.add();
    trantor::pauseReading(connection);
  }
  watch(loop, *connection);
  return false;
}

bool ConnectionGuard::fits(Tracked& tracked, const trantor::TcpConnectionPtr& connection) {
  const controllers::ConnectionLoad& load = *tracked.load;
  measure(tracked, connection);
  // Above the budget, only connections whose clients read their responses are served.
  return load.requests() < kMaxPipelined && !load.expectsLargeAnswer() &&
         load.requestBytes() + load.answers() + tracked.unsent <= limits_.maxHeldPerConnection &&
         (tracked.unsent == 0 || !budget_->exceeded());
}

void ConnectionGuard::look(const trantor::TcpConnectionPtr& connection) {
  PerLoop& loop = ofThisLoop();
  const auto found = loop.connections.find(connection.get());
  if (found == loop.connections.end()) {
    return;
  }
  measure(found->second, connection);
  if (heldBy(found->second) > 0) {
    watch(loop, *connection);
  }
  resumeIfItFits(connection);
}

void ConnectionGuard::resumeIfItFits(const trantor::TcpConnectionPtr& connection) {
  auto& connections = ofThisLoop().connections;
  const auto found = connections.find(connection.get());
  if (found == connections.end() || !found->second.paused || !fits(found->second, connection)) {
    return;
  }
  found->second.paused = false;
  found->second.stuckSince.reset();
  found->second.load->setWaiting(false);
  metrics_->paused.subtract();
  // The connection may be paused again, or end, as a result.
  drogon::resumeRequests(connection);
  const auto after = connections.find(connection.get());
  if (after != connections.end() && !after->second.paused) {
    trantor::resumeReading(connection);
  }
}

void ConnectionGuard::measure(Tracked& tracked, const trantor::TcpConnectionPtr& connection) {
  const auto change = [&](Held kind, std::size_t& before, std::size_t now) {
    if (now != before) {
      budget_->hold(kind, now);
      budget_->release(kind, std::exchange(before, now));
    }
  };
  change(Held::received, tracked.received, unfinishedBytes(tracked, *connection));
  if (trantor::unsentBytes != nullptr) {
    change(Held::unsent, tracked.unsent, trantor::unsentBytes(connection));
  }
}

void ConnectionGuard::forget(const Tracked& tracked) {
  budget_->release(Held::received, tracked.received);
  budget_->release(Held::unsent, tracked.unsent);
  if (tracked.paused) {
    metrics_->paused.subtract();
  }
  leave(tracked.limitedAddress);
}

void ConnectionGuard::leave(const std::optional<domain::IpAddress>& limited) {
  if (limited) {
    perAddress_.leave(*limited);
  }
}

ConnectionGuard::PerLoop& ConnectionGuard::ofThisLoop() {
  return loops_.at(trantor::EventLoop::getEventLoopOfCurrentThread()->index());
}

// trantor reports a TLS connection only after its handshake, so until then it is tracked by its
// descriptor. Connections of a loop are closed on that loop's thread, which runs this code: between
// the check of the cookie and the shutdown the descriptor cannot be reused.
void ConnectionGuard::accepted(int descriptor) {
  const auto cookie = cookieOf(descriptor);
  const auto peer = peerOf(descriptor);
  if (!cookie || !peer) {
    return;
  }
  const auto limited = limitedAddressOf(*peer);
  const bool admitted = !limited || perAddress_.enter(*limited);
  if (!admitted || open_.load() + handshaking_.load() >= limits_.maxConnections) {
    leave(limited);
    metrics_->closed[ConnectionEnd::tooMany].add();
    ::shutdown(descriptor, SHUT_RDWR);
    return;
  }
  const auto [entry, added] = ofThisLoop().handshakes.try_emplace(peer->toIpPort());
  if (added) {
    handshaking_.fetch_add(1);
  } else {
    leave(entry->second.limitedAddress);
  }
  entry->second = {.descriptor = descriptor,
                   .cookie = *cookie,
                   .since = Clock::now(),
                   .limitedAddress = limited};
}

std::optional<domain::IpAddress> ConnectionGuard::handshakeEnded(PerLoop& loop,
                                                                 const std::string& peer) {
  const auto ended = loop.handshakes.extract(peer);
  if (ended.empty()) {
    return std::nullopt;
  }
  handshaking_.fetch_sub(1);
  return ended.mapped().limitedAddress;
}

void ConnectionGuard::changed(const trantor::TcpConnectionPtr& connection) {
  PerLoop& loop = ofThisLoop();
  std::optional<domain::IpAddress> entered;
  if (limits_.tls) {
    entered = handshakeEnded(loop, connection->peerAddr().toIpPort());
  }
  if (connection->connected()) {
    opened(connection, entered);
    return;
  }
  leave(entered);
  const auto found = loop.connections.find(connection.get());
  if (found == loop.connections.end()) {
    return;
  }
  forget(found->second);
  loop.watched.erase(connection.get());
  loop.connections.erase(found);
  open_.fetch_sub(1);
  metrics_->open.subtract();
}

void ConnectionGuard::opened(const trantor::TcpConnectionPtr& connection,
                             const std::optional<domain::IpAddress>& entered) {
  Tracked tracked;
  tracked.connection = connection;
  tracked.limitedAddress = entered;
  tracked.load = std::make_shared<controllers::ConnectionLoad>(
      budget_, [self = weak_from_this(), weak = tracked.connection] {
        // Deferred: the code that ends a request may still be using the connection.
        if (auto alive = weak.lock()) {
          trantor::EventLoop* const loop = alive->getLoop();
          loop->queueInLoop([self, alive = std::move(alive)] {
            if (const auto guard = self.lock()) {
              guard->look(alive);
            }
          });
        }
      });
  tracked.receivedWithLastRequest = connection->bytesReceived();
  const std::size_t before = open_.fetch_add(1);
  metrics_->open.add();
  const bool admitted = admit(tracked, *connection) && before < limits_.maxConnections;
  ofThisLoop().connections.emplace(connection.get(), std::move(tracked));
  if (!admitted) {
    end(*connection, ConnectionEnd::tooMany);
  }
}

bool ConnectionGuard::admit(Tracked& tracked, const trantor::TcpConnection& connection) {
  if (tracked.limitedAddress) {
    return true;  // the time when its handshake began
  }
  tracked.limitedAddress = limitedAddressOf(connection.peerAddr());
  return !tracked.limitedAddress || perAddress_.enter(*tracked.limitedAddress);
}

std::optional<domain::IpAddress> ConnectionGuard::limitedAddressOf(
    const trantor::InetAddress& peer) const {
  const auto address = domain::IpAddress::parse(peer.toIp());
  const bool exempt = limits_.maxPerAddress == 0 || !address || address->isLoopback() ||
                      std::ranges::any_of(limits_.exemptFromPerAddress,
                                          [&](const auto& n) { return n.contains(*address); });
  return exempt ? std::nullopt : address;
}

void ConnectionGuard::sweep() {
  PerLoop& loop = ofThisLoop();
  const auto now = Clock::now();
  sweepHandshakes(loop, now);
  // Closing a connection removes it from the map, so the map must not be iterated meanwhile.
  std::vector<trantor::TcpConnectionPtr> connections;
  connections.reserve(loop.connections.size());
  for (const auto& [key, tracked] : loop.connections) {
    if (auto connection = tracked.connection.lock()) {
      connections.push_back(std::move(connection));
    }
  }
  for (const auto& connection : connections) {
    if (const auto found = loop.connections.find(connection.get());
        found != loop.connections.end()) {
      measure(found->second, connection);
      if (heldBy(found->second) > 0) {
        watch(loop, *connection);
      }
      judge(found->second, *connection, now);
    }
  }
  for (const Held kind : {Held::received, Held::requests, Held::answers, Held::unsent}) {
    metrics_->heldBytes[kind].set(budget_->held(kind));
  }
}

std::size_t ConnectionGuard::unfinishedBytes(const Tracked& tracked,
                                             const trantor::TcpConnection& connection) {
  // After the last response, further data from the client is read and discarded, so that it can
  // read the response.
  return connection.connected() ? connection.bytesReceived() - tracked.receivedWithLastRequest : 0;
}

void ConnectionGuard::watch(PerLoop& loop, const trantor::TcpConnection& connection) {
  loop.watched.insert(&connection);
  if (!std::exchange(loop.weighing, true)) {
    trantor::EventLoop::getEventLoopOfCurrentThread()->runAfter(
        std::chrono::duration<double>(kWeighInterval).count(),
        [self = shared_from_this()] { self->weigh(); });
  }
}

void ConnectionGuard::weigh() {
  PerLoop& loop = ofThisLoop();
  loop.weighing = false;
  std::vector<Holder> holders;
  std::vector<trantor::TcpConnectionPtr> paused;
  // Connections that must still be watched are inserted again, which also schedules the next
  // weighing.
  for (const trantor::TcpConnection* key : std::exchange(loop.watched, {})) {
    Tracked& tracked = loop.connections.at(key);
    const auto connection = tracked.connection.lock();
    if (!connection) {
      continue;
    }
    measure(tracked, connection);
    const std::size_t bytes = heldBy(tracked);
    if (bytes > 0) {
      holders.push_back({.bytes = bytes, .connection = connection});
    }
    if (tracked.paused) {
      paused.push_back(connection);
    }
    if (bytes > 0 || tracked.paused || tracked.expectsBody != nullptr) {
      watch(loop, *connection);
    }
  }
  endLargest(loop, holders);
  for (const auto& connection : paused) {
    resumeIfItFits(connection);
  }
}

// Each loop ends its own largest connections, unless another loop has a larger one and will check
// soon.
void ConnectionGuard::endLargest(PerLoop& loop, std::vector<Holder>& holders) {
  std::ranges::sort(holders, std::greater{}, &Holder::bytes);
  std::size_t largestOfOthers = 0;
  for (const PerLoop& each : loops_) {
    if (&each != &loop) {
      largestOfOthers = std::max(largestOfOthers, each.largestWeighed.load());
    }
  }
  for (const Holder& largest : holders) {
    loop.largestWeighed = largest.bytes;
    if (!budget_->exceeded() || largest.bytes < largestOfOthers) {
      return;
    }
    end(*largest.connection, ConnectionEnd::memoryBudget);
  }
  loop.largestWeighed = 0;
}

void ConnectionGuard::sweepHandshakes(PerLoop& loop, Clock::time_point now) {
  const std::size_t expired = std::erase_if(loop.handshakes, [&](const auto& entry) {
    const Handshake& handshake = entry.second;
    if (now - handshake.since < limits_.receiveDeadline) {
      return false;
    }
    if (cookieOf(handshake.descriptor) == handshake.cookie) {
      metrics_->closed[ConnectionEnd::unfinishedHandshake].add();
      ::shutdown(handshake.descriptor, SHUT_RDWR);
    }
    leave(handshake.limitedAddress);
    return true;
  });
  handshaking_.fetch_sub(expired);
}

void ConnectionGuard::judge(Tracked& tracked, trantor::TcpConnection& connection,
                            Clock::time_point now) {
  if (tracked.paused) {
    tracked.unfinishedSince.reset();
    judgeReading(tracked, connection, now);
    return;
  }
  // A few responses are no reason to pause the connection, but are not held forever either.
  if (judgeReading(tracked, connection, now)) {
    return;
  }
  if (tracked.load->requests() > 0) {
    tracked.unfinishedSince.reset();
    return;
  }
  const std::size_t unfinished = connection.bytesReceived() - tracked.receivedWithLastRequest;
  if (unfinished == 0) {
    tracked.unfinishedSince.reset();
    if (now >= closeIdleFrom_.load()) {
      connection.shutdown();
    }
    return;
  }
  if (!tracked.unfinishedSince) {
    tracked.unfinishedSince = now;
  }
  if (now - *tracked.unfinishedSince >= limits_.receiveDeadline ||
      unfinishedBytes(tracked, connection) > limits_.maxUnfinishedBytes) {
    end(connection, ConnectionEnd::unfinishedRequest);
  }
}

bool ConnectionGuard::judgeReading(Tracked& tracked, trantor::TcpConnection& connection,
                                   Clock::time_point now) {
  const std::size_t sent = connection.bytesSent();
  if (tracked.load->requests() > 0 || tracked.unsent == 0 || sent != tracked.sentWhenStuck) {
    tracked.sentWhenStuck = sent;
    tracked.stuckSince.reset();
    return false;
  }
  if (!tracked.stuckSince) {
    tracked.stuckSince = now;
  }
  const bool over = now - *tracked.stuckSince >= limits_.receiveDeadline ||
                    (tracked.paused && now >= closeIdleFrom_.load());
  if (over) {
    end(connection, ConnectionEnd::unread);
  }
  return over;
}

void ConnectionGuard::end(trantor::TcpConnection& connection, ConnectionEnd reason) {
  metrics_->closed[reason].add();
  telemetry::log(telemetry::LogLevel::info, "http.connection_ended",
                 {{"reason", toText(reason)}, {"peer", connection.peerAddr().toIp()}});
  connection.forceClose();
}

}  // namespace auth_errors::app
