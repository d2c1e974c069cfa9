#include "controllers/keys/keys_controller.h"

#include <cstdint>
#include <expected>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/http/field_reader.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_cursor.h"
#include "controllers/http/page_query.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_body.h"
#include "domain/identity/ids.h"
#include "domain/values/instant.h"
#include "platform/encoding/json_reader.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

namespace field = security::key_field;

Refusal keyRefusal(security::KeyRefusal refusal) {
  switch (refusal) {
    case security::KeyRefusal::nameTaken:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "A key with this name exists or has existed."}};
    case security::KeyRefusal::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case security::KeyRefusal::lastOperator:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "This is the last operator key; create another one first."}};
  }
  std::unreachable();
}

drogon::HttpResponsePtr refuse(const Call& call,
                               const domain::OutageOr<security::KeyRefusal>& failure) {
  return call.reject(refusalFor(failure, {}, keyRefusal));
}

// `secret` is only set for a newly created key.
void appendKey(std::string& out, const security::KeyRecord& record,
               const std::optional<std::string>& secret = std::nullopt) {
  encoding::JsonObjectWriter object(out);
  object.write("createdAt", record.createdAt);
  object.write("createdBy", record.createdBy);
  object.write("id", record.key.id);
  object.writeIfAny("key", secret);
  object.write("name", record.key.name);
  object.write("rateLimit", record.key.rateLimit);
  object.write("revokedAt", record.revokedAt);
  object.write("revokedBy", record.revokedBy);
  object.write("role", record.key.role.text());
  object.write("serviceName", record.key.serviceName);
  object.close();
}

std::expected<security::NewKey, Refusal> decodeKey(std::string_view text) {
  const auto body = readObject(text);
  if (!body) {
    return std::unexpected(body.error());
  }
  FieldReader reader(*body);
  security::KeyRequest request{.name = reader.text(field::kName),
                               .role = reader.text(field::kRole),
                               .serviceName = reader.text(field::kServiceName),
                               .rateLimit = reader.integer(field::kRateLimit)};
  auto problems = reader.takeProblems();
  // A misspelt serviceName must not create a key for all services.
  problems.append_range(reader.unknownFieldProblems(
      {field::kName, field::kRole, field::kServiceName, field::kRateLimit}));
  auto key = security::checkKeyRequest(std::move(request), std::move(problems));
  if (!key) {
    return std::unexpected(invalidFields(key.error()));
  }
  return *std::move(key);
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> KeysController::list(Call call) {
  auto page = pageQueryFromAddress(PagedList::keys, call.query());
  if (!page) {
    co_return call.reject(RejectReason::invalidFields, {.errors = std::move(page.error())});
  }
  auto records = co_await directory_.list(std::optional<domain::KeyId>(page->before),
                                          static_cast<std::int64_t>(rowsToRead(page->limit)));
  if (!records) {
    co_return call.reject(refusalFor(records.error()));
  }
  co_return pageResponse(
      *std::move(records), page->limit,
      [](std::string& out, const security::KeyRecord& record) { appendKey(out, record); },
      [](const security::KeyRecord& last) { return encodeCursor(PagedList::keys, last.key.id); });
}

drogon::Task<drogon::HttpResponsePtr> KeysController::create(Call call) {
  auto key = decodeKey(call.body());
  if (!key) {
    co_return call.reject(key.error());
  }
  const auto created = co_await directory_.create(*std::move(key), call.actor());
  if (!created) {
    co_return refuse(call, created.error());
  }
  std::string body;
  appendKey(body, created->record, created->secret);
  const auto response = jsonResponse(encoding::inAscii(body), drogon::k201Created);
  response->addHeader("Location", std::format("/api/keys/{}", created->record.key.id));
  response->addHeader("Cache-Control", "no-store");
  co_return response;
}

drogon::Task<drogon::HttpResponsePtr> KeysController::show(Call call) {
  const auto record = co_await directory_.find(call.id<domain::KeyId>());
  if (!record) {
    co_return refuse(call, record.error());
  }
  std::string body;
  appendKey(body, *record);
  co_return jsonResponse(encoding::inAscii(body));
}

drogon::Task<drogon::HttpResponsePtr> KeysController::revoke(Call call) {
  const auto revocation = co_await directory_.revoke(call.id<domain::KeyId>(), call.actor());
  if (!revocation) {
    co_return refuse(call, revocation.error());
  }
  const auto response = drogon::HttpResponse::newHttpResponse();
  response->setStatusCode(drogon::k204NoContent);
  response->setContentTypeCode(drogon::CT_NONE);
  co_return response;
}

}  // namespace auth_errors::controllers
