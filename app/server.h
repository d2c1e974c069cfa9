// The HTTP server: Drogon set up from the validated settings, in code, with its surprises switched
// off. Call once, from the main thread; returns when the service has shut down.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "app/components.h"
#include "app/settings.h"
#include "telemetry/metrics.h"

namespace auth_errors::app {

// The error says why it could not listen. A drain that fails ends the process with status 1.
std::expected<void, std::string> runServer(const Settings& settings, Components& components,
                                           const std::shared_ptr<telemetry::Metrics>& metrics);

}  // namespace auth_errors::app
