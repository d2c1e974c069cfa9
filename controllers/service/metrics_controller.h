// GET /metrics, in the Prometheus text format. Callable on any I/O loop.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/telemetry/metrics.h"

namespace auth_errors::controllers {

class MetricsController {
 public:
  explicit MetricsController(telemetry::Metrics& metrics) : metrics_(metrics) {}

  drogon::Task<drogon::HttpResponsePtr> scrape(Call call);

 private:
  telemetry::Metrics& metrics_;
};

}  // namespace auth_errors::controllers
