#include "consumer/event_handling.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "domain/errors/auth_error_transitions.h"
#include "platform/telemetry/log.h"
#include "platform/workers/stop_signal.h"
#include "triage/errors/status_changes.h"

namespace auth_errors::consumer {
namespace {

using domain::DeadLetterReason;
using telemetry::LogLevel;

}  // namespace

EventHandling::EventHandling(BatchContext& context, std::vector<std::unique_ptr<Handler>> handlers)
    : context_(context), handlers_(std::move(handlers)) {}

drogon::Task<> EventHandling::handleLeased(EventBatch& batch) {
  std::unordered_map<const domain::EventDescriptor*, std::vector<BatchItem*>> byType;
  for (BatchItem& item : batch.items) {
    if (!item.leased) {
      continue;
    }
    if (item.retryCount > domain::RetryPolicy::kMaxRetries) {
      // Its last attempts crashed their consumer, or outlived their lease.
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

drogon::Task<> EventHandling::handle(Handler& handler, EventBatch& batch,
                                     std::vector<BatchItem*> items) {
  std::string fault;
  try {
    co_await database::persist(context_.whileAway(),
                               [&] { return handleTogether(handler, batch, items); });
    co_return;
  } catch (const workers::Stopped&) {
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
  for (BatchItem* item : items) {
    co_await handle(handler, batch, {item});
  }
}

drogon::Task<> EventHandling::handleTogether(Handler& handler, EventBatch& batch,
                                             std::vector<BatchItem*> items) {
  const Sorted sorted = co_await sortByStatus(std::move(items));
  Prepared prepared;
  if (!sorted.events.empty()) {
    co_await handler.setUp();
    prepared = co_await handler.prepare(sorted.events);
  }
  const std::vector<domain::OutboxId> ours = co_await complete(batch, sorted, prepared);

  // Nothing below throws, so that metrics are counted once.
  const auto settleIfOurs = [&](BatchItem* item, ConsumeOutcome outcome) {
    if (std::ranges::binary_search(ours, item->event.outboxId)) {
      context_.settle(*item, outcome);
    } else {
      batch.lost.push_back(item);
    }
  };
  for (BatchItem* item : sorted.unknown) {
    reject(batch, *item, DeadLetterReason::unknownAuthError, "there is no such AuthError");
  }
  batch.newer.insert(batch.newer.end(), sorted.newer.begin(), sorted.newer.end());
  for (BatchItem* item : sorted.ended) {
    settleIfOurs(item, ConsumeOutcome::skipped);
  }
  for (std::size_t i = 0; i < sorted.open.size(); ++i) {
    BatchItem* item = sorted.open[i];
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

drogon::Task<EventHandling::Sorted> EventHandling::sortByStatus(std::vector<BatchItem*> items) {
  std::vector<domain::ErrorId> ids(
      std::from_range,
      std::views::transform(items, [](const BatchItem* item) { return item->event.authErrorId; }));
  const auto statuses =
      co_await triage::statusesOf(context_.client, std::move(ids), context_.soon());
  Sorted sorted;
  for (BatchItem* item : items) {
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

drogon::Task<std::vector<domain::OutboxId>> EventHandling::complete(const EventBatch& batch,
                                                                    const Sorted& sorted,
                                                                    const Prepared& prepared) {
  std::vector<domain::OutboxId> completing;
  for (const BatchItem* item : sorted.ended) {
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
  // Each step gets the full time of a statement.
  database::Transaction transaction = co_await context_.client.begin(context_.soon());
  transaction.setDeadline(context_.soon());
  std::vector<domain::OutboxId> ours =
      co_await completeLeases(transaction, batch.owner, completing, context_.instance);
  std::erase_if(done, [&](const EventInHand& event) {
    return !std::ranges::binary_search(ours, event.outboxId);
  });
  database::AfterCommit afterCommit;
  if (!done.empty()) {
    transaction.setDeadline(context_.soon());
    afterCommit = co_await prepared.apply(transaction, done);
  }
  transaction.setDeadline(context_.soon());
  co_await transaction.commit();
  database::run(afterCommit);
  co_return ours;
}

void EventHandling::fail(EventBatch& batch, BatchItem& item, std::string error) {
  batch.failures.push_back({.item = &item,
                            .retry = context_.policy.afterFailure(item.retryCount),
                            .reason = DeadLetterReason::retriesExhausted,
                            .error = std::move(error)});
}

void EventHandling::reject(EventBatch& batch, BatchItem& item, DeadLetterReason reason,
                           std::string error) {
  batch.failures.push_back(
      {.item = &item, .retry = std::nullopt, .reason = reason, .error = std::move(error)});
}

}  // namespace auth_errors::consumer
