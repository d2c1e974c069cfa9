// Messages that the consumer works on together, and what becomes of each. Belongs to the consumer's
// loop.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "consumer/copy_sender.h"
#include "consumer/ledger_store.h"
#include "consumer/metrics.h"
#include "domain/errors/dead_letter.h"
#include "domain/retry/retry_policy.h"
#include "platform/messaging/event_codec.h"
#include "platform/messaging/message.h"

namespace auth_errors::consumer {

// One event, and every copy of it that came in the same batch.
struct BatchItem {
  messaging::IncomingEvent event;
  outbox::EventIdentity identity;
  messaging::Message message;
  std::vector<messaging::DeliveryTag> tags;
  std::int32_t retryCount = 0;
  bool leased = false;
};

struct ItemFailure {
  BatchItem* item = nullptr;
  std::optional<domain::Retry> retry;  // none: DEAD
  domain::DeadLetterReason reason{};   // of DEAD
  std::string error;
  bool noted = false;  // as an attempt already
};

// A message that can't be read as an event, but may be another installation's.
struct UnreadMessage {
  messaging::Delivery delivery;
  messaging::PermanentFault fault;
};

struct EventBatch {
  EventBatch(LeaseOwner leaseOwner, Company itsCompany);

  // Repeated messages of one event become one item.
  void decode(std::vector<messaging::Delivery> deliveries, Metrics& metrics);
  // The originals with these tags are acknowledged once the copy is confirmed.
  void copy(std::vector<messaging::DeliveryTag> tags, messaging::Address to,
            messaging::Message message);

  LeaseOwner owner;
  Company company;
  std::vector<UnreadMessage> unread;
  std::deque<BatchItem> items;
  std::vector<domain::OutboxId> leased;
  std::vector<BatchItem*> suspects;  // each to be leased and handled alone, after the others
  std::vector<ItemFailure> failures;
  std::vector<BatchItem*> newer;  // of errors in a state that only a newer version knows
  // No longer ours: taken over by another consumer, or done by a commit whose answer was lost.
  std::vector<BatchItem*> lost;
  std::vector<Copy> copies;
};

}  // namespace auth_errors::consumer
