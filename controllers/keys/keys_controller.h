// /api/keys: lists, makes, shows and revokes API keys. A key's secret is in the answer to its
// making and nowhere else. One object for all IO loops.
#pragma once

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/security/key_directory.h"

namespace auth_errors::controllers {

class KeysController {
 public:
  explicit KeysController(security::KeyDirectory& directory) : directory_(directory) {}

  drogon::Task<drogon::HttpResponsePtr> list(Call call);
  drogon::Task<drogon::HttpResponsePtr> create(Call call);
  drogon::Task<drogon::HttpResponsePtr> show(Call call);
  drogon::Task<drogon::HttpResponsePtr> revoke(Call call);

 private:
  security::KeyDirectory& directory_;
};

}  // namespace auth_errors::controllers
