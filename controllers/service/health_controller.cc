#include "controllers/service/health_controller.h"

#include <optional>
#include <string>
#include <utility>

#include "controllers/http/json_response.h"
#include "domain/scrub/scrubber.h"
#include "platform/encoding/json_writer.h"

namespace auth_errors::controllers {
namespace {

std::optional<std::string> scrubbedProblem(const std::string& problem) {
  return problem.empty() ? std::nullopt : std::optional(domain::scrub(problem, {}).text);
}

}  // namespace

drogon::Task<drogon::HttpResponsePtr> HealthController::live(Call /*call*/) {
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("status", "alive");
  object.close();
  co_return jsonResponse(std::move(body));
}

drogon::Task<drogon::HttpResponsePtr> HealthController::ready(Call /*call*/) {
  const bool databaseConnected = probes_.databaseConnected();
  const bool migrationsUpToDate = probes_.migrationsUpToDate();
  const bool keysLoaded = probes_.keysLoaded();
  const ActorKeyReadiness actorKeys = probes_.actorKeys();
  const bool draining = probes_.draining();
  const bool ready =
      databaseConnected && migrationsUpToDate && keysLoaded && actorKeys.ready && !draining;

  const BrokerReadiness broker = probes_.broker();
  std::string body;
  encoding::JsonObjectWriter object(body);
  object.write("actorKeys", actorKeys.state);
  object.writeIfAny("actorKeysProblem", scrubbedProblem(actorKeys.problem));
  object.write("broker", broker.state);
  object.writeIfAny("brokerProblem", scrubbedProblem(broker.problem));
  object.write("database", databaseConnected ? "connected" : "disconnected");
  object.write("draining", draining);
  object.write("keys", keysLoaded ? "loaded" : "pending");
  object.write("migrations", migrationsUpToDate ? "current" : "pending");
  object.write("status", ready ? "ready" : "unready");
  object.close();
  co_return jsonResponse(encoding::inAscii(body),
                         ready ? drogon::k200OK : drogon::k503ServiceUnavailable);
}

}  // namespace auth_errors::controllers
