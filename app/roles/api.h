// The API: what each IO loop has of its own to serve requests, the API keys, and the controllers
// with their routes. Every instance has it, because every instance is watched over HTTP; one
// without the role api serves only what needs no key. The main loop owns it; what lives on an IO
// loop is made and ended there.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "app/actor_key_watch.h"
#include "app/roles/role_context.h"
#include "controllers/http/dispatcher.h"
#include "controllers/routes.h"
#include "controllers/service/health_controller.h"
#include "platform/security/key_directory.h"
#include "platform/workers/per_loop.h"
#include "platform/workers/slice_turns.h"

namespace auth_errors::app::roles {

class Api {
 public:
  // Throws std::invalid_argument on a bad database URL.
  Api(const RoleContext& context, std::function<bool()> schemaCurrent);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;
  Api(Api&&) = delete;
  Api& operator=(Api&&) = delete;

  // Before the first connection is accepted.
  void serve(const std::vector<trantor::EventLoop*>& ioLoops);
  // When the schema is current. May be called again.
  void start();
  // After the last request ended: flushes the batchers, closes the clients.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] std::vector<controllers::Route> routes();
  [[nodiscard]] const security::KeyDirectory& keys() const { return keys_; }
  // Turns of the calling IO loop, for requests that take long to decode.
  [[nodiscard]] workers::SliceTurns& slices() const { return slices_.local(); }
  [[nodiscard]] const std::shared_ptr<controllers::Traffic>& traffic() const { return traffic_; }

 private:
  // The parts of one IO loop: a request never leaves its loop on the way to the database.
  struct OnLoop;
  struct Endpoints;

  controllers::ReadinessProbes readinessProbes(std::function<bool()> schemaCurrent);
  std::size_t connectedClients();
  void observe();

  const RoleContext& context_;
  security::KeyDirectory keys_;
  ActorKeyWatch actorKeys_;
  std::shared_ptr<controllers::Traffic> traffic_ = std::make_shared<controllers::Traffic>();
  trantor::TimerId observer_ = 0;
  // Probes ask from any IO loop, also while stop() ends the clients.
  std::mutex mutex_;
  std::vector<std::unique_ptr<OnLoop>> onLoops_;
  workers::PerLoop<workers::SliceTurns> slices_;
  std::unique_ptr<Endpoints> endpoints_;
};

}  // namespace auth_errors::app::roles
