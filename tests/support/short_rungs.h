// The retry ladder with short delays for tests, and the settings that configure it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "domain/events/event_descriptor.h"
#include "domain/retry/retry_policy.h"
#include "platform/messaging/topology.h"

namespace auth_errors::tests {

inline constexpr domain::RetryRungs kShortRungs{
    std::chrono::milliseconds(200), std::chrono::milliseconds(400), std::chrono::milliseconds(800)};
inline constexpr const char* kShortRungsSetting = "200,400,800";

inline messaging::Topology shortTopology(const std::string& prefix) {
  std::vector<std::string_view> eventTypes;
  for (const domain::EventDescriptor& descriptor : domain::kEventDescriptors) {
    eventTypes.push_back(descriptor.eventType);
  }
  return messaging::makeTopology(prefix, kShortRungs, eventTypes);
}

}  // namespace auth_errors::tests
