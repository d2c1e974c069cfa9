// Shared by the roles of an instance, which it outlives. The functions may be called from any
// thread.
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
  // Reports new messages in the outbox. No effect without the role outbox in this instance.
  std::function<void()> wakeRelay;
  // Reports a pending job. No effect without the role ops in this instance.
  std::function<void()> wakeJobs;
};

}  // namespace auth_errors::app::roles
