// GET /api/clusters and /{id}. One object for all I/O loops; each request stays on its own.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/clusters/cluster_reader.h"

namespace auth_errors::controllers {

class ClustersController {
 public:
  explicit ClustersController(const workers::PerLoop<clusters::ClusterReader>& readers)
      : readers_(readers) {}

  drogon::Task<drogon::HttpResponsePtr> list(Call call);
  drogon::Task<drogon::HttpResponsePtr> show(Call call);

 private:
  const workers::PerLoop<clusters::ClusterReader>& readers_;
};

}  // namespace auth_errors::controllers
