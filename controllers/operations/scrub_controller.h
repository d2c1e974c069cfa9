// /api/scrub: shows what ingestion would redact from the fields of an error, storing nothing, and
// asks for the current scrubber to be applied to what is stored. One object for all IO loops; each
// request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "operations/rescrub/scrub_jobs.h"

namespace auth_errors::controllers {

class ScrubController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<rescrub::ScrubJobs&()>;

  // `onJob` is called when there is a job to do.
  ScrubController(Store store, std::function<void()> onJob, std::chrono::milliseconds deadline);

  static drogon::Task<drogon::HttpResponsePtr> preview(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> reapply(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::function<void()> onJob_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
