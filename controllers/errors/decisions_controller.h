// POST /api/auth-errors/{id}/decisions: decides on an analysed error. One object for all I/O loops;
// each request stays on its own.
#pragma once

#include <functional>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/errors/decision_store.h"

namespace auth_errors::controllers {

class DecisionsController {
 public:
  // `onEnqueued` is called on the request's loop when a decision has inserted an event into the
  // outbox.
  DecisionsController(const workers::PerLoop<triage::DecisionStore>& decisions,
                      std::function<void()> onEnqueued);

  drogon::Task<drogon::HttpResponsePtr> decide(Call call);

 private:
  const workers::PerLoop<triage::DecisionStore>& decisions_;
  std::function<void()> onEnqueued_;
};

}  // namespace auth_errors::controllers
