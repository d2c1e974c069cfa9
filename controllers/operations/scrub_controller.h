// /api/scrub: shows what ingestion would redact from the fields of an error, storing nothing, and
// asks for the current scrubber to be applied to what is stored. One object for all IO loops; each
// request stays on its own.
#pragma once

#include <functional>
#include <utility>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "operations/rescrub/scrub_jobs.h"
#include "platform/workers/per_loop.h"

namespace auth_errors::controllers {

class ScrubController {
 public:
  // `onJob` is called when there is a job to do.
  ScrubController(const workers::PerLoop<rescrub::ScrubJobs>& jobs, std::function<void()> onJob)
      : jobs_(jobs), onJob_(std::move(onJob)) {}

  static drogon::Task<drogon::HttpResponsePtr> preview(Call call);
  drogon::Task<drogon::HttpResponsePtr> reapply(Call call);

 private:
  const workers::PerLoop<rescrub::ScrubJobs>& jobs_;
  std::function<void()> onJob_;
};

}  // namespace auth_errors::controllers
