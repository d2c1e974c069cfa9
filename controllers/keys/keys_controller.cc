#include "controllers/keys/keys_controller.h"

#include <cstdint>
#include <expected>
#include <format>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <json/value.h>

#include "controllers/errors/error_intake.h"
#include "controllers/http/field_reader.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_cursor.h"
#include "controllers/http/page_query.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
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
              .details = {.detail = "A key of this name exists or has existed."}};
    case security::KeyRefusal::unknown:
      return {.reason = RejectReason::notFound, .details = {}};
    case security::KeyRefusal::lastOperator:
      return {.reason = RejectReason::conflict,
              .details = {.detail = "This is the last operator key; make another one first."}};
  }
  std::unreachable();
}

drogon::HttpResponsePtr refuse(const Call& call,
                               const domain::OutageOr<security::KeyRefusal>& failure) {
  return call.reject(refusalFor(failure, {}, keyRefusal));
}

Json::Value orNull(const std::optional<std::string>& text) {
  return text ? Json::Value(*text) : Json::Value();
}

Json::Value toJson(const security::KeyRecord& record) {
  Json::Value body;
  body["id"] = Json::Int64{record.key.id.value()};
  body["name"] = record.key.name;
  body["role"] = record.key.role.text();
  body["serviceName"] = orNull(record.key.serviceName);
  body["rateLimit"] = record.key.rateLimit ? Json::Value(*record.key.rateLimit) : Json::Value();
  body["createdAt"] = domain::formatInstant(record.createdAt);
  body["createdBy"] = record.createdBy;
  body["revokedAt"] =
      record.revokedAt ? Json::Value(domain::formatInstant(*record.revokedAt)) : Json::Value();
  body["revokedBy"] = orNull(record.revokedBy);
  return body;
}

std::expected<security::NewKey, Refusal> decodeKey(std::string_view text) {
  const auto body = encoding::readJsonObject(text);
  if (!body) {
    return std::unexpected(
        Refusal{.reason = RejectReason::malformedJson, .details = {.detail = body.error()}});
  }
  FieldReader reader(*body);
  security::KeyRequest request{.name = reader.text(field::kName),
                               .role = reader.text(field::kRole),
                               .serviceName = reader.text(field::kServiceName),
                               .rateLimit = reader.integer(field::kRateLimit)};
  auto problems = reader.takeProblems();
  // A misspelt serviceName must not make a key that speaks for every service.
  problems.append_range(reader.unknownFieldProblems(
      {field::kName, field::kRole, field::kServiceName, field::kRateLimit}));
  auto key = security::checkKeyRequest(std::move(request), std::move(problems));
  if (!key) {
    return std::unexpected(
        Refusal{.reason = RejectReason::invalidFields, .details = detailsOf(key.error())});
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
      [](std::string& out, const security::KeyRecord& record) {
        out += encoding::toJson(toJson(record));
      },
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
  Json::Value body = toJson(created->record);
  body["key"] = created->secret;
  const auto response = drogon::HttpResponse::newHttpJsonResponse(std::move(body));
  response->setStatusCode(drogon::k201Created);
  response->addHeader("Location", std::format("/api/keys/{}", created->record.key.id));
  response->addHeader("Cache-Control", "no-store");
  co_return response;
}

drogon::Task<drogon::HttpResponsePtr> KeysController::show(Call call) {
  const auto record = co_await directory_.find(call.id<domain::KeyId>());
  if (!record) {
    co_return refuse(call, record.error());
  }
  co_return drogon::HttpResponse::newHttpJsonResponse(toJson(*record));
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
