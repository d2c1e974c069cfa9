// POST /api/auth-errors/{id}/decisions: what becomes of an analysed error. One object for all IO
// loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/errors/decision_store.h"

namespace auth_errors::controllers {

class DecisionsController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<triage::DecisionStore&()>;

  // `onEnqueued` is called on the request's loop when a decision has put an event into the outbox.
  DecisionsController(Store store, std::function<void()> onEnqueued,
                      std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> decide(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::function<void()> onEnqueued_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
