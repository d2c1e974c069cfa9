// A response whose body is already JSON. Usable from any thread.
#pragma once

#include <string>
#include <utility>

#include <drogon/HttpResponse.h>

namespace auth_errors::controllers {

inline drogon::HttpResponsePtr jsonResponse(std::string body,
                                            drogon::HttpStatusCode status = drogon::k200OK) {
  auto response = drogon::HttpResponse::newHttpResponse();
  response->setStatusCode(status);
  response->setContentTypeCode(drogon::CT_APPLICATION_JSON);
  response->setBody(std::move(body));
  return response;
}

}  // namespace auth_errors::controllers
