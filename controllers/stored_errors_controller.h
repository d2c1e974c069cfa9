// GET /api/auth-errors, /{id} and /export, POST /api/auth-errors/search: stored errors, read. One
// object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "clusters/cluster_reader.h"
#include "controllers/error_export.h"
#include "controllers/error_query.h"
#include "controllers/request_context.h"
#include "reading/error_reader.h"
#include "reading/journey_reader.h"
#include "security/pseudonymiser.h"

namespace auth_errors::controllers {

class StoredErrorsController {
 public:
  // The readers of the calling IO loop.
  using Reader = std::function<reading::ErrorReader&()>;
  using Journeys = std::function<reading::JourneyReader&()>;
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
