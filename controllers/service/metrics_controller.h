// GET /metrics, in the Prometheus text format. Callable on any I/O loop.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/telemetry/process_metrics.h"
#include "platform/telemetry/registry.h"

namespace auth_errors::controllers {

class MetricsController {
 public:
  MetricsController(const telemetry::Registry& registry, telemetry::ProcessMetrics& process)
      : registry_(registry), process_(process) {}

  drogon::Task<drogon::HttpResponsePtr> scrape(Call call);

 private:
  const telemetry::Registry& registry_;
  telemetry::ProcessMetrics& process_;
};

}  // namespace auth_errors::controllers
