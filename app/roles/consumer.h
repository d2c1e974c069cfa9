// The role consumer: messages of the work queue take effect, on a loop of its own with its own
// connections. The main loop owns it.
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

  // When the schema is current. After a failure it may be called again.
  void start();
  // Leases are given back; effects not yet written wait for another instance.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

 private:
  // Lives on the loop.
  struct Consumption;

  RoleLoop loop_;
  std::unique_ptr<Consumption> consumption_;
};

}  // namespace auth_errors::app::roles
