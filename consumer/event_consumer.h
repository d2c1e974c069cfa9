// Takes events from the work queue to their effects, once each. What arrived while the last batch
// was being worked on forms the next: decode, take leases, ask the handler, then effects and DONE
// in one transaction, then ack. An event whose lease has once expired follows in a batch of its
// own, for it may be what killed its consumer. Belongs to one event loop, with the client and the
// publisher it is given.
//
// Every delivery ends in one of five ways: acknowledged as done (or done before), copied to a retry
// queue, to the dead-letter queue, or to the queue for messages of other installations, or left to
// the broker, which delivers it again. A copy is confirmed before its original is acknowledged.
// While the database is away nothing is decided.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "consumer/copy_sender.h"
#include "consumer/handler.h"
#include "consumer/ledger_store.h"
#include "consumer/metrics.h"
#include "domain/errors/dead_letter.h"
#include "domain/retry/retry_policy.h"
#include "platform/database/client.h"
#include "platform/messaging/event_codec.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/subscriber.h"
#include "platform/workers/signal.h"

namespace auth_errors::consumer {

class EventConsumer {
 public:
  struct Options {
    std::string instance;  // no other process has this name, not even an earlier one
    messaging::BrokerOptions broker;
    messaging::Topology topology;
    domain::RetryPolicy policy;
    std::chrono::milliseconds lease{60'000};
    std::size_t batchRows = 128;
    std::uint16_t prefetch = 256;
    std::chrono::milliseconds databaseDeadline{5'000};
    std::chrono::milliseconds publishDeadline{15'000};
    std::function<void(messaging::BrokerState)> onState;  // of the connection to the work queue
  };

  // One handler for each event type. The client needs two connections at least: one renews leases
  // while a handler uses the other.
  EventConsumer(database::Client& client, messaging::Publisher& copies,
                std::vector<std::unique_ptr<Handler>> handlers, Options options, Metrics& metrics);
  ~EventConsumer();
  EventConsumer(const EventConsumer&) = delete;
  EventConsumer& operator=(const EventConsumer&) = delete;
  EventConsumer(EventConsumer&&) = delete;
  EventConsumer& operator=(EventConsumer&&) = delete;

  void start();
  // Takes no more, finishes the batch at hand or gives its leases back, and closes.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  // Any thread, between start() and the end of stop().
  [[nodiscard]] messaging::BrokerState state() const { return subscriber_->state(); }
  [[nodiscard]] std::string problem() const { return subscriber_->problem(); }

 private:
  using Clock = std::chrono::steady_clock;

  // One event, and every copy of it that came in the same batch.
  struct Item {
    messaging::IncomingEvent event;
    outbox::EventIdentity identity;
    messaging::Message message;
    std::vector<messaging::DeliveryTag> tags;
    std::int32_t retryCount = 0;
    bool leased = false;
  };
  struct Failure {
    Item* item = nullptr;
    std::optional<domain::Retry> retry;  // none: DEAD
    domain::DeadLetterReason reason{};   // of DEAD
    std::string error;
    bool noted = false;  // as an attempt already
  };
  // A message that can't be read as an event, but may be another installation's.
  struct Unread {
    messaging::Delivery delivery;
    messaging::PermanentFault fault;
  };
  struct Batch {
    LeaseOwner owner;
    Company company = Company::others;
    std::vector<Unread> unread;
    std::deque<Item> items;
    std::vector<std::int64_t> leased;
    std::vector<Item*> suspects;  // each to be leased and handled alone, after the others
    std::vector<Failure> failures;
    std::vector<Item*> newer;  // of errors in a state that only a newer version knows
    // No longer ours: taken over by another consumer, or done by a commit whose answer was lost.
    std::vector<Item*> lost;
    std::vector<Copy> copies;
  };
  // By what their AuthErrors say.
  struct Sorted {
    std::vector<Item*> unknown;       // there is none
    std::vector<Item*> ended;         // it is terminal
    std::vector<Item*> newer;         // only a newer version knows its status
    std::vector<Item*> open;          // the handler's
    std::vector<EventInHand> events;  // those of `open`
  };
  class LeaseKeeper;
  using AskLedger = std::function<drogon::Task<std::vector<LedgerEntry>>(
      std::vector<outbox::EventIdentity> events)>;

  void receive(messaging::Delivery delivery);
  drogon::Task<> processUntilEmpty();
  drogon::Task<> process(std::vector<messaging::Delivery> deliveries);
  [[nodiscard]] Batch makeBatch(Company company);
  void decode(std::vector<messaging::Delivery> deliveries, Batch& batch);
  drogon::Task<> work(Batch& batch);
  // Parks another installation's messages, turns the others away.
  drogon::Task<> placeUnread(Batch& batch);
  drogon::Task<> takeLeasesOf(Batch& batch);
  // Each as the ledger's answer says. If the database can't give one, each half is asked for, and
  // so on until `end`: what is left without an answer comes back later and spends no attempt.
  drogon::Task<> placeAll(Batch& batch, std::span<Item* const> items, const AskLedger& ask,
                          Clock::time_point end);
  drogon::Task<> handleLeased(Batch& batch);
  // A failing batch falls back to single events, so that a poison one stands alone.
  drogon::Task<> handle(Handler& handler, Batch& batch, std::vector<Item*> items);
  drogon::Task<> handleTogether(Handler& handler, Batch& batch, std::vector<Item*> items);
  drogon::Task<Sorted> sortByStatus(std::vector<Item*> items);
  // Effects and DONE in one transaction. Returns the outbox ids that were still ours, sorted.
  drogon::Task<std::vector<std::int64_t>> complete(Handler& handler, const Batch& batch,
                                                   const Sorted& sorted, const Prepared& prepared);
  // The one place where failures become ledger state, a retry copy or a dead letter.
  drogon::Task<> conclude(Batch& batch, std::vector<Failure> failures);
  drogon::Task<> concludeTogether(Batch& batch, std::vector<Failure> failures);
  // Settles lost events by their current ledger state.
  drogon::Task<> giveUp(Batch& batch);
  // Leaves events of errors in an unknown state to a consumer that knows it; no attempt spent.
  drogon::Task<> postpone(Batch& batch);
  // PENDING again, no attempt spent.
  drogon::Task<> release(const Batch& batch);
  void place(Batch& batch, Item& item, const LedgerEntry& entry);

  void fail(Batch& batch, Item& item, std::string error);
  void reject(Batch& batch, Item& item, domain::DeadLetterReason reason, std::string error);
  // A copy to the dead-letter queue and nothing else: no event of ours that it could belong to.
  void turnAway(Batch& batch, messaging::Message message, std::vector<messaging::DeliveryTag> tags,
                const messaging::PermanentFault& fault);
  // A copy to the queue for other installations' messages.
  void park(Batch& batch, messaging::Message message, std::vector<messaging::DeliveryTag> tags);
  void copy(Batch& batch, Item& item, messaging::Address to, messaging::Message message);
  void settle(const Item& item, ConsumeOutcome outcome);

  // Runs the task again while the database is away. Throws Stopping, and what is no outage.
  template <typename MakeTask>
  auto persist(MakeTask makeTask) -> decltype(makeTask());
  [[nodiscard]] database::Deadline soon() const { return Clock::now() + options_.databaseDeadline; }

  database::Client& client_;
  std::vector<std::unique_ptr<Handler>> handlers_;
  Options options_;
  Metrics& metrics_;
  trantor::EventLoop& loop_;
  CopySender copies_;
  std::unique_ptr<messaging::Subscriber> subscriber_;
  std::deque<messaging::Delivery> received_;
  Batch* current_ = nullptr;
  std::uint64_t batches_ = 0;
  bool processing_ = false;
  bool stopping_ = false;
  workers::Signal stopped_;  // ends the waits between attempts
  workers::Signal idle_;
};

}  // namespace auth_errors::consumer
