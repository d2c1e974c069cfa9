#include "controllers/errors/stored_errors_controller.h"

#include <algorithm>
#include <chrono>
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
#include "controllers/http/request_body.h"
#include "controllers/http/request_context.h"
#include "domain/identity/ids.h"
#include "platform/encoding/json_reader.h"

namespace auth_errors::controllers {
namespace {

using triage::Extent;

constexpr std::string_view kLinesContentType = "application/x-ndjson";
constexpr std::chrono::seconds kRetryExportAfter{10};

drogon::HttpResponsePtr rejectFields(const Call& call, std::vector<FieldError> problems) {
  return call.reject(RejectReason::invalidFields, {.errors = std::move(problems)});
}

}  // namespace

StoredErrorsController::StoredErrorsController(
    const workers::PerLoop<triage::ErrorReader>& errors,
    const workers::PerLoop<triage::JourneyReader>& journeys,
    const workers::PerLoop<clusters::ClusterReader>& clusters,
    std::optional<security::Pseudonymiser> pseudonymiser, ErrorExports& exports)
    : errors_(errors),
      journeys_(journeys),
      clusters_(clusters),
      pseudonymiser_(std::move(pseudonymiser)),
      exports_(exports) {}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::show(Call call) {
  const auto id = call.id<domain::ErrorId>();
  if (id == domain::ErrorId()) {
    co_return call.reject(RejectReason::notFound);
  }
  const auto found = co_await errors_.local().find(id, call.deadline());
  if (!found) {
    co_return call.reject(refusalFor(found.error()));
  }
  if (!*found) {
    co_return call.reject(RejectReason::notFound);
  }
  const auto journey = co_await journeys_.local().read(id, call.deadline());
  if (!journey) {
    co_return call.reject(refusalFor(journey.error()));
  }
  const auto clusters = co_await clusters_.local().ofError(id, call.deadline());
  if (!clusters) {
    co_return call.reject(refusalFor(clusters.error()));
  }
  std::string body;
  appendJson(body, **found, *journey, *clusters);
  co_return jsonResponse(std::move(body));
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::list(Call call) {
  auto query = errorQueryFromAddress(call.query(), kMaxPageRows);
  if (!query) {
    co_return rejectFields(call, std::move(query.error()));
  }
  co_return co_await answerPage(call, *std::move(query));
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::search(Call call) {
  const auto body = readObject(call.body());
  if (!body) {
    co_return call.reject(body.error());
  }
  auto query = errorQueryFromBody(*body, kMaxPageRows);
  if (!query) {
    co_return rejectFields(call, std::move(query.error()));
  }
  if (!pseudonymiser_) {
    co_return call.reject(RejectReason::conflict,
                          {.detail = "This instance has no actor keys, so it does not store users, "
                                     "sessions and addresses and cannot search for them."});
  }
  for (const auto& [kind, field] : domain::kActorFields) {
    const auto index = static_cast<std::size_t>(kind);
    if (const auto& identifier = query->identifiers.at(index)) {
      query->filter.pseudonyms.at(index) = pseudonymiser_->allOf(kind, *identifier);
    }
  }
  co_return co_await answerPage(call, *std::move(query));
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::answerPage(Call call,
                                                                         ErrorQuery query) {
  const std::size_t limit = query.limit.value_or(kDefaultPageRows);
  auto page = co_await errors_.local().page({.filter = std::move(query.filter),
                                             .before = query.before,
                                             .rows = rowsToRead(limit),
                                             .extent = Extent::summary},
                                            call.deadline());
  if (!page) {
    co_return call.reject(refusalFor(page.error()));
  }
  co_return pageResponse(*std::move(page), limit, appendSummary,
                         [](const triage::StoredAuthError& last) {
                           return encodeCursor(PagedList::authErrors, last.id);
                         });
}

drogon::Task<drogon::HttpResponsePtr> StoredErrorsController::exportLines(Call call) {
  auto query = errorQueryFromAddress(call.query(), kMaxExportRows);
  if (!query) {
    co_return rejectFields(call, std::move(query.error()));
  }
  if (call.request().version() == drogon::Version::kHttp10) {
    co_return call.reject(
        RejectReason::notImplemented,
        {.detail = "An export is streamed without a known length, which requires HTTP/1.1."});
  }
  if (call.request().isHead()) {
    const auto response = drogon::HttpResponse::newAsyncStreamResponse([](const auto&) {});
    response->setContentTypeString(kLinesContentType);
    co_return response;
  }
  auto right = exports_.admit(call.request());
  if (!right) {
    co_return call.reject(RejectReason::rateLimited, {.detail = "Too many exports are running.",
                                                      .retryAfter = kRetryExportAfter});
  }
  triage::PageRequest pages{
      .filter = std::move(query->filter),
      .before = query->before,
      .rows = std::min(query->limit.value_or(kMaxExportRows), ErrorExports::kPageRows),
      .extent = Extent::full};
  // Read before the response begins, so that an early failure becomes a proper refusal.
  auto first = co_await errors_.local().page(pages, call.deadline());
  if (!first) {
    co_return call.reject(refusalFor(first.error()));
  }
  const auto response = exports_.stream(call.request(), std::move(right), *std::move(first),
                                        std::move(pages), query->limit);
  response->setContentTypeString(kLinesContentType);
  co_return response;
}

}  // namespace auth_errors::controllers
