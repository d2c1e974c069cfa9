#include "outbox/claim_worker.h"

#include <algorithm>
#include <exception>
#include <format>
#include <utility>

#include "platform/database/error.h"
#include "platform/telemetry/log.h"
#include "platform/workers/jitter.h"

namespace auth_errors::outbox {
namespace {

using namespace std::chrono_literals;
using messaging::BrokerState;
using messaging::PublishResult;
using telemetry::LogLevel;

constexpr auto kFaultDelayMin = 100ms;
constexpr auto kFaultDelayMax = 5'000ms;

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
    : client_(client),
      publisher_(publisher),
      topology_(std::move(topology)),
      options_(std::move(options)),
      metrics_(metrics),
      work_(client.loop()),
      stopped_(client.loop()),
      ended_(client.loop()) {}

void ClaimWorker::start() {
  for (std::size_t lane = 0; lane < options_.lanes; ++lane) {
    ++lanes_;
    drogon::async_run([this]() -> drogon::Task<> {
      co_await runLane();
      --lanes_;
      ended_.notifyAll();
    });
  }
}

drogon::Task<> ClaimWorker::stop(Clock::time_point deadline) {
  stopping_ = true;
  work_.notifyAll();
  stopped_.notifyAll();
  // A broker that does not answer may have half of the time; then its messages are handed back.
  const auto patience = Clock::now() + (deadline - Clock::now()) / 2;
  while (lanes_ > 0 && Clock::now() < patience) {
    co_await ended_.wait(10ms);
  }
  publisher_.close();
  while (lanes_ > 0) {
    co_await ended_.wait(10ms);
  }
}

void ClaimWorker::brokerChanged() { work_.notifyAll(); }

void ClaimWorker::wake() {
  if (wakeQueued_.exchange(true)) {
    return;
  }
  client_.loop().queueInLoop([this] {
    wakeQueued_ = false;
    workWaits_ = !work_.notifyOne();
  });
}

drogon::Task<> ClaimWorker::runLane() {
  domain::Backoff backoff(kFaultDelayMin, kFaultDelayMax);
  std::string lastFault;
  while (!stopping_) {
    if (publisher_.state() != BrokerState::ready) {
      co_await idle();
      continue;
    }
    Counts counts;
    std::string fault;
    try {
      counts = co_await runOnce();
      if (counts.handedBack > 0) {
        fault = "the broker did not answer";
      }
    } catch (const std::exception& error) {
      fault = error.what();
    }
    if (!fault.empty()) {
      if (!stopping_ && std::exchange(lastFault, fault) != fault) {
        telemetry::log(LogLevel::warn, "outbox.relay_failed", {{"error", fault}});
      }
      if (!stopping_) {
        co_await stopped_.wait(backoff.next());
      }
      continue;
    }
    backoff.reset();
    lastFault.clear();
    if (counts.claimed < options_.batchRows && !std::exchange(workWaits_, false)) {
      co_await idle();
    }
  }
}

drogon::Task<> ClaimWorker::idle() {
  if (!stopping_) {
    co_await work_.wait(options_.pollInterval * workers::randomShare(0.5, 1));
  }
}

ClaimOwner ClaimWorker::nextOwner() { return {std::format("{}/{}", options_.instance, ++claims_)}; }

drogon::Task<ClaimWorker::Counts> ClaimWorker::runOnce() {
  ClaimOwner owner = nextOwner();
  std::vector<ClaimedMessage> messages =
      co_await claimMessages(client_, owner, static_cast<std::int64_t>(options_.batchRows),
                             Clock::now() + options_.databaseDeadline);
  if (messages.empty()) {
    co_return Counts{};
  }
  if (messages.size() == options_.batchRows) {
    // There is surely more: let the next lane claim while this one publishes.
    work_.notifyOne();
  }
  const Counts counts = co_await publish(std::move(owner), std::move(messages));
  count(counts);
  co_return counts;
}

drogon::Task<ClaimWorker::Counts> ClaimWorker::publish(ClaimOwner owner,
                                                       std::vector<ClaimedMessage> messages) {
  Counts counts{.claimed = messages.size()};
  std::vector<messaging::Publication> publications;
  std::vector<std::int64_t> ids;
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

  std::vector<std::int64_t> published;
  std::vector<std::int64_t> unanswered;
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
    counts.published = co_await persist([&] {
      return markPublished(client_, owner, published, options_.instance,
                           Clock::now() + options_.databaseDeadline);
    });
    written += counts.published;
  }
  if (!failed.empty()) {
    const FailureCounts failures = co_await persist([&] {
      return markFailed(client_, owner, failed, options_.policy, options_.instance,
                        Clock::now() + options_.databaseDeadline);
    });
    counts.retried = failures.retried;
    counts.dead = failures.dead;
    written += failures.retried + failures.dead;
  }
  if (!unanswered.empty()) {
    counts.handedBack = co_await persist([&] {
      return handBack(client_, owner, unanswered, Clock::now() + options_.databaseDeadline);
    });
    written += counts.handedBack;
  }
  counts.lost = counts.claimed - written;
  co_return counts;
}

template <typename MakeTask>
auto ClaimWorker::persist(MakeTask makeTask) -> decltype(makeTask()) {
  const auto end = Clock::now() + options_.publishDeadline;
  domain::Backoff backoff(kFaultDelayMin, kFaultDelayMax);
  while (true) {
    std::exception_ptr fault;
    try {
      co_return co_await makeTask();
    } catch (const database::Error& error) {
      // Fenced by the owner, so that it may be run again even if it did happen.
      if (!error.mayPass()) {
        throw;
      }
      fault = std::current_exception();
    }
    if (stopping_ || Clock::now() >= end) {
      std::rethrow_exception(fault);
    }
    co_await stopped_.wait(backoff.next());
  }
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
