// Everything between the outbox and the effects: the relay on one event loop, the consumer on
// another, the intake of dead letters and the upkeep of clusters on a third, each with its own
// connections, as this instance's roles have it. The main thread owns it; wake() and wakeJobs() may
// be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>
#include <trantor/net/EventLoopThread.h>

#include "app/broker_health.h"
#include "app/settings.h"
#include "domain/identity/name.h"
#include "outbox/claim_worker.h"
#include "platform/telemetry/metrics.h"
#include "triage/jobs/job_worker.h"

namespace auth_errors::app {

class Delivery {
 public:
  // Throws std::invalid_argument on a bad broker URL.
  Delivery(const Settings& settings, telemetry::Metrics& metrics, trantor::EventLoop& mainLoop);
  ~Delivery();
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;
  Delivery(Delivery&&) = delete;
  Delivery& operator=(Delivery&&) = delete;

  // Tells instances apart; any thread.
  [[nodiscard]] const domain::InstanceName& instance() const { return instance_; }

  // On the main loop, as stop(); when the schema is current. After a failure it may be called
  // again, and goes on with what is missing.
  void start();
  // What they still hold is given back; what they still write may wait for another instance.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  // New messages wait in the outbox.
  void wake();
  // A job waits to be done.
  void wakeJobs();

  [[nodiscard]] const BrokerHealth& health() const { return health_; }

 private:
  // Each lives on its own loop: made there, stopped there.
  struct Relay;
  struct Consumption;
  struct DeadLetters;
  struct Upkeep;

  const Settings& settings_;
  telemetry::Metrics& metrics_;
  trantor::EventLoop& mainLoop_;
  domain::InstanceName instance_;
  BrokerHealth health_;
  std::unique_ptr<trantor::EventLoopThread> relayThread_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<trantor::EventLoopThread> consumerThread_;
  std::unique_ptr<Consumption> consumption_;
  std::unique_ptr<trantor::EventLoopThread> opsThread_;
  std::unique_ptr<DeadLetters> deadLetters_;
  std::unique_ptr<Upkeep> upkeep_;
  // The relay's, as other threads may see it.
  std::atomic<outbox::ClaimWorker*> claimWorker_ = nullptr;
  // The upkeep's.
  std::atomic<jobs::JobWorker*> jobWorker_ = nullptr;
};

}  // namespace auth_errors::app
