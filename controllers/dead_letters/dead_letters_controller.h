// /api/dead-letters: messages that the system has given up on, listed, shown, sent again and
// resolved. One object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/dead_letters/dead_letter_store.h"

namespace auth_errors::controllers {

class DeadLettersController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<triage::DeadLetterStore&()>;

  // `onRetried` is called on the request's loop when an event waits in the outbox again.
  DeadLettersController(Store store, std::function<void()> onRetried,
                        std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> list(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> show(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> retry(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> resolve(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::function<void()> onRetried_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
