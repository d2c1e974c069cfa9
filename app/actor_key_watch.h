// Checks whether this instance's actor keys match those of the other instances: records their
// fingerprints in the database and compares them with the recorded ones periodically, because
// instances started later may have different keys. Runs on the client's loop, from when the schema
// is current until the client is closed; standing() may be called from any thread.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "platform/security/actor_key_store.h"
#include "platform/security/pseudonymiser.h"
#include "platform/workers/worker.h"

namespace auth_errors::app {

class ActorKeyWatch final : public workers::Worker {
 public:
  struct Standing {
    std::string state;    // pending, matching, incomplete, none, mismatch, missing
    std::string problem;  // empty if there is none
    bool ready = false;   // if false, pseudonyms would be missing, or not found by searches
  };

  // `instance` is recorded as the first to use a key.
  ActorKeyWatch(database::Client& client, std::vector<security::PseudonymKey> keys,
                domain::InstanceName instance);

  [[nodiscard]] Standing standing() const;

  // Returns the result of the comparison, which becomes the standing.
  drogon::Task<Standing> runOnce();

 private:
  void set(Standing standing);

  database::Client& client_;
  std::vector<security::PseudonymKey> keys_;
  domain::InstanceName instance_;
  mutable std::mutex mutex_;
  Standing standing_{.state = "pending", .problem = {}, .ready = false};
};

}  // namespace auth_errors::app
