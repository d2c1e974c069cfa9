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
#include "controllers/http/request_context.h"
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

drogon::HttpResponsePtr reject(RequestContext& context,
                               const domain::OutageOr<security::KeyRefusal>& failure) {
  const Refusal refusal = refusalFor(failure, {}, keyRefusal);
  return controllers::reject(context, refusal.reason, refusal.details);
}

Json::Value orNull(const std::optional<std::string>& text) {
  return text ? Json::Value(*text) : Json::Value();
}

Json::Value toJson(const security::KeyRecord& record) {
  Json::Value body;
  body["id"] = static_cast<Json::Int64>(record.key.id);
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

drogon::Task<drogon::HttpResponsePtr> KeysController::list(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto page = pageQueryFromAddress(PagedList::keys, request->query());
  if (!page) {
    co_return controllers::reject(*context, RejectReason::invalidFields,
                                  {.errors = std::move(page.error())});
  }
  auto records =
      co_await directory_.list(page->before, static_cast<std::int64_t>(rowsToRead(page->limit)));
  if (!records) {
    const Refusal refusal = refusalFor(records.error());
    co_return controllers::reject(*context, refusal.reason, refusal.details);
  }
  co_return pageResponse(
      *std::move(records), page->limit,
      [](std::string& out, const security::KeyRecord& record) {
        out += encoding::toJson(toJson(record));
      },
      [](const security::KeyRecord& last) { return encodeCursor(PagedList::keys, last.key.id); });
}

drogon::Task<drogon::HttpResponsePtr> KeysController::create(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto key = decodeKey(request->body());
  if (!key) {
    co_return controllers::reject(*context, key.error().reason, key.error().details);
  }
  const auto created = co_await directory_.create(*std::move(key), std::string(context->keyName()));
  if (!created) {
    co_return reject(*context, created.error());
  }
  Json::Value body = toJson(created->record);
  body["key"] = created->secret;
  const auto response = drogon::HttpResponse::newHttpJsonResponse(std::move(body));
  response->setStatusCode(drogon::k201Created);
  response->addHeader("Location", std::format("/api/keys/{}", created->record.key.id));
  response->addHeader("Cache-Control", "no-store");
  co_return response;
}

drogon::Task<drogon::HttpResponsePtr> KeysController::show(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto record = co_await directory_.find(idOf(*context).value_or(0));
  if (!record) {
    co_return reject(*context, record.error());
  }
  co_return drogon::HttpResponse::newHttpJsonResponse(toJson(*record));
}

drogon::Task<drogon::HttpResponsePtr> KeysController::revoke(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto revocation =
      co_await directory_.revoke(idOf(*context).value_or(0), std::string(context->keyName()));
  if (!revocation) {
    co_return reject(*context, revocation.error());
  }
  const auto response = drogon::HttpResponse::newHttpResponse();
  response->setStatusCode(drogon::k204NoContent);
  response->setContentTypeCode(drogon::CT_NONE);
  co_return response;
}

}  // namespace auth_errors::controllers
