// The role consumer: handles the messages of the work queue, on a loop and with connections of its
// own. Used on the main loop.
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
  // Gives back its leases; effects not yet written are left to another instance.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

 private:
  // Lives on the loop.
  struct Consumption;

  RoleLoop loop_;
  std::unique_ptr<Consumption> consumption_;
};

}  // namespace auth_errors::app::roles
