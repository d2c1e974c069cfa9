// GET /api/clusters and /{id}: clusters, read. One object for all IO loops; each request stays on
// its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/clusters/cluster_reader.h"

namespace auth_errors::controllers {

class ClustersController {
 public:
  // The reader of the calling IO loop.
  using Reader = std::function<clusters::ClusterReader&()>;

  ClustersController(Reader reader, std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> list(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> show(drogon::HttpRequestPtr request);

 private:
  Reader reader_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
