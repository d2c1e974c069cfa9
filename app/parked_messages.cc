#include "app/parked_messages.h"

#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "messaging/subscriber.h"
#include "workers/signal.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

// As many as AMQP lets a consumer hold: what stays is not given back before the end, or it would be
// seen again.
constexpr std::uint16_t kMostHeld = 65'535;
constexpr auto kQuiet = 500ms;

}  // namespace

ParkedMessages::ParkedMessages(trantor::EventLoop& loop, Options options)
    : loop_(loop),
      options_(std::move(options)),
      publisher_(loop, {.broker = options_.broker, .topology = options_.topology, .onState = {}}) {}

drogon::Task<> ParkedMessages::waitUntilReady() {
  const auto end = Clock::now() + options_.patience;
  while (publisher_.state() != messaging::BrokerState::ready) {
    if (Clock::now() >= end) {
      throw std::runtime_error("the broker can't be used: " + publisher_.problem());
    }
    co_await drogon::sleepCoro(&loop_, 20ms);
  }
}

drogon::Task<std::size_t> ParkedMessages::visit(Decide decide, std::string workQueue) {
  co_await waitUntilReady();
  std::deque<messaging::Delivery> arrived;
  workers::Signal news(loop_);
  messaging::Subscriber subscriber(loop_, {.broker = options_.broker,
                                           .topology = options_.topology,
                                           .queue = options_.topology.foreignQueue,
                                           .prefetch = kMostHeld,
                                           .onDelivery =
                                               [&](messaging::Delivery delivery) {
                                                 arrived.push_back(std::move(delivery));
                                                 news.notifyAll();
                                               },
                                           .onState = {}});
  // All of them before the first is touched: one that is returned to our own work queue may be
  // parked again at once. The broker's count lags behind, so silence tells the end.
  const auto end = Clock::now() + options_.patience;
  auto quietSince = Clock::now();
  std::size_t known = 0;
  while (Clock::now() < quietSince + kQuiet) {
    co_await news.wait(kQuiet / 4);
    const bool ready = subscriber.state() == messaging::BrokerState::ready;
    if (!ready && Clock::now() >= end) {
      throw std::runtime_error("the broker can't be used: " + subscriber.problem());
    }
    if (!ready) {
      arrived.clear();  // the broker delivers them again
    }
    if (!ready || std::exchange(known, arrived.size()) != arrived.size()) {
      quietSince = Clock::now();
    }
  }
  subscriber.pause();
  std::size_t changed = 0;
  while (!arrived.empty()) {
    messaging::Delivery delivery = std::move(arrived.front());
    arrived.pop_front();
    const Fate fate = decide(delivery.message);
    if (fate == Fate::stays) {
      continue;
    }
    if (fate == Fate::returned) {
      std::vector<messaging::Publication> copy;
      copy.push_back({.to = {.exchange = "", .routingKey = workQueue},
                      .message = std::move(delivery.message)});
      const auto results =
          co_await publisher_.publish(std::move(copy), Clock::now() + options_.patience);
      if (results.front() != messaging::PublishResult::confirmed) {
        co_await subscriber.finish(Clock::now() + options_.patience);
        throw std::runtime_error("the queue " + workQueue + " did not take a message");
      }
    }
    subscriber.settle(std::vector{delivery.tag});
    ++changed;
  }
  co_await subscriber.finish(Clock::now() + options_.patience);
  // Not inside a callback of its own: what follows destroys it.
  co_await drogon::sleepCoro(&loop_, 0ms);
  co_return changed;
}

}  // namespace auth_errors::app
