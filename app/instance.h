// One instance of the service: the roles that its settings give it, started and stopped in order.
// The main thread owns it and calls it on the main loop.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "app/broker_health.h"
#include "app/metrics.h"
#include "app/roles/api.h"
#include "app/roles/consumer.h"
#include "app/roles/ops.h"
#include "app/roles/outbox.h"
#include "app/roles/role_context.h"
#include "app/schema_watch.h"
#include "app/settings.h"

namespace auth_errors::app {

class Instance {
 public:
  // Throws std::invalid_argument on a bad database or broker URL, database::MigrationError on bad
  // files.
  Instance(const Settings& settings, Metrics& metrics, trantor::EventLoop& mainLoop);

  // Before the first connection is accepted. What needs the schema starts once that is current.
  void start(const std::vector<trantor::EventLoop*>& ioLoops);
  // After the last request ended.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  roles::Api& api() { return api_; }

 private:
  void startRoles();

  SchemaWatch schema_;
  BrokerHealth brokerHealth_;
  roles::RoleContext context_;
  roles::Api api_;
  // Those that this instance has.
  std::optional<roles::Outbox> outbox_;
  std::optional<roles::Consumer> consumer_;
  std::optional<roles::Ops> ops_;
};

}  // namespace auth_errors::app
