#include "app/instance.h"

#include <array>
#include <cstddef>
#include <format>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "domain/identity/name.h"
#include "domain/values/hex.h"
#include "platform/hashing/digest.h"
#include "platform/messaging/broker.h"
#include "platform/telemetry/log.h"
#include "platform/workers/loop_lag.h"

namespace auth_errors::app {
namespace {

// Differs between instances, even on one host.
domain::InstanceName instanceName() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    host.front() = '\0';
  }
  std::array<std::byte, 4> random{};
  hashing::fillRandom(random);
  const std::string_view name(host.data());
  return domain::InstanceName(
      std::format("{}-{}", name.empty() ? "instance" : name.substr(0, 100), domain::toHex(random)));
}

}  // namespace

Instance::Instance(const Settings& settings, Metrics& metrics, trantor::EventLoop& mainLoop)
    : schema_(settings, mainLoop, [this] { startRoles(); }),
      brokerHealth_(metrics.broker, needsBroker(settings.roles)),
      context_{.settings = settings,
               .metrics = metrics,
               .mainLoop = mainLoop,
               .instance = instanceName(),
               .brokerHealth = brokerHealth_,
               .wakeRelay =
                   [this] {
                     if (outbox_) {
                       outbox_->wake();
                     }
                   },
               .wakeJobs =
                   [this] {
                     if (ops_) {
                       ops_->wakeJobs();
                     }
                   }},
      api_(context_, [this] { return schema_.current(); }) {
  if (needsBroker(settings.roles)) {
    messaging::checkBrokerUrl(settings.broker.url);
  }
  if (settings.roles.contains(Role::outbox)) {
    outbox_.emplace(context_);
  }
  if (settings.roles.contains(Role::consumer)) {
    consumer_.emplace(context_);
  }
  if (settings.roles.contains(Role::ops)) {
    ops_.emplace(context_);
  }
}

void Instance::start(const std::vector<trantor::EventLoop*>& ioLoops) {
  workers::measureLag(context_.mainLoop, context_.metrics.loopLag[LoopName::main]);
  api_.serve(ioLoops);
  schema_.start();
}

// After an exception this is called again; each role then continues with what is missing.
void Instance::startRoles() {
  api_.start();
  if (outbox_) {
    outbox_->start();
  }
  if (consumer_) {
    consumer_->start();
  }
  if (ops_) {
    ops_->start();
  }
  telemetry::log(telemetry::LogLevel::info, "delivery.started",
                 {{"instance", context_.instance},
                  {"outbox", outbox_.has_value()},
                  {"consumer", consumer_.has_value()},
                  {"ops", ops_.has_value()}});
}

drogon::Task<> Instance::stop(std::chrono::steady_clock::time_point deadline) {
  co_await schema_.stop(deadline);
  // First, because its last commits wake the others.
  co_await api_.stop(deadline);
  // The last step of each role, giving back what it holds, takes time as well.
  const auto now = std::chrono::steady_clock::now();
  const auto rolesDeadline = now + (deadline - now) * 3 / 4;
  std::vector<drogon::Task<>> stops;
  if (consumer_) {
    stops.push_back(consumer_->stop(rolesDeadline));
  }
  if (outbox_) {
    stops.push_back(outbox_->stop(rolesDeadline));
  }
  if (ops_) {
    stops.push_back(ops_->stop(rolesDeadline));
  }
  co_await drogon::when_all(std::move(stops));
}

}  // namespace auth_errors::app
