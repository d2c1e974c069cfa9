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
#include "domain/values/ascii.h"

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
  // Called for every route on every request; nearly all differ before their first parameter.
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
  return domain::trimmed(contentType.substr(0, contentType.find(';')), domain::kBlanks);
}

}  // namespace

std::vector<Route> routeTable(const Controllers& controllers, BodyLimits limits) {
  using drogon::Delete;
  using drogon::Get;
  using drogon::Post;
  using drogon::Put;
  using enum Access;
  using enum Body;
  constexpr auto kServe = WhileDraining::serve;
  const auto& [authErrors, storedErrors, decisions, redelivery, clusters, deadLetters, actions,
               moves, jobs, scrub, rules, health, keys, metrics] = controllers;
  std::vector<Route> routes{
      {Post, "/api/auth-errors", ingest, to(authErrors, &AuthErrorsController::create), json},
      {Post, "/api/auth-errors/batch", ingest, to(authErrors, &AuthErrorsController::createBatch),
       jsonOrLines, WhileDraining::refuse, limits.batch},
      {Get, "/api/auth-errors", viewer, to(storedErrors, &StoredErrorsController::list)},
      {Post, "/api/auth-errors/search", viewer, to(storedErrors, &StoredErrorsController::search),
       json},
      {Get, "/api/auth-errors/export", viewer,
       to(storedErrors, &StoredErrorsController::exportLines)},
      {Get, "/api/auth-errors/{id}", viewer, to(storedErrors, &StoredErrorsController::show)},
      {Post, "/api/auth-errors/{id}/decisions", operate,
       to(decisions, &DecisionsController::decide), json},
      {Post, "/api/auth-errors/{id}/redeliver", operate,
       to(redelivery, &RedeliveryController::redeliver)},

      {Get, "/api/clusters", viewer, to(clusters, &ClustersController::list)},
      {Get, "/api/clusters/{id}", viewer, to(clusters, &ClustersController::show)},
      {Post, "/api/clusters/{id}/decisions", operate,
       to(actions, &ClusterActionsController::decide), json},
      {Post, "/api/clusters/{id}/state", operate,
       to(actions, &ClusterActionsController::changeState), json},
      {Post, "/api/clusters/{id}/mute", operate, to(actions, &ClusterActionsController::mute),
       json},
      {Delete, "/api/clusters/{id}/mute", operate, to(actions, &ClusterActionsController::unmute)},
      {Post, "/api/clusters/{id}/merge", operate, to(moves, &ClusterMovesController::merge), json},
      {Post, "/api/clusters/{id}/merge/preview", operate,
       to(moves, &ClusterMovesController::previewMerge), json},
      {Post, "/api/clusters/{id}/split", operate, to(moves, &ClusterMovesController::split), json},
      {Post, "/api/clusters/{id}/split/preview", operate,
       to(moves, &ClusterMovesController::previewSplit), json},

      {Get, "/api/dead-letters", viewer, to(deadLetters, &DeadLettersController::list)},
      {Get, "/api/dead-letters/{id}", viewer, to(deadLetters, &DeadLettersController::show)},
      {Post, "/api/dead-letters/{id}/retry", operate,
       to(deadLetters, &DeadLettersController::retry)},
      {Post, "/api/dead-letters/{id}/resolve", operate,
       to(deadLetters, &DeadLettersController::resolve), json},

      {Get, "/api/jobs", viewer, to(jobs, &JobsController::list)},
      {Get, "/api/jobs/{id}", viewer, to(jobs, &JobsController::show)},
      {Post, "/api/jobs/{id}/cancel", operate, to(jobs, &JobsController::cancel)},

      {Get, "/api/rules", viewer, to(rules, &RulesController::list)},
      {Post, "/api/rules", operate, to(rules, &RulesController::create), json},
      {Post, "/api/rules/preview", operate, to(rules, &RulesController::preview), json},
      {Get, "/api/rules/{id}", viewer, to(rules, &RulesController::show)},
      {Put, "/api/rules/{id}", operate, to(rules, &RulesController::replace), json},
      {Delete, "/api/rules/{id}", operate, to(rules, &RulesController::remove)},

      {Post, "/api/scrub/preview", operate, ScrubController::preview, json},
      {Post, "/api/scrub/reapply", operate, to(scrub, &ScrubController::reapply)},

      {Get, "/api/keys", operate, to(keys, &KeysController::list)},
      {Post, "/api/keys", operate, to(keys, &KeysController::create), json},
      {Get, "/api/keys/{id}", operate, to(keys, &KeysController::show)},
      {Delete, "/api/keys/{id}", operate, to(keys, &KeysController::revoke)},

      {Get, "/openapi.json", open, OpenApiController::describe, none, kServe},
      {Get, "/health/live", open, to(health, &HealthController::live), none, kServe},
      {Get, "/health/ready", open, to(health, &HealthController::ready), none, kServe},
      {Get, "/metrics", open, to(metrics, &MetricsController::scrape), none, kServe},
  };
  for (Route& route : routes) {
    route.maxBodyBytes = route.maxBodyBytes == 0 ? limits.single : route.maxBodyBytes;
  }
  return routes;
}

bool isJson(std::string_view contentType) {
  return domain::equalsWord(mediaType(contentType), "application/json");
}

bool isJsonLines(std::string_view contentType) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"};
  return std::ranges::any_of(kNames, [type = mediaType(contentType)](std::string_view name) {
    return domain::equalsWord(type, name);
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
