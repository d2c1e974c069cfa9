#include "controllers/routes.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "controllers/clusters/cluster_actions_controller.h"
#include "controllers/clusters/cluster_moves_controller.h"
#include "controllers/clusters/clusters_controller.h"
#include "controllers/dead_letters/dead_letters_controller.h"
#include "controllers/errors/auth_errors_controller.h"
#include "controllers/errors/decisions_controller.h"
#include "controllers/errors/redelivery_controller.h"
#include "controllers/errors/stored_errors_controller.h"
#include "controllers/jobs/jobs_controller.h"
#include "controllers/keys/keys_controller.h"
#include "controllers/operations/scrub_controller.h"
#include "controllers/rules/rules_controller.h"
#include "controllers/service/health_controller.h"
#include "controllers/service/metrics_controller.h"
#include "controllers/service/openapi_controller.h"

namespace auth_errors::controllers {
namespace {

std::string_view takeSegment(std::string_view& path) {
  const auto end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path = end < path.size() ? path.substr(end + 1) : std::string_view{};
  return segment;
}

std::optional<std::vector<std::string>> matchPattern(std::string_view pattern,
                                                     std::string_view path) {
  // Asked of every route for every request, and nearly all differ before their first parameter.
  if (!path.starts_with(pattern.substr(0, pattern.find('{'))) ||
      std::ranges::count(pattern, '/') != std::ranges::count(path, '/')) {
    return std::nullopt;
  }
  std::vector<std::string> parameters;
  while (!pattern.empty() || !path.empty()) {
    const std::string_view expected = takeSegment(pattern);
    const std::string_view actual = takeSegment(path);
    if (expected.starts_with('{')) {
      if (actual.empty()) {
        return std::nullopt;
      }
      parameters.emplace_back(actual);
    } else if (expected != actual) {
      return std::nullopt;
    }
  }
  return parameters;
}

std::string_view mediaType(std::string_view contentType) {
  const std::string_view type = contentType.substr(0, contentType.find(';'));
  return type.substr(0, type.find_last_not_of(" \t") + 1);
}

}  // namespace

std::vector<Route> routeTable(const Controllers& controllers, BodyLimits limits) {
  using drogon::Delete;
  using drogon::Get;
  using drogon::Post;
  using drogon::Put;
  using Request = drogon::HttpRequestPtr;
  AuthErrorsController& authErrors = controllers.authErrors;
  StoredErrorsController& storedErrors = controllers.storedErrors;
  DecisionsController& decisions = controllers.decisions;
  RedeliveryController& redelivery = controllers.redelivery;
  ClustersController& clusters = controllers.clusters;
  DeadLettersController& deadLetters = controllers.deadLetters;
  ClusterActionsController& clusterActions = controllers.clusterActions;
  ClusterMovesController& clusterMoves = controllers.clusterMoves;
  JobsController& jobs = controllers.jobs;
  ScrubController& scrub = controllers.scrub;
  RulesController& rules = controllers.rules;
  HealthController& health = controllers.health;
  KeysController& keys = controllers.keys;
  MetricsController& metrics = controllers.metrics;
  return {
      {Post, "/api/auth-errors", Access::ingest, WhileDraining::refuse, Body::json, limits.single,
       [&authErrors](Request request) { return authErrors.create(std::move(request)); }},
      {Post, "/api/auth-errors/batch", Access::ingest, WhileDraining::refuse, Body::jsonOrLines,
       limits.batch,
       [&authErrors](Request request) { return authErrors.createBatch(std::move(request)); }},
      {Post, "/api/scrub/preview", Access::operate, WhileDraining::refuse, Body::json,
       limits.single, [](Request request) { return ScrubController::preview(std::move(request)); }},
      {Post, "/api/scrub/reapply", Access::operate, WhileDraining::refuse, Body::none,
       limits.single, [&scrub](Request request) { return scrub.reapply(std::move(request)); }},
      {Get, "/api/auth-errors", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&storedErrors](Request request) { return storedErrors.list(std::move(request)); }},
      {Post, "/api/auth-errors/search", Access::viewer, WhileDraining::refuse, Body::json,
       limits.single,
       [&storedErrors](Request request) { return storedErrors.search(std::move(request)); }},
      {Get, "/api/auth-errors/export", Access::viewer, WhileDraining::refuse, Body::none,
       limits.single,
       [&storedErrors](Request request) { return storedErrors.exportLines(std::move(request)); }},
      {Get, "/api/auth-errors/{id}", Access::viewer, WhileDraining::refuse, Body::none,
       limits.single,
       [&storedErrors](Request request) { return storedErrors.show(std::move(request)); }},
      {Post, "/api/auth-errors/{id}/decisions", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&decisions](Request request) { return decisions.decide(std::move(request)); }},
      {Post, "/api/auth-errors/{id}/redeliver", Access::operate, WhileDraining::refuse, Body::none,
       limits.single,
       [&redelivery](Request request) { return redelivery.redeliver(std::move(request)); }},

      {Get, "/api/clusters", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&clusters](Request request) { return clusters.list(std::move(request)); }},
      {Get, "/api/clusters/{id}", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&clusters](Request request) { return clusters.show(std::move(request)); }},

      {Get, "/api/dead-letters", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&deadLetters](Request request) { return deadLetters.list(std::move(request)); }},
      {Get, "/api/dead-letters/{id}", Access::viewer, WhileDraining::refuse, Body::none,
       limits.single,
       [&deadLetters](Request request) { return deadLetters.show(std::move(request)); }},
      {Post, "/api/dead-letters/{id}/retry", Access::operate, WhileDraining::refuse, Body::none,
       limits.single,
       [&deadLetters](Request request) { return deadLetters.retry(std::move(request)); }},
      {Post, "/api/dead-letters/{id}/resolve", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&deadLetters](Request request) { return deadLetters.resolve(std::move(request)); }},

      {Post, "/api/clusters/{id}/decisions", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&clusterActions](Request request) { return clusterActions.decide(std::move(request)); }},
      {Post, "/api/clusters/{id}/state", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&clusterActions](Request request) {
         return clusterActions.changeState(std::move(request));
       }},
      {Post, "/api/clusters/{id}/mute", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&clusterActions](Request request) { return clusterActions.mute(std::move(request)); }},
      {Delete, "/api/clusters/{id}/mute", Access::operate, WhileDraining::refuse, Body::none,
       limits.single,
       [&clusterActions](Request request) { return clusterActions.unmute(std::move(request)); }},
      {Post, "/api/clusters/{id}/merge", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&clusterMoves](Request request) { return clusterMoves.merge(std::move(request)); }},
      {Post, "/api/clusters/{id}/merge/preview", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&clusterMoves](Request request) { return clusterMoves.previewMerge(std::move(request)); }},
      {Post, "/api/clusters/{id}/split", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&clusterMoves](Request request) { return clusterMoves.split(std::move(request)); }},
      {Post, "/api/clusters/{id}/split/preview", Access::operate, WhileDraining::refuse, Body::json,
       limits.single,
       [&clusterMoves](Request request) { return clusterMoves.previewSplit(std::move(request)); }},
      {Get, "/api/jobs", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&jobs](Request request) { return jobs.list(std::move(request)); }},
      {Get, "/api/jobs/{id}", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&jobs](Request request) { return jobs.show(std::move(request)); }},
      {Post, "/api/jobs/{id}/cancel", Access::operate, WhileDraining::refuse, Body::none,
       limits.single, [&jobs](Request request) { return jobs.cancel(std::move(request)); }},

      {Get, "/api/rules", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&rules](Request request) { return rules.list(std::move(request)); }},
      {Post, "/api/rules", Access::operate, WhileDraining::refuse, Body::json, limits.single,
       [&rules](Request request) { return rules.create(std::move(request)); }},
      {Post, "/api/rules/preview", Access::operate, WhileDraining::refuse, Body::json,
       limits.single, [&rules](Request request) { return rules.preview(std::move(request)); }},
      {Get, "/api/rules/{id}", Access::viewer, WhileDraining::refuse, Body::none, limits.single,
       [&rules](Request request) { return rules.show(std::move(request)); }},
      {Put, "/api/rules/{id}", Access::operate, WhileDraining::refuse, Body::json, limits.single,
       [&rules](Request request) { return rules.replace(std::move(request)); }},
      {Delete, "/api/rules/{id}", Access::operate, WhileDraining::refuse, Body::none, limits.single,
       [&rules](Request request) { return rules.remove(std::move(request)); }},

      {Get, "/api/keys", Access::operate, WhileDraining::refuse, Body::none, limits.single,
       [&keys](Request request) { return keys.list(std::move(request)); }},
      {Post, "/api/keys", Access::operate, WhileDraining::refuse, Body::json, limits.single,
       [&keys](Request request) { return keys.create(std::move(request)); }},
      {Get, "/api/keys/{id}", Access::operate, WhileDraining::refuse, Body::none, limits.single,
       [&keys](Request request) { return keys.show(std::move(request)); }},
      {Delete, "/api/keys/{id}", Access::operate, WhileDraining::refuse, Body::none, limits.single,
       [&keys](Request request) { return keys.revoke(std::move(request)); }},

      {Get, "/openapi.json", Access::open, WhileDraining::serve, Body::none, limits.single,
       [](Request request) { return OpenApiController::describe(std::move(request)); }},
      {Get, "/health/live", Access::open, WhileDraining::serve, Body::none, limits.single,
       [&health](const Request&) { return health.live(); }},
      {Get, "/health/ready", Access::open, WhileDraining::serve, Body::none, limits.single,
       [&health](const Request&) { return health.ready(); }},
      {Get, "/metrics", Access::open, WhileDraining::serve, Body::none, limits.single,
       [&metrics](const Request&) { return metrics.scrape(); }},
  };
}

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

bool isJson(std::string_view contentType) {
  return equalsIgnoringCase(mediaType(contentType), "application/json");
}

bool isJsonLines(std::string_view contentType) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"};
  return std::ranges::any_of(kNames, [type = mediaType(contentType)](std::string_view name) {
    return equalsIgnoringCase(type, name);
  });
}

PathMatch matchRoute(const std::vector<Route>& routes, drogon::HttpMethod method,
                     std::string_view path) {
  PathMatch match;
  std::size_t fewestParameters = std::numeric_limits<std::size_t>::max();
  for (const Route& route : routes) {
    auto parameters = matchPattern(route.pattern, path);
    if (!parameters || parameters->size() > fewestParameters) {
      continue;
    }
    if (parameters->size() < fewestParameters) {
      fewestParameters = parameters->size();
      match = {};
    }
    if (route.method == method) {
      match.route = &route;
      match.parameters = *std::move(parameters);
    } else {
      match.othersOfThisPath.push_back(&route);
    }
  }
  if (match.route != nullptr) {
    match.othersOfThisPath.clear();
  }
  return match;
}

std::string allowedMethods(const std::vector<const Route*>& routesOfOnePath) {
  std::string allowed;
  for (const Route* route : routesOfOnePath) {
    allowed += drogon::to_string_view(route->method);
    allowed += route->method == drogon::Get ? ", HEAD, " : ", ";
  }
  return allowed + "OPTIONS";
}

}  // namespace auth_errors::controllers
