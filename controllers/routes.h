// The route table and its lookup. Built once at startup, then read by every I/O loop. Paths match
// exactly, case included; a `{name}` segment matches one non-empty segment, unless another route of
// the table has that segment literally.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <drogon/HttpResponse.h>
#include <drogon/HttpTypes.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"
#include "platform/security/api_key.h"
#include "platform/telemetry/labels.h"

namespace auth_errors::controllers {

class AuthErrorsController;
class ClusterActionsController;
class ClusterMovesController;
class ClustersController;
class DeadLettersController;
class DecisionsController;
class HealthController;
class JobsController;
class KeysController;
class MetricsController;
class RedeliveryController;
class RulesController;
class ScrubController;
class StoredErrorsController;

// Runs on the request's I/O loop. An exception is logged and becomes a 500.
using Handler = std::function<drogon::Task<drogon::HttpResponsePtr>(Call)>;

// Makes a handler from this method of this controller.
template <typename Controller>
Handler to(Controller& controller,
           drogon::Task<drogon::HttpResponsePtr> (Controller::*method)(Call)) {
  return [&controller, method](Call call) { return (controller.*method)(std::move(call)); };
}

// The keys that a route accepts. An operator may do everything that a viewer may; only ingest keys
// may post errors.
enum class Access : std::uint8_t { open, ingest, viewer, operate };

constexpr bool permits(Access access, security::KeyRole role) {
  switch (access) {
    case Access::open:
      return true;
    case Access::ingest:
      return role == security::KeyRole::ingest;
    case Access::viewer:
      return role == security::KeyRole::viewer || role == security::KeyRole::operate;
    case Access::operate:
      return role == security::KeyRole::operate;
  }
  return false;
}

// Whether a route is still served while the instance shuts down.
enum class WhileDraining : std::uint8_t { refuse, serve };

// The body that a request must have.
enum class Body : std::uint8_t { none, json, jsonOrLines };

// "application/json", with or without parameters, in any case.
bool isJson(std::string_view contentType);
// One JSON value per line, under any of the common names: application/x-ndjson, …/ndjson, …/jsonl.
bool isJsonLines(std::string_view contentType);

struct Route {
  drogon::HttpMethod method;
  telemetry::CodeText pattern;
  Access access;
  Handler handler;
  Body body = Body::none;
  WhileDraining whileDraining = WhileDraining::refuse;
  std::size_t maxBodyBytes = 0;  // 0: the limit of single bodies
};

// Monitoring must get a response whatever other clients do, so probes are never rate-limited.
inline bool isProbe(const Route& route) {
  return std::string_view(route.pattern).starts_with("/health/");
}

struct Controllers {
  AuthErrorsController& authErrors;
  StoredErrorsController& storedErrors;
  DecisionsController& decisions;
  RedeliveryController& redelivery;
  ClustersController& clusters;
  DeadLettersController& deadLetters;
  ClusterActionsController& clusterActions;
  ClusterMovesController& clusterMoves;
  JobsController& jobs;
  ScrubController& scrub;
  RulesController& rules;
  HealthController& health;
  KeysController& keys;
  MetricsController& metrics;
};

struct BodyLimits {
  std::size_t single = 0;
  std::size_t batch = 0;
};

std::vector<Route> routeTable(const Controllers& controllers, BodyLimits limits);

struct PathMatch {
  const Route* route = nullptr;  // null: no such path, or not with this method
  std::vector<const Route*>
      othersOfThisPath;  // when route is null: the routes with this path and other methods
  std::vector<std::string> parameters;
};

PathMatch matchRoute(const std::vector<Route>& routes, drogon::HttpMethod method,
                     std::string_view path);

// For the Allow header: "GET, HEAD, OPTIONS".
std::string allowedMethods(const std::vector<const Route*>& routesOfOnePath);

}  // namespace auth_errors::controllers
