#include "controllers/service/metrics_controller.h"

namespace auth_errors::controllers {

drogon::Task<drogon::HttpResponsePtr> MetricsController::scrape(Call /*call*/) {
  process_.update();
  auto response = drogon::HttpResponse::newHttpResponse();
  response->setContentTypeString("text/plain; version=0.0.4; charset=utf-8");
  response->setBody(registry_.render());
  co_return response;
}

}  // namespace auth_errors::controllers
