#include "controllers/clusters/clusters_controller.h"

#include <string>
#include <utility>

#include "controllers/clusters/cluster_json.h"
#include "controllers/clusters/cluster_query.h"
#include "controllers/http/json_response.h"
#include "controllers/http/outage_refusal.h"
#include "controllers/http/page_response.h"
#include "controllers/http/problem.h"
#include "domain/identity/ids.h"

namespace auth_errors::controllers {

drogon::Task<drogon::HttpResponsePtr> ClustersController::list(Call call) {
  auto query = clusterQueryFromAddress(call.query());
  if (!query) {
    co_return call.reject(RejectReason::invalidFields, {.errors = std::move(query.error())});
  }
  const std::size_t limit = query->limit;
  auto items = co_await readers_.local().page({.filter = std::move(query->filter),
                                               .sort = query->sort,
                                               .after = query->after,
                                               .rows = rowsToRead(limit)},
                                              call.deadline());
  if (!items) {
    co_return call.reject(refusalFor(items.error()));
  }
  co_return pageResponse(
      *std::move(items), limit,
      [](std::string& out, const clusters::ClusterItem& item) { appendJson(out, item); },
      [&](const clusters::ClusterItem& last) { return clusterCursor(last, query->sort); });
}

drogon::Task<drogon::HttpResponsePtr> ClustersController::show(Call call) {
  const auto found = co_await readers_.local().find(call.id<domain::ClusterId>(), call.deadline());
  if (!found) {
    co_return call.reject(refusalFor(found.error()));
  }
  if (!*found) {
    co_return call.reject(RejectReason::notFound);
  }
  std::string body;
  appendJson(body, **found);
  co_return jsonResponse(std::move(body));
}

}  // namespace auth_errors::controllers
