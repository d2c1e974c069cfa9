#include "app/delivery.h"

#include <algorithm>
#include <array>
#include <exception>
#include <format>
#include <functional>
#include <future>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "app/broker_options.h"
#include "app/database_options.h"
#include "consumer/analysis_handler.h"
#include "consumer/dead_letter_intake.h"
#include "consumer/event_consumer.h"
#include "consumer/parking_watch.h"
#include "consumer/recorded_handler.h"
#include "operations/rescrub/scrub_work.h"
#include "outbox/reaper.h"
#include "outbox/sweeper.h"
#include "outbox/watchdog.h"
#include "platform/security/digest.h"
#include "platform/telemetry/log.h"
#include "platform/workers/loop_lag.h"
#include "triage/clusters/delta_flusher.h"
#include "triage/clusters/move_work.h"
#include "triage/clusters/reanalysis.h"
#include "triage/jobs/decide_work.h"
#include "triage/jobs/job_retention.h"
#include "triage/rules/aged_rules_worker.h"
#include "triage/rules/rule_delta_flusher.h"

namespace auth_errors::app {
namespace {

using telemetry::BrokerConnection;

// Each lane has a connection while it claims or finalises; the reaper and the sweeper share one.
std::size_t relayConnections(const Settings& settings) { return settings.outbox.lanes + 1; }
// One for the batch at hand, one to renew its leases meanwhile.
constexpr std::size_t kConsumerConnections = 2;
// One each for jobs, the re-analysis and rules, which take long, one for what comes every second.
constexpr std::size_t kUpkeepConnections = 4;

constexpr std::chrono::milliseconds kWatchInterval{60'000};

// Tells instances apart in claims, leases and logs, also two on one host.
domain::InstanceName instanceName() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    host.front() = '\0';
  }
  std::array<std::byte, 4> random{};
  security::fillRandom(random);
  const std::string_view name(host.data());
  return domain::InstanceName(std::format("{}-{}", name.empty() ? "instance" : name.substr(0, 100),
                                          security::toHex(random)));
}

database::ClientOptions clientOptions(const Settings& settings, const std::string& part,
                                      std::size_t connections) {
  database::ClientOptions options = databaseOptions(settings, part);
  options.connections = connections;
  return options;
}

template <typename Part, typename... Arguments>
std::unique_ptr<Part> makeOn(trantor::EventLoop& loop, Arguments&&... arguments) {
  std::promise<std::unique_ptr<Part>> made;
  loop.queueInLoop([&] {
    try {
      made.set_value(std::make_unique<Part>(loop, std::forward<Arguments>(arguments)...));
    } catch (...) {
      made.set_exception(std::current_exception());
    }
  });
  return made.get_future().get();
}

}  // namespace

struct Delivery::Relay {
  Relay(trantor::EventLoop& loop, const Settings& settings, const domain::InstanceName& instance,
        telemetry::Metrics& metrics, BrokerHealth& health)
      : client(loop, clientOptions(settings, "relay", relayConnections(settings))),
        publisher(loop, {.broker = brokerOptions(settings, "relay"),
                         .topology = topologyOf(settings),
                         .window = settings.broker.window,
                         .onState =
                             [this, &health](messaging::BrokerState state) {
                               health.report(BrokerConnection::relay, state, publisher.problem());
                               worker.brokerChanged();
                             }}),
        worker(client, publisher, topologyOf(settings),
               {.instance = instance,
                .policy = {.rungs = settings.retry.rungs},
                .batchRows = settings.outbox.batchRows,
                .lanes = settings.outbox.lanes,
                .pollInterval = settings.outbox.pollInterval,
                .publishDeadline = settings.outbox.claimTimeout / 4,
                .databaseDeadline =
                    std::min(settings.database.requestDeadline, settings.outbox.claimTimeout / 4)},
               metrics),
        reaper(client,
               {.interval = settings.outbox.reapInterval,
                .claimTimeout = settings.outbox.claimTimeout,
                .onReaped = [this] { worker.wake(); }},
               metrics),
        sweeper(client, publisher,
                {.interval = settings.outbox.sweepInterval,
                 .grace = settings.retry.rungs.back() + settings.consumer.lease,
                 .workQueue = topologyOf(settings).workQueue,
                 .onSwept = [this] { worker.wake(); }},
                metrics) {
    health.report(BrokerConnection::relay, publisher.state(), publisher.problem());
    worker.start();
    reaper.start();
    sweeper.start();
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    // The claims first; the other two end with their statements.
    co_await worker.stop(deadline);
    client.close();
    co_await sweeper.stop();
    co_await reaper.stop();
  }

  database::Client client;
  messaging::Publisher publisher;
  outbox::ClaimWorker worker;
  outbox::Reaper reaper;
  outbox::Sweeper sweeper;
};

struct Delivery::Consumption {
  Consumption(trantor::EventLoop& loop, const Settings& settings,
              const domain::InstanceName& instance, telemetry::Metrics& metrics,
              BrokerHealth& health, std::function<void()> onEnqueued)
      : client(loop, clientOptions(settings, "consumer", kConsumerConnections)),
        copies(loop, {.broker = brokerOptions(settings, "copies"),
                      .topology = topologyOf(settings),
                      .window = settings.broker.window,
                      .onState =
                          [this, &health](messaging::BrokerState state) {
                            health.report(BrokerConnection::copies, state, copies.problem());
                          }}),
        consumer(client, copies, handlers(settings, instance, metrics, std::move(onEnqueued)),
                 {.instance = instance,
                  .broker = brokerOptions(settings, "work"),
                  .topology = topologyOf(settings),
                  .policy = {.rungs = settings.retry.rungs},
                  .lease = settings.consumer.lease,
                  .batchRows = settings.consumer.batchRows,
                  .prefetch = settings.consumer.prefetch,
                  .databaseDeadline =
                      std::min(settings.database.requestDeadline, settings.consumer.lease / 4),
                  .onState =
                      [this, &health](messaging::BrokerState state) {
                        health.report(BrokerConnection::work, state, consumer.problem());
                      }},
                 metrics),
        parking(
            loop, copies,
            {.queue = topologyOf(settings).foreignQueue,
             .onDepth = [&health, queue = topologyOf(settings).foreignQueue](
                            std::uint32_t messages) { health.reportParked(messages, queue); }}) {
    consumer.start();
    parking.start();
    health.report(BrokerConnection::copies, copies.state(), copies.problem());
    health.report(BrokerConnection::work, consumer.state(), consumer.problem());
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    co_await consumer.stop(deadline);
    client.close();
    co_await parking.stop();
  }

  std::vector<std::unique_ptr<consumer::Handler>> handlers(const Settings& settings,
                                                           const domain::InstanceName& instance,
                                                           telemetry::Metrics& metrics,
                                                           std::function<void()> onEnqueued) {
    std::vector<std::unique_ptr<consumer::Handler>> made;
    made.push_back(std::make_unique<consumer::RecordedHandler>(instance, std::move(onEnqueued)));
    made.push_back(std::make_unique<consumer::AnalysisHandler>(
        client, instance, settings.database.requestDeadline, metrics));
    return made;
  }

  database::Client client;
  messaging::Publisher copies;
  consumer::EventConsumer consumer;
  consumer::ParkingWatch parking;
};

struct Delivery::DeadLetters {
  DeadLetters(trantor::EventLoop& loop, const Settings& settings, telemetry::Metrics& metrics,
              BrokerHealth& health)
      : client(loop, clientOptions(settings, "dead letters", 1)),
        parking(loop, {.broker = brokerOptions(settings, "parking"),
                       .topology = topologyOf(settings),
                       .window = settings.broker.window,
                       .onState =
                           [this, &health](messaging::BrokerState state) {
                             health.report(BrokerConnection::parking, state, parking.problem());
                           }}),
        intake(client, parking,
               {.broker = brokerOptions(settings, "dead letters"),
                .topology = topologyOf(settings),
                .databaseDeadline = settings.database.requestDeadline,
                .onState =
                    [this, &health](messaging::BrokerState state) {
                      health.report(BrokerConnection::deadLetters, state, intake.problem());
                    }},
               metrics) {
    intake.start();
    health.report(BrokerConnection::parking, parking.state(), parking.problem());
    health.report(BrokerConnection::deadLetters, intake.state(), intake.problem());
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    co_await intake.stop(deadline);
    client.close();
  }

  database::Client client;
  messaging::Publisher parking;
  consumer::DeadLetterIntake intake;
};

// What is done in the background, without the broker.
struct Delivery::Upkeep {
  Upkeep(trantor::EventLoop& loop, const Settings& settings, const domain::InstanceName& instance,
         telemetry::Metrics& metrics, std::function<void()> onEnqueued)
      : client(loop, clientOptions(settings, "upkeep", kUpkeepConnections)),
        deltas(client, {}, metrics),
        reanalysis(client, {.instance = instance}, metrics),
        jobRetention(client, {.age = settings.jobs.kept}),
        jobs(client, works(onEnqueued),
             {.instance = instance,
              .lease = settings.jobs.lease,
              .chunkRows = settings.jobs.chunkRows,
              .deadline = settings.jobs.lease / 2},
             metrics),
        ruleDeltas(client, {}),
        agedRules(client,
                  {.interval = settings.rules.interval, .onEnqueued = std::move(onEnqueued)},
                  metrics),
        watchdog(client,
                 {.interval = std::min(kWatchInterval, settings.outbox.stuckAfter),
                  .stuckAfter = settings.outbox.stuckAfter},
                 metrics) {
    deltas.start();
    reanalysis.start();
    jobRetention.start();
    jobs.start();
    ruleDeltas.start();
    agedRules.start();
    watchdog.start();
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    // The job at hand first, which is given back; the others end with their statements.
    co_await jobs.stop(deadline);
    client.close();
    co_await deltas.stop();
    co_await reanalysis.stop();
    co_await jobRetention.stop();
    co_await ruleDeltas.stop();
    co_await agedRules.stop();
    co_await watchdog.stop();
  }

  static std::vector<std::unique_ptr<jobs::JobWork>> works(std::function<void()> onEnqueued) {
    std::vector<std::unique_ptr<jobs::JobWork>> made;
    made.push_back(std::make_unique<jobs::DecideWork>(std::move(onEnqueued)));
    made.push_back(std::make_unique<clusters::MoveWork>());
    made.push_back(std::make_unique<rescrub::ScrubWork>(rescrub::ScrubWork::Options{}));
    return made;
  }

  database::Client client;
  clusters::DeltaFlusher deltas;
  clusters::Reanalysis reanalysis;
  jobs::JobRetention jobRetention;
  jobs::JobWorker jobs;
  rules::RuleDeltaFlusher ruleDeltas;
  rules::AgedRulesWorker agedRules;
  outbox::Watchdog watchdog;
};

Delivery::Delivery(const Settings& settings, telemetry::Metrics& metrics,
                   trantor::EventLoop& mainLoop)
    : settings_(settings),
      metrics_(metrics),
      mainLoop_(mainLoop),
      instance_(instanceName()),
      health_(metrics, needsBroker(settings.roles)) {
  if (needsBroker(settings.roles)) {
    messaging::checkBrokerUrl(settings.broker.url);
  }
}

Delivery::~Delivery() = default;

void Delivery::start() {
  const auto startThread = [this](std::unique_ptr<trantor::EventLoopThread>& thread,
                                  const std::string& name,
                                  telemetry::LoopName loop) -> trantor::EventLoop& {
    if (!thread) {
      thread = std::make_unique<trantor::EventLoopThread>(name);
      thread->run();
      workers::measureLag(*thread->getLoop(), metrics_.loopLag(loop));
    }
    return *thread->getLoop();
  };
  using telemetry::LoopName;
  if (settings_.roles.contains(Role::outbox) && !relay_) {
    relay_ = makeOn<Relay>(startThread(relayThread_, "relay", LoopName::relay), settings_,
                           instance_, metrics_, health_);
    claimWorker_ = &relay_->worker;
  }
  if (settings_.roles.contains(Role::consumer) && !consumption_) {
    consumption_ = makeOn<Consumption>(startThread(consumerThread_, "consumer", LoopName::consumer),
                                       settings_, instance_, metrics_, health_, [this] { wake(); });
  }
  if (settings_.roles.contains(Role::ops) && !upkeep_) {
    trantor::EventLoop& loop = startThread(opsThread_, "ops", LoopName::ops);
    if (!deadLetters_) {
      deadLetters_ = makeOn<DeadLetters>(loop, settings_, metrics_, health_);
    }
    upkeep_ = makeOn<Upkeep>(loop, settings_, instance_, metrics_, [this] { wake(); });
    jobWorker_ = &upkeep_->jobs;
  }
  telemetry::log(telemetry::LogLevel::info, "delivery.started",
                 {{"instance", instance_},
                  {"outbox", relay_ != nullptr},
                  {"consumer", consumption_ != nullptr},
                  {"ops", upkeep_ != nullptr}});
}

void Delivery::wake() {
  if (outbox::ClaimWorker* worker = claimWorker_; worker != nullptr) {
    worker->wake();
  }
}

void Delivery::wakeJobs() {
  if (jobs::JobWorker* worker = jobWorker_; worker != nullptr) {
    worker->wake();
  }
}

drogon::Task<> Delivery::stop(std::chrono::steady_clock::time_point deadline) {
  // The last step of each part, giving back what it holds, takes time too.
  const auto now = std::chrono::steady_clock::now();
  const auto partsDeadline = now + (deadline - now) * 3 / 4;
  int running = 0;
  const auto stopOn = [this, partsDeadline, &running](
                          auto& part, std::unique_ptr<trantor::EventLoopThread>& thread) {
    if (part == nullptr) {
      return;
    }
    ++running;
    // Stopped, but not destroyed: a handler that outlives the deadline may still come back to it.
    drogon::async_run(
        [this, partsDeadline, &running, &part, loop = thread->getLoop()]() -> drogon::Task<> {
          co_await drogon::switchThreadCoro(loop);
          try {
            co_await part->stop(partsDeadline);
          } catch (const std::exception& error) {
            telemetry::log(telemetry::LogLevel::error, "delivery.stop_failed",
                           {{"error", error.what()}});
          }
          co_await drogon::switchThreadCoro(&mainLoop_);
          --running;
        });
  };
  stopOn(consumption_, consumerThread_);
  stopOn(relay_, relayThread_);
  stopOn(deadLetters_, opsThread_);
  stopOn(upkeep_, opsThread_);
  while (running > 0) {
    co_await drogon::sleepCoro(&mainLoop_, std::chrono::milliseconds(5));
  }
}

}  // namespace auth_errors::app
