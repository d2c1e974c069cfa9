// A consumer in a separate process whose handler of recorded events misbehaves on command, for
// tests that kill, freeze and fail it: misbehaving_consumer DATABASE_URL AMQP_URL PREFIX LEASE_MS
// MODE.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <format>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>
#include <unistd.h>

#include "consumer/event_consumer.h"
#include "consumer/metrics.h"
#include "domain/identity/name.h"
#include "tests/support/short_rungs.h"

namespace auth_errors::tests {
namespace {

using consumer::EventInHand;
using consumer::Outcome;
using consumer::OutcomeKind;
using consumer::Prepared;

class MisbehavingHandler final : public consumer::Handler {
 public:
  MisbehavingHandler(trantor::EventLoop& loop, std::string mode)
      : loop_(loop), mode_(std::move(mode)) {}

  [[nodiscard]] const domain::EventDescriptor& event() const override { return domain::kRecorded; }

  drogon::Task<Prepared> prepare(std::vector<EventInHand> events) override {
    if (mode_ == "kill" || std::ranges::any_of(events, [this](const EventInHand& event) {
          return mode_ == std::format("poison-{}", event.authErrorId);
        })) {
      std::raise(SIGKILL);
    }
    if (mode_ == "slow") {
      co_await drogon::sleepCoro(&loop_, std::chrono::milliseconds(1'500));
    }
    const Outcome outcome =
        mode_ == "fail" ? Outcome{.kind = OutcomeKind::retry, .error = "told to fail"} : Outcome{};
    co_return Prepared{.outcomes = std::vector<Outcome>(events.size(), outcome), .apply = applyAll};
  }

 private:
  static drogon::Task<database::AfterCommit> applyAll(database::Transaction& transaction,
                                                      std::vector<EventInHand> events) {
    for (const EventInHand& event : events) {
      co_await transaction.run({.name = "", .sql = "INSERT INTO effect (outbox_id) VALUES ($1)"},
                               event.outboxId);
    }
    co_return database::AfterCommit();
  }

  trantor::EventLoop& loop_;
  std::string mode_;
};

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() != 6) {
    return EXIT_FAILURE;
  }
  trantor::EventLoop loop;
  telemetry::Registry registry;
  consumer::Metrics metrics{registry};
  database::Client client(loop, {.url = arguments.at(1), .connections = 2});
  const messaging::Topology topology = shortTopology(arguments.at(3));
  // A short heartbeat, so that the broker soon redelivers the messages of a frozen process.
  const messaging::BrokerOptions broker{
      .url = arguments.at(2), .certificate = {}, .heartbeat = std::chrono::seconds(1)};
  messaging::Publisher copies(loop, {.broker = broker, .topology = topology, .onState = {}});
  std::vector<std::unique_ptr<consumer::Handler>> handlers;
  handlers.push_back(std::make_unique<MisbehavingHandler>(loop, arguments.at(5)));
  consumer::EventConsumer consumer(
      client, copies, std::move(handlers),
      {.instance = domain::InstanceName(std::format("{}-{}", arguments.at(5), ::getpid())),
       .broker = broker,
       .topology = topology,
       .policy = {.rungs = kShortRungs},
       .lease = std::chrono::milliseconds(std::stoi(arguments.at(4))),
       .onState = {}},
      metrics);
  consumer.start();
  loop.loop();
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace auth_errors::tests

int main(int argc, char** argv) {
  // Not on the main thread, which may own Drogon's loop.
  int status = EXIT_FAILURE;
  std::thread([&] { status = auth_errors::tests::run({argv, argv + argc}); }).join();
  return status;
}
