// /api/jobs: listing, reading and cancelling jobs. One object for all I/O loops; each request stays
// on its own.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/jobs/job_store.h"

namespace auth_errors::controllers {

class JobsController {
 public:
  explicit JobsController(const workers::PerLoop<jobs::JobStore>& stores) : stores_(stores) {}

  drogon::Task<drogon::HttpResponsePtr> list(Call call);
  drogon::Task<drogon::HttpResponsePtr> show(Call call);
  drogon::Task<drogon::HttpResponsePtr> cancel(Call call);

 private:
  const workers::PerLoop<jobs::JobStore>& stores_;
};

}  // namespace auth_errors::controllers
