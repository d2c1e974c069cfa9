#include "controllers/service/openapi_controller.h"

#include <string>
#include <string_view>
#include <utility>

#include "controllers/http/content_encoding.h"
#include "controllers/http/entity_tag.h"
#include "domain/values/hex.h"
#include "platform/hashing/digest.h"

// The text of openapi.json, embedded by openapi_text.s.
extern "C" const char openApiBegin[];
extern "C" const char openApiEnd[];

namespace auth_errors::controllers {
namespace {

// One encoding of the document.
struct Representation {
  std::string body;
  std::string tag;
};

struct Document {
  Representation plain;
  Representation compressed;

  Document() {
    plain.body.assign(openApiBegin, openApiEnd);
    compressed.body = deflateGzip(plain.body);
    const std::string digest = domain::toHex(hashing::sha256(plain.body)).substr(0, 32);
    plain.tag = '"' + digest + '"';
    compressed.tag = '"' + digest + R"(-gzip")";
  }
};

const Document& document() {
  static const Document kDocument;
  return kDocument;
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> OpenApiController::describe(Call call) {
  const bool compressed = acceptsGzip(call.request().getHeader("accept-encoding"));
  const Representation& sent = compressed ? document().compressed : document().plain;
  auto response = drogon::HttpResponse::newHttpResponse();
  response->addHeader("ETag", sent.tag);
  response->addHeader("Cache-Control", "no-cache");
  response->addHeader("Vary", "Accept-Encoding");
  if (matchesEntityTag(call.request().getHeader("if-none-match"), sent.tag)) {
    response->setStatusCode(drogon::k304NotModified);
    response->setContentTypeCode(drogon::CT_NONE);
    co_return response;
  }
  response->setContentTypeCode(drogon::CT_APPLICATION_JSON);
  if (compressed) {
    response->addHeader("Content-Encoding", "gzip");
  }
  response->setBody(sent.body);
  co_return response;
}

}  // namespace auth_errors::controllers
