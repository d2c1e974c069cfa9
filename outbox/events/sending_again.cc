#include "outbox/events/sending_again.h"

namespace auth_errors::outbox {
namespace {

const database::Statement kSendAgain{.name = "send_event_again", .sql = R"(UPDATE outbox_message
SET status = 'PENDING', retry_count = 0, next_retry_at = NULL, published_at = NULL,
    published_by = NULL, retry_round = retry_round + 1
WHERE id = $1 AND status IN ('DEAD', 'PUBLISHED'))"};

// A claim is fenced by its owner: the worker that held it can no longer change anything.
const database::Statement kRedeliver{.name = "redeliver_event", .sql = R"(UPDATE outbox_message
SET status = 'PENDING', retry_count = 0, next_retry_at = NULL, processing_owner = NULL,
    processing_started_at = NULL, published_at = NULL, published_by = NULL,
    retry_round = retry_round + 1
WHERE id = $1
RETURNING retry_round)"};

}  // namespace

drogon::Task<void> sendAgain(database::Transaction& transaction, domain::OutboxId outboxId) {
  co_await transaction.run(kSendAgain, outboxId);
}

drogon::Task<std::int32_t> redeliver(database::Transaction& transaction,
                                     domain::OutboxId outboxId) {
  co_return (co_await transaction.run(kRedeliver, outboxId)).only<std::int32_t>();
}

}  // namespace auth_errors::outbox
