// Are the keys of this instance's pseudonyms those of its sisters? Notes their fingerprints in the
// database and compares them with what is noted there, again and again: whoever comes later may
// have others. Starts when the schema is current, and stops before the client, on whose loop it
// lives; standing() is for any thread.
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

  // What the comparison says, which is the standing from then on.
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
