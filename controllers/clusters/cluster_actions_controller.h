// Manual actions on a cluster: POST /api/clusters/{id}/decisions, /state and /mute, and DELETE of
// the last. One object for all I/O loops; each request stays on its own.
#pragma once

#include <functional>
#include <utility>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/clusters/cluster_store.h"

namespace auth_errors::controllers {

class ClusterActionsController {
 public:
  // `onJob` is called on the request's loop when a job is pending.
  ClusterActionsController(const workers::PerLoop<clusters::ClusterStore>& stores,
                           std::function<void()> onJob)
      : stores_(stores), onJob_(std::move(onJob)) {}

  drogon::Task<drogon::HttpResponsePtr> decide(Call call);
  drogon::Task<drogon::HttpResponsePtr> changeState(Call call);
  drogon::Task<drogon::HttpResponsePtr> mute(Call call);
  drogon::Task<drogon::HttpResponsePtr> unmute(Call call);

 private:
  const workers::PerLoop<clusters::ClusterStore>& stores_;
  std::function<void()> onJob_;
};

}  // namespace auth_errors::controllers
