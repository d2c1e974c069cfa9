// The role api: the per-loop parts that serve requests, the API keys, and the controllers with
// their routes. Every instance has it, because every instance is monitored over HTTP; without the
// role it only serves routes that need no key. Owned by the main loop; parts of an I/O loop are
// constructed and stopped there.
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
  // Throws std::invalid_argument on an invalid database URL.
  Api(const RoleContext& context, std::function<bool()> schemaCurrent);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;
  Api(Api&&) = delete;
  Api& operator=(Api&&) = delete;

  // Called before the first connection is accepted.
  void serve(const std::vector<trantor::EventLoop*>& ioLoops);
  // REQUIRES: the schema is current. May be called again.
  void start();
  // REQUIRES: the last request has ended. Flushes the batchers and closes the clients.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  [[nodiscard]] std::vector<controllers::Route> routes();
  [[nodiscard]] const security::KeyDirectory& keys() const { return keys_; }
  // Time slices on the calling I/O loop, for requests that take long to decode.
  [[nodiscard]] workers::SliceTurns& slices() const { return slices_.local(); }
  [[nodiscard]] const std::shared_ptr<controllers::Traffic>& traffic() const { return traffic_; }

 private:
  // The parts of one I/O loop: a request stays on its loop all the way to the database.
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
  // Probes are called on any I/O loop, even while stop() closes the clients.
  std::mutex mutex_;
  std::vector<std::unique_ptr<OnLoop>> onLoops_;
  workers::PerLoop<workers::SliceTurns> slices_;
  std::unique_ptr<Endpoints> endpoints_;
};

}  // namespace auth_errors::app::roles
