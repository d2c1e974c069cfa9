#include "platform/messaging/link.h"

#include <chrono>
#include <cstddef>
#include <format>
#include <utility>

#include "platform/telemetry/log.h"

namespace auth_errors::messaging {
namespace {

AMQP::Table argumentsOf(const QueueDeclaration& queue) {
  AMQP::Table arguments;
  arguments["x-queue-type"] = "quorum";
  arguments["x-delivery-limit"] = queue.deliveryLimit;
  if (!queue.deadLetterQueue.empty()) {
    arguments["x-dead-letter-exchange"] = "";
    arguments["x-dead-letter-routing-key"] = queue.deadLetterQueue.text();
    // Without both of these, RabbitMQ silently dead-letters at most once.
    arguments["x-dead-letter-strategy"] = "at-least-once";
    arguments["x-overflow"] = "reject-publish";
  }
  if (queue.ttl.count() > 0) {
    arguments["x-message-ttl"] = static_cast<std::int64_t>(queue.ttl.count());
  }
  if (queue.maxLength > 0) {
    arguments["x-max-length"] = queue.maxLength;
  }
  return arguments;
}

}  // namespace

Link::Link(trantor::EventLoop& loop, BrokerOptions options, Topology topology,
           StateCallback onState)
    : loop_(loop),
      options_(std::make_shared<const BrokerOptions>(std::move(options))),
      url_(parseBrokerUrl(options_->url)),
      topology_(std::move(topology)),
      onState_(std::move(onState)),
      backoff_(options_->reconnectDelayMin, options_->reconnectDelayMax) {}

void Link::start(std::weak_ptr<LinkOwner> owner) {
  loop_.assertInLoopThread();
  owner_ = std::move(owner);
  connect();
}

void Link::connect() {
  if (state() == BrokerState::closed) {
    return;
  }
  if (candidates_.empty()) {
    lookUpHosts();
    return;
  }
  const Candidate next = std::move(candidates_.front());
  candidates_.pop_front();
  openSession(next);
}

void Link::lookUpHosts() {
  tried_ = url_.hosts.front();
  std::vector<std::string> names;
  for (const BrokerHost& host : url_.hosts) {
    names.push_back(host.name);
  }
  const std::weak_ptr<Link> weak = weak_from_this();
  lookup_ = std::make_unique<workers::HostLookup>(
      loop_, names, options_->connectTimeout / 2,
      [weak](const std::vector<workers::HostLookup::Found>& found) {
        if (const auto self = weak.lock()) {
          self->onLookedUp(found);
        }
      });
  loop_.runAfter(std::chrono::duration<double>(options_->connectTimeout).count(),
                 [weak, lookup = ++lookups_] {
                   const auto self = weak.lock();
                   if (self && self->lookup_ && self->lookups_ == lookup) {
                     self->lookup_.reset();
                     self->retryLater(std::format("its host name was not resolved within {} ms",
                                                  self->options_->connectTimeout.count()));
                   }
                 });
}

// Tries host after host, and each host's addresses in turn.
void Link::onLookedUp(const std::vector<workers::HostLookup::Found>& found) {
  lookup_.reset();
  if (state() == BrokerState::closed) {
    return;
  }
  for (std::size_t host = 0; host < found.size(); ++host) {
    for (const std::string& address : found[host].addresses) {
      candidates_.push_back({.host = url_.hosts[host], .address = address});
    }
  }
  if (candidates_.empty()) {
    retryLater(std::format("the broker's host name cannot be resolved: {}", found.front().problem));
    return;
  }
  connect();
}

void Link::openSession(const Candidate& candidate) {
  tried_ = candidate.host;
  session_ = std::make_shared<Session>(loop_, options_, url_, candidate.host, weak_from_this());
  const auto session = session_;
  session->open(trantor::InetAddress(candidate.address, candidate.host.port,
                                     candidate.address.contains(':')));
}

void Link::onOpen(Session& session) { declare(session); }

// AMQP-CPP sends one declaration after the other and stops at the first failure, so the last answer
// decides.
void Link::declare(Session& session) {
  declaring_ = session.makeChannel();
  const std::weak_ptr<Link> weak = weak_from_this();
  declaring_->onError([weak, &session](const char* reason) {
    session.guarded([&] {
      if (const auto self = weak.lock()) {
        self->onDeclareFailed(session, reason);
      }
    });
  });
  declaring_->declareExchange(topology_.exchange.text(), AMQP::topic, AMQP::durable);
  for (const auto& queue : topology_.queues) {
    declaring_->declareQueue(queue.name.text(), AMQP::durable, argumentsOf(queue));
  }
  for (const auto& key : topology_.bindingKeys) {
    declaring_->bindQueue(topology_.exchange.text(), topology_.workQueue.text(), key);
  }
  declaring_->close().onSuccess([weak, &session] {
    session.guarded([&] {
      const auto self = weak.lock();
      const auto owner = self ? self->owner_.lock() : nullptr;
      if (owner) {
        owner->onDeclared(session);
      }
    });
  });
}

void Link::onDeclareFailed(Session& session, const std::string& reason) {
  mismatch_ = reason.starts_with("PRECONDITION_FAILED");
  session.drop(std::format("declaring ended: {}", reason));
}

void Link::setReady() {
  const auto session = session_;
  if (!session || session->ended()) {
    return;
  }
  session->setEstablished();
  backoff_.reset();
  lastReported_.clear();
  // Resolve the names again after a loss: the broker may have moved.
  candidates_.clear();
  problems_.clear();
  telemetry::log(telemetry::LogLevel::info, "messaging.connected",
                 {{"connection", options_->connectionName}});
  setState(BrokerState::ready, "");
}

void Link::onBlocked(const std::string& reason) {
  if (state() != BrokerState::ready) {
    return;
  }
  const auto problem = std::format("the broker has blocked the connection: {}", reason);
  telemetry::log(telemetry::LogLevel::warn, "messaging.blocked",
                 {{"connection", options_->connectionName}, {"reason", reason}});
  setState(BrokerState::blocked, problem);
}

void Link::onUnblocked() {
  if (state() != BrokerState::blocked) {
    return;
  }
  telemetry::log(telemetry::LogLevel::info, "messaging.unblocked",
                 {{"connection", options_->connectionName}});
  setState(BrokerState::ready, "");
  if (const auto owner = owner_.lock()) {
    owner->onUnblocked();
  }
}

void Link::onLost(const std::string& reason) {
  declaring_.reset();
  session_.reset();
  if (const auto owner = owner_.lock()) {
    owner->onLost();
  }
  if (state() != BrokerState::closed) {
    retryLater(reason);
  }
}

void Link::retryLater(const std::string& reason) {
  const bool wasReady = state() == BrokerState::ready || state() == BrokerState::blocked;
  if (!problems_.contains(reason)) {
    problems_ += (problems_.empty() ? "" : "; ") + reason;
  }
  // Each address is tried once before waiting and before the outage is reported.
  double delay = 0;
  if (wasReady || mismatch_ || candidates_.empty()) {
    candidates_.clear();
    const std::string problem = std::exchange(problems_, {});
    report(wasReady, problem);
    setState(std::exchange(mismatch_, false) ? BrokerState::mismatch : BrokerState::connecting,
             problem);
    delay = backoff_.next().count();
  }
  loop_.runAfter(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->connect();
    }
  });
}

// Log one line per outage and per new reason; further attempts go to the debug log.
void Link::report(bool wasReady, const std::string& reason) {
  const bool news = wasReady || reason != lastReported_;
  lastReported_ = reason;
  const auto level = news ? telemetry::LogLevel::warn : telemetry::LogLevel::debug;
  const auto* event = wasReady    ? "messaging.connection_lost"
                      : mismatch_ ? "messaging.topology_mismatch"
                                  : "messaging.connect_failed";
  // /health/ready shows the reason publicly, so it does not include the broker's address.
  telemetry::log(level, event,
                 {{"connection", options_->connectionName},
                  {"host", tried_.name},
                  {"port", tried_.port},
                  {"reason", reason}});
}

void Link::setState(BrokerState state, std::string problem) {
  bool news = false;
  {
    const std::scoped_lock lock(problemMutex_);
    news = problem_ != problem;
    problem_ = std::move(problem);
  }
  news = state_.exchange(state, std::memory_order_relaxed) != state || news;
  if (!news || !onState_) {
    return;
  }
  try {
    onState_(state);
  } catch (...) {
    // An uncaught exception would end the loop, and with it the process.
    telemetry::log(telemetry::LogLevel::error, "messaging.callback_threw",
                   {{"connection", options_->connectionName}});
  }
}

void Link::close() {
  loop_.assertInLoopThread();
  if (state() == BrokerState::closed) {
    return;
  }
  setState(BrokerState::closed, "closed");
  lookup_.reset();
  if (const auto session = session_) {
    session->close();
  }
}

void Link::closeInOrder() {
  loop_.assertInLoopThread();
  if (state() == BrokerState::closed) {
    return;
  }
  setState(BrokerState::closed, "closed");
  lookup_.reset();
  if (const auto session = session_) {
    session->closeInOrder();
  }
}

std::string Link::problem() const {
  const std::scoped_lock lock(problemMutex_);
  return problem_;
}

}  // namespace auth_errors::messaging
