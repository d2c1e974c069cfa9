// POST /api/auth-errors/{id}/redeliver: resends the newest event of an error that waits for its
// analysis. One object for all I/O loops; each request stays on its own.
#pragma once

#include <functional>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/dead_letters/redelivery_store.h"

namespace auth_errors::controllers {

class RedeliveryController {
 public:
  // `onEnqueued` is called on the request's loop when an event is in the outbox again.
  RedeliveryController(const workers::PerLoop<triage::RedeliveryStore>& redeliveries,
                       std::function<void()> onEnqueued);

  drogon::Task<drogon::HttpResponsePtr> redeliver(Call call);

 private:
  const workers::PerLoop<triage::RedeliveryStore>& redeliveries_;
  std::function<void()> onEnqueued_;
};

}  // namespace auth_errors::controllers
