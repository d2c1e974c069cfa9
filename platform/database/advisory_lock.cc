#include "platform/database/advisory_lock.h"

#include <utility>

namespace auth_errors::database {
namespace {

const Statement kLock{.name = "advisory_lock", .sql = "SELECT pg_advisory_xact_lock($1)"};
const Statement kLockShared{.name = "advisory_lock_shared",
                            .sql = "SELECT pg_advisory_xact_lock_shared($1)"};
const Statement kTryLock{.name = "try_advisory_lock",
                         .sql = "SELECT pg_try_advisory_xact_lock($1)"};
const Statement kTryLockForSession{.name = "try_advisory_lock_for_session",
                                   .sql = "SELECT pg_try_advisory_lock($1)"};

}  // namespace

drogon::Task<void> lock(Transaction& transaction, AdvisoryLock which) {
  co_await transaction.run(kLock, std::to_underlying(which));
}

drogon::Task<void> lockShared(Transaction& transaction, AdvisoryLock which) {
  co_await transaction.run(kLockShared, std::to_underlying(which));
}

drogon::Task<bool> tryLock(Transaction& transaction, AdvisoryLock which) {
  co_return (co_await transaction.run(kTryLock, std::to_underlying(which))).only<bool>();
}

drogon::Task<bool> tryLock(Session& session, AdvisoryLock which) {
  co_return (co_await session.run(kTryLockForSession, std::to_underlying(which))).only<bool>();
}

}  // namespace auth_errors::database
