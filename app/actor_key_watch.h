// Are the keys of this instance's pseudonyms those of its sisters? Notes their fingerprints in the
// database and compares them with what is noted there, again and again: whoever comes later may
// have others. Lives on the client's loop; standing() is for any thread.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/name.h"
#include "platform/database/client.h"
#include "platform/security/actor_key_store.h"
#include "platform/security/pseudonymiser.h"
#include "platform/workers/periodic_job.h"

namespace auth_errors::app {

class ActorKeyWatch {
 public:
  struct Standing {
    std::string state;    // pending, matching, incomplete, none, mismatch, missing
    std::string problem;  // empty if there is none
    bool ready = false;   // else users would be stored so that nobody finds them, or not at all
  };

  // `instance` is who has seen a key first.
  ActorKeyWatch(database::Client& client, std::vector<security::PseudonymKey> keys,
                domain::InstanceName instance);

  // When the schema is current.
  void start() { job_.start(); }
  // Before the client ends.
  drogon::Task<> stop() { return job_.stop(); }

  [[nodiscard]] Standing standing() const;

 private:
  drogon::Task<> runOnce();
  void set(Standing standing);

  database::Client& client_;
  std::vector<security::PseudonymKey> keys_;
  domain::InstanceName instance_;
  mutable std::mutex mutex_;
  Standing standing_{.state = "pending", .problem = {}, .ready = false};
  workers::PeriodicJob job_;
};

}  // namespace auth_errors::app
