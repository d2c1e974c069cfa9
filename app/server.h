// The HTTP server: configures Drogon in code from the validated settings and disables its unwanted
// defaults. Call once, from the main thread; returns when the service has shut down.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "app/instance.h"
#include "app/metrics.h"
#include "app/settings.h"

namespace auth_errors::app {

// Returns only if it could not listen, with the reason; otherwise the process exits after draining,
// with status 0, or 1 if the drain failed.
std::expected<void, std::string> runServer(const Settings& settings, Instance& instance,
                                           const std::shared_ptr<Metrics>& metrics);

}  // namespace auth_errors::app
