// The role consumer: processes messages of the work queue, on its own loop with its own
// connections. Owned by the main loop.
#pragma once

#include <chrono>
#include <memory>

#include <drogon/utils/coroutine.h>

#include "app/roles/role_context.h"
#include "app/roles/role_loop.h"

namespace auth_errors::app::roles {

class Consumer {
 public:
  explicit Consumer(const RoleContext& context);
  ~Consumer();
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  Consumer(Consumer&&) = delete;
  Consumer& operator=(Consumer&&) = delete;

  // REQUIRES: the schema is current. May be called again after a failure.
  void start();
  // Releases the leases; effects that are not yet written are left to another instance.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

 private:
  // Lives on the loop.
  struct Consumption;

  RoleLoop loop_;
  std::unique_ptr<Consumption> consumption_;
};

}  // namespace auth_errors::app::roles
