#include "app/roles/outbox.h"

#include <algorithm>
#include <cstddef>

#include "app/broker_options.h"
#include "app/database_options.h"
#include "outbox/reaper.h"
#include "outbox/sweeper.h"
#include "platform/database/client.h"
#include "platform/messaging/publisher.h"

namespace auth_errors::app::roles {
namespace {

// Each lane uses a connection while it claims or finalises; the reaper and the sweeper share one.
std::size_t relayConnections(const Settings& settings) { return settings.outbox.lanes + 1; }

}  // namespace

struct Outbox::Relay {
  Relay(trantor::EventLoop& loop, const Settings& settings, const RoleContext& context)
      : client(loop, databaseOptions(settings, "relay", relayConnections(settings))),
        publisher(loop, {.broker = brokerOptions(settings, "relay"),
                         .topology = topologyOf(settings),
                         .window = settings.broker.window,
                         .onState =
                             [this, &health = context.brokerHealth](messaging::BrokerState state) {
                               health.report(BrokerConnection::relay, state, publisher.problem());
                               worker.wake();
                             }}),
        worker(client, publisher, topologyOf(settings),
               {.instance = context.instance,
                .policy = {.rungs = settings.retry.rungs},
                .batchRows = settings.outbox.batchRows,
                .lanes = settings.outbox.lanes,
                .pollInterval = settings.outbox.pollInterval,
                .publishDeadline = settings.outbox.claimTimeout / 4,
                .databaseDeadline =
                    std::min(settings.database.requestDeadline, settings.outbox.claimTimeout / 4)},
               context.metrics.outbox),
        reaper(client,
               {.interval = settings.outbox.reapInterval,
                .claimTimeout = settings.outbox.claimTimeout,
                .onReaped = [this] { worker.wake(); }},
               context.metrics.outbox),
        sweeper(client, publisher,
                {.interval = settings.outbox.sweepInterval,
                 .grace = settings.retry.rungs.back() + settings.consumer.lease,
                 .workQueue = topologyOf(settings).workQueue,
                 .onSwept = [this] { worker.wake(); }},
                context.metrics.outbox) {
    context.brokerHealth.report(BrokerConnection::relay, publisher.state(), publisher.problem());
    worker.start();
    reaper.start();
    sweeper.start();
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    // The claims first; the other two end with their statements.
    co_await worker.stop(deadline);
    client.close();
    co_await sweeper.stop(deadline);
    co_await reaper.stop(deadline);
  }

  database::Client client;
  messaging::Publisher publisher;
  outbox::ClaimWorker worker;
  outbox::Reaper reaper;
  outbox::Sweeper sweeper;
};

Outbox::Outbox(const RoleContext& context) : loop_(context, "relay", LoopName::relay) {}

Outbox::~Outbox() = default;

void Outbox::start() {
  loop_.ensure(relay_);
  claimWorker_ = &relay_->worker;
}

drogon::Task<> Outbox::stop(std::chrono::steady_clock::time_point deadline) {
  return loop_.stop(relay_.get(), deadline);
}

void Outbox::wake() {
  if (outbox::ClaimWorker* worker = claimWorker_; worker != nullptr) {
    worker->wake();
  }
}

}  // namespace auth_errors::app::roles
