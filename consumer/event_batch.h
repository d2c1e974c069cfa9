// A batch of messages and the outcome of each. Belongs to the consumer's loop.
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

// One event, with all its copies in the same batch.
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
  bool noted = false;  // already recorded as an attempt
};

// A message that cannot be decoded as an event, but may be another installation's.
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
  std::vector<BatchItem*> suspects;  // leased and handled one by one, after the others
  std::vector<ItemFailure> failures;
  std::vector<BatchItem*> newer;  // their errors have a status unknown to this version
  // No longer leased to us: taken over by another consumer, or completed by a commit whose response
  // was lost.
  std::vector<BatchItem*> lost;
  std::vector<Copy> copies;
};

}  // namespace auth_errors::consumer
