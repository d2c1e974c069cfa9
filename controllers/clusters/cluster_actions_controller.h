// What people do with a cluster: POST /api/clusters/{id}/decisions, /state and /mute, and DELETE of
// the last. One object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/clusters/cluster_store.h"

namespace auth_errors::controllers {

class ClusterActionsController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<clusters::ClusterStore&()>;

  // `onJob` is called on the request's loop when a job waits to be done.
  ClusterActionsController(Store store, std::function<void()> onJob,
                           std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> decide(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> changeState(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> mute(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> unmute(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::function<void()> onJob_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
