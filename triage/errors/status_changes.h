// The only way to change an AuthError's status: by an event of the domain's state machine, guarded
// in SQL by its source states, and logged in the same transaction, which is the caller's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/errors/auth_error_transitions.h"
#include "domain/identity/ids.h"
#include "domain/identity/name.h"
#include "platform/database/client.h"

namespace auth_errors::triage {

struct Analysis {
  domain::ErrorId authErrorId;
  std::string stackHash;
};

// The status of this AuthError, locked until the transaction ends; nothing if there is no such
// error.
drogon::Task<std::optional<domain::StoredName<domain::AuthErrorStatus>>> lockedStatus(
    database::Transaction& transaction, domain::ErrorId authErrorId);

// Returns the changed ids; the others were in a state in which the event has no effect. `changedBy`
// is an instance, or the name of a key or a rule. Not for analysisCompleted, which has a hash.
drogon::Task<std::vector<domain::ErrorId>> changeStatus(database::Transaction& transaction,
                                                        domain::StatusEvent event,
                                                        std::vector<domain::ErrorId> authErrorIds,
                                                        std::string changedBy);

struct PlannedRetry {
  domain::ErrorId authErrorId;
  std::int32_t retryCount = 0;
  std::chrono::milliseconds delay{};
};

// A handler failed and will be retried: RETRY, with the number of failures and the time of the
// retry.
drogon::Task<void> planRetries(database::Transaction& transaction,
                               std::vector<PlannedRetry> retries, domain::InstanceName instance);

drogon::Task<std::vector<domain::ErrorId>> completeAnalyses(database::Transaction& transaction,
                                                            std::vector<Analysis> analyses,
                                                            domain::InstanceName instance);

// Replaces hashes of an older version. `hashes` are the columns id, old hash and new hash; returns
// the ids of the errors that still had the old one, and locks their rows.
drogon::Task<std::vector<domain::ErrorId>> changeHashes(database::Transaction& transaction,
                                                        database::Parameters hashes);

// The statuses of the existing errors; nullopt for a status unknown to this version.
drogon::Task<std::unordered_map<domain::ErrorId, std::optional<domain::AuthErrorStatus>>>
statusesOf(database::Client& client, std::vector<domain::ErrorId> authErrorIds,
           database::Deadline deadline);

}  // namespace auth_errors::triage
