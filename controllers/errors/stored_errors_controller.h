// GET /api/auth-errors, /{id} and /export, POST /api/auth-errors/search: reading stored errors. One
// object for all I/O loops; each request stays on its own.
#pragma once

#include <optional>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/errors/error_export.h"
#include "controllers/errors/error_query.h"
#include "controllers/http/call.h"
#include "platform/security/pseudonymiser.h"
#include "platform/workers/per_loop.h"
#include "triage/clusters/cluster_reader.h"
#include "triage/errors/error_reader.h"
#include "triage/errors/journey_reader.h"

namespace auth_errors::controllers {

class StoredErrorsController {
 public:
  // Without a pseudonymiser, searches by identifier are refused.
  StoredErrorsController(const workers::PerLoop<triage::ErrorReader>& errors,
                         const workers::PerLoop<triage::JourneyReader>& journeys,
                         const workers::PerLoop<clusters::ClusterReader>& clusters,
                         std::optional<security::Pseudonymiser> pseudonymiser,
                         ErrorExports& exports);

  drogon::Task<drogon::HttpResponsePtr> show(Call call);
  drogon::Task<drogon::HttpResponsePtr> list(Call call);
  drogon::Task<drogon::HttpResponsePtr> search(Call call);
  drogon::Task<drogon::HttpResponsePtr> exportLines(Call call);

 private:
  drogon::Task<drogon::HttpResponsePtr> answerPage(Call call, ErrorQuery query);

  const workers::PerLoop<triage::ErrorReader>& errors_;
  const workers::PerLoop<triage::JourneyReader>& journeys_;
  const workers::PerLoop<clusters::ClusterReader>& clusters_;
  std::optional<security::Pseudonymiser> pseudonymiser_;
  ErrorExports& exports_;
};

}  // namespace auth_errors::controllers
