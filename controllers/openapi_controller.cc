#include "controllers/openapi_controller.h"

#include <string>

#include "controllers/openapi_text.h"

namespace auth_errors::controllers {

drogon::Task<drogon::HttpResponsePtr> OpenApiController::describe() {
  auto response = drogon::HttpResponse::newHttpResponse();
  response->setContentTypeCode(drogon::CT_APPLICATION_JSON);
  response->setBody(std::string(kOpenApi));
  co_return response;
}

}  // namespace auth_errors::controllers
