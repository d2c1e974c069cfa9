// GET /openapi.json: the description of every route, an OpenAPI 3.1 document that is part of the
// binary. Made and compressed once; then any IO loop.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"

namespace auth_errors::controllers {

class OpenApiController {
 public:
  static drogon::Task<drogon::HttpResponsePtr> describe(Call call);
};

}  // namespace auth_errors::controllers
