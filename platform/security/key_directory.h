// The service's API keys: keeps a ring of the valid ones current, creates and revokes them. It runs
// on one loop with its own connection, so that keys and ingestion do not delay each other. A
// coroutine resumes on the loop that called it.
//
// A change made through this object is in the ring when the call returns; other changes when the
// database's notification arrives, or at the next poll. While the database is unavailable, the last
// ring stays in use.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "domain/identity/ids.h"
#include "domain/values/outage.h"
#include "platform/database/client.h"
#include "platform/database/listener.h"
#include "platform/security/api_key.h"
#include "platform/security/api_key_store.h"
#include "platform/security/key_ring.h"
#include "platform/workers/worker.h"

namespace auth_errors::security {

// The only time that the secret is visible.
struct CreatedKey {
  KeyRecord record;
  std::string secret;
};

class KeyDirectory final : public workers::Worker {
 public:
  struct Options {
    database::ClientOptions database;
    Rate defaultRate;
    std::chrono::milliseconds deadline{};  // of each call
  };

  // Throws std::invalid_argument on an invalid database URL.
  KeyDirectory(trantor::EventLoop& loop, Options options);

  void start() override;
  drogon::Task<bool> stop(Deadline deadline) override;

  // Loads the ring. Returns the number of its keys.
  drogon::Task<std::size_t> runOnce();

  // Null before the first load. Callable from any thread.
  [[nodiscard]] std::shared_ptr<const KeyRing> ring() const { return ring_.load(); }

  // For other work on keys; on the loop, before stop().
  [[nodiscard]] database::Client& client() { return *client_; }

  drogon::Task<domain::Answer<CreatedKey, KeyRefusal>> create(NewKey key, std::string createdBy);
  drogon::Task<domain::Answer<Revocation, KeyRefusal>> revoke(domain::KeyId id,
                                                              std::string revokedBy);
  drogon::Task<domain::Answer<KeyRecord, KeyRefusal>> find(domain::KeyId id);
  drogon::Task<domain::Answer<std::vector<KeyRecord>>> list(std::optional<domain::KeyId> below,
                                                            std::int64_t limit);

 private:
  using Clock = std::chrono::steady_clock;

  // Runs the action on the directory's loop and resumes on the caller's.
  template <typename Answer, typename Action>
  drogon::Task<Answer> onLoop(Action action);
  drogon::Task<> loadChanged();

  Options options_;
  std::unique_ptr<database::Client> client_;
  std::unique_ptr<database::Listener> listener_;
  std::atomic<std::shared_ptr<const KeyRing>> ring_;
};

}  // namespace auth_errors::security
