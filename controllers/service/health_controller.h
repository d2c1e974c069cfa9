// GET /health/live: the process answers. GET /health/ready: should it get traffic? Any IO loop may
// call; the probes handed in must be safe to call from any thread and must not block.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <drogon/HttpResponse.h>
#include <drogon/utils/coroutine.h>

#include "controllers/http/call.h"

namespace auth_errors::controllers {

struct BrokerReadiness {
  std::string state;
  std::string problem;  // empty if there is none
};

struct ActorKeyReadiness {
  std::string state;
  std::string problem;  // empty if there is none
  bool ready = false;
};

struct ReadinessProbes {
  std::function<bool()> databaseConnected;
  std::function<bool()> migrationsUpToDate;
  std::function<bool()> keysLoaded;  // without them nobody can be let in
  // With other keys than its sisters an instance would store users so that nobody finds them.
  std::function<ActorKeyReadiness()> actorKeys;
  // Its own field: errors are accepted and stored while the broker is away.
  std::function<BrokerReadiness()> broker;
  std::function<bool()> draining;
};

class HealthController {
 public:
  explicit HealthController(ReadinessProbes probes) : probes_(std::move(probes)) {}

  drogon::Task<drogon::HttpResponsePtr> live(Call call);
  drogon::Task<drogon::HttpResponsePtr> ready(Call call);

 private:
  ReadinessProbes probes_;
};

}  // namespace auth_errors::controllers
