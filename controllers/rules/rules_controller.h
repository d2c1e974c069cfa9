// /api/rules: what is decided without a person, listed, shown, made, changed, deleted and tried.
// One object for all IO loops; each request stays on its own.
#pragma once

#include <chrono>
#include <functional>

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "triage/rules/rule_store.h"

namespace auth_errors::controllers {

class RulesController {
 public:
  // The store of the calling IO loop.
  using Store = std::function<rules::RuleStore&()>;

  RulesController(Store store, std::chrono::milliseconds deadline);

  drogon::Task<drogon::HttpResponsePtr> list(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> create(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> show(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> replace(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> remove(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> preview(drogon::HttpRequestPtr request);

 private:
  Store store_;
  std::chrono::milliseconds deadline_;
};

}  // namespace auth_errors::controllers
