#include "consumer/failure_conclusion.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "platform/telemetry/log.h"
#include "platform/workers/jitter.h"
#include "platform/workers/stop_signal.h"
#include "triage/dead_letters/dead_letter_writer.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::consumer {
namespace {

using domain::DeadLetterReason;
using telemetry::LogLevel;

}  // namespace

drogon::Task<> FailureConclusion::conclude(EventBatch& batch, std::vector<ItemFailure> failures) {
  if (failures.empty()) {
    co_return;
  }
  std::string fault;
  try {
    co_await database::persist(context_.whileAway(),
                               [&] { return concludeTogether(batch, failures); });
    co_return;
  } catch (const workers::Stopped&) {
    throw;
  } catch (const std::exception& error) {
    fault = error.what();
  }
  if (failures.size() == 1) {
    // Its lease expires, which counts as an attempt, and then it is retried.
    telemetry::log(LogLevel::error, "consumer.failure_not_written",
                   {{"outboxId", failures.front().item->event.outboxId}, {"error", fault}});
    batch.lost.push_back(failures.front().item);
    co_return;
  }
  for (ItemFailure& failure : failures) {
    std::vector<ItemFailure> single;
    single.push_back(std::move(failure));
    co_await conclude(batch, std::move(single));
  }
}

drogon::Task<> FailureConclusion::concludeTogether(EventBatch& batch,
                                                   std::vector<ItemFailure> failures) {
  std::vector<LeaseFailure> changes;
  for (ItemFailure& failure : failures) {
    if (failure.retry) {
      failure.retry->delay = domain::RetryPolicy::jittered(
          context_.policy.rungs.at(failure.retry->rung), workers::randomShare(0, 1));
    }
    const bool counted = failure.noted || failure.reason != DeadLetterReason::retriesExhausted;
    changes.push_back(
        {.outboxId = failure.item->event.outboxId,
         .retryCount = failure.item->retryCount + (counted ? 0 : 1),
         .delay = failure.retry ? std::optional(failure.retry->delay) : std::nullopt});
  }
  // Each step gets the full time of a statement, as in complete().
  database::Transaction transaction = co_await context_.client.begin(context_.soon());
  transaction.setDeadline(context_.soon());
  const std::vector<domain::OutboxId> ours =
      co_await failLeases(transaction, batch.owner, std::move(changes));
  std::vector<triage::PlannedRetry> retried;
  std::vector<triage::FailedAttempt> attempts;
  std::vector<triage::DeadEvent> dead;
  for (const ItemFailure& failure : failures) {
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
  transaction.setDeadline(context_.soon());
  co_await triage::planRetries(transaction, std::move(retried), context_.instance);
  transaction.setDeadline(context_.soon());
  co_await triage::recordAttempts(transaction, triage::DeliveryStage::consume, std::move(attempts),
                                  context_.instance);
  transaction.setDeadline(context_.soon());
  co_await triage::recordDeadLetters(transaction, domain::DeadLetterSource::consumer,
                                     std::move(dead));
  transaction.setDeadline(context_.soon());
  co_await transaction.commit();

  for (ItemFailure& failure : failures) {
    BatchItem& item = *failure.item;
    if (!std::ranges::binary_search(ours, item.event.outboxId)) {
      batch.lost.push_back(&item);
    } else if (failure.retry) {
      context_.metrics.messages[ConsumeOutcome::retried].add();
      telemetry::log(LogLevel::warn, "consumer.retry",
                     {{"outboxId", item.event.outboxId},
                      {"eventType", item.event.descriptor->eventType},
                      {"retryCount", failure.retry->retryCount},
                      {"error", failure.error}});
      batch.copy(std::move(item.tags), context_.topology.retry(failure.retry->rung),
                 std::move(item.message));
    } else {
      context_.metrics
          .messages[failure.reason == DeadLetterReason::retriesExhausted ? ConsumeOutcome::dead
                                                                         : ConsumeOutcome::rejected]
          .add();
      telemetry::log(LogLevel::error, "consumer.dead",
                     {{"outboxId", item.event.outboxId},
                      {"eventType", item.event.descriptor->eventType},
                      {"reason", domain::toText(failure.reason)},
                      {"error", failure.error}});
      batch.copy(std::move(item.tags), context_.topology.deadLetter(),
                 messaging::withReason(std::move(item.message), failure.reason,
                                       triage::storableError(failure.error)));
    }
  }
}

}  // namespace auth_errors::consumer
