#include "controllers/routes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "controllers/auth_errors_controller.h"
#include "controllers/health_controller.h"
#include "controllers/keys_controller.h"
#include "controllers/metrics_controller.h"

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
  std::vector<std::string> parameters;
  if (std::ranges::count(pattern, '/') != std::ranges::count(path, '/')) {
    return std::nullopt;
  }
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

}  // namespace

std::vector<Route> routeTable(const Controllers& controllers, std::size_t maxBodyBytes) {
  using drogon::Delete;
  using drogon::Get;
  using drogon::Post;
  using Request = drogon::HttpRequestPtr;
  AuthErrorsController& authErrors = controllers.authErrors;
  HealthController& health = controllers.health;
  KeysController& keys = controllers.keys;
  MetricsController& metrics = controllers.metrics;
  return {
      {Post, "/api/auth-errors", Access::ingest, WhileDraining::refuse, Body::json, maxBodyBytes,
       [&authErrors](Request request) { return authErrors.create(std::move(request)); }},

      {Get, "/api/keys", Access::operate, WhileDraining::refuse, Body::none, maxBodyBytes,
       [&keys](Request request) { return keys.list(std::move(request)); }},
      {Post, "/api/keys", Access::operate, WhileDraining::refuse, Body::json, maxBodyBytes,
       [&keys](Request request) { return keys.create(std::move(request)); }},
      {Get, "/api/keys/{id}", Access::operate, WhileDraining::refuse, Body::none, maxBodyBytes,
       [&keys](Request request) { return keys.show(std::move(request)); }},
      {Delete, "/api/keys/{id}", Access::operate, WhileDraining::refuse, Body::none, maxBodyBytes,
       [&keys](Request request) { return keys.revoke(std::move(request)); }},

      {Get, "/health/live", Access::open, WhileDraining::serve, Body::none, maxBodyBytes,
       [&health](const Request&) { return health.live(); }},
      {Get, "/health/ready", Access::open, WhileDraining::serve, Body::none, maxBodyBytes,
       [&health](const Request&) { return health.ready(); }},
      {Get, "/metrics", Access::open, WhileDraining::serve, Body::none, maxBodyBytes,
       [&metrics](const Request&) { return metrics.scrape(); }},
  };
}

bool isJson(std::string_view contentType) {
  static constexpr std::string_view kJson = "application/json";
  const std::string_view type = contentType.substr(0, contentType.find(';'));
  const std::string_view trimmed = type.substr(0, type.find_last_not_of(" \t") + 1);
  return std::ranges::equal(trimmed, kJson, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

PathMatch matchRoute(const std::vector<Route>& routes, drogon::HttpMethod method,
                     std::string_view path) {
  PathMatch match;
  for (const Route& route : routes) {
    auto parameters = matchPattern(route.pattern, path);
    if (!parameters) {
      continue;
    }
    if (route.method == method) {
      return {.route = &route, .othersOfThisPath = {}, .parameters = *std::move(parameters)};
    }
    match.othersOfThisPath.push_back(&route);
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
