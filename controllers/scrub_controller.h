// POST /api/scrub/preview: shows what ingestion would redact from the fields of an error, and
// stores nothing. Stateless; any IO loop.
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

namespace auth_errors::controllers {

class ScrubController {
 public:
  static drogon::Task<drogon::HttpResponsePtr> preview(drogon::HttpRequestPtr request);
};

}  // namespace auth_errors::controllers
