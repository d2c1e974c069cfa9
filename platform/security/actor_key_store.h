// The fingerprints of actor keys in the database, one for each version. Runs on the loop of the
// given client.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/name.h"
#include "domain/values/instant.h"
#include "platform/database/client.h"
#include "platform/security/pseudonymiser.h"

namespace auth_errors::security {

struct KnownActorKey {
  std::int32_t version = 0;
  std::string fingerprint;
  domain::Instant firstSeenAt;
  domain::InstanceName firstSeenBy;
};

// Sorted by version.
drogon::Task<std::vector<KnownActorKey>> listActorKeys(database::Client& client,
                                                       database::Deadline deadline);

// Versions already stored are not changed.
drogon::Task<void> noteActorKeys(database::Client& client, std::vector<PseudonymKey> keys,
                                 domain::InstanceName seenBy, database::Deadline deadline);

// False if it was not stored.
drogon::Task<bool> forgetActorKey(database::Client& client, std::int32_t version,
                                  database::Deadline deadline);

// An instance's keys compared with the fingerprints in the database.
struct ActorKeyComparison {
  std::vector<std::int32_t> different;  // same version, other secret
  std::vector<std::int32_t> missing;    // in the database only
  std::vector<std::int32_t> fresh;      // in this instance only
};

ActorKeyComparison compareActorKeys(const std::vector<PseudonymKey>& keys,
                                    const std::vector<KnownActorKey>& known);

}  // namespace auth_errors::security
