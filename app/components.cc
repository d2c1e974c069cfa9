#include "app/components.h"

#include <algorithm>
#include <future>
#include <string_view>
#include <utility>

#include "app/database_options.h"
#include "platform/telemetry/log.h"
#include "platform/workers/loop_lag.h"

namespace auth_errors::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kObserveInterval = 1s;

// Two on a loop, so that one slow search does not hold up all others; but with many loops one each,
// for the server's connections are few.
constexpr std::size_t kSearchConnections = 8;

database::ClientOptions searchOptions(const Settings& settings) {
  database::ClientOptions options = databaseOptions(settings, "search");
  options.connections =
      std::clamp(kSearchConnections / settings.http.threads, std::size_t{1}, std::size_t{2});
  // Otherwise each takes three processors of the server, and a few of them all.
  options.parallelPlans = false;
  return options;
}

}  // namespace

Components::OnLoop::OnLoop(trantor::EventLoop& owner, const Settings& settings,
                           telemetry::Metrics& metrics, Delivery& delivery)
    : loop(owner),
      client(owner, databaseOptions(settings, "ingest")),
      batcher(client,
              {.rows = settings.ingest.batchRows,
               .bytes = settings.ingest.batchBytes,
               .queueRows = settings.ingest.queueLimit,
               .queueBytes = settings.ingest.queueBytes},
              delivery.instance(),
              outbox::digestVersion({.actorKey = security::newestOf(settings.actors.keys),
                                     .keepsIdentifiers = settings.actors.storeIdentifiers}),
              metrics, [&delivery] { delivery.wake(); }),
      slices(owner),
      lookups(owner, databaseOptions(settings, "read")),
      searches(owner, searchOptions(settings)),
      actions(owner, databaseOptions(settings, "action")),
      reader(forPeople(), settings.outbox.stuckAfter),
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

void Components::OnLoop::placeIn(LoopParts& parts) {
  parts.batchers.place(loop, batcher);
  parts.slices.place(loop, slices);
  parts.errors.place(loop, reader);
  parts.journeys.place(loop, journeys);
  parts.decisions.place(loop, decisions);
  parts.redeliveries.place(loop, redeliveries);
  parts.deadLetters.place(loop, deadLetters);
  parts.clusterReaders.place(loop, clusterReader);
  parts.clusters.place(loop, clusters);
  parts.moves.place(loop, moves);
  parts.jobs.place(loop, jobs);
  parts.scrubJobs.place(loop, scrubJobs);
  parts.rules.place(loop, rules);
}

Components::Components(const Settings& settings, telemetry::Metrics& metrics,
                       trantor::EventLoop& mainLoop)
    : settings_(settings),
      metrics_(metrics),
      mainLoop_(mainLoop),
      // What may throw comes first: then all of it is called again. The keys' table may be as new
      // as the last migration.
      schema_(settings, mainLoop,
              [this] {
                keys_.wake();
                delivery_.start();
                if (settings_.roles.contains(Role::api)) {
                  actorKeys_.start();
                }
              }),
      keys_(mainLoop, {.database = databaseOptions(settings, "keys"),
                       .defaultRate = settings.rateLimit.perKey,
                       .deadline = settings.database.requestDeadline}),
      delivery_(settings, metrics, mainLoop),
      actorKeys_(keys_.client(), settings.actors.keys, delivery_.instance()) {}

void Components::start(const std::vector<trantor::EventLoop*>& ioLoops) {
  workers::measureLag(mainLoop_, metrics_.loopLag(telemetry::LoopName::main));
  for (trantor::EventLoop* loop : ioLoops) {
    workers::measureLag(*loop, metrics_.loopLag(telemetry::LoopName::io));
    std::promise<std::unique_ptr<OnLoop>> made;
    loop->queueInLoop(
        [&] { made.set_value(std::make_unique<OnLoop>(*loop, settings_, metrics_, delivery_)); });
    auto onLoop = made.get_future().get();
    onLoop->placeIn(parts_);
    const std::scoped_lock lock(mutex_);
    onLoops_.push_back(std::move(onLoop));
  }
  keys_.start();
  schema_.start();
  observer_ = mainLoop_.runEvery(kObserveInterval, [this] { observe(); });
}

drogon::Task<> Components::stop(std::chrono::steady_clock::time_point deadline) {
  mainLoop_.invalidateTimer(observer_);
  co_await schema_.stop(deadline);
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
      co_await drogon::queueInLoopCoro(loop, [&] { idle = onLoop->batcher.idle(); }, &mainLoop_);
      if (!idle) {
        co_await drogon::sleepCoro(&mainLoop_, 10ms);
      }
    }
    co_await drogon::queueInLoopCoro(loop, [&] { onLoop.reset(); }, &mainLoop_);
  }
  // After the last commit that may wake it.
  co_await delivery_.stop(deadline);
  metrics_.databaseConnections().Set(0);
}

controllers::ReadinessProbes Components::readinessProbes() {
  return {.databaseConnected = [this] { return connectedClients() > 0; },
          .migrationsUpToDate = [this] { return schema_.current(); },
          .keysLoaded = [this] { return keys_.ring() != nullptr; },
          .actorKeys =
              [this] {
                // Only the API makes pseudonyms and looks for them.
                if (!settings_.roles.contains(Role::api)) {
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
                auto summary = delivery_.health().summary();
                return controllers::BrokerReadiness{.state = std::move(summary.state),
                                                    .problem = std::move(summary.problem)};
              },
          .draining = {}};
}

std::size_t Components::connectedClients() {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      onLoops_, [](const auto& onLoop) { return onLoop->client.connected(); }));
}

// What happens between two looks is not seen; for alerts on an unsteady database that is enough.
void Components::observe() {
  const std::scoped_lock lock(mutex_);
  double connected = 0;
  for (const auto& onLoop : onLoops_) {
    const bool now = onLoop->client.connected();
    connected += now ? 1 : 0;
    if (now && !onLoop->wasConnected && std::exchange(onLoop->everConnected, true)) {
      metrics_.databaseReconnects().Increment();
    }
    onLoop->wasConnected = now;
  }
  metrics_.databaseConnections().Set(connected);
}

}  // namespace auth_errors::app
