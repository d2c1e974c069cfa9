// The HTTP server: Drogon set up from the validated settings, in code, with its surprises switched
// off. Call once, from the main thread; returns when the service has shut down.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "app/instance.h"
#include "app/metrics.h"
#include "app/settings.h"

namespace auth_errors::app {

// Returns only if it could not listen, and says why; else the process ends with the drain, with
// status 0, or 1 if the drain failed.
std::expected<void, std::string> runServer(const Settings& settings, Instance& instance,
                                           const std::shared_ptr<Metrics>& metrics);

}  // namespace auth_errors::app
