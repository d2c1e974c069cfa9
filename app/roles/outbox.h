// The role outbox: rows of the outbox become messages, on a loop of its own with its own
// connections. The main loop owns it; wake() is for any thread.
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

  // When the schema is current. After a failure it may be called again.
  void start();
  // What it has claimed is given back.
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
