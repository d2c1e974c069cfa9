#include "controllers/service/health_controller.h"

#include <json/json.h>

#include "domain/scrub/scrubber.h"

namespace auth_errors::controllers {

drogon::Task<drogon::HttpResponsePtr> HealthController::live(Call /*call*/) {
  Json::Value body;
  body["status"] = "alive";
  co_return drogon::HttpResponse::newHttpJsonResponse(body);
}

drogon::Task<drogon::HttpResponsePtr> HealthController::ready(Call /*call*/) {
  const bool databaseConnected = probes_.databaseConnected();
  const bool migrationsUpToDate = probes_.migrationsUpToDate();
  const bool keysLoaded = probes_.keysLoaded();
  const ActorKeyReadiness actorKeys = probes_.actorKeys();
  const bool draining = probes_.draining();
  const bool ready =
      databaseConnected && migrationsUpToDate && keysLoaded && actorKeys.ready && !draining;

  Json::Value body;
  body["status"] = ready ? "ready" : "unready";
  body["database"] = databaseConnected ? "connected" : "disconnected";
  body["migrations"] = migrationsUpToDate ? "current" : "pending";
  body["keys"] = keysLoaded ? "loaded" : "pending";
  body["actorKeys"] = actorKeys.state;
  if (!actorKeys.problem.empty()) {
    body["actorKeysProblem"] = domain::scrub(actorKeys.problem, {}).text;
  }
  const BrokerReadiness broker = probes_.broker();
  body["broker"] = broker.state;
  if (!broker.problem.empty()) {
    body["brokerProblem"] = domain::scrub(broker.problem, {}).text;
  }
  body["draining"] = draining;
  auto response = drogon::HttpResponse::newHttpJsonResponse(body);
  response->setStatusCode(ready ? drogon::k200OK : drogon::k503ServiceUnavailable);
  co_return response;
}

}  // namespace auth_errors::controllers
