#include "consumer/event_batch.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace auth_errors::consumer {
namespace {

outbox::EventIdentity identityOf(const messaging::IncomingEvent& event) {
  return {.outboxId = event.outboxId,
          .eventId = event.eventId,
          .installationId = event.installationId,
          .messageId = event.messageId,
          .eventType = std::string(event.descriptor->eventType),
          .authErrorId = event.authErrorId};
}

}  // namespace

EventBatch::EventBatch(LeaseOwner leaseOwner, Company itsCompany)
    : owner(std::move(leaseOwner)), company(itsCompany) {}

void EventBatch::decode(std::vector<messaging::Delivery> deliveries, Metrics& metrics) {
  // Messages with the same outbox id may be different events.
  std::unordered_multimap<domain::OutboxId, BatchItem*> byOutboxId;
  for (messaging::Delivery& delivery : deliveries) {
    auto event = messaging::decodeEvent(delivery.message);
    if (!event) {
      unread.push_back({.delivery = std::move(delivery), .fault = std::move(event.error())});
      continue;
    }
    outbox::EventIdentity identity = identityOf(*event);
    const auto [first, last] = byOutboxId.equal_range(event->outboxId);
    const auto same = std::ranges::find_if(
        first, last, [&](const auto& entry) { return entry.second->identity == identity; });
    if (same != last) {
      metrics.messages[ConsumeOutcome::repeated].add();
      same->second->tags.push_back(delivery.tag);
      continue;
    }
    BatchItem& item = items.emplace_back(BatchItem{.event = *std::move(event),
                                                   .identity = std::move(identity),
                                                   .message = std::move(delivery.message),
                                                   .tags = {delivery.tag}});
    byOutboxId.emplace(item.event.outboxId, &item);
  }
}

void EventBatch::copy(std::vector<messaging::DeliveryTag> tags, messaging::Address to,
                      messaging::Message message) {
  copies.push_back({.publication = {.to = std::move(to), .message = std::move(message)},
                    .tags = std::move(tags)});
}

}  // namespace auth_errors::consumer
