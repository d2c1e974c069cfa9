// The role outbox: publishes rows of the outbox as messages, on its own loop with its own
// connections. Owned by the main loop; wake() may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include <drogon/utils/coroutine.h>

#include "app/roles/role_context.h"
#include "app/roles/role_loop.h"
#include "outbox/claim_worker.h"

namespace auth_errors::app::roles {

class Outbox {
 public:
  explicit Outbox(const RoleContext& context);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  Outbox(Outbox&&) = delete;
  Outbox& operator=(Outbox&&) = delete;

  // REQUIRES: the schema is current. May be called again after a failure.
  void start();
  // Releases its claims.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  // Reports new messages in the outbox.
  void wake();

 private:
  // Lives on the loop.
  struct Relay;

  RoleLoop loop_;
  std::unique_ptr<Relay> relay_;
  // The relay's worker, for other threads.
  std::atomic<outbox::ClaimWorker*> claimWorker_ = nullptr;
};

}  // namespace auth_errors::app::roles
