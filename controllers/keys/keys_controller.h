// /api/keys: lists, makes, shows and revokes API keys. A key's secret is in the answer to its
// making and nowhere else. One object for all IO loops.
#pragma once

#include <drogon/HttpRequest.h>
#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "platform/security/key_directory.h"

namespace auth_errors::controllers {

class KeysController {
 public:
  explicit KeysController(security::KeyDirectory& directory) : directory_(directory) {}

  drogon::Task<drogon::HttpResponsePtr> list(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> create(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> show(drogon::HttpRequestPtr request);
  drogon::Task<drogon::HttpResponsePtr> revoke(drogon::HttpRequestPtr request);

 private:
  security::KeyDirectory& directory_;
};

}  // namespace auth_errors::controllers
