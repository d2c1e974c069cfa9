// /api/scrub: previews what ingestion would redact from the fields of an error, without storing
// anything, and applies the current scrubber to stored data. One object for all I/O loops; each
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
  // `onJob` is called when a job is pending.
  ScrubController(const workers::PerLoop<rescrub::ScrubJobs>& jobs, std::function<void()> onJob)
      : jobs_(jobs), onJob_(std::move(onJob)) {}

  static drogon::Task<drogon::HttpResponsePtr> preview(Call call);
  drogon::Task<drogon::HttpResponsePtr> reapply(Call call);

 private:
  const workers::PerLoop<rescrub::ScrubJobs>& jobs_;
  std::function<void()> onJob_;
};

}  // namespace auth_errors::controllers
