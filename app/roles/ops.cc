#include "app/roles/ops.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "app/broker_options.h"
#include "app/database_options.h"
#include "consumer/dead_letter_intake.h"
#include "operations/rescrub/scrub_work.h"
#include "outbox/watchdog.h"
#include "platform/database/client.h"
#include "platform/messaging/publisher.h"
#include "platform/workers/worker.h"
#include "triage/clusters/delta_flusher.h"
#include "triage/clusters/move_work.h"
#include "triage/clusters/reanalysis.h"
#include "triage/jobs/decide_work.h"
#include "triage/jobs/job_retention.h"
#include "triage/rules/aged_rules_worker.h"
#include "triage/rules/rule_delta_flusher.h"

namespace auth_errors::app::roles {
namespace {

// One each for the long-running jobs, re-analysis and rules, and one for the tasks of every second.
constexpr std::size_t kUpkeepConnections = 4;

constexpr std::chrono::milliseconds kWatchInterval{60'000};

}  // namespace

struct Ops::DeadLetters {
  DeadLetters(trantor::EventLoop& loop, const Settings& settings, const RoleContext& context)
      : client(loop, databaseOptions(settings, "dead letters", 1)),
        parking(loop, {.broker = brokerOptions(settings, "parking"),
                       .topology = topologyOf(settings),
                       .window = settings.broker.window,
                       .onState =
                           [this, &health = context.brokerHealth](messaging::BrokerState state) {
                             health.report(BrokerConnection::parking, state, parking.problem());
                           }}),
        intake(client, parking,
               {.broker = brokerOptions(settings, "dead letters"),
                .topology = topologyOf(settings),
                .databaseDeadline = settings.database.requestDeadline,
                .onState =
                    [this, &health = context.brokerHealth](messaging::BrokerState state) {
                      health.report(BrokerConnection::deadLetters, state, intake.problem());
                    }},
               context.metrics.consumer) {
    intake.start();
    context.brokerHealth.report(BrokerConnection::parking, parking.state(), parking.problem());
    context.brokerHealth.report(BrokerConnection::deadLetters, intake.state(), intake.problem());
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    co_await intake.stop(deadline);
    client.close();
  }

  database::Client client;
  messaging::Publisher parking;
  consumer::DeadLetterIntake intake;
};

// Background work that does not need the broker.
struct Ops::Upkeep {
  Upkeep(trantor::EventLoop& loop, const Settings& settings, const RoleContext& context)
      : client(loop, databaseOptions(settings, "upkeep", kUpkeepConnections)),
        deltas(client, {}, context.metrics.clusters),
        reanalysis(client, {.instance = context.instance}, context.metrics.clusters),
        jobRetention(client, {.age = settings.jobs.kept}),
        jobs(client, works(context),
             {.instance = context.instance,
              .lease = settings.jobs.lease,
              .chunkRows = settings.jobs.chunkRows,
              .deadline = settings.jobs.lease / 2},
             context.metrics.jobs),
        ruleDeltas(client, {}),
        agedRules(client, {.interval = settings.rules.interval, .onEnqueued = context.wakeRelay},
                  context.metrics.rules),
        watchdog(client,
                 {.interval = std::min(kWatchInterval, settings.outbox.stuckAfter),
                  .stuckAfter = settings.outbox.stuckAfter},
                 context.metrics.outbox) {
    for (workers::Worker* worker : all) {
      worker->start();
    }
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    // The running job first, which is released; the others end with their statements.
    co_await jobs.stop(deadline);
    client.close();
    for (workers::Worker* worker : all) {
      co_await worker->stop(deadline);
    }
  }

  // One for each kind of job.
  static std::vector<std::unique_ptr<jobs::JobWork>> works(const RoleContext& context) {
    std::vector<std::unique_ptr<jobs::JobWork>> made;
    made.push_back(std::make_unique<jobs::DecideWork>(context.wakeRelay));
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
  std::vector<workers::Worker*> all{&deltas,     &reanalysis, &jobRetention, &jobs,
                                    &ruleDeltas, &agedRules,  &watchdog};
};

Ops::Ops(const RoleContext& context) : loop_(context, "ops", LoopName::ops) {}

Ops::~Ops() = default;

void Ops::start() {
  loop_.ensure(deadLetters_);
  loop_.ensure(upkeep_);
  jobWorker_ = &upkeep_->jobs;
}

drogon::Task<> Ops::stop(std::chrono::steady_clock::time_point deadline) {
  std::vector<drogon::Task<>> stops;
  stops.push_back(loop_.stop(deadLetters_.get(), deadline));
  stops.push_back(loop_.stop(upkeep_.get(), deadline));
  co_await drogon::when_all(std::move(stops));
}

void Ops::wakeJobs() {
  if (jobs::JobWorker* worker = jobWorker_; worker != nullptr) {
    worker->wake();
  }
}

}  // namespace auth_errors::app::roles
