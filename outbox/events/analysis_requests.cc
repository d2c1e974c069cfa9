#include "outbox/events/analysis_requests.h"

#include <format>

#include "domain/events/event_descriptor.h"

namespace auth_errors::outbox {

std::string insertAnalysisRequests(std::string_view idempotencyKey, std::string_view traceparent,
                                   std::string_view source) {
  return std::format(
      R"(INSERT INTO outbox_message (event_id, aggregate_type, aggregate_id, event_type,
                            idempotency_key, payload, status, retry_count, created_at, traceparent)
SELECT gen_random_uuid(), '{}', e.id, '{}', {},
       jsonb_build_object('{}', e.id, '{}', e.dedup_key, '{}', e.occurred_at, '{}', now()),
       'PENDING', 0, now(), {}
FROM {})",
      domain::kAnalysisRequested.aggregateType, domain::kAnalysisRequested.eventType,
      idempotencyKey, domain::payload_key::kAuthErrorId, domain::payload_key::kRequestId,
      domain::payload_key::kOccurredAt, domain::payload_key::kRequestedAt, traceparent, source);
}

}  // namespace auth_errors::outbox
