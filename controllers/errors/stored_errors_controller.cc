#include "controllers/errors/stored_errors_controller.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/errors/error_json.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_cursor.h"
#include "controllers/http/page_query.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
#include "platform/encoding/json_reader.h"

namespace auth_errors::controllers {
namespace {

using triage::Extent;

constexpr std::string_view kLinesContentType = "application/x-ndjson";
constexpr std::chrono::seconds kRetryExportAfter{10};

drogon::HttpResponsePtr rejectFields(RequestContext& context, std::vector<FieldError> problems) {
  return reject(context, RejectReason::invalidFields, {.errors = std::move(problems)});
}

}  // namespace

StoredErrorsController::StoredErrorsController(Reader reader, Journeys journeys, Clusters clusters,
                                               std::optional<security::Pseudonymiser> pseudonymiser,
                                               ErrorExports& exports,
                                               std::chrono::milliseconds deadline)
    : reader_(std::move(reader)),
      journeys_(std::move(journeys)),
      clusters_(std::move(clusters)),
      pseudonymiser_(std::move(pseudonymiser)),
      exports_(exports),
      deadline_(deadline) {}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::show(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto id = idOf(*context);
  if (!id) {
    co_return reject(*context, RejectReason::notFound);
  }
  const auto found = co_await reader_().find(*id, context->startedAt + deadline_);
  if (!found) {
    co_return reject(*context, refusalFor(found.error()));
  }
  if (!*found) {
    co_return reject(*context, RejectReason::notFound);
  }
  const auto journey = co_await journeys_().read(*id, context->startedAt + deadline_);
  if (!journey) {
    co_return reject(*context, refusalFor(journey.error()));
  }
  const auto clusters = co_await clusters_().ofError(*id, context->startedAt + deadline_);
  if (!clusters) {
    co_return reject(*context, refusalFor(clusters.error()));
  }
  std::string body;
  appendJson(body, **found, *journey, *clusters);
  co_return jsonResponse(std::move(body));
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::list(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto query = errorQueryFromAddress(request->query(), kMaxPageRows);
  if (!query) {
    co_return rejectFields(*context, std::move(query.error()));
  }
  co_return co_await answerPage(context, *std::move(query));
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::search(
    drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto body = encoding::readJsonObject(request->body());
  if (!body) {
    co_return reject(*context, RejectReason::malformedJson, {.detail = body.error()});
  }
  auto query = errorQueryFromBody(*body, kMaxPageRows);
  if (!query) {
    co_return rejectFields(*context, std::move(query.error()));
  }
  if (!pseudonymiser_) {
    co_return reject(*context, RejectReason::conflict,
                     {.detail = "This instance has no key for pseudonyms, so it stores no users, "
                                "sessions and addresses, and can't search for them."});
  }
  for (const auto& [kind, field] : domain::kActorFields) {
    const auto index = static_cast<std::size_t>(kind);
    if (const auto& identifier = query->identifiers.at(index)) {
      query->filter.pseudonyms.at(index) = pseudonymiser_->allOf(kind, *identifier);
    }
  }
  co_return co_await answerPage(context, *std::move(query));
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::answerPage(RequestContextPtr context,
                                                                         ErrorQuery query) {
  const std::size_t limit = query.limit.value_or(kDefaultPageRows);
  auto page = co_await reader_().page({.filter = std::move(query.filter),
                                       .before = query.before,
                                       .rows = rowsToRead(limit),
                                       .extent = Extent::summary},
                                      context->startedAt + deadline_);
  if (!page) {
    co_return reject(*context, refusalFor(page.error()));
  }
  co_return pageResponse(*std::move(page), limit, appendSummary,
                         [](const triage::StoredAuthError& last) {
                           return encodeCursor(PagedList::authErrors, last.id);
                         });
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::exportLines(
    drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto query = errorQueryFromAddress(request->query(), kMaxExportRows);
  if (!query) {
    co_return rejectFields(*context, std::move(query.error()));
  }
  if (request->version() == drogon::Version::kHttp10) {
    co_return reject(*context, RejectReason::notImplemented,
                     {.detail = "An export has no length beforehand, so it takes HTTP/1.1."});
  }
  if (request->isHead()) {
    const auto response = drogon::HttpResponse::newAsyncStreamResponse([](const auto&) {});
    response->setContentTypeString(kLinesContentType);
    co_return response;
  }
  auto right = exports_.admit(*request);
  if (!right) {
    co_return reject(
        *context, RejectReason::rateLimited,
        {.detail = "Too many exports are under way.", .retryAfter = kRetryExportAfter});
  }
  triage::PageRequest pages{
      .filter = std::move(query->filter),
      .before = query->before,
      .rows = std::min(query->limit.value_or(kMaxExportRows), ErrorExports::kPageRows),
      .extent = Extent::full};
  // Read before the answer begins, so that what fails at once is a proper refusal.
  auto first = co_await reader_().page(pages, context->startedAt + deadline_);
  if (!first) {
    co_return reject(*context, refusalFor(first.error()));
  }
  const auto response =
      exports_.stream(request, std::move(right), *std::move(first), std::move(pages), query->limit);
  response->setContentTypeString(kLinesContentType);
  co_return response;
}

}  // namespace auth_errors::controllers
