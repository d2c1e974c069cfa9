// The role outbox: publishes the rows of the outbox, on a loop and with connections of its own.
// Used on the main loop, except for wake(), which is callable from any thread.
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
  // Gives back what it has claimed.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  // New messages wait in the outbox.
  void wake();

 private:
  // Lives on the loop.
  struct Relay;

  RoleLoop loop_;
  std::unique_ptr<Relay> relay_;
  // The relay's, as other threads may see it.
  std::atomic<outbox::ClaimWorker*> claimWorker_ = nullptr;
};

}  // namespace auth_errors::app::roles
