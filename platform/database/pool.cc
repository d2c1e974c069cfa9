#include "platform/database/pool.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include <trantor/net/EventLoop.h>

#include "platform/telemetry/log.h"

namespace auth_errors::database {

Pool::Pool(trantor::EventLoop& loop, ClientOptions options)
    : loop_(loop),
      options_(std::move(options)),
      settings_(std::make_shared<const ConnectionSettings>(options_)),
      deadlines_(std::make_shared<workers::Deadlines>(loop)) {
  if (options_.connections == 0) {
    throw std::invalid_argument("a database client needs at least one connection");
  }
  for (std::size_t count = 0; count < options_.connections; ++count) {
    slots_.push_back(
        {.connection = nullptr,
         .backoff = domain::Backoff(options_.reconnectDelayMin, options_.reconnectDelayMax)});
  }
}

void Pool::start() {
  loop_.assertInLoopThread();
  downSince_ = std::chrono::steady_clock::now();
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    connect(slot);
  }
}

void Pool::connect(std::size_t slot) {
  if (closed_) {
    return;
  }
  const auto connection = std::make_shared<Connection>(loop_, settings_, weak_from_this());
  slots_[slot].connection = connection;
  connection->open(slots_[slot].failures);
}

void Pool::close() {
  loop_.assertInLoopThread();
  if (std::exchange(closed_, true)) {
    return;
  }
  failWaiting("the database client is closing");
  for (auto& slot : slots_) {
    if (const auto connection = slot.connection) {
      connection->drop("the database client is closing");
    }
  }
}

std::shared_ptr<const PreparedText> Pool::intern(const Statement& statement) {
  const auto prepare = [&statement] {
    return std::make_shared<const PreparedText>(
        PreparedText{.name = statement.name, .sql = numbered(statement)});
  };
  if (statement.name.empty()) {
    return prepare();
  }
  const auto known = statements_.find(statement.name);
  if (known == statements_.end()) {
    return statements_
        .emplace(statement.name, KnownStatement{.given = statement, .prepared = prepare()})
        .first->second.prepared;
  }
  if (known->second.given != statement) {
    throw std::logic_error("two SQL texts have the same statement name: " + statement.name);
  }
  return known->second.prepared;
}

bool Pool::refuseIfTooLate(const std::shared_ptr<Request>& request) const {
  if (closed_) {
    request->fail(Error(Failure::unavailable, "the database client is closed"));
    return true;
  }
  if (request->deadline() <= std::chrono::steady_clock::now()) {
    request->fail(Error(Failure::unavailable, "deadline passed before the statement was sent"));
    return true;
  }
  return false;
}

void Pool::submit(const std::shared_ptr<Request>& request) {
  loop_.assertInLoopThread();
  if (refuseIfTooLate(request)) {
    return;
  }
  // Waiting calls come first; if there are any, a free connection is about to serve one.
  if (waiting_.empty()) {
    const auto free = std::ranges::find_if(
        slots_, [](const Slot& slot) { return slot.connection && slot.connection->free(); });
    if (free != slots_.end()) {
      request->startClock(deadlines_, request->deadline());
      free->connection->submit(request);
      return;
    }
  }
  if (inOutage()) {
    request->fail(Error(Failure::unavailable, "not connected to the database"));
    return;
  }
  if (waiting_.size() >= options_.queueLimit) {
    request->fail(Error(Failure::unavailable, "too many calls wait for a database connection"));
    return;
  }
  request->holder = weak_from_this();
  waiting_.push_back(request);
  request->startClock(deadlines_, request->deadline());
}

void Pool::submitTo(Connection& connection, const std::shared_ptr<Request>& request) {
  loop_.assertInLoopThread();
  if (refuseIfTooLate(request)) {
    return;
  }
  request->startClock(deadlines_, request->deadline());
  connection.submit(request);
}

void Pool::expire(const std::shared_ptr<Request>& request) {
  waiting_.remove(request);
  request->fail(Error(Failure::unavailable, "deadline passed while waiting for a connection"));
}

void Pool::onReady(Connection& connection) {
  Slot& slot = slotOf(connection);
  slot.backoff.reset();
  slot.failures = 0;
  ready_.fetch_add(1, std::memory_order_relaxed);
  downSince_.reset();
  connectFailed_ = false;
  telemetry::log(telemetry::LogLevel::info, "database.connected",
                 {{"application", options_.applicationName}});
  onFree(connection);
}

void Pool::onFree(Connection& connection) {
  while (!waiting_.empty() && connection.free()) {
    const auto request = std::move(waiting_.front());
    waiting_.pop_front();
    connection.submit(request);
  }
}

void Pool::onLost(Connection& connection, const std::string& reason) {
  Slot& slot = slotOf(connection);
  if (connection.wasReady() && ready_.fetch_sub(1, std::memory_order_relaxed) == 1) {
    downSince_ = std::chrono::steady_clock::now();
  }
  const bool wasReady = connection.wasReady();
  slot.connection.reset();
  if (closed_) {
    return;
  }
  // Log one line per outage and connection; further attempts go to the debug log.
  const auto level =
      wasReady || slot.failures == 0 ? telemetry::LogLevel::warn : telemetry::LogLevel::debug;
  telemetry::log(level, wasReady ? "database.connection_lost" : "database.connect_failed",
                 {{"application", options_.applicationName}, {"reason", reason}});
  if (!wasReady) {
    ++slot.failures;
    connectFailed_ = true;
  }
  if (inOutage()) {
    failWaiting("not connected to the database");
  }
  const auto index = static_cast<std::size_t>(&slot - slots_.data());
  loop_.runAfter(slot.backoff.next().count(), [weak = weak_from_this(), index] {
    if (const auto self = weak.lock()) {
      self->connect(index);
    }
  });
}

void Pool::onNotification(std::string /*payload*/) {}

Pool::Slot& Pool::slotOf(const Connection& connection) {
  const auto found = std::ranges::find_if(
      slots_, [&connection](const Slot& slot) { return slot.connection.get() == &connection; });
  if (found == slots_.end()) {
    throw std::logic_error("the connection belongs to another pool");
  }
  return *found;
}

bool Pool::inOutage() const {
  return downSince_ && connectFailed_ &&
         std::chrono::steady_clock::now() - *downSince_ >= options_.failFastAfter;
}

void Pool::failWaiting(const std::string& reason) {
  for (const auto& request : std::exchange(waiting_, {})) {
    request->fail(Error(Failure::unavailable, reason));
  }
}

}  // namespace auth_errors::database
