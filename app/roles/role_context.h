// What the roles of an instance share. Outlives them; the functions are callable from any thread.
#pragma once

#include <functional>

#include <trantor/net/EventLoop.h>

#include "app/broker_health.h"
#include "app/metrics.h"
#include "app/settings.h"
#include "domain/identity/name.h"

namespace auth_errors::app::roles {

struct RoleContext {
  const Settings& settings;
  Metrics& metrics;
  trantor::EventLoop& mainLoop;
  domain::InstanceName instance;  // identifies the instance in claims, leases and logs
  BrokerHealth& brokerHealth;
  // New messages wait in the outbox. No effect without the role outbox.
  std::function<void()> wakeRelay;
  // A job waits to be done. No effect without the role ops.
  std::function<void()> wakeJobs;
};

}  // namespace auth_errors::app::roles
