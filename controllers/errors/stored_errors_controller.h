// GET /api/auth-errors, /{id} and /export, POST /api/auth-errors/search: stored errors, read. One
// object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/errors/error_export.h"
#include "controllers/errors/error_query.h"
#include "controllers/http/request_context.h"
#include "platform/security/pseudonymiser.h"
#include "triage/clusters/cluster_reader.h"
#include "triage/errors/error_reader.h"
#include "triage/errors/journey_reader.h"

namespace auth_errors::controllers {

class StoredErrorsController {
 public:
  // The readers of the calling IO loop.
  using Reader = std::function<triage::ErrorReader&()>;
  using Journeys = std::function<triage::JourneyReader&()>;
  using Clusters = std::function<clusters::ClusterReader&()>;

  // Without a pseudonymiser nobody can be searched for.
  StoredErrorsController(Reader reader, Journeys journeys, Clusters clusters,
                         std::optional<security::Pseudonymiser> pseudonymiser,
                         ErrorExports& exports, std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> show(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> list(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> search(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> exportLines(drogon::HttpRequestPtr request);

 private:
  drogon::Task<drogon::HttpResponsePtr> answerPage(RequestContextPtr context, ErrorQuery query);

  Reader reader_;
  Journeys journeys_;
  Clusters clusters_;
  std::optional<security::Pseudonymiser> pseudonymiser_;
  ErrorExports& exports_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
