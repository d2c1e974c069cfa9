#include "controllers/http/metrics.h"

#include <algorithm>
#include <cstddef>

namespace auth_errors::controllers {

RouteMetrics::RouteMetrics(Metrics& metrics, telemetry::CodeText route)
    : byStatusClass_{metrics.requests[route, StatusClass::informational],
                     metrics.requests[route, StatusClass::success],
                     metrics.requests[route, StatusClass::redirection],
                     metrics.requests[route, StatusClass::clientError],
                     metrics.requests[route, StatusClass::serverError]},
      seconds_(metrics.requestSeconds[route]) {}

void RouteMetrics::answered(int status, std::chrono::duration<double> time) const {
  const auto statusClass = static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1);
  byStatusClass_.at(statusClass).add();
  seconds_.observe(time);
}

}  // namespace auth_errors::controllers
