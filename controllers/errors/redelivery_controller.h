// POST /api/auth-errors/{id}/redeliver: sends the newest event of an error again that waits for its
// analysis. One object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/dead_letters/redelivery_store.h"

namespace auth_errors::controllers {

class RedeliveryController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<triage::RedeliveryStore&()>;

  // `onEnqueued` is called on the request's loop when an event waits in the outbox again.
  RedeliveryController(Store store, std::function<void()> onEnqueued,
                       std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> redeliver(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::function<void()> onEnqueued_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
