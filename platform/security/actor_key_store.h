// The fingerprints of the keys of pseudonyms that the database knows, one for each version. Belongs
// to the loop of the client it is given.
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

// By version.
drogon::Task<std::vector<KnownActorKey>> listActorKeys(database::Client& client,
                                                       database::Deadline deadline);

// Versions that are known already stay as they are.
drogon::Task<void> noteActorKeys(database::Client& client, std::vector<PseudonymKey> keys,
                                 domain::InstanceName seenBy, database::Deadline deadline);

// False if it was not known.
drogon::Task<bool> forgetActorKey(database::Client& client, std::int32_t version,
                                  database::Deadline deadline);

// How the keys of an instance stand beside those that the database knows.
struct ActorKeyComparison {
  std::vector<std::int32_t> different;  // the same version with another secret
  std::vector<std::int32_t> missing;    // known to the database only
  std::vector<std::int32_t> fresh;      // known to the instance only
};

ActorKeyComparison compareActorKeys(const std::vector<PseudonymKey>& keys,
                                    const std::vector<KnownActorKey>& known);

}  // namespace auth_errors::security
