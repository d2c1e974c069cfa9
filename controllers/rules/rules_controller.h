// /api/rules: listing, reading, creating, changing, deleting and previewing automatic decisions.
// One object for all I/O loops; each request stays on its own.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/workers/per_loop.h"
#include "triage/rules/rule_store.h"

namespace auth_errors::controllers {

class RulesController {
 public:
  explicit RulesController(const workers::PerLoop<rules::RuleStore>& stores) : stores_(stores) {}

  drogon::Task<drogon::HttpResponsePtr> list(Call call);
  drogon::Task<drogon::HttpResponsePtr> create(Call call);
  drogon::Task<drogon::HttpResponsePtr> show(Call call);
  drogon::Task<drogon::HttpResponsePtr> replace(Call call);
  drogon::Task<drogon::HttpResponsePtr> remove(Call call);
  drogon::Task<drogon::HttpResponsePtr> preview(Call call);

 private:
  const workers::PerLoop<rules::RuleStore>& stores_;
};

}  // namespace auth_errors::controllers
