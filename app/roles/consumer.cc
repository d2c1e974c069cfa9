#include "app/roles/consumer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/broker_options.h"
#include "app/database_options.h"
#include "consumer/analysis_handler.h"
#include "consumer/event_consumer.h"
#include "consumer/parking_watch.h"
#include "consumer/recorded_handler.h"
#include "platform/database/client.h"
#include "platform/messaging/publisher.h"

namespace auth_errors::app::roles {
namespace {

// One for the current batch, one to renew its leases meanwhile.
constexpr std::size_t kConsumerConnections = 2;

}  // namespace

struct Consumer::Consumption {
  Consumption(trantor::EventLoop& loop, const Settings& settings, const RoleContext& context)
      : client(loop, databaseOptions(settings, "consumer", kConsumerConnections)),
        copies(loop, {.broker = brokerOptions(settings, "copies"),
                      .topology = topologyOf(settings),
                      .window = settings.broker.window,
                      .onState =
                          [this, &health = context.brokerHealth](messaging::BrokerState state) {
                            health.report(BrokerConnection::copies, state, copies.problem());
                          }}),
        consumer(client, copies, handlers(context),
                 {.instance = context.instance,
                  .broker = brokerOptions(settings, "work"),
                  .topology = topologyOf(settings),
                  .policy = {.rungs = settings.retry.rungs},
                  .lease = settings.consumer.lease,
                  .batchRows = settings.consumer.batchRows,
                  .prefetch = settings.consumer.prefetch,
                  .databaseDeadline =
                      std::min(settings.database.requestDeadline, settings.consumer.lease / 4),
                  .onState =
                      [this, &health = context.brokerHealth](messaging::BrokerState state) {
                        health.report(BrokerConnection::work, state, consumer.problem());
                      }},
                 context.metrics.consumer),
        parking(
            loop, copies,
            {.queue = topologyOf(settings).foreignQueue,
             .onDepth = [&health = context.brokerHealth, queue = topologyOf(settings).foreignQueue](
                            std::uint32_t messages) { health.reportParked(messages, queue); }}) {
    consumer.start();
    parking.start();
    context.brokerHealth.report(BrokerConnection::copies, copies.state(), copies.problem());
    context.brokerHealth.report(BrokerConnection::work, consumer.state(), consumer.problem());
  }

  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline) {
    co_await consumer.stop(deadline);
    client.close();
    co_await parking.stop(deadline);
  }

  // One handler for each event type.
  std::vector<std::unique_ptr<consumer::Handler>> handlers(const RoleContext& context) {
    std::vector<std::unique_ptr<consumer::Handler>> made;
    made.push_back(
        std::make_unique<consumer::RecordedHandler>(context.instance, context.wakeRelay));
    made.push_back(std::make_unique<consumer::AnalysisHandler>(
        client, context.instance, context.settings.database.requestDeadline,
        context.metrics.rules));
    return made;
  }

  database::Client client;
  messaging::Publisher copies;
  consumer::EventConsumer consumer;
  consumer::ParkingWatch parking;
};

Consumer::Consumer(const RoleContext& context) : loop_(context, "consumer", LoopName::consumer) {}

Consumer::~Consumer() = default;

void Consumer::start() { loop_.ensure(consumption_); }

drogon::Task<> Consumer::stop(std::chrono::steady_clock::time_point deadline) {
  return loop_.stop(consumption_.get(), deadline);
}

}  // namespace auth_errors::app::roles
