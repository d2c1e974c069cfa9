// GET /health/live and GET /health/ready. Callable on any I/O loop; the probes passed in must be
// thread-safe and must not block.
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
  std::function<bool()> keysLoaded;  // without them every request would be refused
  // With keys other than those of the other instances, it would store pseudonyms that no search
  // finds.
  std::function<ActorKeyReadiness()> actorKeys;
  // Reported separately: errors are accepted and stored while the broker is away.
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
