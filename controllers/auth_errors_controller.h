// /api/auth-errors: takes an authentication error, answers once it is stored for good. One object
// for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "outbox/ingest_batcher.h"

namespace auth_errors::controllers {

class AuthErrorsController {
 public:
  // Gives the batcher of the calling IO loop.
  using Batchers = std::function<outbox::IngestBatcher&()>;

  AuthErrorsController(Batchers batchers, std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> create(drogon::HttpRequestPtr request);

 private:
  Batchers batchers_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
