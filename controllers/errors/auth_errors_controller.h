// POST /api/auth-errors and /batch: take authentication errors, answer once they are stored for
// good. One object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/errors/error_intake.h"
#include "controllers/http/call.h"
#include "outbox/ingest_batcher.h"

namespace auth_errors::controllers {

class AuthErrorsController {
 public:
  // Stores on the calling IO loop; the batcher's store() in the service.
  using Store = std::function<drogon::Task<std::vector<outbox::IngestBatcher::Answer>>(
      std::vector<domain::AcceptedError> errors, outbox::IngestBatcher::Source source,
      std::chrono::steady_clock::time_point deadline)>;

  // Returns when the calling IO loop has time for the next slice of a long request.
  using NextSlice = std::function<drogon::Task<>()>;

  AuthErrorsController(Store store, NextSlice nextSlice, ErrorIntake intake);

  drogon::Task<drogon::HttpResponsePtr> create(Call call);
  // Each entry is stored or refused for itself.
  drogon::Task<drogon::HttpResponsePtr> createBatch(Call call);

 private:
  Store store_;
  NextSlice nextSlice_;
  ErrorIntake intake_;
};

}  // namespace auth_errors::controllers
