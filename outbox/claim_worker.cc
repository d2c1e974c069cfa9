#include "outbox/claim_worker.h"

#include <format>
#include <stdexcept>
#include <utility>

#include "domain/identity/ids.h"
#include "platform/telemetry/log.h"

namespace auth_errors::outbox {
namespace {

using messaging::BrokerState;
using messaging::PublishResult;
using telemetry::LogLevel;
using workers::Then;

std::string_view words(PublishResult result) {
  switch (result) {
    case PublishResult::returned:
      return "returned by the broker: no queue is bound for it";
    case PublishResult::unsendable:
      return "unsendable: its headers are too large, or a name of it too long";
    default:
      return "refused by the broker";
  }
}

}  // namespace

ClaimWorker::ClaimWorker(database::Client& client, messaging::Publisher& publisher,
                         messaging::Topology topology, Options options, Metrics& metrics)
    : Worker(client.loop(),
             {.faultEvent = "outbox.relay_failed",
              .interval = options.pollInterval,
              .afterFailures = workers::kShortPauses,
              .lanes = options.lanes},
             [this] { return run(); }),
      client_(client),
      publisher_(publisher),
      topology_(std::move(topology)),
      options_(std::move(options)),
      metrics_(metrics) {}

drogon::Task<bool> ClaimWorker::stop(Deadline deadline) {
  // A broker that does not respond may use half of the time; then its messages are handed back.
  co_await Worker::stop(Clock::now() + (deadline - Clock::now()) / 2);
  publisher_.close();
  co_return co_await Worker::stop(Deadline::max());
}

drogon::Task<Then> ClaimWorker::run() {
  if (publisher_.state() != BrokerState::ready) {
    co_return Then::hold;
  }
  const Counts counts = co_await runOnce();
  if (counts.handedBack > 0) {
    throw std::runtime_error("the broker did not answer");
  }
  co_return counts.claimed < options_.batchRows ? Then::wait : Then::again;
}

ClaimOwner ClaimWorker::nextOwner() {
  return ClaimOwner(std::format("{}/{}", options_.instance, ++claims_));
}

drogon::Task<ClaimWorker::Counts> ClaimWorker::runOnce() {
  ClaimOwner owner = nextOwner();
  std::vector<ClaimedMessage> messages =
      co_await claimMessages(client_, owner, static_cast<std::int64_t>(options_.batchRows),
                             Clock::now() + options_.databaseDeadline);
  if (messages.empty()) {
    co_return Counts{};
  }
  if (messages.size() == options_.batchRows) {
    // There is probably more: the next lane can claim while this one publishes.
    wake();
  }
  const Counts counts = co_await publish(std::move(owner), std::move(messages));
  count(counts);
  co_return counts;
}

drogon::Task<ClaimWorker::Counts> ClaimWorker::publish(ClaimOwner owner,
                                                       std::vector<ClaimedMessage> messages) {
  Counts counts{.claimed = messages.size()};
  std::vector<messaging::Publication> publications;
  std::vector<domain::OutboxId> ids;
  std::vector<std::int32_t> retryCounts;
  for (ClaimedMessage& message : messages) {
    ids.push_back(message.event.outboxId);
    retryCounts.push_back(message.retryCount);
    messaging::Address to = topology_.event(message.event.eventType);
    publications.push_back(
        {.to = std::move(to), .message = messaging::encodeEvent(std::move(message.event))});
  }
  const std::vector<PublishResult> results =
      co_await publisher_.publish(std::move(publications), Clock::now() + options_.publishDeadline);

  std::vector<domain::OutboxId> published;
  std::vector<domain::OutboxId> unanswered;
  std::vector<FailedPublication> failed;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    switch (results.at(i)) {
      case PublishResult::confirmed:
        published.push_back(ids[i]);
        break;
      case PublishResult::unavailable:
        unanswered.push_back(ids[i]);
        break;
      case PublishResult::nacked:
      case PublishResult::returned:
      case PublishResult::unsendable:
        failed.push_back(
            {.id = ids[i], .retryCount = retryCounts[i], .error = std::string(words(results[i]))});
        break;
    }
  }
  std::size_t written = 0;
  if (!published.empty()) {
    counts.published = co_await database::persist(whileOurs(), [&] {
      return markPublished(client_, owner, published, options_.instance,
                           Clock::now() + options_.databaseDeadline);
    });
    written += counts.published;
  }
  if (!failed.empty()) {
    const FailureCounts failures = co_await database::persist(whileOurs(), [&] {
      return markFailed(client_, owner, failed, options_.policy, options_.instance,
                        Clock::now() + options_.databaseDeadline);
    });
    counts.retried = failures.retried;
    counts.dead = failures.dead;
    written += failures.retried + failures.dead;
  }
  if (!unanswered.empty()) {
    counts.handedBack = co_await database::persist(whileOurs(), [&] {
      return handBack(client_, owner, unanswered, Clock::now() + options_.databaseDeadline);
    });
    written += counts.handedBack;
  }
  counts.lost = counts.claimed - written;
  co_return counts;
}

database::Persistence ClaimWorker::whileOurs() {
  return {.stop = stopSignal(), .faults = faults(), .end = Clock::now() + options_.publishDeadline};
}

void ClaimWorker::count(const Counts& counts) {
  const auto add = [this](RelayOutcome outcome, std::size_t number) {
    if (number > 0) {
      metrics_.messages[outcome].add(number);
    }
  };
  add(RelayOutcome::published, counts.published);
  add(RelayOutcome::retried, counts.retried);
  add(RelayOutcome::dead, counts.dead);
  add(RelayOutcome::handedBack, counts.handedBack);
  add(RelayOutcome::lost, counts.lost);
  if (counts.dead > 0) {
    telemetry::log(LogLevel::error, "outbox.dead", {{"messages", counts.dead}});
  }
  if (counts.lost > 0) {
    telemetry::log(LogLevel::warn, "outbox.claims_lost", {{"messages", counts.lost}});
  }
}

}  // namespace auth_errors::outbox
