// GET /openapi.json: the description of every route, an OpenAPI 3.1 document that is part of the
// binary. Made and compressed once; then any IO loop.
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

namespace auth_errors::controllers {

class OpenApiController {
 public:
  static drogon::Task<drogon::HttpResponsePtr> describe(drogon::HttpRequestPtr request);
};

}  // namespace auth_errors::controllers
