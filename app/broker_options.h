// Converts settings to options of the messaging layer. Pure functions.
#pragma once

#include <format>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "domain/events/event_descriptor.h"
#include "platform/messaging/broker.h"
#include "platform/messaging/topology.h"

namespace auth_errors::app {

// `part` identifies the connection in the broker's management tools.
inline messaging::BrokerOptions brokerOptions(const Settings& settings, std::string_view part) {
  return {.url = settings.broker.url,
          .certificate = settings.broker.certificate,
          .connectionName = std::format("auth-errors {}", part),
          .heartbeat = settings.broker.heartbeat};
}

inline messaging::Topology topologyOf(const Settings& settings, std::string_view prefix) {
  std::vector<std::string_view> eventTypes;
  for (const domain::EventDescriptor& descriptor : domain::kEventDescriptors) {
    eventTypes.push_back(descriptor.eventType);
  }
  return messaging::makeTopology(prefix, settings.retry.rungs, eventTypes);
}

inline messaging::Topology topologyOf(const Settings& settings) {
  return topologyOf(settings, settings.broker.prefix);
}

}  // namespace auth_errors::app
