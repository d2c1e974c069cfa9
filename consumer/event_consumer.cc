#include "consumer/event_consumer.h"

#include <exception>
#include <format>
#include <utility>

#include "consumer/lease_keeper.h"
#include "platform/telemetry/log.h"

namespace auth_errors::consumer {
namespace {

using namespace std::chrono_literals;
using telemetry::LogLevel;
using workers::Then;
using Clock = std::chrono::steady_clock;

// Pause before a failed batch is given back.
constexpr workers::Pauses kBatchPauses{.shortest = 5'000ms, .longest = 5'000ms};

}  // namespace

EventConsumer::EventConsumer(database::Client& client, messaging::Publisher& copies,
                             std::vector<std::unique_ptr<Handler>> handlers, Options options,
                             Metrics& metrics)
    : Worker(client.loop(),
             {.faultEvent = "consumer.batch_failed",
              .faultLevel = LogLevel::error,
              .afterFailures = kBatchPauses},
             [this] { return run(); }),
      options_(std::move(options)),
      context_{.client = client,
               .metrics = metrics,
               .stop = stopSignal(),
               .instance = options_.instance,
               .topology = options_.topology,
               .policy = options_.policy,
               .lease = options_.lease,
               .databaseDeadline = options_.databaseDeadline,
               .acknowledge = [this](const auto& tags) { subscriber_->settle(tags); }},
      placement_(context_),
      handling_(context_, std::move(handlers)),
      conclusion_(context_),
      copies_(loop(), copies,
              {.settle = context_.acknowledge,
               .reject = [this](const auto& tags) { subscriber_->reject(tags); },
               .publishDeadline = options_.publishDeadline}) {}

void EventConsumer::start() {
  subscriber_ = std::make_unique<messaging::Subscriber>(
      loop(),
      messaging::Subscriber::Options{
          .broker = options_.broker,
          .topology = options_.topology,
          .queue = options_.topology.workQueue,
          .prefetch = options_.prefetch,
          .onDelivery = [this](messaging::Delivery delivery) { receive(std::move(delivery)); },
          .onState =
              [this](messaging::BrokerState state) {
                if (state != messaging::BrokerState::ready) {
                  // The broker redelivers them to any consumer.
                  received_.clear();
                }
                if (options_.onState) {
                  options_.onState(state);
                }
              }});
  Worker::start();
}

drogon::Task<bool> EventConsumer::stop(Deadline deadline) {
  subscriber_->pause();
  received_.clear();
  const auto step = (deadline - Clock::now()) / 3;
  const auto patience = Clock::now() + step;
  co_await finishRuns(patience);
  co_await copies_.finish(patience);
  // A broker or a database that does not respond has used up its time.
  copies_.stop();
  const bool ended = co_await Worker::stop(patience + step);
  co_await copies_.finish(patience + step);
  if (current_ != nullptr) {
    co_await release(*current_);
  }
  co_await subscriber_->finish(deadline);
  co_return ended;
}

drogon::Task<> EventConsumer::release(const EventBatch& batch) {
  try {
    co_await releaseLeases(context_.client, batch.owner, batch.leased, context_.soon());
  } catch (const std::exception& error) {
    telemetry::log(LogLevel::warn, "consumer.leases_not_released", {{"error", error.what()}});
  }
}

void EventConsumer::receive(messaging::Delivery delivery) {
  received_.push_back(std::move(delivery));
  wake();
}

drogon::Task<Then> EventConsumer::run() {
  co_await runOnce();
  co_return received_.empty() ? Then::wait : Then::again;
}

drogon::Task<std::size_t> EventConsumer::runOnce() {
  if (!inHand_.empty()) {
    // Their batch has failed.
    subscriber_->giveBack(std::exchange(inHand_, {}));
  }
  std::vector<messaging::Delivery> deliveries;
  while (!received_.empty() && deliveries.size() < options_.batchRows) {
    inHand_.push_back(received_.front().tag);
    deliveries.push_back(std::move(received_.front()));
    received_.pop_front();
  }
  if (!deliveries.empty()) {
    co_await process(std::move(deliveries));
  }
  co_return std::exchange(inHand_, {}).size();
}

drogon::Task<> EventConsumer::process(std::vector<messaging::Delivery> deliveries) {
  EventBatch batch(nextOwner(), Company::others);
  batch.decode(std::move(deliveries), context_.metrics);
  co_await work(batch);
  for (BatchItem* suspect : batch.suspects) {
    if (stopping()) {
      throw workers::Stopped();
    }
    EventBatch single(nextOwner(), Company::alone);
    single.items.push_back(std::move(*suspect));
    co_await work(single);
  }
}

LeaseOwner EventConsumer::nextOwner() {
  return LeaseOwner(std::format("{}/{}", options_.instance, ++batches_));
}

drogon::Task<> EventConsumer::work(EventBatch& batch) {
  current_ = &batch;
  std::exception_ptr fault;
  try {
    co_await placement_.placeUnread(batch);
    co_await placement_.takeLeasesOf(batch);
    const LeaseKeeper keeper(context_, batch);
    co_await handling_.handleLeased(batch);
    co_await conclusion_.conclude(batch, std::move(batch.failures));
    co_await placement_.postpone(batch);
    co_await placement_.giveUp(batch);
  } catch (...) {
    fault = std::current_exception();
  }
  if (fault && stopping()) {
    // The next consumer need not wait for the leases to expire, which would cost an attempt.
    co_await release(batch);
  }
  current_ = nullptr;
  copies_.send(std::move(batch.copies));
  if (fault) {
    std::rethrow_exception(fault);
  }
}

}  // namespace auth_errors::consumer
