#include "app/roles/api.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "app/database_options.h"
#include "app/roles/role_loop.h"
#include "controllers/clusters/cluster_actions_controller.h"
#include "controllers/clusters/cluster_moves_controller.h"
#include "controllers/clusters/clusters_controller.h"
#include "controllers/dead_letters/dead_letters_controller.h"
#include "controllers/errors/auth_errors_controller.h"
#include "controllers/errors/decisions_controller.h"
#include "controllers/errors/error_export.h"
#include "controllers/errors/redelivery_controller.h"
#include "controllers/errors/stored_errors_controller.h"
#include "controllers/jobs/jobs_controller.h"
#include "controllers/keys/keys_controller.h"
#include "controllers/operations/scrub_controller.h"
#include "controllers/rules/rules_controller.h"
#include "controllers/service/metrics_controller.h"
#include "domain/errors/submission.h"
#include "operations/rescrub/scrub_jobs.h"
#include "outbox/ingest_batcher.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "platform/security/pseudonymiser.h"
#include "platform/workers/loop_lag.h"
#include "triage/clusters/cluster_reader.h"
#include "triage/clusters/cluster_store.h"
#include "triage/clusters/move_store.h"
#include "triage/dead_letters/dead_letter_store.h"
#include "triage/dead_letters/redelivery_store.h"
#include "triage/errors/decision_store.h"
#include "triage/errors/error_reader.h"
#include "triage/errors/journey_reader.h"
#include "triage/jobs/job_store.h"
#include "triage/rules/rule_store.h"

namespace auth_errors::app::roles {
namespace {

using namespace std::chrono_literals;

constexpr auto kObserveInterval = 1s;

// Two per loop, so that one slow search does not delay all others; with many loops one each,
// because the server's connections are limited.
constexpr std::size_t kSearchConnections = 8;

database::ClientOptions searchOptions(const Settings& settings) {
  database::ClientOptions options = databaseOptions(
      settings, "search",
      std::clamp(kSearchConnections / settings.http.threads, std::size_t{1}, std::size_t{2}));
  // Otherwise each search takes three processors of the server, and a few searches take all of
  // them.
  options.parallelPlans = false;
  return options;
}

domain::AcceptanceRules acceptanceRules(const Settings::Actors& actors) {
  domain::AcceptanceRules rules{.pseudonymise = {}, .keepIdentifiers = actors.storeIdentifiers};
  if (!actors.keys.empty()) {
    rules.pseudonymise = [pseudonymiser = security::Pseudonymiser(actors.keys)](
                             domain::ActorKind kind, std::string_view identifier) {
      return pseudonymiser.of(kind, identifier);
    };
  }
  return rules;
}

}  // namespace

struct Api::OnLoop {
  OnLoop(trantor::EventLoop& owner, const Settings& settings, const RoleContext& context)
      : loop(owner),
        client(owner, databaseOptions(settings, "ingest")),
        batcher(client,
                {.rows = settings.ingest.batchRows,
                 .bytes = settings.ingest.batchBytes,
                 .queueRows = settings.ingest.queueLimit,
                 .queueBytes = settings.ingest.queueBytes},
                context.instance,
                outbox::digestVersion({.actorKey = security::newestOf(settings.actors.keys),
                                       .keepsIdentifiers = settings.actors.storeIdentifiers}),
                context.metrics.outbox, context.wakeRelay),
        slices(owner),
        lookups(owner, databaseOptions(settings, "read")),
        searches(owner, searchOptions(settings)),
        actions(owner, databaseOptions(settings, "action")),
        errors(forPeople(), settings.outbox.stuckAfter),
        journeys(lookups),
        clusterReader(forPeople()),
        decisions(actions),
        redeliveries(actions),
        deadLetters(forPeople()),
        clusters(actions),
        moves(forPeople()),
        jobs(forPeople()),
        scrubJobs(actions),
        rules(forPeople()) {}

  [[nodiscard]] database::Clients forPeople() { return {lookups, searches, actions}; }

  trantor::EventLoop& loop;
  database::Client client;
  outbox::IngestBatcher batcher;
  workers::SliceTurns slices;
  // Separate connections: a search, however long, never delays a write or a manual action.
  database::Client lookups;
  database::Client searches;
  database::Client actions;
  triage::ErrorReader errors;
  triage::JourneyReader journeys;
  clusters::ClusterReader clusterReader;
  triage::DecisionStore decisions;
  triage::RedeliveryStore redeliveries;
  triage::DeadLetterStore deadLetters;
  clusters::ClusterStore clusters;
  clusters::MoveStore moves;
  jobs::JobStore jobs;
  rescrub::ScrubJobs scrubJobs;
  rules::RuleStore rules;
  bool wasConnected = false;
  bool everConnected = false;
};

// The controllers, and the parts of the calling I/O loop that they use.
struct Api::Endpoints {
  Endpoints(const Settings& settings, const RoleContext& context,
            security::KeyDirectory& keyDirectory,
            const std::shared_ptr<controllers::Traffic>& traffic,
            const workers::PerLoop<workers::SliceTurns>& slices,
            controllers::ReadinessProbes probes)
      : authErrors(
            [this](std::vector<domain::AcceptedError> accepted, auto source, auto deadline) {
              return batchers.local().store(std::move(accepted), source, deadline);
            },
            [&slices] { return slices.local().next(); },
            controllers::ErrorIntake(acceptanceRules(settings.actors),
                                     context.metrics.controllers)),
        exports({.maxExports = settings.reading.maxExports,
                 .patience = settings.http.idleTimeout,
                 .pageDeadline = settings.database.requestDeadline,
                 .draining = [traffic] { return traffic->draining.load(); }},
                errorReaders, context.metrics.controllers),
        storedErrors(errorReaders, journeyReaders, clusterReaders,
                     settings.actors.keys.empty()
                         ? std::nullopt
                         : std::optional<security::Pseudonymiser>(settings.actors.keys),
                     exports),
        decisions(decisionStores, context.wakeRelay),
        redelivery(redeliveryStores, context.wakeRelay),
        clusters(clusterReaders),
        deadLetters(deadLetterStores, context.wakeRelay),
        clusterActions(clusterStores, context.wakeJobs),
        clusterMoves(moveStores, context.wakeJobs),
        jobs(jobStores),
        scrub(scrubJobStores, context.wakeJobs),
        rules(ruleStores),
        health(std::move(probes)),
        keys(keyDirectory),
        metrics(context.metrics.registry, context.metrics.process) {}

  void place(OnLoop& parts) {
    batchers.place(parts.loop, parts.batcher);
    errorReaders.place(parts.loop, parts.errors);
    journeyReaders.place(parts.loop, parts.journeys);
    decisionStores.place(parts.loop, parts.decisions);
    redeliveryStores.place(parts.loop, parts.redeliveries);
    deadLetterStores.place(parts.loop, parts.deadLetters);
    clusterReaders.place(parts.loop, parts.clusterReader);
    clusterStores.place(parts.loop, parts.clusters);
    moveStores.place(parts.loop, parts.moves);
    jobStores.place(parts.loop, parts.jobs);
    scrubJobStores.place(parts.loop, parts.scrubJobs);
    ruleStores.place(parts.loop, parts.rules);
  }

  workers::PerLoop<outbox::IngestBatcher> batchers;
  workers::PerLoop<triage::ErrorReader> errorReaders;
  workers::PerLoop<triage::JourneyReader> journeyReaders;
  workers::PerLoop<triage::DecisionStore> decisionStores;
  workers::PerLoop<triage::RedeliveryStore> redeliveryStores;
  workers::PerLoop<triage::DeadLetterStore> deadLetterStores;
  workers::PerLoop<clusters::ClusterReader> clusterReaders;
  workers::PerLoop<clusters::ClusterStore> clusterStores;
  workers::PerLoop<clusters::MoveStore> moveStores;
  workers::PerLoop<jobs::JobStore> jobStores;
  workers::PerLoop<rescrub::ScrubJobs> scrubJobStores;
  workers::PerLoop<rules::RuleStore> ruleStores;

  controllers::AuthErrorsController authErrors;
  controllers::ErrorExports exports;
  controllers::StoredErrorsController storedErrors;
  controllers::DecisionsController decisions;
  controllers::RedeliveryController redelivery;
  controllers::ClustersController clusters;
  controllers::DeadLettersController deadLetters;
  controllers::ClusterActionsController clusterActions;
  controllers::ClusterMovesController clusterMoves;
  controllers::JobsController jobs;
  controllers::ScrubController scrub;
  controllers::RulesController rules;
  controllers::HealthController health;
  controllers::KeysController keys;
  controllers::MetricsController metrics;
};

Api::Api(const RoleContext& context, std::function<bool()> schemaCurrent)
    : context_(context),
      keys_(context.mainLoop, {.database = databaseOptions(context.settings, "keys"),
                               .defaultRate = context.settings.rateLimit.perKey,
                               .deadline = context.settings.database.requestDeadline}),
      actorKeys_(keys_.client(), context.settings.actors.keys, context.instance),
      endpoints_(std::make_unique<Endpoints>(context.settings, context, keys_, traffic_, slices_,
                                             readinessProbes(std::move(schemaCurrent)))) {}

Api::~Api() = default;

void Api::serve(const std::vector<trantor::EventLoop*>& ioLoops) {
  for (trantor::EventLoop* loop : ioLoops) {
    workers::measureLag(*loop, context_.metrics.loopLag[LoopName::io]);
    auto onLoop = makeOn<OnLoop>(*loop, context_.settings, context_);
    slices_.place(*loop, onLoop->slices);
    endpoints_->place(*onLoop);
    const std::scoped_lock lock(mutex_);
    onLoops_.push_back(std::move(onLoop));
  }
  keys_.start();
  observer_ = context_.mainLoop.runEvery(kObserveInterval, [this] { observe(); });
}

void Api::start() {
  // Their table may only exist since the last migration.
  keys_.wake();
  if (context_.settings.roles.contains(Role::api)) {
    actorKeys_.start();
  }
}

drogon::Task<> Api::stop(std::chrono::steady_clock::time_point deadline) {
  context_.mainLoop.invalidateTimer(observer_);
  co_await actorKeys_.stop(deadline);
  co_await keys_.stop(deadline);
  std::vector<std::unique_ptr<OnLoop>> ending;
  {
    const std::scoped_lock lock(mutex_);
    ending = std::exchange(onLoops_, {});
  }
  for (auto& onLoop : ending) {
    trantor::EventLoop* loop = &onLoop->loop;
    // The requests awaited their answers, so nothing should be left; a late write is still awaited.
    for (bool idle = false; !idle && std::chrono::steady_clock::now() < deadline;) {
      co_await drogon::queueInLoopCoro(
          loop, [&] { idle = onLoop->batcher.idle(); }, &context_.mainLoop);
      if (!idle) {
        co_await drogon::sleepCoro(&context_.mainLoop, 10ms);
      }
    }
    co_await drogon::queueInLoopCoro(loop, [&] { onLoop.reset(); }, &context_.mainLoop);
  }
  context_.metrics.database.connections.set(0);
}

std::vector<controllers::Route> Api::routes() {
  const Settings::Http& http = context_.settings.http;
  return controllers::routeTable({.authErrors = endpoints_->authErrors,
                                  .storedErrors = endpoints_->storedErrors,
                                  .decisions = endpoints_->decisions,
                                  .redelivery = endpoints_->redelivery,
                                  .clusters = endpoints_->clusters,
                                  .deadLetters = endpoints_->deadLetters,
                                  .clusterActions = endpoints_->clusterActions,
                                  .clusterMoves = endpoints_->clusterMoves,
                                  .jobs = endpoints_->jobs,
                                  .scrub = endpoints_->scrub,
                                  .rules = endpoints_->rules,
                                  .health = endpoints_->health,
                                  .keys = endpoints_->keys,
                                  .metrics = endpoints_->metrics},
                                 {.single = http.maxBodyBytes, .batch = http.maxBatchBodyBytes});
}

controllers::ReadinessProbes Api::readinessProbes(std::function<bool()> schemaCurrent) {
  return {.databaseConnected = [this] { return connectedClients() > 0; },
          .migrationsUpToDate = std::move(schemaCurrent),
          .keysLoaded = [this] { return keys_.ring() != nullptr; },
          .actorKeys =
              [this] {
                // Only the API creates pseudonyms and searches for them.
                if (!context_.settings.roles.contains(Role::api)) {
                  return controllers::ActorKeyReadiness{
                      .state = "disabled", .problem = {}, .ready = true};
                }
                auto standing = actorKeys_.standing();
                return controllers::ActorKeyReadiness{.state = std::move(standing.state),
                                                      .problem = std::move(standing.problem),
                                                      .ready = standing.ready};
              },
          .broker =
              [this] {
                auto summary = context_.brokerHealth.summary();
                return controllers::BrokerReadiness{.state = std::move(summary.state),
                                                    .problem = std::move(summary.problem)};
              },
          .draining = [traffic = traffic_] { return traffic->draining.load(); }};
}

std::size_t Api::connectedClients() {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      onLoops_, [](const auto& onLoop) { return onLoop->client.connected(); }));
}

// Changes between two observations are missed, which is sufficient for alerts on an unstable
// database.
void Api::observe() {
  const std::scoped_lock lock(mutex_);
  double connected = 0;
  for (const auto& onLoop : onLoops_) {
    const bool now = onLoop->client.connected();
    connected += now ? 1 : 0;
    if (now && !onLoop->wasConnected && std::exchange(onLoop->everConnected, true)) {
      context_.metrics.database.reconnects.add();
    }
    onLoop->wasConnected = now;
  }
  context_.metrics.database.connections.set(connected);
}

}  // namespace auth_errors::app::roles
