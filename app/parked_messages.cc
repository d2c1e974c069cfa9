#include "app/parked_messages.h"

#include <algorithm>
#include <deque>
#include <format>
#include <stdexcept>
#include <utility>
#include <vector>

#include "platform/messaging/subscriber.h"
#include "platform/workers/signal.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;

using Clock = std::chrono::steady_clock;

// The maximum that AMQP allows a consumer to hold: messages that stay are not given back before the
// end, because they would be delivered again.
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
      throw std::runtime_error("the broker is unavailable: " + publisher_.problem());
    }
    co_await drogon::sleepCoro(&loop_, 20ms);
  }
}

drogon::Task<std::size_t> ParkedMessages::visit(Decide decide, messaging::QueueName workQueue) {
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
  // Collects all messages before changing any: one that is returned to our own work queue may be
  // parked again immediately. The broker's count lags behind, so a period without deliveries marks
  // the end.
  const auto end = Clock::now() + options_.patience;
  auto quietSince = Clock::now();
  std::size_t known = 0;
  while (Clock::now() < quietSince + kQuiet) {
    co_await news.wait(kQuiet / 4);
    const bool ready = subscriber.state() == messaging::BrokerState::ready;
    if (!ready && Clock::now() >= end) {
      throw std::runtime_error("the broker is unavailable: " + subscriber.problem());
    }
    if (!ready) {
      arrived.clear();  // the broker redelivers them
    }
    if (!ready || std::exchange(known, arrived.size()) != arrived.size()) {
      quietSince = Clock::now();
    }
  }
  subscriber.pause();
  std::vector<Fate> fates;
  for (const messaging::Delivery& delivery : arrived) {
    fates.push_back(decide(delivery.message));
  }
  // The broker may lose acknowledgements of single messages if the connection is closed right after
  // them, so all messages up to the last changed one are acknowledged at once: those that stay are
  // appended to the queue as copies. Messages after the last changed one are not touched.
  while (!fates.empty() && fates.back() == Fate::stays) {
    fates.pop_back();
  }
  std::vector<messaging::Publication> copies;
  std::vector<messaging::DeliveryTag> tags;
  for (std::size_t index = 0; index < fates.size(); ++index) {
    messaging::Delivery& delivery = arrived.at(index);
    tags.push_back(delivery.tag);
    if (fates.at(index) != Fate::dropped) {
      copies.push_back({.to = messaging::addressOf(fates.at(index) == Fate::returned
                                                       ? workQueue
                                                       : options_.topology.foreignQueue),
                        .message = std::move(delivery.message)});
    }
  }
  if (!copies.empty()) {
    const auto results =
        co_await publisher_.publish(std::move(copies), Clock::now() + options_.patience);
    if (std::ranges::any_of(results, [](messaging::PublishResult result) {
          return result != messaging::PublishResult::confirmed;
        })) {
      co_await subscriber.finish(Clock::now() + options_.patience);
      throw std::runtime_error(
          std::format("not every message was accepted by {} and {}; nothing was removed, so some "
                      "messages may be duplicated",
                      workQueue, options_.topology.foreignQueue));
    }
  }
  subscriber.settle(tags);
  const auto changed = static_cast<std::size_t>(
      std::ranges::count_if(fates, [](Fate fate) { return fate != Fate::stays; }));
  co_await subscriber.finish(Clock::now() + options_.patience);
  // Not inside one of its own callbacks, because it is destroyed next.
  co_await drogon::sleepCoro(&loop_, 0ms);
  co_return changed;
}

}  // namespace auth_errors::app
