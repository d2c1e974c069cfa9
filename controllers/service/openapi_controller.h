// GET /openapi.json: the OpenAPI 3.1 description of every route, embedded in the binary. Built and
// compressed once; then usable on any I/O loop.
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
