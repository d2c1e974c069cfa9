#include "consumer/ledger/ledger_rows.h"

#include <format>

#include "outbox/identity/event_identity.h"

namespace auth_errors::consumer {
namespace {

const database::Statement kReopen{.name = "reopen_ledger", .sql = R"(UPDATE processed_message
SET status = 'PENDING', retry_count = 0, next_retry_at = NULL, updated_at = now()
WHERE outbox_id = $1 AND status IN ('DEAD', 'RETRY_WAIT', 'PENDING'))"};

const database::Statement kReset{.name = "reset_ledger", .sql = R"(UPDATE processed_message p
SET status = 'PENDING', event_id = m.event_id, retry_count = 0, next_retry_at = NULL,
    lease_owner = NULL, lease_until = NULL, completed_by = NULL, updated_at = now(),
    created_at = greatest(p.created_at, m.created_at)
FROM outbox_message m
WHERE p.outbox_id = $1 AND m.id = p.outbox_id)"};

const database::Statement kBury{.name = "bury_in_ledger",
                                .sql = std::format(R"(INSERT INTO processed_message AS p
  (outbox_id, event_id, status, retry_count, created_at, updated_at)
SELECT m.id, m.event_id, 'DEAD', 0, greatest(now(), m.created_at), now()
FROM outbox_message m WHERE m.id = ANY($1::bigint[]) ORDER BY m.id
ON CONFLICT (outbox_id) DO UPDATE
SET status = 'DEAD', event_id = excluded.event_id, next_retry_at = NULL, lease_owner = NULL,
    lease_until = NULL, completed_by = NULL, updated_at = now(),
    created_at = CASE WHEN {0} THEN excluded.created_at ELSE p.created_at END,
    lease_expired_at = CASE WHEN {0} THEN NULL ELSE p.lease_expired_at END
WHERE {0} OR p.status IN ('PENDING', 'RETRY_WAIT', 'DEAD')
   OR (p.status = 'PROCESSING' AND p.lease_until < now())
RETURNING p.outbox_id)",
                                                   outbox::isStaleOnConflict())};

}  // namespace

drogon::Task<void> reopenRow(database::Transaction& transaction, domain::OutboxId outboxId) {
  co_await transaction.run(kReopen, outboxId);
}

drogon::Task<void> resetRow(database::Transaction& transaction, domain::OutboxId outboxId) {
  co_await transaction.run(kReset, outboxId);
}

drogon::Task<std::vector<domain::OutboxId>> buryRows(database::Transaction& transaction,
                                                     std::vector<domain::OutboxId> outboxIds) {
  co_return (co_await transaction.run(kBury, outboxIds)).column<domain::OutboxId>();
}

}  // namespace auth_errors::consumer
