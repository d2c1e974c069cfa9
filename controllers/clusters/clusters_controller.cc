#include "controllers/clusters/clusters_controller.h"

#include <string>
#include <utility>

#include "controllers/clusters/cluster_json.h"
#include "controllers/clusters/cluster_query.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
#include "controllers/http/request_context.h"

namespace auth_errors::controllers {
ClustersController::ClustersController(Reader reader, std::chrono::milliseconds deadline)
    : reader_(std::move(reader)), deadline_(deadline) {}

drogon::Task<drogon::HttpResponsePtr> ClustersController::list(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  auto query = clusterQueryFromAddress(request->query());
  if (!query) {
    co_return reject(*context, RejectReason::invalidFields, {.errors = std::move(query.error())});
  }
  const std::size_t limit = query->limit;
  auto items = co_await reader_().page({.filter = std::move(query->filter),
                                        .sort = query->sort,
                                        .after = query->after,
                                        .rows = rowsToRead(limit)},
                                       context->startedAt + deadline_);
  if (!items) {
    co_return reject(*context, refusalFor(items.error()));
  }
  co_return pageResponse(
      *std::move(items), limit,
      [](std::string& out, const clusters::ClusterItem& item) { appendJson(out, item); },
      [&](const clusters::ClusterItem& last) { return clusterCursor(last, query->sort); });
}

drogon::Task<drogon::HttpResponsePtr> ClustersController::show(drogon::HttpRequestPtr request) {
  const RequestContextPtr context = contextOf(*request);
  const auto found =
      co_await reader_().find(idOf(*context).value_or(0), context->startedAt + deadline_);
  if (!found) {
    co_return reject(*context, refusalFor(found.error()));
  }
  if (!*found) {
    co_return reject(*context, RejectReason::notFound);
  }
  std::string body;
  appendJson(body, **found);
  co_return jsonResponse(std::move(body));
}

}  // namespace auth_errors::controllers
