// /api/clusters/{id}/merge and /split: merging and splitting clusters, and previews of both. One
// object for all I/O loops; each request stays on its own.
#pragma once

#include <functional>
#include <utility>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/clusters/move_store.h"

namespace auth_errors::controllers {

class ClusterMovesController {
 public:
  // `onJob` is called on the request's loop when a job is pending.
  ClusterMovesController(const workers::PerLoop<clusters::MoveStore>& stores,
                         std::function<void()> onJob)
      : stores_(stores), onJob_(std::move(onJob)) {}

  drogon::Task<drogon::HttpResponsePtr> merge(Call call);
  drogon::Task<drogon::HttpResponsePtr> previewMerge(Call call);
  drogon::Task<drogon::HttpResponsePtr> split(Call call);
  drogon::Task<drogon::HttpResponsePtr> previewSplit(Call call);

 private:
  const workers::PerLoop<clusters::MoveStore>& stores_;
  std::function<void()> onJob_;
};

}  // namespace auth_errors::controllers
