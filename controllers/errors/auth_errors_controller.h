// POST /api/auth-errors and /batch: accept authentication errors and respond once they are stored
// durably. One object for all I/O loops; each request stays on its own.
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
  // Stores on the calling I/O loop; in the service, the batcher's store().
  using Store = std::function<drogon::Task<std::vector<outbox::IngestBatcher::Answer>>(
      std::vector<domain::AcceptedError> errors, outbox::IngestBatcher::Source source,
      std::chrono::steady_clock::time_point deadline)>;

  // Returns when the calling I/O loop has time for the next slice of a long request.
  using NextSlice = std::function<drogon::Task<>()>;

  AuthErrorsController(Store store, NextSlice nextSlice, ErrorIntake intake);

  drogon::Task<drogon::HttpResponsePtr> create(Call call);
  // Each entry is stored or refused independently.
  drogon::Task<drogon::HttpResponsePtr> createBatch(Call call);

 private:
  Store store_;
  NextSlice nextSlice_;
  ErrorIntake intake_;
};

}  // namespace auth_errors::controllers
