#include "app/connection_guard.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include <netinet/in.h>
#include <sys/socket.h>

#include "telemetry/log.h"

namespace auth_errors::app {
namespace {

using telemetry::ConnectionEnd;

std::string_view toText(ConnectionEnd reason) {
  switch (reason) {
    case ConnectionEnd::unfinishedRequest:
      return "unfinished_request";
    case ConnectionEnd::unfinishedBudget:
      return "unfinished_budget";
    case ConnectionEnd::unfinishedHandshake:
      return "unfinished_handshake";
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

// As TcpConnection::peerAddr().toIpPort() has it.
std::optional<std::string> peerOf(int descriptor) {
  sockaddr_in6 address{};
  socklen_t size = sizeof address;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return std::nullopt;
  }
  if (address.sin6_family == AF_INET6) {
    return trantor::InetAddress(address).toIpPort();
  }
  sockaddr_in v4{};
  std::memcpy(&v4, &address, sizeof v4);
  return trantor::InetAddress(v4).toIpPort();
}

}  // namespace

ConnectionGuard::ConnectionGuard(ConnectionLimits limits, std::size_t loops,
                                 std::shared_ptr<telemetry::Metrics> metrics)
    : limits_(std::move(limits)), metrics_(std::move(metrics)), loops_(loops) {}

void ConnectionGuard::install(drogon::HttpAppFramework& app) {
  const auto self = shared_from_this();
  app.setConnectionCallback(
      [self](const trantor::TcpConnectionPtr& connection) { self->changed(connection); });
  if (limits_.tls) {
    app.setAfterAcceptSockOptCallback([self](int descriptor) { self->accepted(descriptor); });
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
  loop.unfinished.insert(connection.get());
  weighSoon(loop);
}

std::shared_ptr<void> ConnectionGuard::use(const drogon::HttpRequest& request) {
  const auto connection = request.getConnectionPtr().lock();
  PerLoop& loop = ofThisLoop();
  const auto found = loop.connections.find(connection.get());
  if (found == loop.connections.end()) {
    return nullptr;
  }
  Tracked& tracked = found->second;
  tracked.receivedWithLastRequest = connection->bytesReceived();
  tracked.unfinishedSince.reset();
  // The headers of the next request may have been parsed before this one is served.
  if (tracked.expectsBody == &request) {
    tracked.expectsBody = nullptr;
    loop.unfinished.erase(connection.get());
  }
  tracked.uses->fetch_add(1);
  // A request may end on another thread than its loop's, so only the count is shared.
  return {tracked.uses.get(), [uses = tracked.uses](void*) { uses->fetch_sub(1); }};
}

ConnectionGuard::PerLoop& ConnectionGuard::ofThisLoop() {
  return loops_.at(trantor::EventLoop::getEventLoopOfCurrentThread()->index());
}

// trantor reports a TLS connection only after its handshake, so until then it is watched by its
// descriptor. Connections of a loop are closed on that loop's thread, which is the one that runs
// here: between the look at the cookie and the shutdown the descriptor can't change hands.
void ConnectionGuard::accepted(int descriptor) {
  const auto cookie = cookieOf(descriptor);
  const auto peer = peerOf(descriptor);
  if (!cookie || !peer) {
    return;
  }
  if (open_.load() + handshaking_.load() >= limits_.maxConnections) {
    metrics_->connectionsClosed(ConnectionEnd::tooMany).Increment();
    ::shutdown(descriptor, SHUT_RDWR);
    return;
  }
  const auto [entry, added] = ofThisLoop().handshakes.insert_or_assign(
      *peer, Handshake{.descriptor = descriptor, .cookie = *cookie, .since = Clock::now()});
  if (added) {
    handshaking_.fetch_add(1);
  }
}

void ConnectionGuard::handshakeEnded(PerLoop& loop, const std::string& peer) {
  if (loop.handshakes.erase(peer) > 0) {
    handshaking_.fetch_sub(1);
  }
}

void ConnectionGuard::changed(const trantor::TcpConnectionPtr& connection) {
  PerLoop& loop = ofThisLoop();
  if (limits_.tls) {
    handshakeEnded(loop, connection->peerAddr().toIpPort());
  }
  if (connection->connected()) {
    opened(connection);
    return;
  }
  const auto found = loop.connections.find(connection.get());
  if (found == loop.connections.end()) {
    return;
  }
  if (!found->second.limitedAddress.empty()) {
    const std::scoped_lock lock(addressesMutex_);
    const auto address = perAddress_.find(found->second.limitedAddress);
    if (--address->second == 0) {
      perAddress_.erase(address);
    }
  }
  loop.unfinished.erase(connection.get());
  loop.connections.erase(found);
  open_.fetch_sub(1);
  metrics_->httpConnections().Decrement();
}

void ConnectionGuard::opened(const trantor::TcpConnectionPtr& connection) {
  Tracked tracked;
  tracked.connection = connection;
  tracked.receivedWithLastRequest = connection->bytesReceived();
  const std::size_t before = open_.fetch_add(1);
  metrics_->httpConnections().Increment();
  const bool admitted = admit(tracked, *connection) && before < limits_.maxConnections;
  ofThisLoop().connections.emplace(connection.get(), std::move(tracked));
  if (!admitted) {
    end(*connection, ConnectionEnd::tooMany);
  }
}

bool ConnectionGuard::admit(Tracked& tracked, const trantor::TcpConnection& connection) {
  const std::string text = connection.peerAddr().toIp();
  const auto address = controllers::IpAddress::parse(text);
  const bool exempt = limits_.maxPerAddress == 0 || !address || address->isLoopback() ||
                      std::ranges::any_of(limits_.exemptFromPerAddress,
                                          [&](const auto& n) { return n.contains(*address); });
  if (exempt) {
    return true;
  }
  tracked.limitedAddress = text;
  const std::scoped_lock lock(addressesMutex_);
  return ++perAddress_[text] <= limits_.maxPerAddress;
}

void ConnectionGuard::sweep() {
  PerLoop& loop = ofThisLoop();
  const auto now = Clock::now();
  sweepHandshakes(loop, now);
  // Closing a connection takes it out of the map, so the map is not walked while that happens.
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
      if (unfinishedBytes(found->second, *connection) > 0) {
        loop.unfinished.insert(connection.get());
      }
      judge(found->second, *connection, now);
    }
  }
  weighSoon(loop);
}

std::size_t ConnectionGuard::unfinishedBytes(const Tracked& tracked,
                                             const trantor::TcpConnection& connection) {
  // After the last answer what a client still sends is read, so that it gets to read the answer,
  // and thrown away.
  return connection.connected() ? connection.bytesReceived() - tracked.receivedWithLastRequest : 0;
}

void ConnectionGuard::weighSoon(PerLoop& loop) {
  if (!loop.weighing && !loop.unfinished.empty()) {
    loop.weighing = true;
    trantor::EventLoop::getEventLoopOfCurrentThread()->runAfter(
        std::chrono::duration<double>(kWeighInterval).count(),
        [self = shared_from_this()] { self->weigh(); });
  }
}

void ConnectionGuard::weigh() {
  PerLoop& loop = ofThisLoop();
  loop.weighing = false;
  std::vector<Unfinished> unfinished;
  std::size_t sum = 0;
  std::erase_if(loop.unfinished, [&](const trantor::TcpConnection* key) {
    const Tracked& tracked = loop.connections.at(key);
    auto connection = tracked.connection.lock();
    const std::size_t bytes = connection ? unfinishedBytes(tracked, *connection) : 0;
    if (bytes > 0) {
      sum += bytes;
      unfinished.push_back({.bytes = bytes, .connection = std::move(connection)});
    }
    return bytes == 0 && tracked.expectsBody == nullptr;
  });
  std::ranges::sort(unfinished, std::greater{}, &Unfinished::bytes);
  loop.weighedBytes = sum;
  loop.largestWeighed = unfinished.empty() ? 0 : unfinished.front().bytes;
  endLargest(loop, unfinished);
  weighSoon(loop);
}

// Each loop ends its own, and leaves it to another one that has a larger one and will look soon.
void ConnectionGuard::endLargest(PerLoop& loop, const std::vector<Unfinished>& unfinished) {
  std::size_t inAll = 0;
  std::size_t largestOfOthers = 0;
  for (const PerLoop& each : loops_) {
    inAll += each.weighedBytes;
    if (&each != &loop) {
      largestOfOthers = std::max(largestOfOthers, each.largestWeighed.load());
    }
  }
  for (const Unfinished& largest : unfinished) {
    loop.largestWeighed = largest.bytes;
    if (inAll <= limits_.maxUnfinishedInAll || largest.bytes < largestOfOthers) {
      return;
    }
    end(*largest.connection, ConnectionEnd::unfinishedBudget);
    inAll -= largest.bytes;
    loop.weighedBytes -= largest.bytes;
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
      metrics_->connectionsClosed(ConnectionEnd::unfinishedHandshake).Increment();
      ::shutdown(handshake.descriptor, SHUT_RDWR);
    }
    return true;
  });
  handshaking_.fetch_sub(expired);
}

void ConnectionGuard::judge(Tracked& tracked, trantor::TcpConnection& connection,
                            Clock::time_point now) {
  if (tracked.uses->load() > 0) {
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

void ConnectionGuard::end(trantor::TcpConnection& connection, ConnectionEnd reason) {
  metrics_->connectionsClosed(reason).Increment();
  telemetry::log(telemetry::LogLevel::info, "http.connection_ended",
                 {{"reason", toText(reason)}, {"peer", connection.peerAddr().toIp()}});
  connection.forceClose();
}

}  // namespace auth_errors::app
