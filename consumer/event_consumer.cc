#include "consumer/event_consumer.h"

#include <algorithm>
#include <exception>
#include <format>
#include <ranges>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "consumer/foreign_message.h"
#include "domain/errors/auth_error_transitions.h"
#include "domain/retry/backoff.h"
#include "outbox/identity/installation.h"
#include "platform/database/error.h"
#include "platform/telemetry/log.h"
#include "platform/workers/jitter.h"
#include "triage/dead_letters/dead_letter_writer.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::consumer {
namespace {

using namespace std::chrono_literals;
using domain::DeadLetterReason;
using telemetry::LogLevel;

constexpr auto kFaultDelayMin = 100ms;
constexpr auto kFaultDelayMax = 5'000ms;

// A statement that the database takes on and does not answer so many times in a row is at fault
// itself: a database that is away can't be reached in between.
constexpr int kMaxUnanswered = 5;

// Thrown where a loop gives way to the shutdown.
class Stopping : public std::runtime_error {
 public:
  Stopping() : std::runtime_error("the consumer is stopping") {}
};

const database::Statement kLoadStatuses{
    .name = "load_statuses",
    .sql = "SELECT id, status FROM auth_error WHERE id = ANY($1::bigint[])"};

outbox::EventIdentity identityOf(const messaging::IncomingEvent& event) {
  return {.outboxId = event.outboxId,
          .eventId = event.eventId,
          .installationId = event.installationId,
          .messageId = event.messageId,
          .eventType = std::string(event.descriptor->eventType),
          .authErrorId = event.authErrorId};
}

std::vector<std::int64_t> sortedIds(std::vector<std::int64_t> ids) {
  std::ranges::sort(ids);
  return ids;
}

}  // namespace

// Renews the leases of a batch for as long as it lives.
class EventConsumer::LeaseKeeper {
 public:
  LeaseKeeper(EventConsumer& consumer, const Batch& batch)
      : loop_(consumer.loop_),
        timer_(loop_.runEvery(std::chrono::duration<double>(consumer.options_.lease).count() / 3,
                              [&consumer, owner = batch.owner, leased = batch.leased] {
                                drogon::async_run([&consumer, owner, leased]() -> drogon::Task<> {
                                  try {
                                    co_await renewLeases(consumer.client_, owner, leased,
                                                         consumer.options_.lease, consumer.soon());
                                  } catch (const std::exception& error) {
                                    telemetry::log(LogLevel::warn, "consumer.leases_not_renewed",
                                                   {{"error", error.what()}});
                                  }
                                });
                              })) {}
  ~LeaseKeeper() { loop_.invalidateTimer(timer_); }
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;
  LeaseKeeper(LeaseKeeper&&) = delete;
  LeaseKeeper& operator=(LeaseKeeper&&) = delete;

 private:
  trantor::EventLoop& loop_;
  trantor::TimerId timer_;
};

EventConsumer::EventConsumer(database::Client& client, messaging::Publisher& copies,
                             std::vector<std::unique_ptr<Handler>> handlers, Options options,
                             Metrics& metrics)
    : client_(client),
      handlers_(std::move(handlers)),
      options_(std::move(options)),
      metrics_(metrics),
      loop_(client.loop()),
      copies_(loop_, copies,
              {.settle = [this](const auto& tags) { subscriber_->settle(tags); },
               .reject = [this](const auto& tags) { subscriber_->reject(tags); },
               .publishDeadline = options_.publishDeadline}),
      stopped_(loop_),
      idle_(loop_) {}

EventConsumer::~EventConsumer() = default;

void EventConsumer::start() {
  subscriber_ = std::make_unique<messaging::Subscriber>(
      loop_,
      messaging::Subscriber::Options{
          .broker = options_.broker,
          .topology = options_.topology,
          .queue = options_.topology.workQueue,
          .prefetch = options_.prefetch,
          .onDelivery = [this](messaging::Delivery delivery) { receive(std::move(delivery)); },
          .onState =
              [this](messaging::BrokerState state) {
                if (state != messaging::BrokerState::ready) {
                  // The broker delivers them again, to anyone.
                  received_.clear();
                }
                if (options_.onState) {
                  options_.onState(state);
                }
              }});
}

drogon::Task<> EventConsumer::stop(Clock::time_point deadline) {
  subscriber_->pause();
  received_.clear();
  const auto step = (deadline - Clock::now()) / 3;
  const auto patience = Clock::now() + step;
  while ((processing_ || copies_.busy()) && Clock::now() < patience) {
    co_await idle_.wait(10ms);
  }
  // A broker or a database that does not answer has had its time.
  stopping_ = true;
  stopped_.notifyAll();
  copies_.stop();
  while ((processing_ || copies_.busy()) && Clock::now() < patience + step) {
    co_await idle_.wait(10ms);
  }
  if (current_ != nullptr) {
    // A handler that takes longer than the shutdown; its late writes are fenced off.
    co_await release(*current_);
  }
  co_await subscriber_->finish(deadline);
}

drogon::Task<> EventConsumer::release(const Batch& batch) {
  try {
    co_await releaseLeases(client_, batch.owner, batch.leased, soon());
  } catch (const std::exception& error) {
    telemetry::log(LogLevel::warn, "consumer.leases_not_released", {{"error", error.what()}});
  }
}

void EventConsumer::receive(messaging::Delivery delivery) {
  received_.push_back(std::move(delivery));
  if (processing_ || stopping_) {
    return;
  }
  processing_ = true;
  // In the loop's next turn: what arrived together is worked on together.
  loop_.queueInLoop([this] {
    drogon::async_run([this]() -> drogon::Task<> {
      co_await processUntilEmpty();
      processing_ = false;
      idle_.notifyAll();
    });
  });
}

drogon::Task<> EventConsumer::processUntilEmpty() {
  while (!received_.empty() && !stopping_) {
    std::vector<messaging::Delivery> deliveries;
    while (!received_.empty() && deliveries.size() < options_.batchRows) {
      deliveries.push_back(std::move(received_.front()));
      received_.pop_front();
    }
    std::vector<messaging::DeliveryTag> tags;
    for (const messaging::Delivery& delivery : deliveries) {
      tags.push_back(delivery.tag);
    }
    bool failed = false;
    try {
      co_await process(std::move(deliveries));
    } catch (const Stopping&) {
      // Unsettled: the broker delivers them again.
      co_return;
    } catch (const std::exception& error) {
      telemetry::log(LogLevel::error, "consumer.batch_failed", {{"error", error.what()}});
      failed = true;
    }
    if (failed) {
      co_await stopped_.wait(kFaultDelayMax);
      subscriber_->giveBack(tags);
    }
  }
}

drogon::Task<> EventConsumer::process(std::vector<messaging::Delivery> deliveries) {
  Batch batch = makeBatch(Company::others);
  decode(std::move(deliveries), batch);
  co_await work(batch);
  for (Item* suspect : batch.suspects) {
    if (stopping_) {
      throw Stopping();
    }
    Batch single = makeBatch(Company::alone);
    single.items.push_back(std::move(*suspect));
    co_await work(single);
  }
}

EventConsumer::Batch EventConsumer::makeBatch(Company company) {
  return {.owner = {std::format("{}/{}", options_.instance, ++batches_)},
          .company = company,
          .unread = {},
          .items = {},
          .leased = {},
          .suspects = {},
          .failures = {},
          .newer = {},
          .lost = {},
          .copies = {}};
}

drogon::Task<> EventConsumer::work(Batch& batch) {
  current_ = &batch;
  std::exception_ptr fault;
  try {
    co_await placeUnread(batch);
    co_await takeLeasesOf(batch);
    const LeaseKeeper keeper(*this, batch);
    co_await handleLeased(batch);
    co_await conclude(batch, std::move(batch.failures));
    co_await postpone(batch);
    co_await giveUp(batch);
  } catch (...) {
    fault = std::current_exception();
  }
  if (fault && stopping_) {
    // The next consumer need not wait for the leases to expire, which would spend an attempt.
    co_await release(batch);
  }
  current_ = nullptr;
  copies_.send(std::move(batch.copies));
  if (fault) {
    std::rethrow_exception(fault);
  }
}

void EventConsumer::decode(std::vector<messaging::Delivery> deliveries, Batch& batch) {
  // Messages of one outbox id may be different events.
  std::unordered_multimap<std::int64_t, Item*> byOutboxId;
  for (messaging::Delivery& delivery : deliveries) {
    auto event = messaging::decodeEvent(delivery.message);
    if (!event) {
      batch.unread.push_back({.delivery = std::move(delivery), .fault = std::move(event.error())});
      continue;
    }
    outbox::EventIdentity identity = identityOf(*event);
    const auto [first, last] = byOutboxId.equal_range(event->outboxId);
    const auto same = std::ranges::find_if(
        first, last, [&](const auto& entry) { return entry.second->identity == identity; });
    if (same != last) {
      metrics_.messages[ConsumeOutcome::repeated].add();
      same->second->tags.push_back(delivery.tag);
      continue;
    }
    Item& item = batch.items.emplace_back(Item{.event = *std::move(event),
                                               .identity = std::move(identity),
                                               .message = std::move(delivery.message),
                                               .tags = {delivery.tag}});
    byOutboxId.emplace(item.event.outboxId, &item);
  }
}

drogon::Task<> EventConsumer::placeUnread(Batch& batch) {
  // Asked for only where a message says whose it is.
  std::string ours;
  for (Unread& unread : batch.unread) {
    const auto theirs = messaging::readInstallationId(unread.delivery.message);
    if (theirs && ours.empty()) {
      ours = co_await persist([&] { return outbox::readInstallation(client_, soon()); });
    }
    if (theirs && *theirs != ours) {
      park(batch, std::move(unread.delivery.message), {unread.delivery.tag});
    } else {
      turnAway(batch, std::move(unread.delivery.message), {unread.delivery.tag}, unread.fault);
    }
  }
}

void EventConsumer::park(Batch& batch, messaging::Message message,
                         std::vector<messaging::DeliveryTag> tags) {
  telemetry::log(LogLevel::error, "consumer.parked",
                 {{"messageId", messaging::comparableText(message.messageId)},
                  {"installationId", messaging::readInstallationId(message).value_or("")}});
  metrics_.messages[ConsumeOutcome::parked].add();
  batch.copies.push_back(
      {.publication = {.to = options_.topology.foreign(), .message = fitToPark(std::move(message))},
       .tags = std::move(tags)});
}

void EventConsumer::turnAway(Batch& batch, messaging::Message message,
                             std::vector<messaging::DeliveryTag> tags,
                             const messaging::PermanentFault& fault) {
  telemetry::log(LogLevel::error, "consumer.rejected",
                 {{"messageId", messaging::comparableText(message.messageId)},
                  {"reason", domain::toText(fault.reason)},
                  {"error", fault.error}});
  metrics_
      .messages[fault.reason == DeadLetterReason::foreignEvent ? ConsumeOutcome::foreign
                                                               : ConsumeOutcome::rejected]
      .add();
  batch.copies.push_back({.publication = {.to = options_.topology.deadLetter(),
                                          .message = messaging::withReason(
                                              std::move(message), fault.reason, fault.error)},
                          .tags = std::move(tags)});
}

drogon::Task<> EventConsumer::takeLeasesOf(Batch& batch) {
  std::vector<Item*> items;
  for (Item& item : batch.items) {
    items.push_back(&item);
  }
  const AskLedger ask = [&](std::vector<outbox::EventIdentity> events) {
    return takeLeases(client_, batch.owner, std::move(events), batch.company, options_.lease,
                      options_.instance, soon());
  };
  co_await placeAll(batch, items, ask, Clock::now() + options_.lease / 2);
}

drogon::Task<> EventConsumer::placeAll(Batch& batch, std::span<Item* const> items,
                                       const AskLedger& ask, Clock::time_point end) {
  if (items.empty()) {
    co_return;
  }
  std::vector<outbox::EventIdentity> events;
  for (const Item* item : items) {
    events.push_back(item->identity);
  }
  std::string fault;
  try {
    const std::vector<LedgerEntry> entries = co_await persist([&] { return ask(events); });
    for (std::size_t i = 0; i < entries.size(); ++i) {
      items[i]->retryCount = entries[i].retryCount;
      place(batch, *items[i], entries[i]);
    }
    co_return;
  } catch (const database::Error& error) {
    fault = error.what();
  }
  if (stopping_) {
    throw Stopping();
  }
  if (items.size() > 1 && Clock::now() < end) {
    // What is ours already stays so when it is asked for again.
    const std::size_t half = items.size() / 2;
    co_await placeAll(batch, items.first(half), ask, end);
    co_await placeAll(batch, items.subspan(half), ask, end);
    co_return;
  }
  for (Item* item : items) {
    telemetry::log(LogLevel::error, "consumer.not_leased",
                   {{"outboxId", item->event.outboxId}, {"error", fault}});
    metrics_.messages[ConsumeOutcome::held].add();
    copy(batch, *item, options_.topology.retry(options_.policy.rungs.size() - 1),
         std::move(item->message));
  }
}

// What a ledger row in this state means for a message that stands for it.
void EventConsumer::place(Batch& batch, Item& item, const LedgerEntry& entry) {
  item.leased = entry.state == LedgerState::leased;
  switch (entry.state) {
    case LedgerState::leased:
      batch.leased.push_back(item.event.outboxId);
      break;
    case LedgerState::done:
    case LedgerState::dead:
      settle(item, ConsumeOutcome::repeated);
      break;
    case LedgerState::suspect:
      if (batch.company == Company::others) {
        batch.suspects.push_back(&item);
        break;
      }
      // It was another consumer's for a moment.
      [[fallthrough]];
    case LedgerState::held:
      metrics_.messages[ConsumeOutcome::held].add();
      copy(batch, item, options_.topology.retry(0), std::move(item.message));
      break;
    case LedgerState::waiting:
      metrics_.messages[ConsumeOutcome::waiting].add();
      copy(batch, item, options_.topology.retry(options_.policy.rungCovering(entry.rest)),
           std::move(item.message));
      break;
    case LedgerState::elsewhere:
      park(batch, std::move(item.message), std::move(item.tags));
      break;
    case LedgerState::foreign:
      turnAway(batch, std::move(item.message), std::move(item.tags),
               {.reason = DeadLetterReason::foreignEvent,
                .error = std::format("the outbox row {} is not this event, or not any more",
                                     item.event.outboxId)});
      break;
  }
}

drogon::Task<> EventConsumer::handleLeased(Batch& batch) {
  std::unordered_map<const domain::EventDescriptor*, std::vector<Item*>> byType;
  for (Item& item : batch.items) {
    if (!item.leased) {
      continue;
    }
    if (item.retryCount > domain::RetryPolicy::kMaxRetries) {
      // Its last attempts took the consumer with them, or outlived their lease.
      batch.failures.push_back({.item = &item,
                                .retry = std::nullopt,
                                .reason = DeadLetterReason::retriesExhausted,
                                .error = "the lease of its last attempt expired",
                                .noted = true});
    } else {
      byType[item.event.descriptor].push_back(&item);
    }
  }
  for (const auto& handler : handlers_) {
    const auto found = byType.find(domain::descriptorOf(handler->event().eventType));
    if (found != byType.end()) {
      co_await handle(*handler, batch, std::move(found->second));
    }
  }
}

drogon::Task<> EventConsumer::handle(Handler& handler, Batch& batch, std::vector<Item*> items) {
  std::string fault;
  try {
    co_await persist([&] { return handleTogether(handler, batch, items); });
    co_return;
  } catch (const Stopping&) {
    throw;
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (items.size() == 1) {
    fail(batch, *items.front(), std::move(fault));
    co_return;
  }
  telemetry::log(LogLevel::warn, "consumer.batch_split",
                 {{"events", items.size()}, {"error", fault}});
  for (Item* item : items) {
    co_await handle(handler, batch, {item});
  }
}

drogon::Task<> EventConsumer::handleTogether(Handler& handler, Batch& batch,
                                             std::vector<Item*> items) {
  const Sorted sorted = co_await sortByStatus(std::move(items));
  Prepared prepared;
  if (!sorted.events.empty()) {
    prepared = co_await handler.prepare(sorted.events);
  }
  const std::vector<std::int64_t> ours = co_await complete(handler, batch, sorted, prepared);

  // Nothing below throws: what is counted is counted once.
  const auto settleIfOurs = [&](Item* item, ConsumeOutcome outcome) {
    if (std::ranges::binary_search(ours, item->event.outboxId)) {
      settle(*item, outcome);
    } else {
      batch.lost.push_back(item);
    }
  };
  for (Item* item : sorted.unknown) {
    reject(batch, *item, DeadLetterReason::unknownAuthError, "there is no such AuthError");
  }
  batch.newer.insert(batch.newer.end(), sorted.newer.begin(), sorted.newer.end());
  for (Item* item : sorted.ended) {
    settleIfOurs(item, ConsumeOutcome::skipped);
  }
  for (std::size_t i = 0; i < sorted.open.size(); ++i) {
    Item* item = sorted.open[i];
    Outcome& outcome = prepared.outcomes[i];
    switch (outcome.kind) {
      case OutcomeKind::done:
        settleIfOurs(item, ConsumeOutcome::done);
        break;
      case OutcomeKind::skip:
        settleIfOurs(item, ConsumeOutcome::skipped);
        break;
      case OutcomeKind::retry:
        fail(batch, *item, std::move(outcome.error));
        break;
      case OutcomeKind::reject:
        reject(batch, *item, DeadLetterReason::rejected, std::move(outcome.error));
        break;
    }
  }
}

drogon::Task<EventConsumer::Sorted> EventConsumer::sortByStatus(std::vector<Item*> items) {
  const database::Result read = co_await client_.run(
      kLoadStatuses, soon(),
      std::views::transform(items, [](const Item* item) { return item->event.authErrorId; }));
  std::unordered_map<std::int64_t, std::optional<domain::AuthErrorStatus>> statuses;
  for (const auto& [id, status] : read.as<std::pair<std::int64_t, std::string_view>>()) {
    statuses.emplace(id, domain::fromText<domain::AuthErrorStatus>(status));
  }
  Sorted sorted;
  for (Item* item : items) {
    const auto status = statuses.find(item->event.authErrorId);
    if (status == statuses.end()) {
      sorted.unknown.push_back(item);
    } else if (!status->second) {
      sorted.newer.push_back(item);
    } else if (domain::isTerminal(*status->second)) {
      sorted.ended.push_back(item);
    } else {
      sorted.open.push_back(item);
      sorted.events.push_back({.outboxId = item->event.outboxId,
                               .authErrorId = item->event.authErrorId,
                               .status = *status->second});
    }
  }
  co_return sorted;
}

drogon::Task<std::vector<std::int64_t>> EventConsumer::complete(Handler& handler,
                                                                const Batch& batch,
                                                                const Sorted& sorted,
                                                                const Prepared& prepared) {
  std::vector<std::int64_t> completing;
  for (const Item* item : sorted.ended) {
    completing.push_back(item->event.outboxId);
  }
  std::vector<EventInHand> done;
  for (std::size_t i = 0; i < sorted.events.size(); ++i) {
    const OutcomeKind kind = prepared.outcomes.at(i).kind;
    if (kind == OutcomeKind::done || kind == OutcomeKind::skip) {
      completing.push_back(sorted.events[i].outboxId);
    }
    if (kind == OutcomeKind::done) {
      done.push_back(sorted.events[i]);
    }
  }
  if (completing.empty()) {
    co_return {};
  }
  // Each step has the whole time of a statement.
  database::Transaction transaction = co_await client_.begin(soon());
  transaction.setDeadline(soon());
  std::vector<std::int64_t> ours =
      sortedIds(co_await completeLeases(transaction, batch.owner, completing, options_.instance));
  std::erase_if(done, [&](const EventInHand& event) {
    return !std::ranges::binary_search(ours, event.outboxId);
  });
  if (!done.empty()) {
    transaction.setDeadline(soon());
    co_await prepared.apply(transaction, done);
  }
  transaction.setDeadline(soon());
  co_await transaction.commit();
  if (!done.empty()) {
    handler.applied();
  }
  co_return ours;
}

void EventConsumer::fail(Batch& batch, Item& item, std::string error) {
  batch.failures.push_back({.item = &item,
                            .retry = options_.policy.afterFailure(item.retryCount),
                            .reason = DeadLetterReason::retriesExhausted,
                            .error = std::move(error)});
}

void EventConsumer::reject(Batch& batch, Item& item, DeadLetterReason reason, std::string error) {
  batch.failures.push_back(
      {.item = &item, .retry = std::nullopt, .reason = reason, .error = std::move(error)});
}

drogon::Task<> EventConsumer::conclude(Batch& batch, std::vector<Failure> failures) {
  if (failures.empty()) {
    co_return;
  }
  std::string fault;
  try {
    co_await persist([&] { return concludeTogether(batch, failures); });
    co_return;
  } catch (const Stopping&) {
    throw;
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (failures.size() == 1) {
    // Its lease expires, which counts as an attempt, and then it is tried again.
    telemetry::log(LogLevel::error, "consumer.failure_not_written",
                   {{"outboxId", failures.front().item->event.outboxId}, {"error", fault}});
    batch.lost.push_back(failures.front().item);
    co_return;
  }
  for (Failure& failure : failures) {
    std::vector<Failure> single;
    single.push_back(std::move(failure));
    co_await conclude(batch, std::move(single));
  }
}

drogon::Task<> EventConsumer::concludeTogether(Batch& batch, std::vector<Failure> failures) {
  std::vector<LeaseFailure> changes;
  for (Failure& failure : failures) {
    if (failure.retry) {
      failure.retry->delay = domain::RetryPolicy::jittered(
          options_.policy.rungs.at(failure.retry->rung), workers::randomShare(0, 1));
    }
    const bool counted = failure.noted || failure.reason != DeadLetterReason::retriesExhausted;
    changes.push_back(
        {.outboxId = failure.item->event.outboxId,
         .retryCount = failure.item->retryCount + (counted ? 0 : 1),
         .delay = failure.retry ? std::optional(failure.retry->delay) : std::nullopt});
  }
  // Each step has the whole time of a statement, as in complete().
  database::Transaction transaction = co_await client_.begin(soon());
  transaction.setDeadline(soon());
  const std::vector<std::int64_t> ours =
      sortedIds(co_await failLeases(transaction, batch.owner, std::move(changes)));
  std::vector<triage::PlannedRetry> retried;
  std::vector<triage::FailedAttempt> attempts;
  std::vector<triage::DeadEvent> dead;
  for (const Failure& failure : failures) {
    const messaging::IncomingEvent& event = failure.item->event;
    if (!std::ranges::binary_search(ours, event.outboxId)) {
      continue;
    }
    if (!failure.noted) {
      attempts.push_back({.outboxId = event.outboxId,
                          .attempt = failure.item->retryCount + 1,
                          .error = failure.error});
    }
    if (failure.retry) {
      retried.push_back({.authErrorId = event.authErrorId,
                         .retryCount = failure.retry->retryCount,
                         .delay = failure.retry->delay});
    } else {
      dead.push_back({.outboxId = event.outboxId,
                      .eventType = event.descriptor->eventType,
                      .authErrorId = event.authErrorId,
                      .reason = failure.reason,
                      .error = failure.error});
    }
  }
  transaction.setDeadline(soon());
  co_await triage::planRetries(transaction, std::move(retried), options_.instance);
  transaction.setDeadline(soon());
  co_await triage::recordAttempts(transaction, triage::DeliveryStage::consume, std::move(attempts),
                                  options_.instance);
  transaction.setDeadline(soon());
  co_await triage::recordDeadLetters(transaction, domain::DeadLetterSource::consumer,
                                     std::move(dead));
  transaction.setDeadline(soon());
  co_await transaction.commit();

  for (Failure& failure : failures) {
    Item& item = *failure.item;
    if (!std::ranges::binary_search(ours, item.event.outboxId)) {
      batch.lost.push_back(&item);
    } else if (failure.retry) {
      metrics_.messages[ConsumeOutcome::retried].add();
      telemetry::log(LogLevel::warn, "consumer.retry",
                     {{"outboxId", item.event.outboxId},
                      {"eventType", item.event.descriptor->eventType},
                      {"retryCount", failure.retry->retryCount},
                      {"error", failure.error}});
      copy(batch, item, options_.topology.retry(failure.retry->rung), std::move(item.message));
    } else {
      metrics_
          .messages[failure.reason == DeadLetterReason::retriesExhausted ? ConsumeOutcome::dead
                                                                         : ConsumeOutcome::rejected]
          .add();
      telemetry::log(LogLevel::error, "consumer.dead",
                     {{"outboxId", item.event.outboxId},
                      {"eventType", item.event.descriptor->eventType},
                      {"reason", domain::toText(failure.reason)},
                      {"error", failure.error}});
      copy(batch, item, options_.topology.deadLetter(),
           messaging::withReason(std::move(item.message), failure.reason,
                                 triage::storableError(failure.error)));
    }
  }
}

drogon::Task<> EventConsumer::giveUp(Batch& batch) {
  if (batch.lost.empty()) {
    co_return;
  }
  metrics_.messages[ConsumeOutcome::fencedOff].add(batch.lost.size());
  telemetry::log(LogLevel::warn, "consumer.fenced_off", {{"events", batch.lost.size()}});
  const AskLedger ask = [&](std::vector<outbox::EventIdentity> events) {
    return readLedger(client_, std::move(events), soon());
  };
  co_await placeAll(batch, batch.lost, ask, Clock::now() + options_.lease / 2);
}

drogon::Task<> EventConsumer::postpone(Batch& batch) {
  if (batch.newer.empty()) {
    co_return;
  }
  std::vector<std::int64_t> ids;
  for (const Item* item : batch.newer) {
    ids.push_back(item->event.outboxId);
  }
  telemetry::log(LogLevel::warn, "consumer.unknown_status",
                 {{"events", ids.size()}, {"outboxId", ids.front()}});
  std::vector<std::int64_t> ours;
  try {
    ours = sortedIds(
        co_await persist([&] { return releaseLeases(client_, batch.owner, ids, soon()); }));
  } catch (const database::Error& error) {
    telemetry::log(LogLevel::warn, "consumer.leases_not_released", {{"error", error.what()}});
  }
  for (Item* item : batch.newer) {
    if (std::ranges::binary_search(ours, item->event.outboxId)) {
      metrics_.messages[ConsumeOutcome::held].add();
      copy(batch, *item, options_.topology.retry(0), std::move(item->message));
    } else {
      batch.lost.push_back(item);
    }
  }
}

void EventConsumer::copy(Batch& batch, Item& item, messaging::Address to,
                         messaging::Message message) {
  batch.copies.push_back({.publication = {.to = std::move(to), .message = std::move(message)},
                          .tags = std::move(item.tags)});
}

void EventConsumer::settle(const Item& item, ConsumeOutcome outcome) {
  metrics_.messages[outcome].add();
  subscriber_->settle(item.tags);
}

template <typename MakeTask>
auto EventConsumer::persist(MakeTask makeTask) -> decltype(makeTask()) {
  domain::Backoff backoff(kFaultDelayMin, kFaultDelayMax);
  int unanswered = 0;
  while (true) {
    std::string fault;
    try {
      co_return co_await makeTask();
    } catch (const database::Error& error) {
      unanswered = error.failure() == database::Failure::outcomeUnknown ? unanswered + 1 : 0;
      if (!error.mayPass() || unanswered == kMaxUnanswered) {
        throw;
      }
      fault = error.what();
    }
    if (stopping_) {
      throw Stopping();
    }
    telemetry::log(LogLevel::warn, "consumer.database_away", {{"error", fault}});
    co_await stopped_.wait(backoff.next());
    if (stopping_) {
      throw Stopping();
    }
  }
}

}  // namespace auth_errors::consumer
