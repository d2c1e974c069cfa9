// Publishes due messages of the outbox: claims a batch, publishes it with confirms, records the
// outcome of each. Several lanes work concurrently, so that one claims while another waits for the
// broker. Belongs to the loop of its client and publisher.
//
// While the broker is unavailable nothing is claimed, and claimed messages are handed back without
// costing an attempt. A nack or a return costs one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <drogon/utils/coroutine.h>

#include "domain/identity/name.h"
#include "domain/retry/backoff.h"
#include "domain/retry/retry_policy.h"
#include "outbox/metrics.h"
#include "outbox/outbox_store.h"
#include "platform/database/client.h"
#include "platform/database/persist.h"
#include "platform/messaging/publisher.h"
#include "platform/messaging/topology.h"
#include "platform/workers/worker.h"

namespace auth_errors::outbox {

class ClaimWorker final : public workers::Worker {
 public:
  struct Options {
    domain::InstanceName instance;
    domain::RetryPolicy policy;
    std::size_t batchRows = 200;
    std::size_t lanes = 2;
    std::chrono::milliseconds pollInterval{500};
    // Both well below the reaper's timeout; otherwise it would release claims in progress.
    std::chrono::milliseconds publishDeadline{15'000};
    std::chrono::milliseconds databaseDeadline{5'000};
  };
  struct Counts {
    std::size_t claimed = 0;
    std::size_t published = 0;
    std::size_t retried = 0;
    std::size_t dead = 0;
    std::size_t handedBack = 0;
    std::size_t lost = 0;  // claims lost before the outcome was recorded
  };

  ClaimWorker(database::Client& client, messaging::Publisher& publisher,
              messaging::Topology topology, Options options, Metrics& metrics);

  // Stops claiming, finishes messages in flight or hands them back, and closes the publisher. Must
  // be woken when the publisher is ready.
  drogon::Task<bool> stop(Deadline deadline) override;

  // One batch. Throws database::Error if it could not be claimed or its outcome not recorded; the
  // reaper then releases the rest.
  drogon::Task<Counts> runOnce();

 private:
  using Clock = std::chrono::steady_clock;

  drogon::Task<workers::Then> run();
  drogon::Task<Counts> publish(ClaimOwner owner, std::vector<ClaimedMessage> messages);
  // Repeats writes until the claim may expire; they are fenced by its owner.
  [[nodiscard]] database::Persistence whileOurs();
  ClaimOwner nextOwner();
  void count(const Counts& counts);

  database::Client& client_;
  messaging::Publisher& publisher_;
  messaging::Topology topology_;
  Options options_;
  Metrics& metrics_;
  std::uint64_t claims_ = 0;
};

}  // namespace auth_errors::outbox
