// A connection to the broker that reconnects automatically and declares the topology. Belongs to
// one event loop; state() and problem() may be called from any thread. Only for this folder's own
// sources.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "domain/retry/backoff.h"
#include "platform/messaging/broker.h"
#include "platform/messaging/session.h"
#include "platform/messaging/topology.h"
#include "platform/workers/host_lookup.h"

namespace auth_errors::messaging {

// Callbacks on the loop; see SessionOwner for what they may do.
class LinkOwner {
 public:
  LinkOwner() = default;
  virtual ~LinkOwner() = default;
  LinkOwner(const LinkOwner&) = delete;
  LinkOwner& operator=(const LinkOwner&) = delete;
  LinkOwner(LinkOwner&&) = delete;
  LinkOwner& operator=(LinkOwner&&) = delete;

  // Connected, with the topology declared: the owner opens its channels and then calls
  // Link::setReady().
  virtual void onDeclared(Session& session) = 0;
  virtual void onUnblocked() = 0;
  // The session has ended: the owner must release its channels before this returns.
  virtual void onLost() = 0;
};

class Link : public SessionOwner, public std::enable_shared_from_this<Link> {
 public:
  using StateCallback = std::function<void(BrokerState)>;

  // Throws std::invalid_argument on an invalid URL.
  Link(trantor::EventLoop& loop, BrokerOptions options, Topology topology, StateCallback onState);

  void start(std::weak_ptr<LinkOwner> owner);
  void setReady();
  void close();
  // Like close(), but the session stays until the broker has responded: see
  // Session::closeInOrder().
  void closeInOrder();

  [[nodiscard]] BrokerState state() const { return state_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::string problem() const;

  void onOpen(Session& session) override;
  void onBlocked(const std::string& reason) override;
  void onUnblocked() override;
  void onLost(const std::string& reason) override;

 private:
  // One address of one host.
  struct Candidate {
    BrokerHost host;
    std::string address;
  };

  void connect();
  void lookUpHosts();
  void onLookedUp(const std::vector<workers::HostLookup::Found>& found);
  void openSession(const Candidate& candidate);
  void declare(Session& session);
  void onDeclareFailed(Session& session, const std::string& reason);
  void retryLater(const std::string& reason);
  void report(bool wasReady, const std::string& reason);
  void setState(BrokerState state, std::string problem);

  trantor::EventLoop& loop_;
  std::shared_ptr<const BrokerOptions> options_;
  BrokerUrl url_;
  Topology topology_;
  StateCallback onState_;
  std::weak_ptr<LinkOwner> owner_;
  domain::Backoff backoff_;
  std::unique_ptr<workers::HostLookup> lookup_;
  std::uint64_t lookups_ = 0;
  std::deque<Candidate> candidates_;  // untried addresses of the last lookup
  BrokerHost tried_;                  // the last one tried
  std::string problems_;              // of the addresses tried so far
  std::shared_ptr<Session> session_;
  std::unique_ptr<AMQP::Channel> declaring_;
  bool mismatch_ = false;
  std::string lastReported_;
  std::atomic<BrokerState> state_{BrokerState::connecting};
  mutable std::mutex problemMutex_;
  std::string problem_ = "not connected yet";
};

}  // namespace auth_errors::messaging
