#include "consumer/ledger_placement.h"

#include <algorithm>
#include <format>
#include <utility>

#include "consumer/foreign_message.h"
#include "domain/errors/dead_letter.h"
#include "domain/identity/name.h"
#include "outbox/identity/installation.h"
#include "platform/database/error.h"
#include "platform/telemetry/log.h"

namespace auth_errors::consumer {
namespace {

using domain::DeadLetterReason;
using telemetry::LogLevel;

}  // namespace

drogon::Task<> LedgerPlacement::placeUnread(EventBatch& batch) {
  // Only read if a message names its installation.
  domain::InstallationId ours;
  for (UnreadMessage& unread : batch.unread) {
    const auto theirs = messaging::readInstallationId(unread.delivery.message);
    if (theirs && ours.empty()) {
      ours = co_await database::persist(context_.whileAway(), [&] {
        return outbox::readInstallation(context_.client, context_.soon());
      });
    }
    if (theirs && *theirs != ours) {
      park(batch, std::move(unread.delivery.message), {unread.delivery.tag});
    } else {
      turnAway(batch, std::move(unread.delivery.message), {unread.delivery.tag}, unread.fault);
    }
  }
}

void LedgerPlacement::park(EventBatch& batch, messaging::Message message,
                           std::vector<messaging::DeliveryTag> tags) {
  telemetry::log(LogLevel::error, "consumer.parked",
                 {{"messageId", messaging::comparableText(message.messageId)},
                  {"installationId",
                   messaging::readInstallationId(message).value_or(domain::InstallationId())}});
  context_.metrics.messages[ConsumeOutcome::parked].add();
  batch.copy(std::move(tags), context_.topology.foreign(), fitToPark(std::move(message)));
}

void LedgerPlacement::turnAway(EventBatch& batch, messaging::Message message,
                               std::vector<messaging::DeliveryTag> tags,
                               const messaging::PermanentFault& fault) {
  telemetry::log(LogLevel::error, "consumer.rejected",
                 {{"messageId", messaging::comparableText(message.messageId)},
                  {"reason", domain::toText(fault.reason)},
                  {"error", fault.error}});
  context_.metrics
      .messages[fault.reason == DeadLetterReason::foreignEvent ? ConsumeOutcome::foreign
                                                               : ConsumeOutcome::rejected]
      .add();
  batch.copy(std::move(tags), context_.topology.deadLetter(),
             messaging::withReason(std::move(message), fault.reason, fault.error));
}

drogon::Task<> LedgerPlacement::takeLeasesOf(EventBatch& batch) {
  std::vector<BatchItem*> items;
  for (BatchItem& item : batch.items) {
    items.push_back(&item);
  }
  const AskLedger ask = [&](std::vector<outbox::EventIdentity> events) {
    return takeLeases(context_.client, batch.owner, std::move(events), batch.company,
                      context_.lease, context_.instance, context_.soon());
  };
  co_await placeAll(batch, items, ask, Clock::now() + context_.lease / 2);
}

drogon::Task<> LedgerPlacement::placeAll(EventBatch& batch, std::span<BatchItem* const> items,
                                         const AskLedger& ask, Clock::time_point end) {
  if (items.empty()) {
    co_return;
  }
  std::vector<outbox::EventIdentity> events;
  for (const BatchItem* item : items) {
    events.push_back(item->identity);
  }
  std::string fault;
  try {
    const std::vector<LedgerEntry> entries =
        co_await database::persist(context_.whileAway(), [&] { return ask(events); });
    for (std::size_t i = 0; i < entries.size(); ++i) {
      items[i]->retryCount = entries[i].retryCount;
      place(batch, *items[i], entries[i]);
    }
    co_return;
  } catch (const database::Error& error) {
    fault = error.what();
  }
  if (context_.stop.raised()) {
    throw workers::Stopped();
  }
  if (items.size() > 1 && Clock::now() < end) {
    // Leases that are already ours are kept by the repeated request.
    const std::size_t half = items.size() / 2;
    co_await placeAll(batch, items.first(half), ask, end);
    co_await placeAll(batch, items.subspan(half), ask, end);
    co_return;
  }
  for (BatchItem* item : items) {
    telemetry::log(LogLevel::error, "consumer.not_leased",
                   {{"outboxId", item->event.outboxId}, {"error", fault}});
    context_.metrics.messages[ConsumeOutcome::held].add();
    batch.copy(std::move(item->tags), context_.topology.retry(context_.policy.rungs.size() - 1),
               std::move(item->message));
  }
}

// Sorts a message according to the state of its ledger row.
void LedgerPlacement::place(EventBatch& batch, BatchItem& item, const LedgerEntry& entry) {
  item.leased = entry.state == LedgerState::leased;
  switch (entry.state) {
    case LedgerState::leased:
      batch.leased.push_back(item.event.outboxId);
      break;
    case LedgerState::done:
    case LedgerState::dead:
      context_.settle(item, ConsumeOutcome::repeated);
      break;
    case LedgerState::suspect:
      if (batch.company == Company::others) {
        batch.suspects.push_back(&item);
        break;
      }
      // It was leased to another consumer for a moment.
      [[fallthrough]];
    case LedgerState::held:
      context_.metrics.messages[ConsumeOutcome::held].add();
      batch.copy(std::move(item.tags), context_.topology.retry(0), std::move(item.message));
      break;
    case LedgerState::waiting:
      context_.metrics.messages[ConsumeOutcome::waiting].add();
      batch.copy(std::move(item.tags),
                 context_.topology.retry(context_.policy.rungCovering(entry.rest)),
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

drogon::Task<> LedgerPlacement::giveUp(EventBatch& batch) {
  if (batch.lost.empty()) {
    co_return;
  }
  context_.metrics.messages[ConsumeOutcome::fencedOff].add(batch.lost.size());
  telemetry::log(LogLevel::warn, "consumer.fenced_off", {{"events", batch.lost.size()}});
  const AskLedger ask = [&](std::vector<outbox::EventIdentity> events) {
    return readLedger(context_.client, std::move(events), context_.soon());
  };
  co_await placeAll(batch, batch.lost, ask, Clock::now() + context_.lease / 2);
}

drogon::Task<> LedgerPlacement::postpone(EventBatch& batch) {
  if (batch.newer.empty()) {
    co_return;
  }
  std::vector<domain::OutboxId> ids;
  for (const BatchItem* item : batch.newer) {
    ids.push_back(item->event.outboxId);
  }
  telemetry::log(LogLevel::warn, "consumer.unknown_status",
                 {{"events", ids.size()}, {"outboxId", ids.front()}});
  std::vector<domain::OutboxId> ours;
  try {
    ours = co_await database::persist(context_.whileAway(), [&] {
      return releaseLeases(context_.client, batch.owner, ids, context_.soon());
    });
  } catch (const database::Error& error) {
    telemetry::log(LogLevel::warn, "consumer.leases_not_released", {{"error", error.what()}});
  }
  for (BatchItem* item : batch.newer) {
    if (std::ranges::binary_search(ours, item->event.outboxId)) {
      context_.metrics.messages[ConsumeOutcome::held].add();
      batch.copy(std::move(item->tags), context_.topology.retry(0), std::move(item->message));
    } else {
      batch.lost.push_back(item);
    }
  }
}

}  // namespace auth_errors::consumer
