// /api/keys: lists, creates, reads and revokes API keys. A key's secret is only in the response to
// its creation. One object for all I/O loops.
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
