// One instance of the service: starts and stops the roles of its settings, in order. Used on the
// main loop.
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

  // REQUIRES: no connection has been accepted yet. The parts that need the schema start as soon as
  // it is current.
  void start(const std::vector<trantor::EventLoop*>& ioLoops);
  // REQUIRES: the last request has ended.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  roles::Api& api() { return api_; }

 private:
  void startRoles();

  SchemaWatch schema_;
  BrokerHealth brokerHealth_;
  roles::RoleContext context_;
  roles::Api api_;
  // Empty for roles that this instance does not have.
  std::optional<roles::Outbox> outbox_;
  std::optional<roles::Consumer> consumer_;
  std::optional<roles::Ops> ops_;
};

}  // namespace auth_errors::app
