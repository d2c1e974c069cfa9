#include "consumer/dead_letter_intake.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "consumer/foreign_message.h"
#include "domain/events/event_descriptor.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "outbox/identity/installation.h"
#include "platform/database/error.h"
#include "platform/messaging/event_codec.h"
#include "platform/telemetry/log.h"
#include "triage/dead_letters/dead_letter_intake_store.h"

namespace auth_errors::consumer {
namespace {

namespace header = domain::event_header;
using telemetry::LogLevel;
using triage::QueuedEventFate;
using workers::Then;

// A message to be stored as foreign, and whether it has the form of one of our events.
struct Stranger {
  const messaging::Delivery* delivery = nullptr;
  bool claimsEvent = false;
};

// The event described by the message; nothing if the description is incomplete.
std::optional<triage::QueuedEvent> eventIn(const messaging::Message& message) {
  const auto outboxId = message.integer(header::kOutboxId);
  auto eventType = message.text(header::kEventType);
  if (!outboxId || !eventType) {
    return std::nullopt;
  }
  const auto authErrorId = messaging::readAuthErrorId(message.body);
  auto eventId = messaging::readEventId(message);
  if (!authErrorId || !eventId) {
    return std::nullopt;
  }
  const auto round = message.integer(header::kRetryRound).value_or(0);
  return triage::QueuedEvent{
      .identity = {.outboxId = domain::OutboxId(*outboxId),
                   .eventId = *std::move(eventId),
                   .installationId = {},
                   .messageId = messaging::comparableText(message.messageId),
                   .eventType = messaging::comparableText(*std::move(eventType)),
                   .authErrorId = *authErrorId},
      .retryRound = std::in_range<std::int32_t>(round) ? static_cast<std::int32_t>(round) : -1,
      .reason = reasonOf(message),
      .error = message.text(header::kDeadLetterError).value_or("")};
}

}  // namespace

DeadLetterIntake::DeadLetterIntake(database::Client& client, messaging::Publisher& copies,
                                   Options options, Metrics& metrics)
    : Worker(client.loop(),
             {.faultEvent = "dead_letter_intake.failed", .afterFailures = options.pauses},
             [this] { return run(); }),
      client_(client),
      options_(std::move(options)),
      metrics_(metrics),
      // A message that cannot be copied stays with the broker: rejecting it would delete it.
      copies_(loop(), copies,
              {.settle = [this](const auto& tags) { subscriber_->settle(tags); },
               .reject = [](const auto& /*tags*/) {},
               .publishDeadline = options_.publishDeadline}) {}

void DeadLetterIntake::start() {
  subscriber_ = std::make_unique<messaging::Subscriber>(
      loop(),
      messaging::Subscriber::Options{.broker = options_.broker,
                                     .topology = options_.topology,
                                     .queue = options_.topology.deadLetterQueue,
                                     .prefetch = options_.prefetch,
                                     .onDelivery =
                                         [this](messaging::Delivery delivery) {
                                           received_.push_back(std::move(delivery));
                                           wake();
                                         },
                                     .onState =
                                         [this](messaging::BrokerState state) {
                                           if (state == messaging::BrokerState::connecting) {
                                             // The connection was lost: the broker redelivers them.
                                             received_.clear();
                                           }
                                           if (options_.onState) {
                                             options_.onState(state);
                                           }
                                         }});
  Worker::start();
}

drogon::Task<bool> DeadLetterIntake::stop(Deadline deadline) {
  subscriber_->pause();
  received_.clear();
  co_await Worker::stop(deadline);
  co_await copies_.finish(deadline);
  copies_.stop();
  // Nothing may continue after this returns, and a closed client fails all calls immediately.
  client_.close();
  co_await Worker::stop(Deadline::max());
  co_await copies_.finish(Deadline::max());
  co_await subscriber_->finish(deadline);
  co_return true;
}

drogon::Task<Then> DeadLetterIntake::run() {
  co_await runOnce();
  co_return received_.empty() ? Then::wait : Then::again;
}

drogon::Task<std::size_t> DeadLetterIntake::runOnce() {
  Deliveries deliveries;
  while (!received_.empty() && deliveries.size() < options_.batchRows) {
    deliveries.push_back(std::move(received_.front()));
    received_.pop_front();
  }
  const std::size_t messages = deliveries.size();
  if (messages > 0) {
    co_await store(std::move(deliveries));
  }
  co_return messages;
}

drogon::Task<> DeadLetterIntake::store(Deliveries deliveries) {
  if (!co_await tryToStore(deliveries, Detail::full)) {
    if (deliveries.size() > 1) {
      // One of the messages cannot be stored as it is: each is stored separately, so that the
      // others are.
      for (messaging::Delivery& delivery : deliveries) {
        Deliveries single;
        single.push_back(std::move(delivery));
        co_await store(std::move(single));
      }
      co_return;
    }
    while (!co_await tryToStore(deliveries, Detail::brief)) {
      co_await stopSignal().rest(options_.pauses.longest);
    }
  }
  std::vector<messaging::DeliveryTag> tags;
  tags.reserve(deliveries.size());
  for (const messaging::Delivery& delivery : deliveries) {
    tags.push_back(delivery.tag);
  }
  subscriber_->settle(tags);
}

drogon::Task<bool> DeadLetterIntake::tryToStore(Deliveries& deliveries, Detail detail) {
  if (stopping()) {
    throw workers::Stopped();
  }
  try {
    co_await database::persist(
        {.stop = stopSignal(),
         .faults = faults(),
         .pauses = options_.pauses,
         .mayPass = [](const database::Error& error) { return !error.isDataFault(); }},
        [&] { return record(deliveries, detail); });
    co_return true;
  } catch (const workers::Stopped&) {
    throw;
  } catch (const std::exception& error) {
    telemetry::log(LogLevel::warn, "dead_letter_intake.not_stored",
                   {{"messages", deliveries.size()}, {"error", error.what()}});
  }
  co_return false;
}

void DeadLetterIntake::park(Deliveries deliveries) {
  if (deliveries.empty()) {
    return;
  }
  metrics_.deadLetters[IntakeOutcome::parked].add(deliveries.size());
  telemetry::log(LogLevel::error, "dead_letter_intake.parked", {{"messages", deliveries.size()}});
  std::vector<Copy> copies;
  copies.reserve(deliveries.size());
  for (messaging::Delivery& delivery : deliveries) {
    copies.push_back({.publication = {.to = options_.topology.foreign(),
                                      .message = fitToPark(std::move(delivery.message))},
                      .tags = {delivery.tag}});
  }
  copies_.send(std::move(copies));
}

drogon::Task<> DeadLetterIntake::record(Deliveries& deliveries, Detail detail) {
  const auto deadline = std::chrono::steady_clock::now() + options_.databaseDeadline;
  const domain::InstallationId ours = co_await outbox::readInstallation(client_, deadline);
  const auto others = std::ranges::stable_partition(deliveries, [&](const auto& delivery) {
    return messaging::readInstallationId(delivery.message).value_or(ours) == ours;
  });
  Deliveries parked(std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  deliveries.erase(others.begin(), others.end());
  park(std::move(parked));

  std::vector<triage::QueuedEvent> events;
  std::vector<const messaging::Delivery*> senders;  // the events' deliveries
  std::vector<Stranger> strangers;
  for (const messaging::Delivery& delivery : deliveries) {
    if (auto event = detail == Detail::full ? eventIn(delivery.message) : std::nullopt) {
      events.push_back(*std::move(event));
      senders.push_back(&delivery);
    } else {
      strangers.push_back({.delivery = &delivery});
    }
  }
  database::Transaction transaction = co_await client_.begin(deadline);
  const std::vector<QueuedEventFate> fates =
      co_await recordFromQueue(transaction, std::move(events));
  for (std::size_t i = 0; i < fates.size(); ++i) {
    if (fates[i] == QueuedEventFate::foreign) {
      strangers.push_back({.delivery = senders[i], .claimsEvent = true});
    }
  }
  std::vector<triage::ForeignMessage> foreign;
  foreign.reserve(strangers.size());
  for (const Stranger& stranger : strangers) {
    foreign.push_back(detail == Detail::full ? describeForeign(*stranger.delivery)
                                             : describeBriefly(*stranger.delivery));
    if (stranger.claimsEvent) {
      // Regardless of its own reason: it may be a copy of an event that no longer exists.
      foreign.back().reason = domain::DeadLetterReason::foreignEvent;
    }
  }
  const std::size_t fresh = co_await recordForeign(transaction, std::move(foreign));
  co_await transaction.commit();

  const auto count = [&](IntakeOutcome outcome, std::ptrdiff_t messages) {
    metrics_.deadLetters[outcome].add(messages);
  };
  const auto stale = std::ranges::count(fates, QueuedEventFate::stale);
  count(IntakeOutcome::recorded, std::ranges::count(fates, QueuedEventFate::recorded));
  count(IntakeOutcome::stale, stale);
  count(IntakeOutcome::foreign, static_cast<std::ptrdiff_t>(strangers.size()));
  telemetry::log(stale > 0 || fresh > 0 ? LogLevel::warn : LogLevel::info,
                 "dead_letter_intake.stored",
                 {{"messages", deliveries.size()}, {"stale", stale}, {"newForeign", fresh}});
}

}  // namespace auth_errors::consumer
