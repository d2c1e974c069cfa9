// /api/jobs: long work, listed, shown and cancelled. One object for all IO loops; each request
// stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/jobs/job_store.h"

namespace auth_errors::controllers {

class JobsController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<jobs::JobStore&()>;

  JobsController(Store store, std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> list(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> show(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> cancel(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
