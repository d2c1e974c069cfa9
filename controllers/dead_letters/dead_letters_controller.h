// /api/dead-letters: listing, reading, retrying and resolving dead letters. One object for all I/O
// loops; each request stays on its own.
#pragma once

#include <functional>
#include <utility>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/dead_letters/dead_letter_store.h"

namespace auth_errors::controllers {

class DeadLettersController {
 public:
  // `onRetried` is called on the request's loop when an event is in the outbox again.
  DeadLettersController(const workers::PerLoop<triage::DeadLetterStore>& stores,
                        std::function<void()> onRetried)
      : stores_(stores), onRetried_(std::move(onRetried)) {}

  drogon::Task<drogon::HttpResponsePtr> list(Call call);
  drogon::Task<drogon::HttpResponsePtr> show(Call call);
  drogon::Task<drogon::HttpResponsePtr> retry(Call call);
  drogon::Task<drogon::HttpResponsePtr> resolve(Call call);

 private:
  const workers::PerLoop<triage::DeadLetterStore>& stores_;
  std::function<void()> onRetried_;
};

}  // namespace auth_errors::controllers
