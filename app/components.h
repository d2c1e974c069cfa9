// What the service is made of beside HTTP: made in one place, started when the IO loops run,
// stopped in order. The main thread owns it; what lives on an IO loop is made and ended there.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include <drogon/utils/coroutine.h>
#include <trantor/net/EventLoop.h>

#include "app/actor_key_watch.h"
#include "app/delivery.h"
#include "app/schema_watch.h"
#include "app/settings.h"
#include "controllers/service/health_controller.h"
#include "operations/rescrub/scrub_jobs.h"
#include "outbox/ingest_batcher.h"
#include "platform/database/client.h"
#include "platform/database/clients.h"
#include "platform/security/key_directory.h"
#include "platform/telemetry/metrics.h"
#include "platform/workers/per_loop.h"
#include "platform/workers/slice_turns.h"
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

namespace auth_errors::app {

// One of each for every IO loop: a request never leaves its loop on the way to the database.
struct LoopParts {
  workers::PerLoop<outbox::IngestBatcher> batchers;
  workers::PerLoop<workers::SliceTurns> slices;  // of requests that take long to decode
  workers::PerLoop<triage::ErrorReader> errors;
  workers::PerLoop<triage::JourneyReader> journeys;
  workers::PerLoop<triage::DecisionStore> decisions;
  workers::PerLoop<triage::RedeliveryStore> redeliveries;
  workers::PerLoop<triage::DeadLetterStore> deadLetters;
  workers::PerLoop<clusters::ClusterReader> clusterReaders;
  workers::PerLoop<clusters::ClusterStore> clusters;
  workers::PerLoop<clusters::MoveStore> moves;
  workers::PerLoop<jobs::JobStore> jobs;
  workers::PerLoop<rescrub::ScrubJobs> scrubJobs;
  workers::PerLoop<rules::RuleStore> rules;
};

class Components {
 public:
  // Throws std::invalid_argument on a bad database URL, database::MigrationError on bad files.
  Components(const Settings& settings, telemetry::Metrics& metrics, trantor::EventLoop& mainLoop);

  // On the main loop, before the first connection is accepted.
  void start(const std::vector<trantor::EventLoop*>& ioLoops);
  // On the main loop, after the last request ended: flushes the batchers, closes the clients.
  drogon::Task<> stop(std::chrono::steady_clock::time_point deadline);

  // What each IO loop has of its own, while requests are served.
  [[nodiscard]] const LoopParts& parts() const { return parts_; }
  security::KeyDirectory& keys() { return keys_; }
  Delivery& delivery() { return delivery_; }
  // All but `draining`, which the server knows.
  controllers::ReadinessProbes readinessProbes();

 private:
  // Owns the parts of one IO loop.
  struct OnLoop {
    OnLoop(trantor::EventLoop& owner, const Settings& settings, telemetry::Metrics& metrics,
           Delivery& delivery);

    [[nodiscard]] database::Clients forPeople() { return {lookups, searches, actions}; }
    void placeIn(LoopParts& parts);

    trantor::EventLoop& loop;
    database::Client client;
    outbox::IngestBatcher batcher;
    workers::SliceTurns slices;
    // Connections of their own: a search, however long, never delays a write or a person's action.
    database::Client lookups;
    database::Client searches;
    database::Client actions;
    triage::ErrorReader reader;
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

  std::size_t connectedClients();
  void observe();

  const Settings& settings_;
  telemetry::Metrics& metrics_;
  trantor::EventLoop& mainLoop_;
  SchemaWatch schema_;
  security::KeyDirectory keys_;
  Delivery delivery_;
  ActorKeyWatch actorKeys_;
  trantor::TimerId observer_ = 0;
  // Probes ask from any IO loop, also while stop() ends the clients.
  std::mutex mutex_;
  std::vector<std::unique_ptr<OnLoop>> onLoops_;
  LoopParts parts_;
};

}  // namespace auth_errors::app
