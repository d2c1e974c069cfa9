#include "controllers/openapi_controller.h"

#include <string>

// Where openapi_text.s puts the text of openapi.json.
extern "C" const char openApiBegin[];
extern "C" const char openApiEnd[];

namespace auth_errors::controllers {

drogon::Task<drogon::HttpResponsePtr> OpenApiController::describe() {
  auto response = drogon::HttpResponse::newHttpResponse();
  response->setContentTypeCode(drogon::CT_APPLICATION_JSON);
  response->setBody(std::string(openApiBegin, openApiEnd));
  co_return response;
}

}  // namespace auth_errors::controllers
