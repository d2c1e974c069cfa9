// /api/clusters/{id}/merge and /split: clusters put together and taken apart, and what that would
// do. One object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/clusters/move_store.h"

namespace auth_errors::controllers {

class ClusterMovesController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<clusters::MoveStore&()>;

  // `onJob` is called on the request's loop when a job waits to be done.
  ClusterMovesController(Store store, std::function<void()> onJob,
                         std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> merge(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> previewMerge(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> split(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> previewSplit(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::function<void()> onJob_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
